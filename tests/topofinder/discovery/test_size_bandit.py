"""Time goes where gaps close, nothing is left out for good, and what is closed is done with."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.size_bandit import PRIOR_SHARE, PRIOR_WORK, SizeGain, size_gap

GAPS = st.floats(0.001, 1)


@given(GAPS, GAPS, st.floats(0, 1e6), st.floats(0.1, 1e6))
def test_more_work_without_gain_expects_less(
    first: float, left: float, work: float, more: float
) -> None:
    gap = max(first, left), min(first, left)
    before = SizeGain(first=gap[0], left=gap[1], work=work).expected
    after = SizeGain(first=gap[0], left=gap[1], work=work + more).expected
    assert 0 < after < before
    assert SizeGain(first=gap[0], left=0, work=work).expected == 0


def test_shares_of_work_follow_the_rates_at_which_gaps_close() -> None:
    rates, work = {"quick": 0.01, "slow": 0.001}, {"quick": 0.0, "slow": 0.0}
    for _ in range(1000):
        gains = {
            name: SizeGain(first=1, left=(1 - rates[name]) ** done, work=done).expected
            for name, done in work.items()
        }
        work[max(gains, key=gains.__getitem__)] += 1
    assert work["slow"] > 100
    assert work["quick"] > PRIOR_WORK * PRIOR_SHARE
    first = [name for name in work if work[name] >= 100]
    assert first == ["quick", "slow"]


def test_the_gap_is_the_mean_over_the_least_numbers_of_steps() -> None:
    goal = SearchGoal(n=16, d=4)
    bound = Fraction(15, 16)
    assert size_gap(goal, []) == 1
    assert size_gap(goal, [(2, bound)]) == 0
    assert size_gap(goal, [(4, bound)]) == 0.5
    assert size_gap(goal, [(2, 2 * bound), (3, bound)]) == 0.25
