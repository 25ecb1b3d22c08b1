"""What a base graph adds to the frontiers, found again by searching with and without it."""

import json
from fractions import Fraction

import pytest

from expansions.cost import Cost
from expansions.parser import parse
from tests.command import ran
from topofinder.finder.base_graph_gains import improvements, reached_sizes, uses
from topofinder.finder.base_scope import Scope
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import frontier


def test_sizes_that_expansions_reach() -> None:
    cube = parse("Q(3)")
    simplex = {(n, d) for n, d, _ in reached_sizes(cube, LinkMode.SIMPLEX, 72)}
    assert {(8, 3), (24, 3), (72, 3), (16, 6), (64, 6), (48, 6)} <= simplex
    assert (8, 6) in simplex
    duplex = {(n, d) for n, d, _ in reached_sizes(cube, LinkMode.DUPLEX, 72)}
    assert {(8, 3), (8, 6), (24, 6), (16, 6), (64, 6)} <= duplex
    assert (24, 3) not in duplex
    assert reached_sizes(cube, LinkMode.SIMPLEX, 7) == []


@pytest.mark.parametrize("name", ["Small(3,10)", "Small(4,15)", "UniRing(1,4)", "DirC(3)"])
def test_points_are_those_that_vanish_without_the_base(name: str) -> None:
    base = parse(name)
    found = {(one.n, one.d, one.point.allgather) for one in improvements(base, most=100)}
    vanish = set()
    with_it, without = Pools(), Pools(scope=Scope(without=frozenset([base])))
    for n, d, links in reached_sizes(base, LinkMode.SIMPLEX, 100):
        left = {point.allgather for point in frontier(without.pool(n, d, links))}
        for point in frontier(with_it.pool(n, d, links)):
            if point.allgather not in left and uses(point.recipe, base):
                vanish.add((n, d, point.allgather))
    assert found == vanish


def test_a_graph_that_no_search_lists_is_tried_too() -> None:
    base = parse("C(12,{1,5})")
    assert base not in Scope().members(12, 4, LinkMode.DUPLEX)
    scope = Scope(extra=(base,), published=True)
    assert base in scope.members(12, 4, LinkMode.DUPLEX)
    assert base in Pools(scope=scope).bases.members(12, 4, LinkMode.SIMPLEX)
    assert base not in scope.members(12, 6, LinkMode.SIMPLEX)
    assert not any(
        base in Scope(without=frozenset([base])).members(12, 4, mode) for mode in LinkMode
    )


def test_what_is_beaten() -> None:
    [one] = improvements(parse("Small(4,16)"), most=16)
    assert one.point.allgather == Cost(2, Fraction(1))
    assert one.published == one.previous == (Cost(2, Fraction(5, 4)),)


def test_a_point_that_another_base_reaches_too_counts_against_published_ones() -> None:
    base = parse("Cay(Z64:Z16[3];106,107,952,977)")
    [one] = improvements(base, most=1024)
    assert one.point.allgather == Cost(6, Fraction(1023, 1024))
    assert one.previous == ()
    assert one.published[0] == Cost(6, Fraction(261, 256))


def test_the_command(capsys) -> None:
    told = ran(capsys, "show", "Small(4,14,2)", "--beats", "--links", "duplex")
    assert (told.code, told.err) == (0, "")
    assert told.out == (
        "Frontier points built on it, duplex links, up to 2000 nodes"
        " (T_L in alpha, T_B in M/B):\n\n"
        "N   d  T_L  T_B  beats published  beats previous  recipe\n"
        "--  -  ---  ---  ---------------  --------------  -------------\n"
        "14  4    2  8/7  -                -               Small(4,14,2)\n"
    )
    assert json.loads(ran(capsys, "show", "Torus(2,6)", "--beats", "--json").out) == []
    words = ("show", "Small(4,14)", "--beats", "--json")
    assert json.loads(ran(capsys, *words).out)[0] == {
        "n": 14,
        "d": 4,
        "recipe": "Small(4,14)",
        "steps": 2,
        "bandwidth": "13/14",
        "beats_published": [
            {"steps": 2, "bandwidth": "10/7"},
            {"steps": 3, "bandwidth": "13/14"},
        ],
        "beats_previous": [
            {"steps": 2, "bandwidth": "8/7"},
            {"steps": 3, "bandwidth": "13/14"},
        ],
    }


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["K(3)^2", "--beats"], "--beats: a base graph is needed, not K(3)^2"),
        (["Pi(4,100)", "--beats", "--links", "duplex"], "--beats: Pi(4,100) has one-way arcs"),
        (["K(3)", "--links", "duplex"], "--links is for --beats"),
        (["K(3)", "--beats", "--with-baselines"], "--with-baselines does not go together"),
    ],
)
def test_refusals(words: list[str], line: str, capsys) -> None:
    ended = ran(capsys, "show", *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: {line}")
