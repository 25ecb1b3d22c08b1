"""Allreduces after failures, against partitions of what is left and without symmetry."""

from dataclasses import replace
from fractions import Fraction

import networkx as nx
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.topofinder.forests.collectives.test_allreduce_overlap import strength
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.forests.collectives.single_failures import FailureTimes, rate_failures

KINDS = ("links", "hosts")


def circuits(topology: Topology) -> list[tuple[int, int]]:
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    return [(u, v) for u, v in ends if u < v]


@pytest.mark.parametrize("recipe", ["BiRing(2,6)", "C(7,{1,2})", "K(5)", "K(3,3)", "Q(3)"])
def test_no_partition_of_what_is_left_allows_less(recipe: str) -> None:
    topology = build(parse(recipe))
    found = rate_failures(topology)
    lost = [Damage(fail_links=[f"{u}-{v}"]) for u, v in circuits(topology)]
    least = []
    for damage in lost:
        left = apply_damage(topology, damage)
        least.append(Fraction(topology.degree) / strength(left))
    assert found.links.count == len(least)
    assert found.links.worst is not None
    assert found.links.mean is not None
    assert found.links.bound is not None
    worst = max(least)
    assert found.links.bound <= worst <= found.links.worst <= worst * Fraction(1001, 1000)
    mean = sum(least) / len(least)
    assert mean <= found.links.mean <= mean * Fraction(1001, 1000)


@pytest.mark.parametrize("recipe", ["C(16,{3,4})", "Torus(4,4)", "L(C(8,{1,3}))", "UniRing(2,5)"])
@pytest.mark.parametrize("duplex", [None, False])
def test_symmetry_gives_what_all_failures_give(recipe: str, duplex: bool | None) -> None:
    topology = build(parse(recipe))
    plain = replace(topology, translation=None, orbits=None)
    known, every = (rate_failures(one, duplex=duplex, tries=0) for one in (topology, plain))
    for kind in KINDS:
        mine, theirs = getattr(known, kind), getattr(every, kind)
        assert replace(mine, rated=0) == replace(theirs, rated=0)
        assert mine.rated <= theirs.rated


def test_a_failure_costs_what_the_forest_takes_that_is_built_for_it() -> None:
    topology = build(parse("C(16,{3,4})"))
    found = rate_failures(topology).links
    options = ForestOptions(collective=Collective.ALLREDUCE, overlap=True)
    damaged = [apply_damage(topology, Damage(fail_links=[f"0-{v}"])) for v in (3, 4)]
    times = [make_forest(one, options).together * Fraction(4, 16) for one in damaged]
    assert max(times) == found.worst == Fraction(60, 31)


def test_failures_that_cut_hosts_off_are_counted() -> None:
    path = Topology.from_arcs(4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)])
    found = rate_failures(path)
    assert (found.links.count, found.links.parted, found.links.worst) == (3, 3, None)
    assert (found.hosts.count, found.hosts.parted) == (4, 2)
    graph = nx.path_graph(4)
    assert len(list(nx.articulation_points(graph))) == found.hosts.parted
    assert found.rank[0] == 5


def test_pairs_are_drawn_by_a_seed_and_counted() -> None:
    topology = build(parse("C(8,{1,3})"))
    first, again, other = (rate_failures(topology, pairs=9, seed=seed).pairs for seed in (1, 1, 2))
    assert first is not None
    assert first == again
    assert (first.count, first.parted) == (9, 0)
    assert first != other
    single = rate_failures(topology)
    assert first.worst is not None
    assert single.links.worst is not None
    assert first.worst > single.links.worst
    assert single.pairs is None


def test_nothing_known_is_no_time() -> None:
    assert FailureTimes.of([(None, 3)]).mean is None
    switched = Topology.from_arcs(3, [(0, 2), (2, 0), (1, 2), (2, 1)], switches=(2,))
    with pytest.raises(InvalidInput, match=r"^resilience: for fabrics without switches$"):
        rate_failures(switched)
    with pytest.raises(InvalidInput, match=r"^pairs: 0 to 65536 of them, not -1$"):
        rate_failures(switched, pairs=-1)
