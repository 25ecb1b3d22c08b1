"""Targets of fabrics whose fibres are bundled: so many parallel links are a circuit of trunks."""

from dataclasses import replace

from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.patching.planner import Target


def trunk_target(target: Target, links: int) -> Target:
    """The target in circuits of so many parallel links each; the same for one.

    Raises InvalidInput where two nodes are joined by another number of links.

    >>> four = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0), (1, 0)])
    >>> asked = Target(subject="K(2)||2", recipe="K(2)||2", topology=four, duplex=True)
    >>> trunk_target(asked, 2).topology.arcs
    2
    """
    if links == 1:
        return target
    return replace(target, topology=_divided_links(target.topology, links, target.subject))


def _divided_links(graph: Topology, links: int, name: str) -> Topology:
    """Of each so many parallel arcs the first, in the order of the arcs."""
    seen: dict[tuple[int, int], int] = {}
    chosen = []
    for arc, ends in enumerate(zip(graph.tail.tolist(), graph.head.tolist(), strict=True)):
        seen[ends] = seen.get(ends, 0) + 1
        if seen[ends] % links == 1:
            chosen.append(arc)
    for (tail, head), many in seen.items():
        if many % links:
            raise InvalidInput(
                f"--to: {name}: {many} link{'s' * (many != 1)} from {tail} to {head}, "
                f"where trunks have {links}: try {name}||{links}"
            )
    return Topology(n=graph.n, tail=graph.tail[chosen], head=graph.head[chosen])
