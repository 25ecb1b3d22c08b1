"""A forest run by periods, where a latency keeps no link busy: the `pipelined` model of time.

A chunk leaves every root in each period, which lasts as long as the bytes L of the busiest link. A
hop that begins p hops from its root is released p (L + latency) after its chunk leaves the root,
and every link sends what is released to it in that order, first come, first served. Then all is
over within L of its release: a busy spell of a link that begins at time s gets less than one
period's messages before each time t < s + L, those of each hop at most once, so it ends by s + L,
and what is released at t ends by s + L <= t + L. With the latency it is there when the next hop is
released. So c chunks of depth D take

    T(c) = c L + D latency + (D - 1) L,    with L = (the time of the busiest link's bytes) / c,

which falls to that time and D latencies as chunks become smaller. In rounds with barriers
(`Pipeline.seconds`) every round pays a latency instead, and the first and last are shorter.
"""

from fractions import Fraction
from math import ceil

from generators.errors import InvalidInput
from topofinder.simulation.pipeline import ZERO, Pipeline

CLOSE = Fraction(1, 200)
"""Chunks are as few as come within this part of what ever smaller ones approach"""


def period_seconds(pipeline: Pipeline, chunks: int, unit: Fraction, alpha: Fraction) -> Fraction:
    """The time of so many chunks; `unit` and `alpha` are as in `Pipeline.seconds`.

    Links have the longest latency of any. Raises InvalidInput for less than one chunk.
    """
    if chunks < 1:
        raise InvalidInput(f"chunks: at least 1, not {chunks}")
    busy, late = _busiest_and_latest(pipeline, unit, alpha)
    return busy + (pipeline.depth - 1) * busy / chunks + pipeline.depth * late


def enough_chunks(pipeline: Pipeline, unit: Fraction, alpha: Fraction) -> tuple[int, Fraction]:
    """The fewest chunks that come close to what ever smaller ones take, and their time.

    Periods are no shorter than a latency, so that chunks of little data do not become tiny.

    >>> from topofinder.model.tree_set import TreeSet
    >>> from generators.topology import Topology
    >>> chain = TreeSet(k=1, root=[0], copies=[1], start=[0, 2], route=[0, 1],
    ...     route_start=[0, 2, 4], node=[0, 1, 1, 2], cut=[0],
    ...     optimum=Fraction(1), time=Fraction(1))
    >>> made = Pipeline.from_trees(Topology.from_arcs(3, [(0, 1), (1, 2)]), chain)
    >>> enough_chunks(made, Fraction(100), Fraction(1))
    (100, Fraction(103, 1))
    """
    busy, late = _busiest_and_latest(pipeline, unit, alpha)
    least = busy + pipeline.depth * late
    close = ceil((pipeline.depth - 1) * busy / (CLOSE * least)) if least else 1
    chunks = max(1, min(close, busy // late) if late else close)
    return chunks, period_seconds(pipeline, chunks, unit, alpha)


def _busiest_and_latest(
    pipeline: Pipeline, unit: Fraction, alpha: Fraction
) -> tuple[Fraction, Fraction]:
    """The time of the busiest link's bytes, and the longest latency."""
    slopes = (slope for _, slope in pipeline.busiest(0, pipeline.depth))
    busy = max(slopes, default=ZERO) * unit / pipeline.k
    return busy, alpha * max((late for _, late, _ in pipeline.kinds), default=ZERO)
