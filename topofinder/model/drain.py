"""The noun Drain: what a plan keeps up in the middle of its stages, and what it says that is up."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """What was asked for, and what each stage comes to.

    `take_out` is the share of links that may be out at each host and across each cut, `cuts` the
    hosts on one side of each; `most_out` the greatest such share in the middle of each stage.
    `keep` is the share of the throughput of `demand` that is to be kept, `whole` the throughput
    that it is a share of, at most, and `rates` what is certainly carried in the middle of each.
    """

    take_out: Fraction | None
    cuts: tuple[tuple[int, ...], ...]
    most_out: tuple[Fraction, ...]
    keep: Fraction | None
    demand: str
    whole: Fraction
    rates: tuple[Fraction, ...]

    @property
    def floor(self) -> Fraction:
        """The throughput that is to be carried in the middle of each stage."""
        return self.whole * (self.keep or 0)

    @property
    def beyond(self) -> tuple[int, ...]:
        """The stages, from 1, in which more is out than may be."""
        if self.take_out is None:
            return ()
        return tuple(i for i, out in enumerate(self.most_out, 1) if out > self.take_out)

    @property
    def below(self) -> tuple[int, ...]:
        """The stages, from 1, for which it is not certain that enough is carried."""
        return tuple(i for i, rate in enumerate(self.rates, 1) if rate < self.floor)
