"""Demand matrices: whole numbers that are what was asked, or that enclose it."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from topofinder.alltoall.demand.matrix import BITS, Demand


def test_floats_lie_between_two_whole_matrices():
    generator = np.random.default_rng(1)
    amounts = generator.random((9, 9)) * 10.0 ** generator.integers(-12, 3, (9, 9))
    demand = Demand.of(amounts)
    for low, high, amount in zip(
        demand.low.ravel(), demand.high.ravel(), amounts.ravel(), strict=True
    ):
        if high:
            assert int(low) * demand.unit <= Fraction(amount) <= int(high) * demand.unit
            assert int(high) - int(low) <= 1
    assert int(demand.high.max()).bit_length() <= BITS + 1
    assert not np.diag(demand.high).any()


@pytest.mark.parametrize("matrix", [[[0, 3], [6, 0]], [[0, 0.5], [0.25, 0]]])
def test_whole_amounts_stay_exact(matrix):
    demand = Demand.of(matrix)
    assert demand.is_exact
    assert [[x * demand.unit for x in row] for row in demand.high.tolist()] == matrix


@pytest.mark.parametrize("kind", ["u1", "i1", "i4", "u8", "i8"])
@pytest.mark.parametrize("most", [100, 1 << 29, 1 << 63])
def test_integers_of_every_type_are_the_same_amounts_as_fractions(kind: str, most: int) -> None:
    largest = min(most, int(np.iinfo(kind).max)) // 6
    random = np.random.default_rng(0)
    amounts = random.integers(0, largest, (7, 7), endpoint=True, dtype=np.uint64).astype(kind) * 6
    amounts = amounts.astype(kind)
    before = amounts.copy()
    found = Demand.of(amounts)
    twin = Demand.of([[Fraction(x) for x in row] for row in amounts.tolist()])
    assert np.array_equal(amounts, before)
    assert found.unit == twin.unit
    assert found.is_exact == twin.is_exact
    for name in ("low", "high"):
        assert np.array_equal(getattr(found, name), getattr(twin, name))
        assert not getattr(found, name).flags.writeable


def test_floats_of_many_rows_are_enclosed_row_by_row() -> None:
    amounts = np.random.default_rng(2).random((300, 300))
    np.fill_diagonal(amounts, 0)
    found = Demand.of(amounts)
    scaled = amounts / float(found.unit)  # exact: the unit is a power of two
    assert not found.is_exact
    assert np.array_equal(found.low, np.floor(scaled))
    assert np.array_equal(found.high, np.ceil(scaled))


def test_a_common_denominator_is_not_made_of_many_primes() -> None:
    """Of ten thousand fractions it would have a million bits, and so would each amount."""
    n = 100
    place = np.arange(1, n * n + 1).reshape(n, n)
    np.fill_diagonal(place, 0)
    values = [Fraction()] + [Fraction(number, 10**30 + number) for number in range(1, n * n + 1)]
    tracemalloc.start()
    try:
        found = Demand.of_values(values, place)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
    assert not found.is_exact
    for amount, low, high in zip(place.flat, found.low.flat, found.high.flat, strict=True):
        assert int(low) * found.unit <= values[amount] <= int(high) * found.unit
