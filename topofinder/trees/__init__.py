"""Forests as a user keeps them: the trees of a collective, routed, checked for shape, in files."""
