"""Lifts by search: energies against a slow twin, regular graphs, finds, refusals."""

from contextlib import suppress
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.canonical import canonical
from expansions.parser import parse
from expansions.recipe import Base
from expansions.tokens import LONGEST_TEXT
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput
from generators.lifts.family import lift
from generators.topology import Topology
from tests.twins import distances
from topofinder.discovery.lifts.annealing_kernels import anneal_lift
from topofinder.discovery.lifts.evaluation_kernels import add_energy, make_scratch
from topofinder.discovery.lifts.search import FoundLift, anneal, best_lifts, find_lifts, run_trials
from topofinder.discovery.lifts.settings import LiftGoal, LiftSetting
from topofinder.discovery.lifts.translations import translations_of
from topofinder.kernels import kernel
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX


def rows_text(source: np.ndarray, shift: np.ndarray) -> str:
    pairs = (zip(*row, strict=True) for row in zip(source.tolist(), shift.tolist(), strict=True))
    return "|".join(",".join(f"{u}.{h}" for u, h in row) for row in pairs)


def slow_energy(source: np.ndarray, shift: np.ndarray, setting: LiftSetting) -> tuple[int, int]:
    """The energy and the missing pairs by distances and sets of in-arcs, node by node."""
    m, d = source.shape
    s, group = setting.order, parse_group(setting.group)
    tail = [int(u) * s + int(group.multiply(g, h)) for r in range(m) for g in range(s)
            for u, h in zip(source[r], shift[r], strict=True)]  # fmt: skip
    head = [r * s + g for r in range(m) for g in range(s) for _ in range(d)]
    away = distances(Topology(n=m * s, tail=tail, head=head))
    _, steps, busiest, own, miss = setting.weights
    loads = np.zeros((steps, m), dtype=object)
    missing = 0
    for r in range(m):
        near = [away[:, int(u) * s + int(h)] for u, h in zip(source[r], shift[r], strict=True)]
        to = away[:, r * s]
        missing += int(((to < 0) | (to > steps)).sum())
        for step in range(1, steps + 1):
            links = [{j for j in range(d) if near[j][v] == step - 1}
                     for v in np.flatnonzero(to == step)]  # fmt: skip
            loads[step - 1, r] = max(
                Fraction(sum(over <= set(some) for over in links), k)
                for k in range(1, d + 1)
                for some in combinations(range(d), k)
            )
    total = sum(busiest * max(row) + own * sum(row) for row in loads)
    return int(total * setting.unit) + miss * missing, missing


@kernel
def lift_energy(source, shift, group, weights):  # type: ignore[no-untyped-def]
    """The energy of one direction and the pairs missing, as `add_energy` says."""
    m, d = source.shape
    scratch = make_scratch(m, d, group)
    return add_energy(source, shift, group, weights, np.int64(1) << 62, np.int64(0), scratch)


def energy_of(source: np.ndarray, shift: np.ndarray, setting: LiftSetting) -> tuple[int, int]:
    return lift_energy(source, shift, setting.translations, setting.weights)


GROUPS = ("Z65", "Z130", "D5", "A4", "Z7:Z3[2]", "Z2^3", "Dic3", "D33", "Z67:Z2[66]", "S4")
"""Cyclic ones of more than a word, and others: runs of 2 to 67 bits."""


@settings(max_examples=60)
@given(st.data())
def test_energy_is_that_of_the_slow_twin(data: st.DataObject) -> None:
    m, d, s = (data.draw(st.integers(*ends)) for ends in ((1, 4), (2, 7), (3, 9)))
    random = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    source = np.stack([random.permutation(m) for _ in range(d)], axis=1)
    shift = random.integers(0, s, (m, d))
    goal = LiftGoal(n=max(m * s, d + 1), d=d)
    setting = LiftSetting(goal=goal, group=f"Z{s}", steps=data.draw(st.integers(1, 4)))
    if m * s <= d:
        return
    assert energy_of(source, shift, setting) == slow_energy(source, shift, setting)


@pytest.mark.parametrize("s", [3, 63, 64])
def test_words_of_all_bits_turn(s: int) -> None:
    source, shift = np.array([[1, 0], [0, 1]]), np.array([[0, 1], [s - 1, 2]])
    setting = LiftSetting(goal=LiftGoal(n=2 * s, d=2), group=f"Z{s}", steps=5)
    assert energy_of(source, shift, setting) == slow_energy(source, shift, setting)


@pytest.mark.parametrize("group", GROUPS)
def test_energy_by_any_group_is_that_of_the_slow_twin(group: str) -> None:
    order = parse_group(group).order
    for m, d in ((1, 2), (3, 3), (2, 6)):
        random = np.random.default_rng(order)
        source = np.stack([random.permutation(m) for _ in range(d)], axis=1)
        shift = random.integers(0, order, (m, d))
        setting = LiftSetting(goal=LiftGoal(n=m * order, d=d), group=group, steps=4)
        assert energy_of(source, shift, setting) == slow_energy(source, shift, setting)


@pytest.mark.parametrize("group", [*GROUPS, "Z2", "Z64"])
def test_words_move_as_elements_do(group: str) -> None:
    known, law = translations_of(group), parse_group(group)
    place = np.empty(law.order, dtype=np.int64)  # of each element: where the identity goes
    place[:] = known.coset[:, 0] * known.bits + known.turn[:, 0]
    assert sorted(place) == list(range(law.order))
    assert place[0] == 0
    for h in law.elements:
        moved = place[law.multiply(h, law.elements)]
        coset, bit = place // known.bits, place % known.bits
        turned = (bit + known.turn[h, coset]) % known.bits
        assert (moved == known.coset[h, coset] * known.bits + turned).all()
    twice = law.multiply(known.involutions, known.involutions)
    assert not twice.any()
    assert len(known.involutions) == (law.power(law.elements, 2) == 0).sum() - 1


@settings(max_examples=40)
@given(
    st.integers(1, 5),
    st.integers(2, 6),
    st.sampled_from([*(f"Z{s}" for s in range(3, 13)), *GROUPS]),
    st.booleans(),
    st.integers(0, 99),
)
def test_annealed_graphs_are_regular_and_have_the_energy_that_is_told(
    m: int, d: int, group: str, two_way: bool, seed: int
) -> None:
    known = parse_group(group)
    s = known.order
    if m * s <= d or (two_way and m * d * s % 2):
        return
    goal = LiftGoal(n=m * s, d=d, links=DUPLEX if two_way else SIMPLEX)
    setting = LiftSetting(goal=goal, group=group, steps=goal.least_steps + 1)
    source, shift, energy, missing, judged, busiest = anneal_lift(
        m, setting.translations, two_way, not two_way, setting.weights, setting.heats, 60, 0,
        np.array([seed], np.uint64),
    )  # fmt: skip
    assert judged == 60
    assert (np.bincount(source.ravel(), minlength=m) == d).all()
    told = energy_of(source, shift, setting)
    peaks = (setting.weights[0], setting.steps, 1, 0, 0)
    assert busiest == lift_energy(source, shift, setting.translations, peaks)[0]
    if two_way:
        pairs = [(r, int(u), int(h)) for r in range(m)
                 for u, h in zip(source[r], shift[r], strict=True)]  # fmt: skip
        assert sorted(pairs) == sorted((u, r, int(known.inverses[h])) for r, u, h in pairs)
        assert told == (energy, missing)
    elif not missing:
        graph = lift(group, rows_text(source, shift))
        assert evaluate(graph).cost.steps <= setting.steps
        assert evaluate(graph.transpose()).cost.steps <= setting.steps
        assert told[0] < energy


def test_a_find_is_costed_exactly_and_the_same_again() -> None:
    (found,) = find_lifts(25, 2, budget=100000)
    assert (found.forth, found.back) == (evaluate(build(found.recipe)).cost,) * 2
    assert (found.forth.steps, found.forth.bandwidth) == (4, Fraction(24, 25))
    assert find_lifts(25, 2, budget=100000) == [found]


@pytest.mark.parametrize(
    ("n", "d", "diameter"), [(64, 8, 3), (96, 3, 6), (256, 8, 4), (384, 3, 9), (512, 8, 4)]
)
def test_known_diameters_of_two_way_graphs(n: int, d: int, diameter: int) -> None:
    found = find_lifts(n, d, DUPLEX, budget=100000 if d == 3 else 12000)
    assert found[0].forth.steps == diameter
    graph = build(found[0].recipe)
    assert graph.is_bidirectional
    plain = Topology(n=graph.n, tail=graph.tail, head=graph.head)
    assert distances(plain).max() == diameter


def test_a_larger_graph_keeps_close_to_both_bounds() -> None:
    best = min(find_lifts(258, 3, DUPLEX, budget=20000), key=lambda one: one.time)
    assert (best.forth.steps, best.forth.bandwidth < Fraction(104, 100)) == (8, True)


def test_trials_keep_to_the_budget() -> None:
    goal = LiftGoal(n=60, d=3)
    first = next(goal.settings())
    spent = sum(trial.judged * trial.setting.work for trial in run_trials(goal, 3000, 1))
    assert 0 < spent <= 3000 * first.work


def test_larger_cyclic_groups_where_none_of_a_word_is_good() -> None:
    found = find_lifts(402, 2, budget=20000)
    best = min(found, key=lambda one: one.time)
    assert best.recipe.arguments[0] == "Z67"  # 6 is the largest order below
    assert best.forth.steps <= 11
    assert (best.forth, best.back) == tuple(
        evaluate(graph).cost for graph in (build(best.recipe), build(best.recipe).transpose())
    )


def test_groups_that_are_not_abelian_reach_what_cyclic_ones_do_not() -> None:
    cyclic, others = (
        min(find_lifts(252, 2, budget=60000, others=k), key=lambda one: one.time) for k in (0, 3)
    )
    assert others.time < cyclic.time
    group, _ = others.recipe.arguments
    assert not parse_group(str(group)).is_abelian
    assert others.forth == evaluate(build(others.recipe)).cost


@pytest.mark.parametrize("links", [SIMPLEX, DUPLEX])
@pytest.mark.parametrize(("n", "d"), [(60, 3), (402, 4), (1002, 2), (1986, 3)])
def test_recipes_are_as_short_as_settings_say(n: int, d: int, links: LinkMode) -> None:
    read = 0
    for setting in LiftGoal(n=n, d=d, links=links).settings(0):
        assert setting.longest_recipe <= LONGEST_TEXT
        for seed in range(4):
            with suppress(InvalidInput):  # one that is not connected
                rows = anneal(setting, 1, seed, 0).rows
                recipe = canonical(Base("Lift", (setting.group, rows)))
                assert len(str(recipe)) <= setting.longest_recipe
                assert parse(str(recipe)) == recipe
                read += 1
    assert read


def test_sizes_without_lifts() -> None:
    assert find_lifts(1977, 3, budget=100) == []  # by Z3 on 659 base nodes alone
    assert find_lifts(89, 4, budget=100) == []
    assert find_lifts(27, 3, DUPLEX, budget=100) == []


def test_the_best_are_those_that_none_beats() -> None:
    found = find_lifts(96, 3, DUPLEX, budget=20000, most=9)
    steps = [one.forth.steps for one in found]
    widths = [one.bandwidth for one in found]
    assert steps == sorted(set(steps))
    assert widths == sorted(widths, reverse=True)
    assert len(best_lifts(found, 1)) == 1
    assert isinstance(best_lifts(found, 1)[0], FoundLift)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 2, "d": 2, "budget": 1}, "lifts of 3 to"),
        ({"n": 40, "d": 13, "budget": 1}, "degree 2 to 12"),
        ({"n": 4, "d": 4, "budget": 1}, "at most 3 ports"),
        ({"n": 40, "d": 4, "budget": 0}, "budget: at least 1"),
        ({"n": 40, "d": 4, "budget": 1, "seed": -1}, "seed: 0 to"),
    ],
)
def test_refusals(arguments: dict, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        find_lifts(**arguments)
