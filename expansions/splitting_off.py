"""Splitting off the last node: SplitOff(G,i), one node less, its neighbours joined in pairs.

In a two-way graph of odd degree d the circuits of a node are joined in pairs, and one of them is
left: its neighbour has a port free (splitting off, Lovasz 1976). So a graph of an even number of
nodes makes one of an odd number, for which no regular graph of that degree exists; distances change
little. No theorem tells the cost: the graph itself is evaluated. With i all d!! = d (d - 2) ... 1
ways to pair are numbered; the neighbours are in order of their numbers. Pinching circuits together
undoes it, so that every connected graph with one port free is such a graph.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from math import prod

import numpy as np

from expansions.arc_order import require_equal_links
from expansions.properties import properties
from expansions.recipe import Recipe
from expansions.register import Expansion, register_expansion
from expansions.size import Size, size
from generators.errors import InvalidInput
from generators.registry import GraphProperties, require
from generators.topology import Topology

Pair = tuple[int, int]


def split_off(topology: Topology, pairing: int) -> Topology:
    """SplitOff(G,i) for i = `pairing`, from 0; the joined circuits come last, back after forth.

    Raises InvalidInput for a graph that is not two-way, where the last node has an even number of
    circuits or a self-loop, for a number that is no pairing, and where a node would be joined to
    itself.

    >>> full = Topology.from_arcs(4, [(u, v) for u in range(4) for v in range(4) if u != v])
    >>> graph = split_off(full, 0)
    >>> graph.n, graph.out_degrees.tolist()
    (3, [2, 3, 3])
    """
    require_equal_links(topology)
    require(topology.is_bidirectional, "SplitOff(G,i): G is not two-way")
    last = topology.n - 1
    around = np.sort(topology.head[topology.tail == last]).tolist()
    require(len(around) % 2 == 1, f"SplitOff(G,i): an odd degree is needed, not {len(around)}")
    require(last not in around, f"SplitOff(G,i): node {last} has a self-loop")
    pairs = [(around[one], around[other]) for one, other in pair_off(len(around), pairing)]
    for one, other in pairs:
        require(one != other, f"SplitOff(G,i): pairing {pairing} joins node {one} to itself")
    kept = (topology.tail != last) & (topology.head != last)
    ends = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return Topology(
        n=last,
        tail=np.concatenate([topology.tail[kept], ends[:, 0], ends[:, 1]]),
        head=np.concatenate([topology.head[kept], ends[:, 1], ends[:, 0]]),
    )


def pinch(graph: Topology, near: Collection[int] = ()) -> tuple[Topology, int]:
    """A graph that has a node more, and the number of the pairing that splits it off again.

    (d - 1)/2 circuits are led over the new last node, which has the free port for a neighbour, too.
    They have no ends in common, as far as the first ones allow in their order; those between
    nodes of `near` come first. `graph` is two-way, with an odd number d of ports at every node but
    the one that has a port less; self-loops are left out.

    >>> pair = Topology.from_arcs(3, [(0, 1), (0, 2), (1, 2), (1, 2)])
    >>> both = Topology.from_arcs(3, [*zip(pair.tail, pair.head), *zip(pair.head, pair.tail)])
    >>> larger, number = pinch(both)
    >>> larger.is_simple, split_off(larger, number).same_arcs(both)
    (True, True)
    """
    last, old = graph.n, set(near)
    ends = zip(graph.tail.tolist(), graph.head.tolist(), strict=True)
    circuits = sorted(
        ((u, v) for u, v in ends if u < v), key=lambda pair: (not old.issuperset(pair), pair)
    )
    degrees = Counter(node for pair in circuits for node in pair)
    d = max(degrees.values())
    [free] = (node for node in range(last) if degrees[node] < d)
    chosen = _choose_apart(circuits, free, d // 2)
    kept = Counter(circuits) - Counter(chosen)
    around = sorted([free, *(node for pair in chosen for node in pair)])
    joined = [*kept.elements(), *((node, last) for node in around)]
    larger = Topology.from_arcs(last + 1, [*joined, *((v, u) for u, v in joined)])
    return larger, _pairing_number(around, chosen)


def _choose_apart(circuits: Iterable[Pair], free: int, count: int) -> list[Pair]:
    """The first circuits without common ends, and the first of the rest where these are few."""
    chosen: list[Pair] = []
    rest: list[Pair] = []
    around = {free}
    for pair in circuits:
        if around.isdisjoint(pair):
            chosen.append(pair)
            around.update(pair)
        else:
            rest.append(pair)
    return [*chosen, *rest][:count]


def _pairing_number(around: list[int], chosen: Iterable[Pair]) -> int:
    """The number of a pairing of the neighbours, which are in order, that joins these pairs."""
    things = list(around)
    partners: dict[int, list[int]] = {}
    for one, other in sorted(chosen):
        partners.setdefault(one, []).append(other)
    [alone] = Counter(around) - Counter(node for pair in chosen for node in pair)
    number, ways = things.index(alone), len(things)
    things.remove(alone)
    while things:
        place = things.index(partners[things.pop(0)].pop(0))
        number, ways = number + place * ways, ways * len(things)
        things.pop(place)
    return number


def pairings(count: int) -> int:
    """How many ways there are to pair an odd number of things but one: count!!.

    >>> [pairings(count) for count in (1, 3, 5)]
    [1, 3, 15]
    """
    return prod(range(count, 0, -2))


def pair_off(count: int, number: int) -> list[Pair]:
    """Pairing `number` of the things 0..count - 1 for an odd count; one thing is left.

    >>> pair_off(5, 0), pair_off(5, 14)
    ([(1, 2), (3, 4)], [(0, 3), (1, 2)])
    """
    most = pairings(count)
    if not 0 <= number < most:
        raise InvalidInput(f"SplitOff(G,i): i is 0 to {most - 1}, not {number}")
    things, found = list(range(count)), []
    number, alone = divmod(number, count)
    things.pop(alone)
    while things:
        first = things.pop(0)
        number, place = divmod(number, len(things))
        found.append((first, things.pop(place)))
    return found


def require_pairing(recipe: Recipe, graph: Topology | None = None) -> None:
    """Refuse what cannot be split off, as far as that is known before anything is built."""
    (inner,), (number,) = recipe.parts, recipe.numbers
    known = properties(inner)
    if known.bidirectional is False:
        raise InvalidInput(f"{recipe}: the graph inside is not two-way")
    if known.regular:
        d = size(inner).d
        require(d % 2 == 1, f"{recipe}: an odd degree is needed, not {d}")
        pair_off(d, number)


def _size(inner: Size, number: int) -> Size:
    require(inner.n >= 3, f"SplitOff(G,i): at least 3 nodes are needed, not {inner.n}")
    return Size(inner.n - 1, inner.d)


def _properties(recipe: Recipe, number: int) -> GraphProperties:
    """A port of one node is free; all circuits are two-way."""
    inner = properties(recipe)
    regular = False if inner.regular and size(recipe).n > 2 else None
    return GraphProperties(regular=regular, bidirectional=True, loop_free=inner.loop_free)


def first_pairings(d: int, most: int) -> Iterator[int]:
    """Some numbers of pairings, spread over all of them.

    >>> list(first_pairings(5, 4)), list(first_pairings(3, 4))
    ([0, 4, 8, 12], [0, 1, 2])
    """
    count = pairings(d)
    yield from range(0, count, -(-count // most))


register_expansion(
    Expansion(
        symbol="SplitOff",
        title="splitting off of a node",
        numbers=("pairing",),
        size=_size,
        build=split_off,
        properties=_properties,
        require=require_pairing,
        letter="S",
        word="splitting off",
        place=9,
    )
)
