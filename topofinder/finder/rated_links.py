"""Which links get which rate where the ports of every host differ in speed, alike at each host.

A circuit joins ports of one rate, so the links of a rate make every host send and receive on as
many links as it has ports of that rate: a factor of the graph. Where the graph has translations,
the links that they carry into each other (a generator of a Cayley graph) get one rate, and all
such choices are tried: every host then sees the same. Otherwise a regular digraph falls into
perfect matchings of senders with receivers (Koenig), and a graph of two-way circuits of even
degree into 2-factors (Petersen), after a perfect matching for each rate with an odd count of ports.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from generators.topology import AnyIntArray, Int64Array, Topology
from topofinder.model.port_rates import PortRates

MOST_CHOICES = 256
"""Choices of generators that are tried on a graph with translations."""
DRAWS = 8
"""Factors at most that are drawn by chance on any other graph."""
DRAWN_NODES = 256
"""Nodes of all factors that are drawn of one graph, about; above, there is one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatedLinks:
    """Links with rates: `which[e]` is the place of arc e's; `alike` if all hosts see the same."""

    which: Int64Array
    alike: bool

    def topology(self, graph: Topology, rates: PortRates) -> Topology:
        """The graph with these rates as capacities, in units of the slowest."""
        units = [rate / rates.rates[0] for rate in rates.rates]
        return Topology(
            n=graph.n,
            tail=graph.tail,
            head=graph.head,
            capacity=tuple(units[place] for place in self.which.tolist()),
            unit_rate=rates.rates[0],
        )


def rated_links(
    graph: Topology, counts: Sequence[int], *, two_way: bool, seed: int = 0
) -> list[RatedLinks]:
    """Ways to give every host `counts[i]` links of rate i, to send on and to receive on.

    With `two_way` both directions of a circuit have one rate. The same seed gives the same. Empty
    where none is found: on a graph that is not regular, and for odd counts without a perfect
    matching. A self-loop takes a port for sending and one for receiving.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)])
    >>> len(rated_links(ring, [1, 1], two_way=False)) >= 1, rated_links(ring, [1, 1], two_way=True)
    (True, [])
    """
    if not graph.is_regular or graph.degree != sum(counts):
        return []
    if two_way and not graph.is_bidirectional:
        return []
    found = list(_choices_by_generator(graph, counts, two_way=two_way))
    if found:
        return found
    most = max(1, min(DRAWS, DRAWN_NODES // graph.n))
    chances = (np.random.default_rng([seed, place]) for place in range(most))
    draws = (_draw_factors(graph, counts, two_way, chance) for chance in chances)
    return [RatedLinks(which=which, alike=False) for which in draws if which is not None]


def _choices_by_generator(
    graph: Topology, counts: Sequence[int], *, two_way: bool
) -> Iterator[RatedLinks]:
    """All choices of a rate for each generator; none where nothing translates the graph."""
    label = _generators(graph)
    if label is None:
        return
    groups = _inverse_pairs(graph, label) if two_way else [[g] for g in range(graph.degree)]
    choices = _divisions([len(group) for group in groups], list(counts))
    for choice in islice(choices, MOST_CHOICES):
        place = np.empty(graph.degree, dtype=np.int64)
        for group, rate in zip(groups, choice, strict=True):
            place[group] = rate
        yield RatedLinks(which=place[label], alike=True)


def _generators(graph: Topology) -> Int64Array | None:
    """The out-arc of node 0, counted from 0, that a translation carries to each arc."""
    if graph.translation is None:
        return None
    at: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for arc, ends in enumerate(zip(graph.tail.tolist(), graph.head.tolist(), strict=True)):
        at[ends].append(arc)
    own = np.flatnonzero(graph.tail == 0)
    label = np.full(graph.arcs, -1, dtype=np.int64)
    for u in range(graph.n):
        for g, v in enumerate(graph.translation(u)[graph.head[own]].tolist()):
            if not at[u, v]:
                return None
            label[at[u, v].pop(0)] = g
    return label


def _inverse_pairs(graph: Topology, label: AnyIntArray) -> list[list[int]]:
    """Generators with their inverses: what translations make of the way back to node 0."""
    back: defaultdict[int, list[int]] = defaultdict(list)
    for arc in np.flatnonzero(graph.head == 0):
        back[int(graph.tail[arc])].append(int(label[arc]))
    inverse = [back[v].pop(0) for v in graph.head[graph.tail == 0].tolist()]
    pairs: list[list[int]] = []
    for g, other in enumerate(inverse):
        known = next((pair for pair in pairs if g in pair or other in pair), None)
        if known is None:
            pairs.append(sorted({g, other}))
        else:
            known[:] = sorted({*known, g, other})
    return pairs


def _divisions(sizes: Sequence[int], left: list[int]) -> Iterator[tuple[int, ...]]:
    """All ways to give each group a rate, so that sizes add up to what is left of each."""
    if not sizes:
        if not any(left):
            yield ()
        return
    for rate, room in enumerate(left):
        if room >= sizes[0]:
            rest = [*left]
            rest[rate] -= sizes[0]
            for others in _divisions(sizes[1:], rest):
                yield (rate, *others)


def _draw_factors(
    graph: Topology, counts: Sequence[int], two_way: bool, rng: np.random.Generator
) -> Int64Array | None:
    """Rates by factors that are drawn by chance, or None where a matching is missing."""
    if two_way:
        return _two_way_factors(graph, counts, rng)
    which = np.empty(graph.arcs, dtype=np.int64)
    left = np.arange(graph.arcs)
    for rate in (rate for rate, count in enumerate(counts) for _ in range(count)):
        taken = _draw_matching(graph.n, graph.tail, graph.head, left, rng)
        which[taken] = rate
        left = np.setdiff1d(left, taken)
    return which


def _draw_matching(
    n: int, tail: AnyIntArray, head: AnyIntArray, arcs: Int64Array, rng: np.random.Generator
) -> Int64Array:
    """Of a regular digraph's arcs some on which every node sends once and receives once."""
    arcs, sender, receiver = rng.permutation(arcs), rng.permutation(n), rng.permutation(n)
    ends = np.stack([sender[tail[arcs]], receiver[head[arcs]]]).astype(np.int32)  # for scipy 1.13
    pairs, first = np.unique(ends, axis=1, return_index=True)
    rows = csr_array((np.ones(len(first), dtype=np.int8), (pairs[0], pairs[1])), shape=(n, n))
    partner = maximum_bipartite_matching(rows, perm_type="column")
    by_ends = dict(zip(zip(*pairs.tolist(), strict=True), arcs[first].tolist(), strict=True))
    return np.array([by_ends[u, int(v)] for u, v in enumerate(partner)], dtype=np.int64)


def _two_way_factors(
    graph: Topology, counts: Sequence[int], rng: np.random.Generator
) -> Int64Array | None:
    circuits = _circuits(graph)
    if circuits is None:
        return None
    which = np.empty(graph.arcs, dtype=np.int64)
    left = np.arange(len(circuits))
    for rate in (rate for rate, count in enumerate(counts) if count % 2):
        taken = _perfect_matching(graph, circuits, left, rng)
        if taken is None:
            return None
        which[circuits[taken]] = rate
        left = np.setdiff1d(left, taken)
    tail, head = _orient(graph, circuits, left, rng)
    for rate in (rate for rate, count in enumerate(counts) for _ in range(count // 2)):
        taken = _draw_matching(graph.n, tail, head, left, rng)
        which[circuits[taken]] = rate
        left = np.setdiff1d(left, taken)
    return which


def _circuits(graph: Topology) -> Int64Array | None:
    """Both arcs of each two-way circuit; shape (circuits, 2). None where there are self-loops."""
    if graph.has_loops:
        return None
    low, high = np.minimum(graph.tail, graph.head), np.maximum(graph.tail, graph.head)
    order = np.lexsort((graph.tail, high, low))
    pairs: list[tuple[int, int]] = []
    for _, arcs in groupby(order.tolist(), key=lambda arc: (low[arc], high[arc])):
        both = list(arcs)
        pairs += zip(both[: len(both) // 2], both[len(both) // 2 :], strict=True)
    return np.array(pairs, dtype=np.int64)


def _perfect_matching(
    graph: Topology, circuits: Int64Array, left: Int64Array, rng: np.random.Generator
) -> Int64Array | None:
    weighted = nx.Graph()
    for place in rng.permutation(left).tolist():
        ends = int(graph.tail[circuits[place, 0]]), int(graph.head[circuits[place, 0]])
        weighted.add_edge(*ends, place=place, weight=int(rng.integers(1, 8)))
    taken = nx.max_weight_matching(weighted, maxcardinality=True)
    if 2 * len(taken) < graph.n:
        return None
    return np.array([weighted.edges[pair]["place"] for pair in taken], dtype=np.int64)


def _orient(
    graph: Topology, circuits: Int64Array, left: Int64Array, rng: np.random.Generator
) -> tuple[Int64Array, Int64Array]:
    """Tails and heads of circuits that go round as Euler tours, in and out alike at each node."""
    tail, head = np.zeros((2, len(circuits)), dtype=np.int64)
    tours = nx.MultiGraph()
    for place in rng.permutation(left).tolist():
        arc = circuits[place, 0]
        tours.add_edge(int(graph.tail[arc]), int(graph.head[arc]), key=place)
    for part in nx.connected_components(tours):
        for u, v, place in nx.eulerian_circuit(tours.subgraph(part), keys=True):
            tail[place], head[place] = u, v
    return tail, head
