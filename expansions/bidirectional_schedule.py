"""The allgather of a two-way graph: half of each shard over G, half over its transpose (A.6)."""

from dataclasses import replace

from expansions.grouping import require_equal_links
from expansions.pieces import require_allgather, share, side_by_side
from expansions.schedule import Schedule
from generators.topology import Topology


def two_way_schedule(topology: Topology, schedule: Schedule, transposed: Schedule) -> Schedule:
    """The schedule of Bi(G), numbered as `two_way(topology)`.

    `schedule` is an allgather on G and `transposed` one on `topology.transpose()`, whose arc e
    is arc e turned round. Each step waits for the slower half: where the two cost the same step
    by step, that is the cost on Bi(G) too. Raises InvalidInput for other collectives and for
    schedules that do not fit.

    >>> from expansions.bidirectional import two_way
    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> there = Schedule(source=[0, 1, 2] * 2, arc=[0, 1, 2, 1, 2, 0], step=[1] * 3 + [2] * 3,
    ...                  begin=[0] * 6, end=[1] * 6)
    >>> back = replace(there, arc=[2, 0, 1, 1, 2, 0])
    >>> two_way_schedule(ring, there, back).cost(two_way(ring))
    Cost(steps=2, bandwidth=Fraction(2, 3))
    """
    require_equal_links(topology)
    for half in (schedule, transposed):
        require_allgather(half)
        half.require_fit(topology)
    turned = replace(transposed, arc=transposed.arc + topology.arcs)
    return side_by_side([share(schedule, 0, 2), share(turned, 1, 2)])
