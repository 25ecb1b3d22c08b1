"""Cycle-prefix digraphs: arcs by the definition, symmetry, and what BFB costs on them."""

from fractions import Fraction
from itertools import permutations
from math import perm

import networkx as nx
import numpy as np
import pytest

from expansions.isomorphism import isomorphism
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.families.cycle_prefix import canonical, cycle_prefix, letter_words, members
from generators.families.kautz import kautz
from generators.topology import Topology
from tests.replay import replay
from tests.twins import distances
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_schedule

SIZES = [(d, k) for d in range(1, 6) for k in range(1, d + 1) if perm(d + 1, k) <= 400]


def plain(topology: Topology) -> Topology:
    return Topology(n=topology.n, tail=topology.tail, head=topology.head)


@pytest.mark.parametrize(("d", "k"), SIZES)
def test_arcs_are_those_of_the_definition(d: int, k: int) -> None:
    number = {word: node for node, word in enumerate(permutations(range(d + 1), k))}
    arcs = []
    for word, node in number.items():
        new = [(y, *word[:-1]) for y in range(d + 1) if y not in word]
        old = [(word[i], *word[:i], *word[i + 1 :]) for i in range(1, k)]
        arcs += [(node, number[other]) for other in new + old]
    assert cycle_prefix(d, k).same_arcs(Topology.from_arcs(len(number), arcs))
    back = cycle_prefix(d, k, "back")
    assert back.same_arcs(Topology.from_arcs(len(number), [(v, u) for u, v in arcs]))
    assert list(map(tuple, letter_words(d, k).tolist())) == list(number)


@pytest.mark.parametrize(("d", "k"), SIZES)
def test_order_degree_diameter_and_renamings(d: int, k: int) -> None:
    for topology in (cycle_prefix(d, k), cycle_prefix(d, k, "back")):
        assert topology.n == perm(d + 1, k)
        assert topology.is_regular
        assert topology.degree == d
        assert distances(plain(topology)).max() == k
        for u in range(topology.n):
            image = topology.translation(u)
            assert image[0] == u
            moved = Topology(n=topology.n, tail=image[topology.tail], head=image[topology.head])
            assert moved.same_arcs(topology)


def test_smallest_members_have_other_names() -> None:
    for d in (2, 3, 4):
        complete = nx.complete_graph(d + 1, nx.DiGraph)
        topology = cycle_prefix(d, 1)
        arcs = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
        assert nx.is_isomorphic(nx.DiGraph(arcs), complete)
        assert isomorphism(cycle_prefix(d, 2), kautz(d, 1)) is not None


@pytest.mark.parametrize(("d", "k"), [size for size in SIZES if size[1] > 1])
def test_allgather_costs(d: int, k: int) -> None:
    """T_B = d / (d + 2 - k) forward; backward it is less for k > 2, and never optimal."""
    forth = evaluate(plain(cycle_prefix(d, k))).cost
    back = evaluate(plain(cycle_prefix(d, k, "back"))).cost
    n = perm(d + 1, k)
    assert forth.bandwidth == Fraction(d, d + 2 - k)
    assert Fraction(n - 1, n) < back.bandwidth <= forth.bandwidth
    assert (back.bandwidth < forth.bandwidth) == (k > 2)
    assert evaluate(cycle_prefix(d, k, "back")).cost == back


def test_schedules_replay() -> None:
    for turned in ("", "back"):
        topology = cycle_prefix(4, 3, turned)
        schedule = bfb_schedule(topology)
        replay(topology, schedule)
        assert schedule.cost(topology) == evaluate(topology).cost


@pytest.mark.parametrize(("d", "k"), SIZES)
def test_renamings_form_a_group_where_they_can(d: int, k: int) -> None:
    topology = cycle_prefix(d, k)
    images = {tuple(topology.translation(u).tolist()) for u in range(min(topology.n, 120))}
    closed = all(
        tuple(np.array(one)[list(other)].tolist()) in images for one in images for other in images
    )
    assert closed == (k in (1, d - 1, d)) or topology.n > 120


def test_members_are_all_of_three_letters_or_more() -> None:
    for d in range(1, 9):
        sizes = {perm(d + 1, k): k for k in range(3, d)}
        if d >= 3:
            sizes[perm(d + 1, d)] = d
        for n in range(1, 4000):
            found = [(d, sizes[n], "back")] if n in sizes else []
            assert list(members(n, d)) == found


def test_arguments() -> None:
    assert str(parse("CyclePrefix(4,3,back)")) == "CyclePrefix(4,3,back)"
    assert canonical(4, 1, "back") == (4, 1)
    assert cycle_prefix(4, 1, "back").same_wiring(cycle_prefix(4, 1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 4), r"CyclePrefix\(3,4\) needs 1 <= k <= d"),
        ((3, 0), "needs 1 <= k <= d"),
        ((3, 2, "front"), "the third argument is 'back'"),
        ((10**9, 10**9), "exponent 1000000000"),
        ((30, 5), "nodes; at most 1048576"),
        ((9000, 1), "arcs; at most"),
    ],
)
def test_refusals(arguments: tuple, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        cycle_prefix(*arguments)
