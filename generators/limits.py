"""How large graphs may be: nothing is imported here, so that a look-up can refuse a size early."""

MAX_NODES = 1 << 20
MAX_ARCS = 1 << 24

LARGEST_BUILT = 1 << 16
"""Nodes of the largest graph that is built, unless more are asked for."""
