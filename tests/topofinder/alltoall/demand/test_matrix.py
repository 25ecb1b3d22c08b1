"""Demand matrices: whole numbers that are what was asked, or that enclose it."""

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
