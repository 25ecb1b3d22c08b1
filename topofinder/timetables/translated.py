"""Timetables of Cayley graphs in rounds: the trees of one node, and their translates for all.

Where translations keep the colours of links (see `expansions.cayley_colours`), node 0's chunks
alone are scheduled, N times fewer, so that no two sends of one round are on links of one colour.
Then nothing that all nodes send meets. c (N - 1) edges are to be added, d in a round at most: the
bound c (N - 1) / d is reached nearly always.
"""

import numpy as np

from expansions.automorphisms import automorphisms_of
from expansions.cayley_colours import ArcColours
from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from generators.topology import Int64Array, IntArray
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.timetables.problem import ChunkProblem, Sends
from topofinder.timetables.rounds import require_rounds
from topofinder.timetables.translated_kernels import grow_translated


def schedule_translated(problem: ChunkProblem, *, seed: int, clock: Clock = NO_LIMIT) -> Sends:
    """The sends of node 0's chunks in rounds, with translations to all nodes.

    Raises Unsupported for links that are not equal, nodes with unequal numbers of chunks, and
    topologies without translations that keep colours, and when the time is over; InvalidInput when
    some node is out of reach.

    >>> from fractions import Fraction
    >>> from generators.families.hamming import hypercube
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> from topofinder.timetables.problem import gather_problem
    >>> units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    >>> problem = gather_problem(hypercube(3), size=Fraction(8), units=units)
    >>> sends = schedule_translated(problem, seed=1)
    >>> len(sends.chunk), int(sends.begin.max())
    (7, 2)
    """
    times = require_rounds(problem)
    topology, n = problem.topology, problem.topology.n
    chunks = len(problem.origin) // n
    alike = np.array_equal(problem.origin, np.repeat(np.arange(n), chunks))
    if problem.collective is not Collective.ALLGATHER or not alike:
        raise Unsupported("translations: for an allgather with as many chunks at every node")
    arcs = _arcs_by_colour(problem)
    head = topology.head[arcs]
    tail = np.argsort(head, axis=1).astype(np.int32)
    tables = _first_tables(head, chunks)
    state = np.zeros(4, dtype=np.int64)
    log = tuple(np.empty((3, chunks * (n - 1)), dtype=np.int64))
    rule = (seed % (1 << 62), times.delay)
    while grow_translated(head, tail, state, tables, log, rule, clock.work):
        clock.require_time("translated timetable")
    if state[1] < len(log[0]):
        raise InvalidInput("translations: node 0 cannot reach all nodes")
    place, colour, when = log
    tree, node = np.divmod(place, n)
    return Sends(
        chunk=tree.astype(np.int32),
        channel=arcs[colour, tail[colour, node]].astype(np.int32),
        begin=when * times.length,
        translations=automorphisms_of(topology),
    )


def _arcs_by_colour(problem: ChunkProblem) -> Int64Array:
    """`[g, v]` is the link of colour g out of node v; self-loops left out."""
    topology = problem.topology
    colours = ArcColours(topology)
    if colours.steps is None:
        raise Unsupported("translations: the topology has none that keep colours of links")
    nodes = np.arange(topology.n, dtype=np.int32)
    own = np.flatnonzero(topology.tail == 0)
    kept = colours.colour[own[topology.head[own] != 0]]
    return np.stack([colours.arcs(nodes, np.full(topology.n, g)) for g in np.sort(kept)])


def _first_tables(head: IntArray, chunks: int) -> tuple[IntArray, ...]:
    """Trees of node 0 alone: see the kernel."""
    d, n = head.shape
    root = np.arange(chunks, dtype=np.int64) * n
    first = root[None, :] + head[:, :1]
    inside, near = np.zeros((2, chunks * n), dtype=np.int32)
    inside[root] = 2
    np.add.at(near, first.ravel(), 1)
    pool = np.empty((d, chunks * n), dtype=np.int32)
    pool[:, :chunks] = first
    return inside, near, pool, np.full((2, d), chunks, dtype=np.int64)
