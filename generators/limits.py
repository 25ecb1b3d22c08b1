"""How large graphs may be: nothing is imported here, so that a look-up can refuse a size early."""

MAX_NODES = 1 << 20
MAX_ARCS = 1 << 24
"""Of any graph that is built or read."""

MAX_NAMED_NODES = 10**9
MAX_NAMED_ARCS = 1 << 36
"""Of a graph that a recipe may name; what theorems say of it needs no arrays."""

LARGEST_BUILT = 1 << 16
"""Nodes of the largest graph that is built, unless more are asked for."""

LARGE_WORK = 1 << 30
"""Largest n * n * d of a base graph that a large search evaluates: about a second."""
