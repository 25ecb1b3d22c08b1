"""BFB schedules: complete, breadth-first, and exactly as cheap as the evaluation says."""

from dataclasses import replace
from fractions import Fraction
from math import lcm

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.families.complete import complete
from generators.families.generalized_kautz import generalized_kautz
from generators.families.hamming import hypercube
from generators.families.register_all import FAMILIES
from generators.families.ring import two_way_ring
from generators.registry import Arguments, Family
from generators.topology import Topology
from tests.breadth_first import check_breadth_first
from tests.replay import replay
from tests.twins import distances, random_topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.rows import all_rows
from topofinder.schedules.bfb.schedule import bfb_compact_schedule, bfb_schedule
from topofinder.schedules.bfb.symmetric import inverse_nodes, neighbour_translations

SAMPLES = [
    pytest.param(family, arguments, id=f"{name}{arguments}")
    for name, family in FAMILIES.items()
    for arguments in family.samples
]
COMPACT = [case for case in SAMPLES if case.values[0].properties(*case.values[1]).transitive]
RECIPES = (
    "Q(6)",
    "Torus(7,8)",
    "TwistedTorus(4,8,4)",
    "Pi(5,91)",
    "Pi(16,77)",
    "C(100,{3,4})",
    "UniRing(1,4)^2 x K(3)",
    "L(C(16,{3,4}))",
    "K(4,4)*2",
    "Bi(Pi(3,29))",
    "BiRing(8,9)",
    "K(70)",
)


def check(topology: Topology) -> None:
    schedule = bfb_schedule(topology)
    expected = evaluate(topology)
    check_breadth_first(topology, schedule)
    assert schedule.loads(topology) == expected.loads
    assert schedule.cost(topology) == expected.cost
    assert schedule.denominator == lcm(*(load.denominator for load in expected.loads))


def plain(topology: Topology) -> Topology:
    """The same graph with nothing known of its symmetry."""
    return Topology(n=topology.n, tail=topology.tail, head=topology.head)


@pytest.mark.parametrize("seed", range(250))
def test_random_multigraphs(seed: int) -> None:
    topology = random_topology(seed, regular=seed % 3 > 0)
    check(topology)
    replay(topology, bfb_schedule(topology))


@pytest.mark.parametrize(("family", "arguments"), SAMPLES)
def test_families_with_and_without_their_symmetry(family: Family, arguments: Arguments) -> None:
    topology = family.build(*arguments)
    if topology.n == 1:
        assert bfb_schedule(topology).rows == 0
        return
    check(topology)
    check(topology.transpose())
    check(plain(topology))


@pytest.mark.parametrize("recipe", RECIPES)
def test_larger_graphs(recipe: str) -> None:
    topology = build(parse(recipe))
    check(topology)
    check(plain(topology).transpose())


@pytest.mark.parametrize(("family", "arguments"), COMPACT)
def test_the_rows_of_one_node_expand_to_the_best_schedule(
    family: Family, arguments: Arguments
) -> None:
    topology = family.build(*arguments)
    if topology.translation is None:
        with pytest.raises(InvalidInput, match="translation: none is known"):
            bfb_compact_schedule(topology)
        return
    if inverse_nodes(neighbour_translations(topology)) is None:
        with pytest.raises(Unsupported, match="form no group"):
            bfb_compact_schedule(topology)
        return
    compact = bfb_compact_schedule(topology)
    whole = compact.expand(topology)
    check_breadth_first(topology, whole)
    assert whole.rows == bfb_schedule(topology).rows
    assert whole.loads(topology) == evaluate(topology).loads


@pytest.mark.parametrize("recipe", [text for text in RECIPES if text[0] in "QTUK"])
def test_compact_schedules_cost_what_the_evaluation_says(recipe: str) -> None:
    topology = build(parse(recipe))
    assert bfb_compact_schedule(topology).cost(topology) == evaluate(topology).cost


def test_columns_grow_when_there_are_more_cuts_than_expected() -> None:
    topology = plain(two_way_ring(8, 41))
    pieces = [9973] * int(distances(topology).max())
    schedule = all_rows(topology, pieces)
    assert schedule.rows > topology.n * (topology.n - 1) + topology.n * 2 + topology.arcs
    check_breadth_first(topology, schedule)


def test_translations_need_not_form_a_group_for_a_whole_schedule() -> None:
    cube = hypercube(3)
    turned = np.array([0, 2, 4, 6, 1, 3, 5, 7])  # rotates the three bits: a symmetry that fixes 0
    shift = cube.translation

    def translate(u: int) -> np.ndarray:
        return shift(u)[turned] if u else np.arange(8)

    topology = replace(cube, translation=translate)
    assert inverse_nodes(neighbour_translations(topology)) is None
    check(topology)
    with pytest.raises(Unsupported, match="form no group"):
        bfb_compact_schedule(topology)


def test_a_wrong_translation_is_refused() -> None:
    graph = generalized_kautz(2, 5)
    broken = replace(graph, translation=lambda u: (np.arange(5) + u) % 5)
    with pytest.raises(InvalidInput, match="translation: it does not carry arcs to arcs"):
        bfb_schedule(broken)
    stuck = replace(complete(4), translation=lambda u: np.arange(4))
    with pytest.raises(InvalidInput, match="translation: only 1 of 4 nodes are reached"):
        bfb_schedule(stuck)


def test_refusals() -> None:
    one_way = Topology.from_arcs(2, [(0, 1), (1, 1)])
    with pytest.raises(InvalidInput, match="node 1 cannot reach node 0"):
        bfb_schedule(one_way)
    unequal = Topology.from_arcs(2, [(0, 1), (1, 0)], latency=(Fraction(1), Fraction(2)))
    with pytest.raises(InvalidInput, match="latency: links are taken as equal"):
        bfb_schedule(unequal)
    with pytest.raises(InvalidInput, match="translation: none is known"):
        bfb_compact_schedule(Topology.from_arcs(2, [(0, 1), (1, 0)]))
    with pytest.raises(InvalidInput, match="switches"):
        bfb_schedule(Topology.from_arcs(2, [(0, 1), (1, 0)], switches=(1,)))
    with pytest.raises(Unsupported, match="at most 63"):
        bfb_schedule(complete(64, 64))
    with pytest.raises(Unsupported, match="rows: 65536 nodes"):
        bfb_schedule(hypercube(16))
