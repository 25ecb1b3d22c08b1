"""The lower envelope against trying every candidate at many sizes."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from expansions.cost import Cost
from topofinder.model.quickest_by_size import envelope

ALPHA, RATE = Fraction(1, 10), Fraction(7)
costs = st.builds(Cost, st.integers(0, 12), st.fractions(0, 4, max_denominator=6))


def time(cost: Cost, size: Fraction) -> Fraction:
    return cost.runtime(ALPHA, size, RATE)


@given(st.lists(costs, min_size=1, max_size=8))
def test_each_span_has_the_least_time_at_its_ends_and_between(found: list[Cost]) -> None:
    spans = envelope([(cost, cost) for cost in found], ALPHA, RATE)
    assert spans[0].least == 0
    assert spans[-1].most is None
    for one, following in pairwise(spans):
        assert one.most == following.least
    for span in spans:
        last = span.least + 100 if span.most is None else span.most
        assert last > span.least
        for size in (span.least, (span.least + last) / 2, last):
            assert time(span.choice, size) == min(time(cost, size) for cost in found)


def test_nothing_to_choose_from() -> None:
    assert envelope([], ALPHA, RATE) == []
