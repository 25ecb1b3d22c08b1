"""Predicted cost, the cost of the built schedule, and what the independent replay finds: equal."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from expansions.recipe import Base, Recipe
from generators.errors import InvalidInput, Unsupported
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from tests.published import TABLE_7
from tests.recipes import recipes
from tests.schedules import schedule_of, schedule_of_recipe
from topofinder.finder.prediction import predict
from topofinder.model.candidate import Candidate, Method
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.compose_recipe import shipped_allgather
from topofinder.schedules.synthesis.chunk_schedules import SYNTHESISED_BASES
from topofinder.verification.schedules import verify_schedule

HALVES = (Collective.ALLGATHER, Collective.REDUCE_SCATTER)
FAMILY_CASES = [
    Base(name, tuple(family.canonical(*arguments)))
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.properties(*arguments).n <= 128
]


def check(candidate: Candidate, topology: Topology, collective: Collective) -> None:
    schedule = schedule_of(candidate, collective)
    verdict = verify_schedule(topology, schedule)
    assert verdict.violation is None
    assert verdict.redundant == 0
    assert schedule.cost(topology) == verdict.cost
    predicted = candidate.cost(collective)
    if candidate.exact:
        assert verdict.cost == predicted
    else:
        assert verdict.cost.weakly_beats(predicted)


def check_recipe(recipe: Recipe, collectives: tuple[Collective, ...] = HALVES) -> None:
    topology = build(recipe)
    for candidate in predict(recipe):
        for collective in collectives:
            check(candidate, topology, collective)


@pytest.mark.parametrize(("n", "recipe", "steps", "bandwidth"), [row[:4] for row in TABLE_7])
def test_table_7(n: int, recipe: str, steps: int, bandwidth: float) -> None:
    parsed = parse(recipe)
    topology, schedule = build(parsed), schedule_of_recipe(parsed)
    found = verify_schedule(topology, schedule)
    assert found.valid
    assert (topology.n, found.steps) == (n, steps)
    assert round(float(found.bandwidth), 3) == bandwidth
    best = min(predict(parsed), key=lambda one: one.allgather.bandwidth)
    assert found.cost == best.allgather
    if n <= 256:
        check_recipe(parsed, (*HALVES, Collective.ALLREDUCE))
    else:
        check(best, topology, Collective.REDUCE_SCATTER)


@pytest.mark.parametrize("base", FAMILY_CASES, ids=str)
def test_base_families(base: Base) -> None:
    check_recipe(base, (*HALVES, Collective.ALLREDUCE))


@seed(20240613)
@settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(recipe=recipes(max_nodes=300, max_degree=12))
def test_random_compositions(recipe: Recipe) -> None:
    check_recipe(recipe)


@pytest.mark.slow
@seed(1)
@settings(max_examples=2000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(recipe=recipes(max_nodes=300, max_degree=16))
def test_many_random_compositions(recipe: Recipe) -> None:
    check_recipe(recipe, (*HALVES, Collective.ALLREDUCE))


@pytest.mark.parametrize(
    "recipe",
    [
        "L(Diamond)",
        pytest.param("L^2(Diamond^2)", marks=pytest.mark.slow),
        "Bi(Pi(2,7))",
        "Bi(L(Pi(2,5)))",
        "L(Bi(Kautz(2,1)))",
        "Bi(DBJMod(2,3))",
        "L^2(Diamond*2)",
        "(L(Diamond))^2",
        "Bi(Diamond^2)",
        "UniRing(1,3)*2 x K(3)",
        "K(3)^2*2",
        "UniRing(2,3)*2",
    ],
)
def test_chosen_compositions(recipe: str) -> None:
    check_recipe(parse(recipe), (*HALVES, Collective.ALLREDUCE))


@pytest.mark.parametrize("recipe", ["L(K(3))", "Diamond^2", "Pi(2,7)", "Bi(UniRing(1,5))"])
@pytest.mark.parametrize("root", [0, 3])
def test_rooted_collectives(recipe: str, root: int) -> None:
    parsed = parse(recipe)
    topology = build(parsed)
    for collective in (Collective.BROADCAST, Collective.REDUCE):
        verdict = verify_schedule(topology, schedule_of_recipe(parsed, collective, root=root))
        assert verdict.violation is None
        assert verdict.redundant == 0


def test_bfb_on_the_graph_itself_costs_what_evaluate_says() -> None:
    for text in ("L(Diamond)", "DBJMod(2,3)", "Pi(2,6) x K(2)", "Bi(Diamond)"):
        recipe = parse(text)
        topology = build(recipe)
        forth = verify_schedule(topology, schedule_of_recipe(recipe, method=Method.BFB))
        back = verify_schedule(
            topology, schedule_of_recipe(recipe, Collective.REDUCE_SCATTER, Method.BFB)
        )
        assert forth.valid
        assert back.valid
        assert forth.cost == evaluate(topology).cost
        assert back.cost == evaluate(topology.transpose()).cost


def test_without_a_theorem_bfb_is_taken() -> None:
    recipe = parse("Pi(2,6) x K(2)")
    assert predict(recipe) == []
    topology = build(recipe)
    assert verify_schedule(topology, schedule_of_recipe(recipe)).cost == evaluate(topology).cost


@pytest.mark.parametrize("base", SYNTHESISED_BASES.values(), ids=str)
@pytest.mark.parametrize("back", [False, True])
def test_shipped_schedules(base: Base, back: bool) -> None:
    topology = build(base)
    graph = topology.transpose() if back else topology
    schedule = shipped_allgather(str(base), topology, back=back)
    assert verify_schedule(graph, schedule).valid
    if FAMILIES[base.name].properties(*base.arguments).reverse_symmetric:
        forth = shipped_allgather(str(base), topology, back=False)
        assert schedule.loads(graph) == forth.loads(topology)


def test_the_arcs_are_those_of_build() -> None:
    topology = build(parse("L^2(K(3))"))
    schedule = schedule_of_recipe(parse("L(L(K(3)))"))
    first = schedule.step == 1
    assert np.array_equal(topology.tail[schedule.arc[first]], schedule.source[first])


def test_refusals() -> None:
    with pytest.raises(Unsupported, match=r"K\(4\): has no schedule by synthesis; known are bfb"):
        schedule_of_recipe(parse("K(4)"), method=Method.SYNTHESIS)
    with pytest.raises(Unsupported, match="no synthesised schedule ships for it"):
        shipped_allgather("K(4)", build(parse("K(4)")), back=False)
    with pytest.raises(InvalidInput, match=r"root: broadcast needs a node in 0\.\.3, not None"):
        schedule_of_recipe(parse("K(4)"), Collective.BROADCAST)
    with pytest.raises(InvalidInput, match=r"root: reduce needs a node in 0\.\.3, not 4"):
        schedule_of_recipe(parse("K(4)"), Collective.REDUCE, root=4)
    with pytest.raises(InvalidInput, match="root: allgather has none, not 1"):
        schedule_of_recipe(parse("K(4)"), root=1)


def test_composition_walks_the_parts_and_searches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    candidate = predict(parse("L(Bi(L(Diamond))*2)"))[0]
    evaluations: list[object] = []

    def counted(*arguments: object) -> None:
        evaluations.append(arguments)

    for name in ("predict", "_predict"):
        monkeypatch.setattr(f"topofinder.finder.prediction.{name}", counted)
    monkeypatch.setattr("topofinder.finder.base_candidates.GraphEvaluations", counted)
    check(candidate, build(candidate.recipe), Collective.ALLGATHER)
    assert evaluations == []


def test_a_candidate_whose_parts_are_not_known_has_no_schedule() -> None:
    stored = replace(predict(parse("L(Diamond)"))[0], parts=())
    assert stored.method is Method.EXPANSION
    with pytest.raises(Unsupported, match="its parts are not known"):
        schedule_of(stored)
