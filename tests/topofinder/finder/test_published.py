"""Tables 4 and 7 of the paper: its recipes cost what is printed, and none stays undominated."""

from fractions import Fraction

import pytest

from expansions.cost import Cost
from expansions.parser import parse
from generators import quantities
from tests.published import PUBLISHED, TABLE_7
from topofinder.finder.enumeration import Pools
from topofinder.finder.prediction import best_known
from topofinder.model.frontier import frontier

POOLS = Pools()
ALPHA, SIZE = quantities.seconds("10us"), quantities.size("1MiB")
RATE = quantities.rate("100Gbps")


def rounded(value: Fraction, digits: int) -> Fraction:
    """Half-up rounding of a positive number, as tables do it."""
    return Fraction(int(value * 10**digits + Fraction(1, 2)), 10**digits)


def printed_equal(value: Fraction, printed: float, digits: int) -> bool:
    """Whether a printed decimal is the value, rounded or cut off at that digit."""
    exact = Fraction(str(printed))
    cut = Fraction(int(value * 10**digits), 10**digits)
    return exact in (rounded(value, digits), cut)


@pytest.mark.parametrize(("n", "text", "steps", "bandwidth", "diameter"), TABLE_7)
def test_recipes_of_table_7_cost_what_is_printed(
    n: int, text: str, steps: int, bandwidth: float, diameter: int
) -> None:
    found = [c for c in best_known(parse(text)) if c.allgather.steps == steps]
    assert len(found) == 1
    assert found[0].n == n
    assert printed_equal(found[0].allgather.bandwidth, bandwidth, 3)
    assert found[0].diameter == diameter


@pytest.mark.parametrize(("n", "text", "steps", "bandwidth", "diameter"), TABLE_7)
def test_every_row_of_table_7_is_matched_or_beaten(
    n: int, text: str, steps: int, bandwidth: float, diameter: int
) -> None:
    published = next(c for c in best_known(parse(text)) if c.allgather.steps == steps)
    assert any(c.allgather.weakly_beats(published.allgather) for c in frontier(POOLS.pool(n, 4)))


@pytest.mark.parametrize("n", [32, 64, 256, 1024])
def test_bounds_of_table_7(n: int) -> None:
    from topofinder.model.candidate import LinkMode, cost_lower_bound

    steps, bandwidth, _ = PUBLISHED["table7_bounds"][str(n)]
    bound = cost_lower_bound(n, 4, LinkMode.SIMPLEX)
    assert bound.steps == steps
    assert printed_equal(bound.bandwidth, bandwidth, 3)


@pytest.mark.parametrize("text", [row[1] for row in TABLE_7 if row[0] == 1024])
def test_allreduce_times_of_table_4(text: str) -> None:
    printed = PUBLISHED["table4_us"][text][0]
    steps = next(row[2] for row in TABLE_7 if row[1] == text and row[0] == 1024)
    found = next(c for c in best_known(parse(text)) if c.allgather.steps == steps)
    seconds = found.allreduce.runtime(ALPHA, SIZE, RATE)
    assert printed_equal(seconds * 10**6, printed, 1)


def test_bound_of_table_4() -> None:
    both = Cost(5, Fraction(1023, 1024)) + Cost(5, Fraction(1023, 1024))
    assert printed_equal(
        both.runtime(ALPHA, SIZE, RATE) * 10**6, PUBLISHED["table4_us"]["bound"][0], 1
    )
