"""Targets of fabrics whose fibres are bundled: so many parallel links are a circuit of trunks."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from expansions.canonical import parallel
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.patching.planner import Target


def trunk_target(target: Target, links: int) -> Target:
    """The target in circuits of so many parallel links each; the same for one.

    Where links have capacities, a trunk is of links of one, and has that of all together. Raises
    InvalidInput where two nodes are joined by another number of links.

    >>> four = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0), (1, 0)])
    >>> asked = Target(subject="K(2)||2", recipe="K(2)||2", topology=four, duplex=True)
    >>> trunk_target(asked, 2).topology.arcs
    2
    """
    if links == 1:
        return target
    return replace(target, topology=_divided_links(target.topology, links, target.subject))


def recipe_in_trunks(recipe: str, links: int) -> str:
    """A recipe with so many links for each of its own.

    >>> recipe_in_trunks("Torus(4,4)", 4), recipe_in_trunks("K(4)", 1)
    ('Torus(4,4)||4', 'K(4)')
    """
    return recipe if links == 1 else str(parallel(parse(recipe), links))


def _divided_links(graph: Topology, links: int, name: str) -> Topology:
    """Of each so many parallel arcs of one capacity the first, with that of all.

    Where no rate is told that a capacity of 1 stands for, it stays: 1 is then that of a trunk.
    """
    times = 1 if graph.unit_rate is None else links
    rates = graph.capacity or (Fraction(1, links),) * graph.arcs
    seen = Counter[tuple[int, int, Fraction]]()
    chosen = []
    for arc, ends in enumerate(zip(graph.tail.tolist(), graph.head.tolist(), rates, strict=True)):
        seen[ends] += 1
        if seen[ends] % links == 1:
            chosen.append(arc)
    for (tail, head, _), many in seen.items():
        if many % links:
            hint = f"try {name}||{links}" if graph.capacity is None else "of one rate each"
            raise InvalidInput(
                f"--to: {name}: {many} link{'s' * (many != 1)} from {tail} to {head}, "
                f"where trunks have {links}: {hint}"
            )
    return Topology(
        n=graph.n,
        tail=graph.tail[chosen],
        head=graph.head[chosen],
        capacity=None if graph.capacity is None else tuple(times * rates[arc] for arc in chosen),
        unit_rate=graph.unit_rate,
        translation=graph.translation,
        orbits=graph.orbits,
    )
