"""Expansions that are Cayley digraphs cost without a graph what their graphs cost."""

from collections import Counter

import pytest

from expansions.build import build
from expansions.parser import parse
from topofinder.schedules.bfb import cayley
from topofinder.schedules.bfb.evaluation import GraphEvaluations, Pair
from topofinder.schedules.bfb.translated_arcs import TranslatedArcs, translated_arcs

INNER = ("Cay(Z24:Z2[5];2,5)", "Cay(A5;3,16,30,48)", "C(10,{1,5})", "UniRing(2,7)", "Cay(Z9;1,1,4)")
OUTER = ("{}", "Bi({})", "{}*2", "{}||2", "Bi({}*2)*3", "Bi(({}||2)*2)")
RECIPES = [outer.format(inner) for inner in INNER for outer in OUTER]


def known(recipe: str) -> TranslatedArcs:
    found = translated_arcs(parse(recipe))
    assert found is not None
    return found


def facts(pair: Pair) -> list[tuple[object, ...]]:
    return [(one.n, one.d, one.loads, one.line_exact, one.cycle) for one in pair]


@pytest.mark.parametrize("recipe", RECIPES)
def test_they_cost_what_their_graphs_do(recipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cayley, "kernels_are_loaded", lambda: True)
    found = cayley.translated_pair(parse(recipe), False)
    assert found is not None
    assert facts(found) == facts(GraphEvaluations(build(parse(recipe))).pair())
    assert cayley.translated_pair(parse(recipe), True) == (found[0], found[0])


@pytest.mark.parametrize("recipe", RECIPES)
def test_arcs_from_the_identity_and_into_it(recipe: str) -> None:
    arcs, graph = known(recipe), build(parse(recipe))
    heads = Counter({s: times for s, (_, _, times) in arcs.arcs.items()})
    assert heads == Counter(graph.head[graph.tail == 0].tolist())
    tails = Counter(int(back[0]) for _, back, times in arcs.arcs.values() for _ in range(times))
    assert tails == Counter(graph.tail[graph.head == 0].tolist())


@pytest.mark.parametrize("recipe", ["L(K(3))", "Bi(Pi(2,5))", "Cay(Z5;1,2)^2", "K(4)"])
def test_others_are_built(recipe: str) -> None:
    assert translated_arcs(parse(recipe)) is None


def test_they_are_left_to_numpy_and_to_graphs_of_many_links(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cayley, "kernels_are_loaded", lambda: False)
    assert cayley.translated_pair(parse("Cay(Z5;1,2)"), False) is None
    monkeypatch.setattr(cayley, "kernels_are_loaded", lambda: True)
    assert cayley.translated_pair(parse("Cay(Z70;1)*65"), False) is None
