"""Circulants with a jump more, one way: as few steps as without it, and the least bandwidth."""

from fractions import Fraction

import pytest

from generators.cayley.catalogue import shipped_digraphs
from generators.cayley.family import cayley_digraph, members, properties
from generators.jump_sets import MOST_TABLED, jump_set
from tests.sampled import sampled
from topofinder.schedules.bfb.evaluation import evaluate

DEGREES = range(7, 18, 2)
UNEVEN = {(39, 9), (235, 9)}
"""Of the sizes of the sample, those at which some step is a little uneven."""
SAMPLE = [(n, d) for n in (*range(21, 300, 14), *range(301, 2001, 38)) for d in DEGREES]


@pytest.mark.parametrize("case", sampled([*UNEVEN, (89, 9), (1999, 9), (73, 11), *SAMPLE], 30))
def test_it_is_as_low_as_its_two_way_part_and_takes_the_least_bandwidth(
    case: tuple[int, int],
) -> None:
    n, d = case
    *_, arguments = members(n, d)
    graph, two_way = cayley_digraph(*arguments), jump_set(n, d // 2)
    assert two_way is not None
    assert (graph.n, graph.degree, graph.is_simple) == (n, d, True)
    assert not properties(*arguments).bidirectional
    cost = evaluate(graph).cost
    assert cost.steps <= two_way.diameter
    assert (cost.bandwidth == Fraction(n - 1, n)) == (case not in UNEVEN)


@pytest.mark.parametrize(
    ("n", "d"), [(90, 9), (89, 8), (89, 5), (89, 19), (9, 9), (MOST_TABLED + 1, 9)]
)
def test_other_sizes_have_none(n: int, d: int) -> None:
    shipped = [one.arguments for one in shipped_digraphs(n, d)]
    assert list(members(n, d)) == shipped
