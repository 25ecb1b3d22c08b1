"""A matrix game in exact fractions whose columns come one at a time: the revised simplex method.

One player mixes columns of loads, so that the largest load is least; the other divides lengths
among the rows, so that the cheapest column costs most. The bases hold one variable a row and one
more: columns, slacks of rows, and the largest load itself.
"""

from fractions import Fraction
from math import gcd, lcm

FractionRow = list[Fraction]
LARGEST_LOAD = -1
"""The variable of the basis that is the largest load; columns are 0, 1, ...; slacks below."""
PATIENCE = 30
"""So many pivots in turn may leave the largest load as it is, before rows are taken in turn."""


class MatrixGame:
    """The best mixture of the columns so far.

    >>> game = MatrixGame([2, 0])
    >>> game.offer_column([0, 2]), game.integer_lengths(), game.weights()
    (True, [1, 1], {0: Fraction(1, 2), 1: Fraction(1, 2)})
    """

    def __init__(self, column: list[int]) -> None:
        rows = self._rows = len(column)
        busiest = column.index(max(column))
        self._columns = 1
        # Row i says: loads of the mixture + slack of i - largest load = 0; the last: weights = 1.
        self._basis = [-2 - i for i in range(rows)] + [0]
        self._basis[busiest] = LARGEST_LOAD
        self._inverse = self._first_inverse(column, busiest)
        self._value = [row[rows] for row in self._inverse]

    def _first_inverse(self, column: list[int], busiest: int) -> list[FractionRow]:
        size = self._rows + 1
        inverse = [[Fraction(i == j) for j in range(size)] for i in range(size)]
        for i in range(self._rows):
            inverse[i][busiest] -= 1
            inverse[i][self._rows] = Fraction(column[busiest] - column[i])
        inverse[busiest] = [Fraction(0)] * size
        inverse[busiest][busiest] = Fraction(-1)
        inverse[busiest][self._rows] = Fraction(column[busiest])
        return inverse

    @property
    def largest(self) -> Fraction:
        """The largest load of the best mixture."""
        return self._value[self._basis.index(LARGEST_LOAD)]

    def _lengths(self) -> FractionRow:
        top = self._inverse[self._basis.index(LARGEST_LOAD)]
        return [-length for length in top[: self._rows]]

    def integer_lengths(self) -> list[int]:
        """The lengths that go with the best mixture, as whole numbers without a common divisor."""
        exact = self._lengths()
        common = lcm(*(length.denominator for length in exact))
        whole = [int(length * common) for length in exact]
        divisor = gcd(*whole)
        return [length // divisor for length in whole]

    def weights(self) -> dict[int, Fraction]:
        """The weights of the columns in the best mixture; they add up to 1."""
        pairs = zip(self._basis, self._value, strict=True)
        return {column: weight for column, weight in sorted(pairs) if column >= 0 and weight}

    def offer_column(self, column: list[int]) -> bool:
        """Offer a column, and find the best mixture again; False if it cannot help."""
        number, self._columns = self._columns, self._columns + 1
        entry = [Fraction(load) for load in column] + [Fraction(1)]
        cost = sum(w * t for w, t in zip(self._lengths(), column, strict=True))
        if cost >= self.largest:
            return False
        self._pivot(number, entry)
        # A negative length asks for the slack of its row: the most negative; where many pivots
        # have changed nothing, the first such row, against circles (Bland).
        least, still = self.largest, 0
        while min(lengths := self._lengths()) < 0:
            if still < PATIENCE:
                worst = lengths.index(min(lengths))
            else:
                worst = next(i for i, w in enumerate(lengths) if w < 0)
            entry = [Fraction(i == worst) for i in range(self._rows + 1)]
            self._pivot(-2 - worst, entry)
            still = still + 1 if self.largest == least else 0
            least = self.largest
        return True

    def _pivot(self, variable: int, entry: FractionRow) -> None:
        """Bring a variable into the basis, in place of the first that would become negative."""
        change = [sum(map(_product, row, entry), Fraction(0)) for row in self._inverse]
        limits = [
            (value / delta, self._basis[i], i)
            for i, (value, delta) in enumerate(zip(self._value, change, strict=True))
            if delta > 0 and self._basis[i] != LARGEST_LOAD
        ]
        leaving = min(limits)[2]
        pivot = change[leaving]
        row = [x / pivot for x in self._inverse[leaving]]
        for i, delta in enumerate(change):
            if i != leaving and delta:
                self._inverse[i] = [
                    x - delta * y for x, y in zip(self._inverse[i], row, strict=True)
                ]
        self._inverse[leaving] = row
        self._basis[leaving] = variable
        self._value = [r[self._rows] for r in self._inverse]


def _product(a: Fraction, b: Fraction) -> Fraction:
    return a * b
