"""How large a base graph may be asked for: refused before any array is made."""

from generators.limits import MAX_ARCS, MAX_NODES
from generators.registry import require

MAX_EXPONENT = MAX_NODES.bit_length()
"""No power of a base of at least 2 above this one is small enough to build."""


def require_size(name: str, n: int, d: int) -> None:
    """Refuse, in the name of the recipe `name`, a graph of n nodes and degree d that is too large.

    Raises InvalidInput above MAX_NODES nodes or MAX_ARCS arcs.
    """
    require(n <= MAX_NODES, f"{name} has {n} nodes; at most {MAX_NODES} can be built")
    require(n * d <= MAX_ARCS, f"{name} has {n * d} arcs; at most {MAX_ARCS} can be built")


def require_exponent(name: str, exponent: int) -> None:
    """Refuse an exponent so large that even to compute the number of nodes would be a burden."""
    require(
        exponent <= MAX_EXPONENT,
        f"{name}: exponent {exponent} gives more than {MAX_NODES} nodes",
    )
