"""Spanning trees packed into the capacities of a network without switches."""
