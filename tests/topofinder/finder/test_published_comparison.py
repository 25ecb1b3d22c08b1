"""The frontier of the published method, and how ours is compared with it."""

from fractions import Fraction

import pytest

from expansions.collective import Collective
from expansions.cost import Cost
from expansions.parser import parse
from topofinder.finder.published_comparison import FrontierPair, beside
from topofinder.model.candidate import Candidate, LinkMode, Method
from topofinder.model.workload import Workload

PUBLISHED = {
    (32, 4): [(3, 1.000), (4, 0.969)],
    (64, 4): [(3, 1.312), (4, 1.000), (6, 0.984)],
    (256, 4): [(4, 1.328), (5, 1.016), (7, 1.000), (10, 0.996)],
    (1024, 4): [(5, 1.332), (6, 1.020), (8, 1.004), (11, 1.000), (20, 0.999)],
}
"""T_L and T_B as printed."""


@pytest.fixture(scope="module")
def found() -> dict[tuple[int, int], FrontierPair]:
    return {(one.n, one.d): one for one in beside(list(PUBLISHED))}


@pytest.mark.parametrize("size", PUBLISHED)
def test_the_published_method_finds_the_printed_frontier(size, found) -> None:
    points = [point.allgather for point in found[size].published]
    assert [cost.steps for cost in points] == [steps for steps, _ in PUBLISHED[size]]
    for cost, (_, printed) in zip(points, PUBLISHED[size], strict=True):
        assert abs(cost.bandwidth - Fraction(str(printed))) <= Fraction(1, 1000)


@pytest.mark.parametrize("size", PUBLISHED)
def test_ours_matches_every_published_point(size, found) -> None:
    assert found[size].matched


def point(steps: int, bandwidth: Fraction | int) -> Candidate:
    cost = Cost(steps, Fraction(bandwidth))
    return Candidate(
        recipe=parse("K(5)"), n=5, d=4, method=Method.BFB, allgather=cost, reduce_scatter=cost
    )


def compared(ours: list[Candidate], published: list[Candidate]) -> FrontierPair:
    return FrontierPair(
        n=5, d=4, links=LinkMode.SIMPLEX, ours=tuple(ours), published=tuple(published)
    )


def test_an_improvement_leaves_no_published_point_and_beats_one() -> None:
    three, four = point(3, 2), point(4, 1)
    assert not compared([three, four], [three, four]).improved
    assert compared([point(3, Fraction(3, 2)), four], [three, four]).improved
    missed = compared([point(2, 1)], [point(1, 3), three])
    assert not missed.matched
    assert not missed.improved
    assert missed.beaten == (three,)


def test_the_gain_is_that_of_the_best_of_each() -> None:
    workload = Workload(
        alpha=Fraction(1),
        bandwidth=Fraction(1),
        sizes=((Fraction(10), 1),),
        collective=Collective.ALLREDUCE,
    )
    both = compared([point(2, 2), point(5, 1)], [point(3, 2), point(15, 1)])
    assert both.gain(workload) == 1 - Fraction(15, 23)
    assert compared([point(1, Fraction(4, 5))], [point(3, 2)]).both_bounds


def test_a_size_without_a_published_graph_is_left_out() -> None:
    assert [one.n for one in beside([(4, 2), (5, 1)], LinkMode.DUPLEX)] == [4]
