"""Switches taken out of a network by splitting off arcs, and the routes through them."""
