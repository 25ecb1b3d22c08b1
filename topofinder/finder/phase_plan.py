"""The cheapest wiring for each collective of a sequence, where a change takes time (section 5.4).

A dynamic program over wirings, exact: after each phase and for each wiring the least time to have
come there. Where the sequence repeats, as iterations of a training do, the last wiring has to be
changed back to the first, which is tried for every wiring to begin with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput

ChangeTimes = Fraction | Sequence[Sequence[Fraction]]
"""Seconds of any change, or of that from each wiring to each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasePlan:
    """The wiring of each phase by its number, the time of all, and how often it is changed.

    `single` is the best wiring for all phases and `single_seconds` its time; `least` adds up the
    least time of every phase by any of the wirings, which no plan over them beats.
    """

    wirings: tuple[int, ...]
    seconds: Fraction
    changes: int
    single: int
    single_seconds: Fraction
    least: Fraction

    @property
    def worth(self) -> Fraction:
        """What a change may take at most for any plan to be better than one wiring.

        There are at least two changes in a sequence that repeats, one in one that does not; the
        bound is that of two.
        """
        return (self.single_seconds - self.least) / 2


def choose_wirings(
    seconds: Sequence[Sequence[Fraction]], change: ChangeTimes, *, repeats: bool = True
) -> PhasePlan:
    """The plan of least time, where `seconds[p][w]` is that of phase p on wiring w.

    A change takes `change`, or from wiring v to wiring w `change[v][w]`. Of equal plans that with
    the fewest changes is taken, then that of the first wirings. Raises InvalidInput for no phases
    or no wirings.

    >>> plan = choose_wirings([[Fraction(1), Fraction(9)], [Fraction(9), Fraction(1)]], Fraction(2))
    >>> plan.wirings, plan.seconds, plan.changes, plan.single_seconds
    ((0, 1), Fraction(6, 1), 2, Fraction(10, 1))
    """
    if not seconds or not seconds[0]:
        raise InvalidInput("phases: at least one phase and one wiring are needed")
    count = len(seconds[0])
    starts: Sequence[int | None] = range(count) if repeats else (None,)
    best = min(_best_from(seconds, change, start) for start in starts)
    totals = [sum((line[w] for line in seconds), Fraction()) for w in range(count)]
    single = min(range(count), key=totals.__getitem__)
    return PhasePlan(
        wirings=best[2],
        seconds=best[0],
        changes=best[1],
        single=single,
        single_seconds=totals[single],
        least=sum((min(line) for line in seconds), Fraction()),
    )


def _delay(change: ChangeTimes, before: int, after: int) -> Fraction:
    return change if isinstance(change, Fraction) else change[before][after]


_Way = tuple[Fraction, int, tuple[int, ...]]


def _best_from(
    seconds: Sequence[Sequence[Fraction]], change: ChangeTimes, start: int | None
) -> _Way:
    """The best way from a wiring and back to it; from any and to any where there is none."""
    first = seconds[0]
    ways: list[_Way | None] = [
        (first[w], 0, (w,)) if start in (None, w) else None for w in range(len(first))
    ]
    for line in seconds[1:]:
        known = [way for way in ways if way is not None]
        sources = [min(known)] if isinstance(change, Fraction) else known
        ways = [_step(ways[w], sources, line[w], change, w) for w in range(len(line))]
    ends = [way for way in ways if way is not None]
    if start is not None:
        ends = [
            way
            if (last := way[2][-1]) == start
            else (way[0] + _delay(change, last, start), way[1] + 1, way[2])
            for way in ends
        ]
    return min(ends)


def _step(
    stayed: _Way | None, sources: Sequence[_Way], spent: Fraction, change: ChangeTimes, wiring: int
) -> _Way:
    """The best way on to a wiring: from itself, or changed from one of the sources.

    Where all changes take alike, the cheapest way is source enough.
    """
    ways = [] if stayed is None else [stayed]
    ways += [
        (way[0] + _delay(change, last, wiring), way[1] + 1, way[2])
        for way in sources
        if (last := way[2][-1]) != wiring
    ]
    best = min(ways)
    return best[0] + spent, best[1], (*best[2], wiring)
