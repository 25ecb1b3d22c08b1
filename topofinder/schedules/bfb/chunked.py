"""BFB schedules of whole chunks: every shard in P equal chunks (appendix E.2).

Integer program (13) is a transport problem with integral data, one a receiver and step. Its
feasibility for a busiest link of W chunks is a flow, and a flow with integral capacities has an
integral solution whenever it has a fractional one. Hence the best W is the load of the linear
program rounded up, ceil(P L), and rounding the linear solution link by link is never needed:
the loss is less than one chunk a step, (d/N) D/P in all, where theorem 20 allows
d (d^D - 1)/((d - 1) P N).
"""

from fractions import Fraction
from math import ceil

from expansions.cost import Cost
from expansions.schedule import Schedule
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.in_arcs import require_equal_links
from topofinder.schedules.bfb.rows import all_rows, common_denominator

MAX_CHUNKS = 1 << 32


def chunked_schedule(topology: Topology, chunks: int) -> Schedule:
    """The best BFB allgather in which every piece is made of whole chunks of 1/`chunks` shard.

    Its denominator is `chunks`, its cost `chunked_cost(topology, chunks)`. Raises InvalidInput
    for chunks below 1 or above MAX_CHUNKS, otherwise as `bfb_schedule`. Source: program (13).

    >>> from generators.families.complete import complete
    >>> graph = complete(2, 2)
    >>> chunked_schedule(graph, 1).cost(graph), chunked_schedule(graph, 2).cost(graph)
    (Cost(steps=2, bandwidth=Fraction(1, 1)), Cost(steps=2, bandwidth=Fraction(3, 4)))
    """
    return all_rows(topology, [chunks] * len(_exact_loads(topology, chunks)))


def chunked_loads(topology: Topology, chunks: int) -> tuple[Fraction, ...]:
    """The busiest link at every step, in shards, when shards are cut into `chunks` chunks.

    >>> from generators.families.complete import complete
    >>> chunked_loads(complete(4, 4), 3)
    (Fraction(1, 1), Fraction(1, 1))
    """
    return tuple(Fraction(ceil(load * chunks), chunks) for load in _exact_loads(topology, chunks))


def chunked_cost(topology: Topology, chunks: int) -> Cost:
    """The least cost of a BFB allgather with `chunks` chunks a shard: the optimum of (13).

    >>> from generators.families.complete import complete
    >>> chunked_cost(complete(4, 4), 3)
    Cost(steps=2, bandwidth=Fraction(1, 1))
    """
    loads = chunked_loads(topology, chunks)
    return Cost(len(loads), Fraction(topology.degree, topology.n) * sum(loads, Fraction()))


def smallest_lossless_chunks(topology: Topology) -> int:
    """The least number of chunks a shard with which a BFB allgather loses nothing.

    The exact load p/q of a step, in lowest terms, is a whole number of chunks when q divides
    their number; so the answer is the least common multiple of the q.

    >>> from generators.families.complete import complete
    >>> smallest_lossless_chunks(complete(4, 4))
    4
    """
    return common_denominator([load.denominator for load in _exact_loads(topology, 1)])


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
    require_equal_links(topology)
    return evaluate(topology).loads
