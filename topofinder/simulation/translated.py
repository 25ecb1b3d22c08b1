"""The stepped time of a compact schedule, from what its busiest arcs carry."""

from fractions import Fraction
from itertools import accumulate

from expansions.translated import Translated
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.simulation.clock import Clock, clock
from topofinder.verification.compact_schedules import peaks_of


def step_ends(
    topology: Topology,
    schedule: Translated,
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
) -> tuple[Fraction, ...]:
    """When the steps end, with a barrier after each: `simulate(...).step_ends` of the expansion.

    The schedule is taken as valid. Times without barriers need all rows: expand it for them.
    Raises InvalidInput when its symmetry is not one of the topology, or a parameter is out of
    range.

    >>> from expansions.schedule import Schedule
    >>> from expansions.translations import translations_of
    >>> from generators.arrays import jump_graph
    >>> ring = jump_graph(2, [1])
    >>> swap = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
    >>> compact = Translated(swap, translations_of(ring))
    >>> step_ends(ring, compact, alpha=1, size=Fraction(8), node_bandwidth=Fraction(2))
    (Fraction(3, 1),)
    """
    times = clock(
        topology, schedule.denominator, alpha=alpha, size=size, node_bandwidth=node_bandwidth
    )
    found = peaks_of(topology, schedule)
    if isinstance(found, str):
        raise InvalidInput(f"schedule: {found}")
    longest = (_longest(times, step, found.like) for step in found.most)
    return tuple(end * times.tick for end in accumulate(longest))


def _longest(times: Clock, most: tuple[int, ...], like: tuple[int, ...]) -> int:
    """Ticks of the longest message of a step; arcs that carry nothing take none."""
    return max(
        int(times.latency[arc] + times.unit[arc] * amount) if amount else 0
        for amount, arc in zip(most, like, strict=True)
    )
