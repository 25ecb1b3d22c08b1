"""In how many chunks a pipeline takes the least time: exactly, among all whole numbers.

A round with messages of x seconds (on a link of bandwidth 1) takes f(x), the largest of lines
latency + load x / bandwidth. From as many chunks c as the pipeline is deep on, the rounds at both
ends keep their loads and only the full rounds grow in number, so that with h the depth and x = m/c

    T(c) = (c - h + 1) f(x) + the sum of the rounds at both ends.

Between two values of x where some round changes its busiest link this is A c + B + C/c with A >= 0:
there the least is at an end or next to sqrt(C/A). With one latency for all links, A is that latency
and C what the ends wait for, times m. Fewer chunks than the depth are tried one by one, unless a
bound excludes them: the latencies and bytes of some link, or what must pass one after the other.
"""

from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, isqrt

import numpy as np

from topofinder.simulation.pipeline import ZERO, Pipeline

DelayLine = tuple[Fraction, Fraction]


def best_chunks(pipeline: Pipeline, unit: Fraction, alpha: Fraction) -> tuple[int, Fraction] | None:
    """The fewest chunks of those that take the least time, and that time.

    `unit` and `alpha` are as in `Pipeline.seconds`. None where ever smaller chunks take ever less
    time, which needs links without latency.

    >>> from topofinder.model.tree_set import TreeSet
    >>> from generators.topology import Topology
    >>> chain = TreeSet(k=1, root=[0], copies=[1], start=[0, 2], route=[0, 1],
    ...     route_start=[0, 2, 4], node=[0, 1, 1, 2], cut=[0],
    ...     optimum=Fraction(1), time=Fraction(1))
    >>> made = Pipeline.from_trees(Topology.from_arcs(3, [(0, 1), (1, 2)]), chain)
    >>> best_chunks(made, Fraction(100), Fraction(1))
    (10, Fraction(121, 1))
    """
    many = _best_above_depth(pipeline, unit, alpha)
    if many is None:
        return None
    least = min((pipeline.seconds(count, unit, alpha), count) for count in many)
    bound = _time_bound(pipeline, unit, alpha)
    for low, count in sorted((bound(count), count) for count in range(1, pipeline.depth)):
        if low > least[0]:
            break
        least = min(least, (pipeline.seconds(count, unit, alpha), count))
    return least[1], least[0]


def _best_above_depth(pipeline: Pipeline, unit: Fraction, alpha: Fraction) -> list[int] | None:
    """Counts from the depth on, the best of all such among them; None if none is best."""
    depth, whole = pipeline.depth, unit / pipeline.k
    ends = [_upper_envelope(pipeline.busiest(*each), alpha) for each in pipeline.windows(depth)]
    full = _upper_envelope(pipeline.busiest(0, depth), alpha)
    changes: dict[Fraction, Fraction] = {}  # where the sum of the slopes changes, and by how much
    for one, other in (pair for hull in ends for pair in pairwise(hull)):
        turn = whole / _equal_point(one, other)
        if turn > depth:
            changes[turn] = changes.get(turn, ZERO) + one[1] - other[1]
    marks = [Fraction(depth), *sorted(changes)]
    slopes = sum((_largest_line(hull, whole / _point_between(marks, 0))[1] for hull in ends), ZERO)
    found: set[int] = set()
    for i, low in enumerate(marks):
        slopes += changes.get(low, ZERO)
        late, slope = _largest_line(full, whole / _point_between(marks, i))
        wait = (slopes - depth * slope) * whole
        first, last = ceil(low), floor(marks[i + 1]) if i + 1 < len(marks) else None
        found |= {first} if last is None else {first, last}
        if late > 0 and wait > 0:
            middle = isqrt(int(wait / late))
            found |= {count for count in (middle, middle + 1)
                      if count >= first and (last is None or count <= last)}  # fmt: skip
        elif last is None and wait > 0:
            return None
    return sorted(count for count in found if count >= depth)


def _point_between(marks: list[Fraction], i: int) -> Fraction:
    """A value between this mark and the next."""
    return (marks[i] + marks[i + 1]) / 2 if i + 1 < len(marks) else marks[i] + 1


def _upper_envelope(lines: list[DelayLine], alpha: Fraction) -> list[DelayLine]:
    """The lines (latency, slope) that are the largest somewhere at x > 0, by slope."""
    hull: list[DelayLine] = []
    for late, slope in sorted(((late * alpha, slope) for late, slope in lines), key=_by_slope):
        while hull and (hull[-1][0] <= late or _is_hidden(hull, (late, slope))):
            hull.pop()
        hull.append((late, slope))
    return hull


def _by_slope(line: DelayLine) -> DelayLine:
    return line[1], line[0]


def _is_hidden(hull: list[DelayLine], line: DelayLine) -> bool:
    """Whether the last line of the hull is never above both its neighbours."""
    return len(hull) > 1 and _equal_point(hull[-1], line) <= _equal_point(hull[-2], hull[-1])


def _equal_point(one: DelayLine, other: DelayLine) -> Fraction:
    return (one[0] - other[0]) / (other[1] - one[1])


def _largest_line(hull: list[DelayLine], share: Fraction) -> DelayLine:
    """The line that is the largest there."""
    turns = [_equal_point(one, other) for one, other in pairwise(hull)]
    return hull[bisect_right(turns, share)] if hull else (ZERO, ZERO)


def _time_bound(pipeline: Pipeline, unit: Fraction, alpha: Fraction) -> Callable[[int], Fraction]:
    """What c chunks take at least, as a function of c.

    What is busy at some depths is busy in at least c - 1 rounds more than there are such depths. So
    a link has its latency in so many rounds, and carries all its bytes in them; other rounds have
    some latency. And for every time s, at least c - 1 rounds more last s or longer than there are
    depths that by themselves take so long, if there is one.
    """
    depth, whole = pipeline.depth, unit / pipeline.k
    alone = [_steepest(pipeline, at, at + 1) for at in range(depth)]
    passing, longest = sum(alone, ZERO), max(alone)
    least = alpha * min((late for _, late, _ in pipeline.kinds), default=ZERO)
    busy = np.count_nonzero(np.diff(pipeline.sums, axis=1), axis=1)
    lines: dict[Fraction, Fraction] = {}
    for bandwidth, late, links in pipeline.kinds:
        more = alpha * late - least
        for at, load in set(
            zip(busy[links].tolist(), pipeline.sums[links, -1].tolist(), strict=True)
        ):
            if load:
                own = more * (at - 1) + whole * load / bandwidth
                lines[more] = max(lines.get(more, own), own)

    def bound(count: int) -> Fraction:
        waves = (passing + (count - 1) * longest) / count * whole
        link = max((more * count + own for more, own in lines.items()), default=ZERO)
        return least * (count + depth - 1) + max(waves, link)

    return bound


def _steepest(pipeline: Pipeline, low: int, high: int) -> Fraction:
    """The largest load over bandwidth of a round."""
    return max((slope for _, slope in pipeline.busiest(low, high)), default=ZERO)
