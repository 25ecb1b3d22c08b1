"""The bound on the time, from the bottleneck cut: w(S) / B+(S), worked out anew."""

from fractions import Fraction

from generators.brief import brief
from generators.topology import Topology
from topofinder.model.tree_set import TreeSet


def cut_violation(topology: Topology, trees: TreeSet, weight: tuple[int, ...]) -> str | None:
    """One line when the cut does not give the bound that the trees say.

    All that is inside the cut S has to leave it once, if some compute node is outside (bound (*)
    of section 4); so the ratio holds for every S, and the best S proves a time to be optimal.
    """
    inside = [False] * topology.n
    for node in trees.cut.tolist():
        inside[node] = True
    switches = frozenset(topology.switches)
    if all(inside[v] or v in switches for v in range(topology.n)):
        return "the cut leaves no compute node outside"
    leaving = Fraction(0)
    for arc, (u, v) in enumerate(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)):
        if inside[u] and not inside[v]:
            leaving += 1 if topology.capacity is None else topology.capacity[arc]
    has = sum(w for w, isin in zip(weight, inside, strict=True) if isin)
    if not leaving:
        return "no link leaves the cut"
    if has / leaving != trees.optimum:
        found, said = brief(has / leaving), brief(trees.optimum)
        return f"the cut gives the bound {found}, not {said} as they say"
    return None
