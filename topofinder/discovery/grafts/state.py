"""Graphs under annealing, made from Topologies and read back; energies in terms of costs."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm, log

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Int64Array, Topology
from topofinder.discovery.grafts.state_kernels import AnnealedGraph, evaluate_graph
from topofinder.discovery.link_set_kernels import packed_words

MOST_DEGREE = 8
"""Links a node: the sets of links of a shard are bytes."""


def annealed_graph(
    topology: Topology, steps: int, *, duplex: bool, profile: Sequence[Sequence[int]] = ()
) -> AnnealedGraph:
    """The evaluated state of a regular graph without self-loops, at so many steps.

    `profile[search][t - 1]` is the load up to which none counts as excess; without it, none does.
    Raises InvalidInput for other graphs and for more than 8 links a node.

    >>> from generators.families.complete import complete
    >>> annealed_graph(complete(4), 1, duplex=True).sums.tolist()
    [[0, 0, 300]]
    """
    if topology.has_loops:
        raise InvalidInput("annealing takes a regular graph without self-loops")
    graph = graph_arrays(topology, steps, duplex=duplex, profile=profile)
    evaluate_graph(graph)
    return graph


def graph_arrays(
    topology: Topology, steps: int, *, duplex: bool, profile: Sequence[Sequence[int]] = ()
) -> AnnealedGraph:
    """The state of a graph with its links alone: no balls and no loads; else as annealed_graph.

    Of a two-way graph one self-loop may stand for a port that is free: no exchange takes it.
    """
    n, d = topology.n, topology.degree
    if not topology.is_regular or (topology.has_loops and not duplex):
        raise InvalidInput("annealing takes a regular graph without self-loops")
    if not 1 <= d <= MOST_DEGREE:
        raise InvalidInput(f"d: annealing takes 1 to {MOST_DEGREE} links a node, not {d}")
    searches = 1 if duplex else 2
    slots, partner = _paired_slots(topology) if duplex else _one_way_slots(topology)
    rows, cells = searches * (steps + 1) * n, searches * (steps + 1) * n
    words = (n + 63) // 64
    limits = np.full((searches, steps + 1), np.iinfo(np.int32).max, np.int64)
    for search, loads in enumerate(profile):
        limits[search, 1 : len(loads) + 1] = loads[:steps]
    return AnnealedGraph(
        slots=slots,
        partner=partner,
        balls=np.zeros((rows + 2, words), np.uint64),
        loads=np.zeros((searches, steps + 1, n), np.int32),
        peaks=np.zeros((searches, steps + 1), np.int64),
        sums=np.zeros((searches, 3), np.int64),
        profile=limits,
        scale=link_scale(d),
        link_counts=np.zeros(packed_words(d), np.uint64),
        stamps=np.zeros(n, np.int64),
        touched=np.zeros(cells, np.int32),
        starts=np.zeros(steps + 2, np.int64),
        new_peaks=np.zeros(steps + 1, np.int64),
        old_peaks=np.zeros(steps + 1, np.int64),
        log_row=np.zeros(rows, np.int32),
        log_words=np.zeros((rows, words), np.uint64),
        log_load=np.zeros(cells, np.int32),
        log_value=np.zeros(cells, np.int32),
        counts=np.zeros(4, np.int64),
    )


def link_scale(d: int) -> Int64Array:
    """lcm(1..d) / |P| for every set P of links, 0 for none; shape (2^d,)."""
    sizes = np.bitwise_count(np.arange(1 << d)).astype(np.int64)
    return lcm(*range(1, d + 1)) // np.maximum(sizes, 1) * (sizes > 0)


def _one_way_slots(topology: Topology) -> tuple[np.ndarray, np.ndarray]:
    """Tails of arcs by head, then heads of arcs by tail; and where the arc's other end stands."""
    m = topology.arcs
    into = np.lexsort((topology.tail, topology.head))
    out = np.lexsort((topology.head, topology.tail))
    place_in, place_out = np.empty(m, np.int64), np.empty(m, np.int64)
    place_in[into], place_out[out] = np.arange(m), np.arange(m) + m
    slots = np.concatenate([topology.tail[into], topology.head[out]]).astype(np.int32)
    return slots, np.concatenate([place_out[into], place_in[out]])


def _paired_slots(topology: Topology) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of each node, and where the circuit stands among those of the neighbour."""
    if not topology.is_bidirectional:
        raise InvalidInput("annealing of circuits takes a two-way graph")
    forth = np.lexsort((topology.head, topology.tail))
    back = np.lexsort((topology.tail, topology.head))
    place = np.empty(topology.arcs, np.int64)
    # The k-th arc by (tail, head) returns as the k-th by (head, tail): the arcs are as many.
    rank = np.empty(topology.arcs, np.int64)
    rank[forth] = np.arange(topology.arcs)
    place[np.arange(topology.arcs)] = rank[back]
    return topology.head[forth].astype(np.int32), place


def topology_of(slots: np.ndarray, n: int, *, duplex: bool) -> Topology:
    """The graph of slots, arcs by head, then slot."""
    table = slots if duplex else slots[: len(slots) // 2]
    head = np.repeat(np.arange(n, dtype=np.int32), len(table) // n)
    return Topology(n=n, tail=table, head=head)


def bandwidths(graph: AnnealedGraph) -> tuple[Fraction, Fraction]:
    """T_B of the graph and of its transpose, where no pair is missed.

    >>> from generators.families.complete import complete
    >>> bandwidths(annealed_graph(complete(4), 1, duplex=True))
    (Fraction(3, 4), Fraction(3, 4))
    """
    searches, _, n = graph.loads.shape
    d = len(graph.slots) // (searches * n)
    forth, *back = (
        Fraction(d * int(peaks.sum()), n * int(graph.scale[1])) for peaks in graph.peaks
    )
    return forth, back[0] if back else forth


DELAYS = np.array([round(-(1 << 16) * log((k + 0.5) / 4096)) for k in range(4096)], np.int64)
"""How far above its energy annealing lets a graph go at temperature 1: quantiles, times 2^16."""
