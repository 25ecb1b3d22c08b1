"""Wirings in the middle of stages, and which of them carry what they are to.

What is in the middle of a stage, all that goes being out and nothing made, is asked of many stages
at once: what is up in the middle of each of a run of stages is what was up before the first of them
without all that they take out, and where that carries enough, each of them does. So a run is halved
only where it does not.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from generators.topology import IntArray
from topofinder.model.inventory.wiring import Circuit, Stage
from topofinder.model.plan import apply_stage

ALONE = 16
"""So many stages are looked at one by one."""
MOST_ASKED = 64
"""Wirings that are asked what they carry, at most, but for those common to the rest."""

LowerRate = Callable[[IntArray], Fraction]
"""What a wiring certainly carries."""


def wiring_of(circuits: Sequence[Circuit], ports: int) -> IntArray:
    """The receiver of each transmitter, or -1; shape (ports,).

    >>> wiring_of([Circuit(0, 1, True), Circuit(2, 3, False)], 4).tolist()
    [1, 0, 3, -1]
    """
    to = np.full(ports, -1, dtype=np.int32)
    for a, b, duplex in circuits:
        to[a] = b
        if duplex:
            to[b] = a
    return to


def common_middle(before: IntArray, stages: Sequence[Stage]) -> IntArray:
    """What is up in the middle of each of some stages, the first of which begins with `before`.

    >>> out = Stage(frees=(Circuit(0, 1, False),), connects=(), seconds=Fraction(), parts=1)
    >>> common_middle(np.array([1, 0]), [out]).tolist()
    [-1, 0]
    """
    to = before.copy()
    for stage in stages:
        for a, b, duplex in stage.frees:
            to[[a, b] if duplex else [a]] = -1
    return to


def stage_rates(
    before: IntArray, stages: Sequence[Stage], rate: LowerRate, floor: Fraction
) -> Iterator[Fraction]:
    """What is certainly carried in the middle of each stage.

    Stages whose common part carries the `floor` are not told apart, if there are many, nor are
    stages after so many have been that it takes too long: of these their common part is told.
    """
    return _Rates(rate, floor).of(before, stages)


class _Rates:
    """`left` counts how often it may still be asked what is carried."""

    def __init__(self, rate: LowerRate, floor: Fraction) -> None:
        self._rate, self._floor = rate, floor
        self._left = MOST_ASKED

    def of(self, before: IntArray, stages: Sequence[Stage]) -> Iterator[Fraction]:
        """What each stage carries, or each of a run of them."""
        alone = len(stages) == 1
        if alone or len(stages) > ALONE or self._left <= 0:
            self._left -= 1
            found = self._rate(common_middle(before, stages)) if stages else self._floor
            if alone or found >= self._floor or self._left <= 0:
                yield from [found] * len(stages)
                return
        half, to = len(stages) // 2, before.copy()
        yield from self.of(before, stages[:half])
        for stage in stages[:half]:
            apply_stage(to, stage)
        yield from self.of(to, stages[half:])
