"""How large a base graph may be asked for: refused before any array is made."""

from generators.limits import MAX_ARCS, MAX_NAMED_ARCS, MAX_NAMED_NODES, MAX_NODES
from generators.registry import BaseProperties, require

MAX_EXPONENT = MAX_NAMED_NODES.bit_length()
"""No power of a base of at least 2 above this one is small enough to name."""


def require_size(name: str, n: int, d: int) -> None:
    """Refuse, in the name of the recipe `name`, a graph of n nodes and degree d too large to build.

    Raises InvalidInput above MAX_NODES nodes or MAX_ARCS arcs.
    """
    require(n <= MAX_NODES, f"{name} has {n} nodes; at most {MAX_NODES} can be built")
    require(n * d <= MAX_ARCS, f"{name} has {n * d} arcs; at most {MAX_ARCS} can be built")


def require_name(name: str, n: int, d: int) -> None:
    """Refuse a graph that no recipe may name: of families whose theorems need no arrays.

    Raises InvalidInput above MAX_NAMED_NODES nodes or MAX_NAMED_ARCS arcs.
    """
    nodes, arcs = MAX_NAMED_NODES, MAX_NAMED_ARCS
    require(n <= nodes, f"{name} has {n} nodes; recipes name at most {nodes}")
    require(n * d <= arcs, f"{name} has {n * d} arcs; recipes name graphs of at most {arcs}")


def require_buildable(known: BaseProperties, name: str = "the graph") -> None:
    """Refuse to build what can only be named: above MAX_NODES nodes or MAX_ARCS arcs."""
    require_size(name, known.n, known.d)


def require_exponent(name: str, exponent: int) -> None:
    """Refuse an exponent so large that even to compute the number of nodes would be a burden."""
    require(
        exponent <= MAX_EXPONENT,
        f"{name}: exponent {exponent} gives more than {MAX_NAMED_NODES} nodes",
    )
