"""The forest of a fabric: the optimum, the number of trees, switches away, trees packed."""

from topofinder.forest.answer import Forest, Optimum
from topofinder.forest.fabric import Fabric


def optimum(fabric: Fabric) -> Optimum:
    """The best possible rate and its bottleneck cut."""
    raise NotImplementedError


def forest(
    fabric: Fabric, k: int | None = None, seed: int = 0, time: float | None = None
) -> Forest:
    """Trees that reach the optimum, or the best for `k` trees a root."""
    raise NotImplementedError
