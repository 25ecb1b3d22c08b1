"""The annealed lifts that ship: each is rebuilt and costed anew, without its symmetry."""

from fractions import Fraction

import pytest

from expansions.build import build
from expansions.parser import parse
from expansions.recipe import Base
from generators.lifts.annealed import (
    AnnealedLift,
    all_annealed_lifts,
    annealed_lifts,
    is_annealed_lift,
    read_line,
)
from topofinder.discovery.lifts.search import WEIGHT
from topofinder.finder.graft_bases import annealed_bases, shipped_bases
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

ALL = list(all_annealed_lifts())
SAMPLE = ALL[::97]


def reprove(one: AnnealedLift) -> None:
    text = f"Lift({one.group};{one.rows})"
    recipe = parse(text)
    assert isinstance(recipe, Base)
    assert str(recipe) == text
    graph = build(recipe)
    assert (graph.n, graph.degree) == (one.n, one.d)
    assert graph.is_bidirectional == (one.links == "duplex") or one.links == "simplex"
    forth, back = evaluate(graph).cost, evaluate(graph.transpose()).cost
    assert (forth.steps, forth.bandwidth) == (one.steps, one.forth)
    assert (back.steps, back.bandwidth) == (one.steps, one.back)
    assert read_line(str(one)) == one


@pytest.mark.parametrize("one", SAMPLE, ids=lambda one: f"{one.links}-{one.d}-{one.n}")
def test_a_sample_is_rebuilt_and_costed(one: AnnealedLift) -> None:
    reprove(one)
    assert is_annealed_lift(one.group, one.rows)
    assert one in annealed_lifts(one.n, one.d, one.links)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_every_lift_is_rebuilt_and_costed(part: int) -> None:
    for one in ALL[part::16]:
        reprove(one)


def test_all_are_in_order_and_take_less_than_the_digraphs_of_the_catalogue() -> None:
    places = [(one.d, one.links, one.n) for one in ALL]
    assert places == sorted(places)
    assert len({(one.group, one.rows) for one in ALL}) == len(ALL)
    for one in SAMPLE:
        size = one.n, one.d, LinkMode(one.links)
        time = 2 * one.steps + WEIGHT * (one.forth + one.back)
        assert all(base.time > time for base in shipped_bases(*size))
        assert time in [base.time for base in annealed_bases(*size)]


def test_lines_read_back() -> None:
    line = "2 4 simplex 2 1 3/4 Z2 1.0,0.1|0.0,1.1"
    one = read_line(line)
    assert (one.forth, one.back, str(one)) == (Fraction(1), Fraction(3, 4), line)
