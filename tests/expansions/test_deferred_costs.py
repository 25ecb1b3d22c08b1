"""Costs of deferred schedules that ship: each line is proved again, and named as it should be."""

from fractions import Fraction

import pytest

from expansions.cost import Cost
from expansions.deferred_costs import (
    DeferredCost,
    deferred_costs,
    read_deferred_cost,
    write_deferred_cost,
)
from expansions.parser import parse
from expansions.size import size
from generators.deferred_costs import all_deferred_lines
from generators.searched_graphs import searched_lines
from generators.searched_sizes import are_finds_shipped
from topofinder.finder.deferrals import evaluate_deferred
from topofinder.model.candidate import Method

ALL = all_deferred_lines()
SAMPLE = ALL[:: max(1, len(ALL) // 30)]


def reprove(line: str) -> None:
    shipped = read_deferred_cost(line)
    found = evaluate_deferred(shipped.recipe)
    assert found.method is Method.DEFERRED
    assert (found.allgather, found.reduce_scatter) == (shipped.forth, shipped.back)


@pytest.mark.parametrize("line", SAMPLE, ids=lambda line: "-".join(line.split(" ")[:3]))
def test_a_sample_costs_what_ships(line: str) -> None:
    reprove(line)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_every_line_costs_what_ships(part: int) -> None:
    for line in ALL[part::16]:
        reprove(line)


@pytest.mark.parametrize("line", SAMPLE[::5], ids=lambda line: "-".join(line.split(" ")[:3]))
def test_lines_are_of_their_size_which_was_gone_through(line: str) -> None:
    d, n, links, _ = line.split(" ", 3)
    shipped = read_deferred_cost(line)
    assert shipped in deferred_costs(int(n), int(d), links)
    assert size(shipped.recipe) == (int(n), int(d))
    assert are_finds_shipped(int(n), int(d), links)
    names = {one[:8]: one.split(" ", 8)[-1] for one in searched_lines(int(n), int(d), links)}
    assert write_deferred_cost((int(n), int(d), links), shipped, names) == line


def test_graphs_without_a_line_of_their_own_are_written_whole() -> None:
    one = DeferredCost(
        recipe=parse("L(K(3))"), forth=Cost(2, Fraction(1)), back=Cost(2, Fraction(1))
    )
    line = write_deferred_cost((6, 2, "simplex"), one, {"0123abcd": "K(3)"})
    assert line == "2 6 simplex 2 1 2 1 L(K(3))"
    assert read_deferred_cost(line) == one


def test_products_are_written_whole_and_read() -> None:
    cost = Cost(7, Fraction(206, 207))
    one = DeferredCost(recipe=parse("DirC(1) x L(Cay(Z23;1,3,15))"), forth=cost, back=cost)
    line = write_deferred_cost((207, 4, "simplex"), one, {"0123abcd": "L(Cay(Z23;1,3,15))"})
    assert line == "4 207 simplex 7 206/207 7 206/207 DirC(1) x L(Cay(Z23;1,3,15))"
    assert read_deferred_cost(line) == one
