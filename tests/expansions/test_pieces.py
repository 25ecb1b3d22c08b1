"""Shares of shards and rows side by side."""

from fractions import Fraction

import pytest

from expansions.pieces import common_denominator, share, side_by_side
from expansions.schedule import MAX_DENOMINATOR
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from tests.replay import replay
from tests.schedules import breadth_first, empty, from_rows, rows_of
from tests.twins import random_topology


@pytest.mark.parametrize("seed", range(8))
def test_shares_side_by_side_are_one_schedule(seed: int) -> None:
    graph = random_topology(seed)
    thirds = [
        share(breadth_first(graph, pieces=1 + part, seed=seed + part), part, 3) for part in range(3)
    ]
    whole = side_by_side(thirds)
    replay(graph, whole)
    assert whole.denominator == 18
    parts = [rows_of(third) for third in thirds]
    assert rows_of(whole) == set.union(*parts)
    for part, rows in enumerate(parts):
        assert min(row[3] for row in rows) == Fraction(part, 3)
        assert max(row[4] for row in rows) == Fraction(part + 1, 3)


def test_denominators_beyond_64_bits_are_refused() -> None:
    assert common_denominator([]) == 1
    assert common_denominator([MAX_DENOMINATOR, 7]) == MAX_DENOMINATOR
    with pytest.raises(InvalidInput, match="denominator: the common one is beyond"):
        common_denominator([1 << 62, 3])
    big = from_rows([(0, 0, 1, 0, 1 << 62)], 1 << 62)
    with pytest.raises(InvalidInput, match="denominator: the common one is beyond"):
        share(big, 0, 2)


def test_schedules_of_different_kinds_do_not_go_side_by_side() -> None:
    with pytest.raises(InvalidInput, match="collective: schedules side by side differ"):
        side_by_side([empty(), empty("reduce-scatter")])
    with pytest.raises(InvalidInput, match="schedules: at least one"):
        side_by_side([])
    with pytest.raises(InvalidInput, match=r"part: 2 is not in 0\.\.1"):
        share(breadth_first(jump_graph(3, [1])), 2, 2)
