"""An expansion that is entered in the register is known wherever recipes are."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.canonical import canonical
from expansions.cartesian import cartesian_product
from expansions.collective import Collective
from expansions.parser import parse
from expansions.properties import UNKNOWN, properties
from expansions.recipe import Application, Base, complexity, family
from expansions.register import (
    EXPANSIONS,
    Expansion,
    ScheduledGraph,
    Source,
    _family_words,
    expansions_by_letter,
    register_expansion,
)
from expansions.schedule import Schedule
from expansions.size import Size, size
from generators.divisors import divisors
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.schedules import schedule_of
from topofinder.api.query_filters import base_families
from topofinder.api.report_range import kind_of
from topofinder.finder.base_scope import EVERYTHING
from topofinder.finder.enumeration import Pools, sources
from topofinder.finder.prediction import best_known, predict
from topofinder.model.candidate import LinkMode, Method
from topofinder.verification.schedules import verify_schedule


def thick(graph: Topology, copies: int) -> Topology:
    """Every arc `copies` times."""
    ends = (np.repeat(end, copies) for end in (graph.tail, graph.head))
    return Topology.from_arcs(graph.n, list(zip(*(end.tolist() for end in ends), strict=True)))


def thick_schedule(inner: ScheduledGraph, copies: int) -> Schedule:
    """Every piece in equal parts over the copies of its arc."""
    rows = inner.schedule
    length = np.repeat(rows.end - rows.begin, copies)
    part = np.tile(np.arange(copies), rows.rows)
    begin = np.repeat(rows.begin, copies) * copies + part * length
    return Schedule(
        source=np.repeat(rows.source, copies),
        arc=np.repeat(rows.arc, copies) * copies + part,
        step=np.repeat(rows.step, copies),
        begin=begin,
        end=begin + length,
        denominator=rows.denominator * copies,
    )


def thick_sources(n: int, d: int, duplex: bool) -> Iterator[Source]:
    """Graphs of fewer ports."""
    return (Source(n, d // copies, duplex, (copies,)) for copies in divisors(d)[1:])


THICK = Expansion(
    symbol="Thick",
    title="parallel links",
    numbers=("copies",),
    size=lambda inner, copies: (inner[0], inner[1] * copies),
    build=thick,
    cost=lambda inner, copies: inner.cost,
    schedule=thick_schedule,
    sources=thick_sources,
)
GRID = Expansion(
    symbol="Grid",
    title="product of two",
    arity=2,
    size=lambda one, two: (one[0] * two[0], one[1] + two[1]),
    build=cartesian_product,
)
AGAIN = Expansion(
    symbol="Again",
    title="thick by two, again and again",
    numbers=("times",),
    repeats=True,
    size=lambda inner: Size(inner[0], 2 * inner[1]),
    build=lambda graph: thick(graph, 2),
    cost=lambda inner: inner.cost,
    schedule=lambda inner: thick_schedule(inner, 2),
    letter="A",
)


@pytest.fixture(autouse=True)
def _entered() -> Iterator[None]:
    assert "L" in EXPANSIONS
    for expansion in (THICK, GRID, AGAIN):
        register_expansion(expansion)
    _family_words.cache_clear()
    yield
    _family_words.cache_clear()
    for expansion in (THICK, GRID, AGAIN):
        del EXPANSIONS[expansion.symbol]


def test_recipes_are_read_and_printed() -> None:
    text = "L(Thick(K(3) x K(2),2))*3"
    assert str(parse(text)) == text
    assert parse("Thick( K_3 ,2 )") == Application("Thick", (Base("K", (3,)),), (2,))
    assert str(parse("Grid(K(2),Thick(K(3),2))")) == "Grid(K(2),Thick(K(3),2))"
    assert canonical(
        Application("Again", (Application("Again", (Base("K", (3,)),), (1,)),), (2,))
    ) == (parse("Again(K(3),3)"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Thick(K(3))", "Thick(G,copies): integers: 1, not 0 (column 1)"),
        ("Thick(K(3),2,2)", "Thick(G,copies): integers: 1, not 2 (column 1)"),
        ("Thick(K(3),K(2),2)", "Thick(G,copies): recipes: 1, not 2 (column 1)"),
        ("Grid(K(3))", "Grid(G,H): recipes: 2, not 1 (column 1)"),
        ("Grid(3)", "expected a graph, not '3' (column 6)"),
        ("Thick(K(3),2", "expected ',', ')' or an operator, not the end (column 13)"),
        ("Thick(K(3),2,K(2))", "expected an integer, not 'K' (column 14)"),
        ("Thick", "expected '(', not the end (column 6)"),
        ("Again(K(3),65)", "times: at most 64, not 65 (column 1)"),
    ],
)
def test_what_is_no_recipe_is_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse(text)
    assert str(error.value).splitlines()[0] == words


def test_size_graph_and_words_come_from_the_register() -> None:
    recipe = parse("Thick(K(4),3)*2")
    assert size(recipe) == (8, 18)
    assert (build(recipe).n, build(recipe).degree) == (8, 18)
    assert properties(parse("Thick(K(4),3)")) == UNKNOWN
    assert complexity(recipe) == 3
    assert family(recipe) == "*ThickK"
    assert base_families("*ThickK") == ["K"]
    assert kind_of("*ThickK") == "DThick"
    assert kind_of("Again^K") == "PA"
    assert [one.letter for one in expansions_by_letter()][-3:] == ["A", "Grid", "Thick"]


@pytest.mark.parametrize("text", ["Thick(Diamond,3)", "Again(DBJMod(2,3),2)", "Thick(Pi(2,7),2)"])
@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.REDUCE_SCATTER])
def test_schedules_are_composed_and_cost_what_is_predicted(
    text: str, collective: Collective
) -> None:
    recipe = parse(text)
    for candidate in predict(recipe):
        schedule = schedule_of(candidate, collective)
        assert candidate.method is Method.EXPANSION
        assert verify_schedule(build(recipe), schedule).valid
        assert schedule.cost(build(recipe)) == candidate.cost(collective)


def test_what_declares_no_cost_is_evaluated() -> None:
    assert predict(parse("Grid(K(2),K(3))")) == []
    (found,) = best_known(parse("Grid(K(2),K(3))"))
    assert found.method is Method.BFB
    assert found.allgather.bandwidth == Fraction(5, 6)


def test_graphs_are_evaluated_where_others_register_expansions() -> None:
    size = (1000, 8, LinkMode.SIMPLEX)
    assert not EVERYTHING.is_settled(*size)
    del EXPANSIONS["Thick"]
    assert EVERYTHING.is_settled(*size)
    register_expansion(THICK)
    assert not EVERYTHING.is_settled(*size)


def test_the_search_draws_on_its_sources() -> None:
    pools = Pools()
    found = pools.all_candidates(5, 8)
    assert "Thick(K(5),2)" in [str(candidate.recipe) for candidate in found]
    published = sources(5, 8, LinkMode.SIMPLEX, published=True)
    assert (5, 4, LinkMode.SIMPLEX) not in [source.size for source in published]


@pytest.mark.parametrize("symbol", ["", "x1", "a b", "3D", "*", "L", "K"])
def test_a_symbol_must_be_a_name_that_is_not_taken(symbol: str) -> None:
    with pytest.raises(InvalidInput, match=r"^symbol: |registered already|a family has this name"):
        register_expansion(Expansion(symbol=symbol, title="", size=GRID.size, build=GRID.build))
