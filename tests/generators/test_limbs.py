"""Sums in limbs are those of Python's integers, up to the last number that fits and beyond."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.limbs import limbs, sum_exactly

AMOUNTS = st.lists(st.integers(0, (1 << 63) - 1), max_size=8)


@settings(deadline=None)
@given(AMOUNTS, st.integers(1, 1 << 61), st.sampled_from([53, 63]))
def test_limbs_make_up_the_amounts_and_leave_room(amounts: list[int], times: int, bits: int):
    if times.bit_length() >= bits:
        times >>= 10
    parts = list(limbs(np.array(amounts, dtype=np.int64), times, bits))
    for place, amount in enumerate(amounts):
        assert sum(int(limb[place]) << shift for shift, limb in parts) == amount
    for _, limb in parts:
        assert limb.dtype == np.int64
        assert int(limb.max(initial=0)) * times < 1 << bits


@settings(deadline=None)
@given(AMOUNTS.filter(bool))
def test_sums_are_exact(amounts: list[int]) -> None:
    def add(part: np.ndarray) -> np.ndarray:
        return part.sum(keepdims=True)

    for kind in (np.int64, object):
        (found,) = sum_exactly(np.array(amounts, dtype=kind), len(amounts), add).tolist()
        assert found == sum(amounts)


@pytest.mark.parametrize("kind", [np.int64, object])
def test_one_limb_is_enough_up_to_the_last_that_fits(kind: type) -> None:
    """Four numbers of 60 bits fit 63; of 61 bits they need not, although four of them may."""
    for amount, count in (((1 << 60) - 1, 1), (1 << 60, 2)):
        parts = list(limbs(np.array([amount] * 4, dtype=kind), 4))
        assert len(parts) == count
    whole = sum_exactly(np.array([1 << 60] * 4), 4, lambda part: part.sum(keepdims=True))
    assert whole.dtype == object
    assert whole.tolist() == [1 << 62]


def test_nothing_is_lost_on_the_way() -> None:
    offered = np.array([3, 4])
    ((shift, limb),) = limbs(offered, 2)
    assert shift == 0
    assert limb is offered
    assert [part.tolist() for _, part in limbs(np.zeros(0, dtype=np.int64), 9)] == [[]]
    with pytest.raises(ValueError, match="does not fit 63 bits"):
        list(limbs(offered, 1 << 62))
