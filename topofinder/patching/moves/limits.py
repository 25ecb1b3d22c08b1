"""What holds in the middle of every stage: connection, links that stay up, traffic that is carried.

After the drains of Jupiter's rewiring (Poutievski et al., SIGCOMM 2022): a stage takes out only so
much of what joins a host, or the two sides of a cut, to the others that the rest carries on. Links
are fibres between two hosts of the plan, over good ports, counted by direction. What they have is
the lesser of before the plan and after it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.topology import BoolArray, Int64Array, IntArray

Carries = Callable[[IntArray], bool]
"""Whether a wiring, the receiver of each transmitter or -1, carries the traffic that it is to."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StageLimits:
    """`take_out`: the share of links that may be out, at each host and across each of the `cuts`.

    A cut is bool (hosts,), its one side. `carries` is asked of the wiring in the middle. Where an
    earlier plan is gone on with, the share is of what was up before that plan too: `since` is the
    wiring then, the receiver of each transmitter or -1.
    """

    keep_connected: bool = False
    take_out: Fraction | None = None
    cuts: tuple[BoolArray, ...] = ()
    carries: Carries | None = None
    since: IntArray | None = None

    @property
    def is_strict(self) -> bool:
        """Whether an order may be at fault at all."""
        return self.keep_connected or self.take_out is not None or self.carries is not None


class LinkCounts:
    """Links that are up at each host and across each cut, by direction, and how few may be.

    `tail` and `head` (arcs,) are nodes 0..n-1, `inside` the arcs that count; `first` and `last`
    those that are up at first and at the end, `since` those that were up before an earlier plan.
    Cuts are bool (n,).

    >>> links = LinkCounts(2, np.array([0, 0]), np.array([1, 1]), np.array([True, True]), (),
    ...     (np.array([True, True]), np.array([True, True])), Fraction(1, 2))
    >>> links.fits_without([0]), links.fits_without([0, 1])
    (True, False)
    """

    def __init__(
        self,
        n: int,
        tail: Int64Array,
        head: Int64Array,
        inside: BoolArray,
        cuts: Sequence[BoolArray],
        ends: tuple[BoolArray, BoolArray],
        take_out: Fraction,
        since: BoolArray | None = None,
    ) -> None:
        self._rows: list[list[int]] = [
            [int(u), n + int(v)] if counts else []
            for u, v, counts in zip(tail, head, inside, strict=True)
        ]
        for number, side in enumerate(cuts):
            for out, one, other in ((0, tail, head), (1, head, tail)):
                crossing = np.flatnonzero(inside & side[one] & ~side[other])
                for arc in crossing.tolist():
                    self._rows[arc].append(2 * (n + number) + out)
        self._width = 2 * (n + len(cuts))
        first, last = (self._count(up) for up in ends)
        whole = np.minimum(first if since is None else np.maximum(first, self._count(since)), last)
        least = whole * (take_out.denominator - take_out.numerator)
        self._least: list[int] = (-(-least // take_out.denominator)).tolist()
        self._up: list[int] = first.tolist()

    @property
    def fits(self) -> bool:
        """Whether enough is up everywhere."""
        return all(up >= least for up, least in zip(self._up, self._least, strict=True))

    @property
    def lacking(self) -> int:
        """Links that would have to be up besides."""
        return sum(max(0, least - up) for up, least in zip(self._up, self._least, strict=True))

    def set(self, arcs: Sequence[int], up: bool) -> None:
        """Bring arcs up or down that are not so yet."""
        for arc in arcs:
            for row in self._rows[arc]:
                self._up[row] += 1 if up else -1

    def fits_without(self, arcs: Sequence[int]) -> bool:
        """Whether arcs may go: where they lead, enough is left."""
        self.set(arcs, False)
        rows = {row for arc in arcs for row in self._rows[arc]}
        fits = all(self._up[row] >= self._least[row] for row in rows)
        self.set(arcs, True)
        return fits

    def _count(self, up: BoolArray) -> Int64Array:
        counts = np.zeros(self._width, dtype=np.int64)
        for arc in np.flatnonzero(up).tolist():
            counts[self._rows[arc]] += 1
        return counts
