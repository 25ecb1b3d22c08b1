"""The shipped Cayley digraphs: each is rebuilt and its line proved anew."""

from fractions import Fraction
from math import lcm

import pytest

from expansions.build import build
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Base
from generators.cayley.catalogue import (
    ShippedDigraph,
    all_digraphs,
    is_shipped,
    look_up,
    shipped_digraphs,
)
from generators.cayley.generated import reachable_elements
from generators.cayley.notation import parse_group
from generators.families.register_all import FAMILIES
from topofinder.discovery.results import prove_costs
from topofinder.finder.base_candidates import shipped_pair
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.model.frontier import frontier
from topofinder.schedules.bfb.evaluation import evaluate

ALL = list(all_digraphs())
SAMPLE = ALL[::197]


def reprove(one: ShippedDigraph) -> None:
    base = Base("Cay", one.arguments)
    graph = build(base)
    forth, back = evaluate(graph), evaluate(graph.transpose())
    for told, real in zip(shipped_pair(base) or (), (forth, back), strict=True):
        assert told.loads == real.loads
        assert told.cost == real.cost
        assert (told.n, told.d, told.cycle) == (real.n, real.d, real.cycle)
    assert one.line_exact == min(forth.line_exact, back.line_exact)
    group = parse_group(one.group)
    assert str(group) == one.group
    assert list(one.generators) == sorted(one.generators)
    assert min(one.generators) > 0
    assert reachable_elements(group, one.generators).all()
    assert ("a" in one.kind, one.two_way) == (group.is_abelian, graph.is_bidirectional)
    properties = one.properties
    assert properties.diameter == len(forth.loads)
    assert properties.simple == graph.is_simple
    if properties.bandwidth_optimal:
        assert forth.cost.bandwidth == least_bandwidth(graph.n)
        assert back.cost.bandwidth == least_bandwidth(graph.n)


@pytest.mark.parametrize("one", SAMPLE, ids=lambda one: f"{one.d}-{one.n}")
def test_a_sample_is_rebuilt_and_proved(one: ShippedDigraph) -> None:
    reprove(one)
    if one.n <= 1024:
        forth, back = (
            Cost(len(loads), Fraction(one.d * sum(loads), one.n * lcm(*range(1, one.d + 1))))
            for loads in (one.forth, one.back)
        )
        prove_costs(str(Base("Cay", one.arguments)), forth, back)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_every_entry_is_rebuilt_and_proved(part: int) -> None:
    for one in ALL[part::16]:
        reprove(one)


def test_every_line_reads_back_and_no_digraph_ships_twice() -> None:
    assert len({one.arguments for one in ALL}) == len(ALL)
    for one in SAMPLE:
        assert one in shipped_digraphs(one.n, one.d)
        assert look_up(one.group, one.generators) == one
        assert str(one).split(" ")[2] == one.group
        assert one.arguments in FAMILIES["Cay"].members(one.n, one.d)
    assert look_up("Z5", (1, 4)) is None


def test_what_ships_is_told_without_the_other_lines() -> None:
    shipped = list(all_digraphs())[::100]
    assert all(is_shipped(one.group, one.generators) for one in shipped)
    for one in shipped:
        others = (
            (one.group, one.generators[1:]),
            (one.group, one.generators[::-1]),
            (f"{one.group}xZ2", one.generators),
            (one.group[1:], one.generators),
        )
        assert [is_shipped(*other) for other in others] == [
            look_up(*other) is not None for other in others
        ]
    assert not is_shipped("", ())


@pytest.mark.parametrize(
    ("n", "d", "links", "points"),
    [
        (32, 4, "simplex", [(3, "31/32")]),
        (64, 4, "simplex", [(3, "17/16"), (4, "63/64")]),
        (256, 4, "simplex", [(4, "69/64"), (5, "255/256")]),
        (1024, 4, "simplex", [(5, "277/256"), (6, "1023/1024")]),
        (64, 4, "duplex", [(4, "63/64")]),
        (256, 4, "duplex", [(6, "255/256")]),
        (1024, 4, "duplex", [(8, "1023/1024")]),
        (64, 8, "simplex", [(3, "63/64")]),
        (256, 8, "simplex", [(3, "1"), (4, "255/256")]),
        (1024, 8, "simplex", [(4, "1023/1024")]),
    ],
)
def test_the_default_search_reaches_what_it_must(
    n: int, d: int, links: str, points: list[tuple[int, str]]
) -> None:
    found = frontier(Pools().pool(n, d, LinkMode(links)))
    for steps, bandwidth in points:
        wanted = Cost(steps, Fraction(bandwidth))
        assert any(one.allgather.weakly_beats(wanted) for one in found)


@pytest.mark.parametrize("n", [128, 256, 512, 1024])
def test_some_digraphs_of_degree_4_are_bandwidth_optimal_both_ways(n: int) -> None:
    optimal = [
        one
        for one in shipped_digraphs(n, 4)
        if one.properties.bandwidth_optimal and not one.two_way
    ]
    assert (
        min(one.properties.diameter or n for one in optimal)
        <= cost_lower_bound(n, 4, LinkMode.SIMPLEX).steps + 1
    )
