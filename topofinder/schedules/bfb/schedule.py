"""The best BFB allgather of a topology as a schedule: programs (1) and (13) of Zhao et al.

The busiest in-link at step t must carry p/q shards, in lowest terms, and no less (theorem 16,
`schedules.bfb.evaluation`). So q equal pieces a shard are enough at that step: whole pieces can
be dealt out with at most p on every link, because the transport problem has integral optima.
The denominator of the schedule is the least common multiple of the q.

With every shard in P equal chunks (appendix E.2), integer program (13) is a transport problem with
integral data, one a receiver and step. Its feasibility for a busiest link of W chunks is a flow,
and a flow with integral capacities has an integral solution whenever it has a fractional one.
Hence the best W is the load of the linear program rounded up, ceil(P L), and rounding the linear
solution link by link is never needed: the loss is less than one chunk a step, (d/N) D/P in all,
where theorem 20 allows d (d^D - 1)/((d - 1) P N).
"""

from fractions import Fraction

import numpy as np

from expansions.automorphisms import automorphisms_of
from expansions.compact_schedule import CompactSchedule
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.in_arcs import in_arcs, require_uniform_links
from topofinder.schedules.bfb.rows import all_rows, pieces_denominator
from topofinder.schedules.bfb.symmetric import (
    in_arc_images,
    inverse_nodes,
    neighbour_translations,
    rows_of_zero,
)


def bfb_schedule(topology: Topology) -> Schedule:
    """All rows of the best BFB allgather; links are taken as equal.

    Its loads are exactly those of `evaluate(topology)`. Rows come step after step and, within a
    step, receiver after receiver. Raises InvalidInput when some node cannot reach another, or for
    capacities, latencies and switches; Unsupported beyond 63 in-neighbours (unless one step is
    enough) or a denominator of 64 bits. Source: Zhao et al., section 5.2 and theorem 16.

    >>> from generators.families.complete import complete
    >>> graph = complete(4, 4)
    >>> bfb_schedule(graph).cost(graph)
    Cost(steps=2, bandwidth=Fraction(7, 8))
    """
    return all_rows(topology, _lossless_pieces(topology))


def bfb_compact_schedule(topology: Topology) -> CompactSchedule:
    """The rows of node 0 in a best BFB allgather of a vertex-transitive topology.

    The rows of node u are their images under products of the topology's translations; together
    they load the links exactly as `evaluate(topology)` says. That needs translations that form a
    group, one a node, as those of a Cayley graph do.

    Raises InvalidInput as `bfb_schedule` and when no translation is known; Unsupported when the
    translations form no such group. The time is that of n times d look-ups, not n^2.

    >>> from generators.families.hamming import hypercube
    >>> cube = hypercube(4)
    >>> compact = bfb_compact_schedule(cube)
    >>> compact.origin.rows, compact.rows, compact.cost(cube)
    (20, 320, Cost(steps=4, bandwidth=Fraction(15, 16)))
    """
    if topology.translation is None:
        raise InvalidInput("translation: none is known; a compact schedule needs one")
    pieces = _lossless_pieces(topology)
    if not pieces:
        return CompactSchedule(all_rows(topology, pieces), automorphisms_of(topology))
    denominator, neighbours = pieces_denominator(pieces), in_arcs(topology)
    (source, arc, begin, end), ends = rows_of_zero(topology.n, pieces, denominator, neighbours)
    words = neighbour_translations(topology)
    inverse = inverse_nodes(words)
    if inverse is None:
        raise Unsupported("translation: the translations form no group with one element a node")
    # Row by row, carry the source to node 0: the arc into 0 becomes one into the inverse node.
    table, places = in_arc_images(words, neighbours, arc)
    return CompactSchedule(
        Schedule(
            source=np.zeros(len(source), dtype=np.int32),
            arc=table[inverse[source], places],
            step=np.repeat(np.arange(1, len(ends), dtype=np.int32), np.diff(ends)),
            begin=begin,
            end=end,
            denominator=denominator,
        ),
        automorphisms_of(topology),
    )


def _lossless_pieces(topology: Topology) -> list[int]:
    """The least numbers of pieces a shard that lose nothing, step by step."""
    require_uniform_links(topology)
    return [load.denominator for load in evaluate(topology).loads]


MAX_CHUNKS = 1 << 32


def chunked_schedule(topology: Topology, chunks: int) -> Schedule:
    """The best BFB allgather in which every piece is made of whole chunks of 1/`chunks` shard.

    Its denominator is `chunks`, its loads are those of `evaluate(topology)` rounded up to whole
    chunks, the optimum of program (13). Raises InvalidInput for chunks below 1 or above MAX_CHUNKS,
    otherwise as `bfb_schedule`.

    >>> from generators.families.complete import complete
    >>> graph = complete(2, 2)
    >>> chunked_schedule(graph, 1).cost(graph), chunked_schedule(graph, 2).cost(graph)
    (Cost(steps=2, bandwidth=Fraction(1, 1)), Cost(steps=2, bandwidth=Fraction(3, 4)))
    """
    return all_rows(topology, [chunks] * len(_exact_loads(topology, chunks)))


def rounding_bound(topology: Topology, chunks: int) -> Fraction:
    """What theorem 20 allows rounding to lose, in units of M/B: d (d^D - 1)/((d - 1) P N).

    The schedules here lose less: below d D/(P N).

    >>> from generators.families.complete import complete
    >>> rounding_bound(complete(4, 4), 3)
    Fraction(5, 6)
    """
    d, steps = topology.degree, len(_exact_loads(topology, chunks))
    return Fraction(sum(d**power for power in range(1, steps + 1)), chunks * topology.n)


def _exact_loads(topology: Topology, chunks: int) -> tuple[Fraction, ...]:
    if not 1 <= chunks <= MAX_CHUNKS:
        raise InvalidInput(f"chunks: 1 to {MAX_CHUNKS}, not {chunks}")
    require_uniform_links(topology)
    return evaluate(topology).loads
