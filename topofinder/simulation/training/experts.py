"""Where experts live, and what hosts send each other for them.

The experts of a layer are numbered from 0. Where the hosts divide them, host h of N has the E/N
consecutive ones from h E/N on. Where they divide the hosts, groups of E consecutive hosts have all
of them, host h expert h mod E; units stay in the group of their host, and the N/E replicas of an
expert, which live on hosts that are equal modulo E, add up their gradients.

Units are spread evenly over experts (Zhao et al., appendix A.4), by Zipf's law, expert k taking
(k+1)^-s, or by a matrix of hosts. Results go back the way that units came: the all-to-all after a
layer is the transpose of the one before it, in both passes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import lcm

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import IntArray

UNIFORM = "uniform"
SHARES = 10**6
"""Shares by Zipf's law are rounded to whole ones of so many, which the first expert has."""
STEEPEST = 10
"""The greatest exponent of Zipf's law."""
MOST_UNEVEN = 1 << 14
"""Experts of a layer whose loads follow Zipf's law at most; each share takes a logarithm."""
SHOWN = 16
"""Numbers of hosts that a refusal names at most."""
_PLACES = Context(prec=40)
"""Logarithms and exponentials of decimals are rounded correctly, so the same on all machines."""


@dataclass(frozen=True, kw_only=True, eq=False)
class HostAmounts:
    """What hosts send each other, in any unit: `values[place[s, t]]` from host s to host t.

    Shapes: `place` is (n, n), read-only; its diagonal is what stays. `values[0]` is 0.

    >>> two = HostAmounts(values=(0, 1, 3), place=np.array([[1, 2], [0, 2]]))
    >>> two.total, two.busiest
    (Fraction(7, 1), Fraction(12, 7))
    """

    values: Sequence[Fraction | int]
    place: IntArray

    @cached_property
    def _received(self) -> list[Fraction]:
        """What each host gets, with what stays."""
        common = lcm(*(Fraction(value).denominator for value in self.values))
        whole = np.array([int(value * common) for value in self.values], dtype=object)
        return [Fraction(int(column), common) for column in whole[self.place].sum(axis=0)]

    @property
    def total(self) -> Fraction:
        """What all hosts send together, with what stays."""
        return sum(self._received, Fraction())

    @property
    def busiest(self) -> Fraction:
        """What the host gets that gets most, over the mean of all."""
        return max(self._received) * len(self.place) / self.total

    def transpose(self) -> "HostAmounts":
        """The way back."""
        return HostAmounts(values=self.values, place=self.place.T)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertSkew:
    """How uneven experts' loads are: `label` says it; by Zipf's law, or as `amounts` of hosts."""

    label: str
    exponent: Decimal | None = None
    amounts: HostAmounts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeDemand:
    """An all-to-all by its `label`, of `amounts`; where there are none, it is a demand pattern.

    `share` is what an amount of 1 is of what a host sends in the mean, `busiest` what the busiest
    host gets over the mean. `reverses` is the label of that whose way back it is.
    """

    label: str
    share: Fraction
    busiest: Fraction = Fraction(1)
    amounts: HostAmounts | None = None
    reverses: str = ""


def read_zipf(text: str, name: str = "--experts-skew") -> ExpertSkew:
    """Zipf's law from a text such as `zipf:1.2`.

    >>> read_zipf("zipf:1.2").exponent
    Decimal('1.2')
    """
    kind, _, number = text.partition(":")
    plain = number.replace(".", "", 1)
    if kind != "zipf" or not (plain.isascii() and plain.isdigit()) or len(number) > 12:
        raise InvalidInput(f"{name}: {excerpt(text)} is not zipf:S, such as zipf:1.2")
    exponent = Decimal(number)
    if exponent > STEEPEST:
        raise InvalidInput(f"{name}: an exponent of at most {STEEPEST}, not {excerpt(number)}")
    return ExpertSkew(label=f"zipf:{exponent}", exponent=exponent)


def zipf_shares(exponent: Decimal, experts: int) -> list[int]:
    """What experts take, in millionths of what the first one takes.

    >>> zipf_shares(Decimal(1), 4)
    [1000000, 500000, 333333, 250000]
    """
    found = []
    for number in range(1, experts + 1):
        power = _PLACES.multiply(exponent, _PLACES.ln(Decimal(number)))
        exact = _PLACES.divide(Decimal(SHARES), _PLACES.exp(power))
        found.append(int(exact.to_integral_value(ROUND_HALF_EVEN)))
    return found


def require_even_spread(experts: Sequence[int], n: int) -> None:
    """Refuse hosts that neither divide some number of experts nor are a multiple of it."""
    for count in experts:
        if not _fits(count, n):
            every = (m for m in range(2, max(experts) + 1) if all(_fits(e, m) for e in experts))
            fitting = [str(m) for m in islice(every, SHOWN + 1)]
            more = " ..." if len(fitting) > SHOWN else ""
            raise InvalidInput(
                f"n: {count} experts cannot be spread evenly over {n} hosts; the choices are "
                f"{', '.join(fitting[:SHOWN])}{more} and multiples of {lcm(*experts)}"
            )


def _fits(experts: int, n: int) -> bool:
    return experts % n == 0 or n % experts == 0


def exchange_demands(
    experts: int, n: int, skew: ExpertSkew | None
) -> tuple[ExchangeDemand, ExchangeDemand]:
    """The all-to-alls before and after a layer of so many experts on n hosts.

    >>> forth, back = exchange_demands(8, 16, None)
    >>> forth.label, forth.share, forth == back
    ('experts:8', Fraction(1, 8), True)
    """
    if skew is None:
        label = UNIFORM if experts >= n else f"experts:{experts}"
        even = ExchangeDemand(label=label, share=Fraction(1, min(experts, n)))
        return even, even
    amounts, label = skew.amounts, skew.label
    if skew.exponent is not None:
        if experts > MOST_UNEVEN:
            raise InvalidInput(f"{label}: is for at most {MOST_UNEVEN} experts, not {experts}")
        label = f"{label} of {experts}"
        amounts = _zipf_amounts(zipf_shares(skew.exponent, experts), n)
    if amounts is None:
        raise InvalidInput(f"skew: {label} tells neither an exponent nor amounts")
    forth = _amounts_demand(label, amounts, amounts.busiest)
    back = _amounts_demand(f"{label}, back", amounts.transpose(), forth.busiest)
    return forth, replace(back, reverses=label)


def replica_demand(experts: int, n: int) -> ExchangeDemand | None:
    """The all-to-all among the replicas of each expert; None where there is one of each.

    >>> replica_demand(8, 16).label, replica_demand(8, 16).share, replica_demand(16, 8)
    ('replicas:8', Fraction(1, 2), None)
    """
    if experts >= n:
        return None
    return ExchangeDemand(label=f"replicas:{experts}", share=Fraction(experts, n))


def _amounts_demand(label: str, amounts: HostAmounts, busiest: Fraction) -> ExchangeDemand:
    share = Fraction(len(amounts.place)) / amounts.total
    return ExchangeDemand(label=label, share=share, busiest=busiest, amounts=amounts)


def _zipf_amounts(shares: Sequence[int], n: int) -> HostAmounts:
    """All hosts send alike: to each what the experts take that are there, in their group."""
    per, group = max(len(shares) // n, 1), min(len(shares), n)
    taken = [0, *(sum(shares[first : first + per]) for first in range(0, len(shares), per))]
    host = np.arange(n)
    is_near = host[:, None] // group == host // group
    place = np.where(is_near, 1 + host % group, 0).astype(np.int32)
    place.setflags(write=False)
    return HostAmounts(values=taken, place=place)
