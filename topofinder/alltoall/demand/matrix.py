"""How much every host sends to every other one: whole numbers of a common unit.

Bounds on a throughput are exact for whole numbers. Amounts that have no common unit of moderate
size (floats such as 0.1, fractions with many primes below the line) are enclosed between two
matrices of whole numbers: a flow must deliver the larger ones, lengths may count the smaller
ones only, so both bounds hold for what was asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import frexp, gcd, inf, lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Int64Array

BITS = 30
"""Whole numbers of at most so many bits stand for amounts: sums over all pairs stay in 62."""
_ROWS = 256
"""Rows of floats that are scaled at once."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Demand:
    """Amounts from row to column: `low * unit <= amount <= high * unit`, entry by entry.

    Shapes: `low` and `high` are (n, n), read-only, zero on the diagonal, and the same array when
    the amounts are known exactly. Make one with `Demand.of`.

    >>> demand = Demand.of([[0, Fraction(1, 2)], [2, 0]])
    >>> demand.high.tolist(), demand.unit, demand.is_exact
    ([[0, 1], [4, 0]], Fraction(1, 2), True)
    """

    low: Int64Array
    high: Int64Array
    unit: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether the amounts are `high * unit`, not only enclosed."""
        return self.low is self.high

    def among(self, n: int) -> "Demand":
        """The same among the first of n nodes, the others of which want nothing.

        >>> Demand.of([[0, 1], [2, 0]]).among(3).high.tolist()
        [[0, 1, 0], [2, 0, 0], [0, 0, 0]]
        """
        more = n - len(self.high)
        high = _read_only(np.pad(self.high, (0, more)))
        low = high if self.is_exact else _read_only(np.pad(self.low, (0, more)))
        return Demand(low=low, high=high, unit=self.unit)

    @classmethod
    def of(cls, matrix: ArrayLike | Sequence[Sequence[Fraction]]) -> "Demand":
        """The demand of a square matrix of integers, floats or fractions; its diagonal is ignored.

        Raises InvalidInput when an entry is negative, not finite or no number, when all are zero,
        or the matrix is not square.
        """
        amounts = _square_matrix(matrix)
        _require_amounts(amounts)
        kind = amounts.dtype.kind
        if kind == "f":
            return cls._of_floats(amounts)
        return cls._of_fractions(amounts) if kind == "O" else cls._of_integers(amounts)

    @classmethod
    def _of_integers(cls, amounts: NDArray[Any]) -> "Demand":
        divisor = np.gcd.reduce(amounts, axis=None)
        if int(amounts.max()) // int(divisor) >> BITS:
            return cls._of_fractions(amounts)
        one = np.empty(amounts.shape, dtype=np.int64)
        one = _read_only(np.floor_divide(amounts, divisor, out=one, casting="unsafe"))
        return cls(low=one, high=one, unit=Fraction(int(divisor)))

    @classmethod
    def _of_fractions(cls, amounts: NDArray[np.generic]) -> "Demand":
        values, place = np.unique(amounts, return_inverse=True)
        exact = [Fraction(value) for value in values.tolist()]
        return cls.of_values(exact, place.reshape(amounts.shape))

    @classmethod
    def of_values(cls, values: Sequence[Fraction], place: NDArray[np.integer[Any]]) -> "Demand":
        """The demand with `values[place[s, t]]` from s to t; values are 0 or more, not all 0.

        Shapes: `place` is (n, n). The diagonal must lead to a value of 0.
        """
        greatest, divisor = max(values), gcd(*(value.numerator for value in values))
        common = _common_denominator(values, Fraction(divisor << BITS) / greatest)
        if common is not None:
            table = np.array([int(value * common) // divisor for value in values], dtype=np.int64)
            one = _read_only(table[place])
            return cls(low=one, high=one, unit=Fraction(divisor, common))
        unit = greatest / (1 << BITS)
        below = np.array([value / unit // 1 for value in values]).astype(np.int64)
        above = np.array([-(-value / unit // 1) for value in values]).astype(np.int64)
        return cls(low=_read_only(below[place]), high=_read_only(above[place]), unit=unit)

    @classmethod
    def _of_floats(cls, amounts: NDArray[np.generic]) -> "Demand":
        exponent = BITS - frexp(float(amounts.max()))[1]
        low, high = (np.empty(amounts.shape, dtype=np.int64) for _ in range(2))
        for rows in range(0, len(amounts), _ROWS):
            block = slice(rows, rows + _ROWS)
            reals = amounts[block].astype(np.float64)
            scaled = np.ldexp(reals, exponent)
            low[block], high[block] = np.floor(scaled), np.ceil(scaled)
            # An amount so small that scaling loses it still needs something delivered.
            high[block][(reals > 0) & (scaled == 0)] = 1
        low, high = _read_only(low), _read_only(high)
        same = np.array_equal(low, high)
        return cls(low=low, high=low if same else high, unit=Fraction(2) ** -exponent)


def _common_denominator(values: Sequence[Fraction], beyond: Fraction) -> int | None:
    """The least common one, None where it is not below `beyond`: that of many primes is huge."""
    common = 1
    for denominator in {value.denominator for value in values}:
        common = lcm(common, denominator)
        if common >= beyond:
            return None
    return common


def _square_matrix(matrix: ArrayLike | Sequence[Sequence[Fraction]]) -> NDArray[np.generic]:
    try:
        amounts = np.asarray(matrix)
    except ValueError:
        raise InvalidInput("demand: the rows differ in length") from None
    if amounts.ndim != 2 or amounts.shape[0] != amounts.shape[1]:
        raise InvalidInput(f"demand: a square matrix is needed, not shape {amounts.shape}")
    if amounts.dtype.kind not in "iufO":
        raise InvalidInput(f"demand: numbers are needed, not {amounts.dtype}")
    if amounts.dtype.kind == "O" or amounts.diagonal().any():
        amounts = amounts.copy()
        np.fill_diagonal(amounts, 0)
    return amounts


def _require_amounts(amounts: NDArray[np.generic]) -> None:
    """Raise InvalidInput at the first entry that is no amount, or when there is none at all."""
    if amounts.dtype.kind == "O":
        for (u, v), value in np.ndenumerate(amounts):
            if not isinstance(value, int | Fraction):
                raise InvalidInput(f"demand: [{u}, {v}] is {excerpt(value)}, not a number")
    elif amounts.dtype.kind == "f":
        finite = np.isfinite(amounts.astype(np.float64, copy=False))
        for u, v in np.argwhere(~finite)[:1]:
            raise wrong_amount(u, v, amounts[u, v])
    for u, v in np.argwhere(amounts < np.int64(0))[:1]:
        raise wrong_amount(u, v, amounts[u, v])
    if not (amounts != np.int64(0)).any():
        raise InvalidInput("demand: no node wants anything from another")


def wrong_amount(u: int, v: int, value: Any) -> InvalidInput:
    """What is said of an entry that is negative or not finite."""
    told = f"{value}, which is negative" if -inf < value < 0 else f"{value}"
    return InvalidInput(f"demand: [{u}, {v}] is {told}")


def _read_only(values: NDArray[Any]) -> Int64Array:
    array = values.astype(np.int64, copy=False)
    array.setflags(write=False)
    return array
