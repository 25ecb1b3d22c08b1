"""Circulants: theorem 22 by brute force, optimality by theorem 19, and what is refused."""

from fractions import Fraction
from itertools import combinations
from math import gcd

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.families.circulant import (
    canonical,
    circulant,
    members,
    properties,
    spread_jumps,
    two_jumps,
)
from topofinder.schedules.bfb.evaluation import evaluate

Layers = list[dict[int, set[int]]]


def layers(n: int, steps: list[int]) -> Layers:
    """At each distance t from 0: the nodes, with the listed steps that a shortest path may end on.

    `steps` are one-way; two listings of one step are two links.
    """
    distance, found = {0: 0}, []
    while len(distance) < n:
        t, layer = len(found), {}
        for v in [v for v in distance if distance[v] == t]:
            for link, step in enumerate(steps):
                w = (v + step) % n
                if distance.setdefault(w, t + 1) == t + 1:
                    layer.setdefault(w, set()).add(link)
        found.append(layer)
    return found


def one_way(n: int, jumps: tuple[int, ...]) -> list[int]:
    return [turn for a in jumps for turn in ([a] if 2 * a == n else [a, n - a])]


def is_optimal(n: int, jumps: tuple[int, ...]) -> bool:
    """Theorem 19's condition: no set P of links is all that more than |P| m / d shards can use."""
    steps = one_way(n, jumps)
    degree = len(steps)
    for layer in layers(n, steps):
        masks = np.array([sum(1 << link for link in links) for links in layer.values()])
        for mask in range(1, 1 << degree):
            confined = int((masks & ~mask == 0).sum())
            if confined * degree > mask.bit_count() * len(layer):
                return False
    return True


def connected_pairs(n: int) -> list[tuple[int, int]]:
    return [(a, b) for a, b in combinations(range(1, n // 2 + 1), 2) if gcd(n, a, b) == 1]


@pytest.mark.parametrize("n", range(7, 61))
def test_theorem_22(n: int) -> None:
    m = int(np.ceil((-1 + np.sqrt(2 * n - 1)) / 2))
    assert two_jumps(n) == (m, m + 1)
    assert properties(n, (m, m + 1)).diameter == m
    best = min(len(layers(n, one_way(n, pair))) for pair in connected_pairs(n))
    assert len(layers(n, one_way(n, (m, m + 1)))) == m == best


@pytest.mark.parametrize("n", range(5, 31))
def test_pairs_are_bandwidth_optimal_where_proved(n: int) -> None:
    """All pairs, also those with n/2; and each jump twice, on a sample."""
    pairs = connected_pairs(n)
    for a, b in pairs:
        assert properties(n, (a, b)).bandwidth_optimal
        assert is_optimal(n, (a, b)), (n, a, b)
    a, b = pairs[-1]
    assert properties(n, (a, a, b, b)).bandwidth_optimal
    assert is_optimal(n, (a, a, b, b))


@pytest.mark.parametrize("n", range(3, 20))
def test_rings_and_ladders_are_bandwidth_optimal(n: int) -> None:
    for jumps in [(1,), (1, 1)]:
        assert properties(n, jumps).bandwidth_optimal
        assert is_optimal(n, jumps)
    assert properties(4, (1, 2)).bandwidth_optimal
    assert is_optimal(4, (1, 2))


def test_unequal_repeats_are_not_always_optimal() -> None:
    assert properties(4, (1, 2, 2)).bandwidth_optimal is None
    assert not is_optimal(4, (1, 2, 2))


@pytest.mark.parametrize(
    ("n", "jumps"), [(16, (3, 4)), (12, (2, 3)), (10, (2, 5)), (6, (1, 2, 3)), (21, (1, 4, 6))]
)
def test_against_networkx(n: int, jumps: tuple[int, ...]) -> None:
    reference = nx.circulant_graph(n, jumps).to_directed()
    topology = circulant(n, jumps)
    arcs = set(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    assert arcs == set(reference.edges())
    assert topology.arcs == reference.number_of_edges()


def test_half_is_one_arc_for_every_listing() -> None:
    assert circulant(8, (1, 4)).degree == properties(8, (1, 4)).d == 3
    assert circulant(8, (1, 4, 4)).degree == properties(8, (1, 4, 4)).d == 4
    assert not circulant(8, (1, 4, 4)).is_simple
    assert circulant(8, (3, 5)).same_arcs(circulant(8, (3, 3)))


def test_canonical() -> None:
    assert canonical(16, (4, 3)) == canonical(16, (-3, 20)) == (16, (3, 4))
    assert canonical(5, 2) == (5, (2,))


@pytest.mark.parametrize(
    ("n", "jumps", "message"),
    [
        (8, (4, 4), r"C\(8,\{4,4\}\) is not connected: 4 divides 8"),
        (9, (3, 6), "not connected"),
        (8, (1, 16), "jump 16 is 0 mod 8"),
        (8, (1, 0), "jump 0 is 0 mod 8"),
        (2, (1,), "needs n >= 3, not 2"),
        (8, (), "needs jumps"),
        (8, "three", "needs jumps"),
    ],
)
def test_refusals(n: int, jumps: tuple[int, ...], message: str) -> None:
    for refuse in (circulant, properties, canonical):
        with pytest.raises(InvalidInput, match=message):
            refuse(n, jumps)


def test_members() -> None:
    assert list(members(1024, 4)) == [(1024, (23, 24))]
    assert list(members(6, 4)) == [(6, (1, 2))]
    assert list(members(4, 4)) == [(4, (1, 1))]
    assert list(members(2, 4)) == list(members(100, 2)) == list(members(101, 3)) == []
    assert list(members(100, 3)) == [(100, (1, 50))]
    assert list(members(5000, 8)) == [(5000, (50, 50, 51, 51)), (5000, (1, 9, 81, 729))]
    assert list(members(14, 11)) == [(14, (1, 2, 3, 4, 5, 7))]
    for n, d in [(100, 6), (101, 8), (100, 7), (99, 12), (1000, 32), (64, 18), (40, 9)]:
        chosen = list(members(n, d))
        assert 1 <= len(chosen) <= 3
        for arguments in chosen:
            assert properties(*arguments).d == circulant(*arguments).degree == d


def _farthest(n: int, jumps: tuple[int, ...]) -> int:
    """The diameter, by breadth-first search from node 0."""
    distance, border = {0: 0}, [0]
    while border:
        found = {
            (u + sign * jump) % n: distance[u] + 1
            for u in border
            for jump in jumps
            for sign in (1, -1)
        }
        border = [v for v in found if v not in distance]
        distance |= {v: found[v] for v in border}
    return max(distance.values())


@given(st.integers(7, 400), st.integers(1, 31))
def test_spread_jumps_are_distinct_and_lead_everywhere_in_few_steps(n: int, k: int) -> None:
    k = min(k, (n - 1) // 2)
    jumps = spread_jumps(n, k)
    assert len(set(jumps)) == k
    assert min(jumps) == 1
    assert 2 * max(jumps) < n
    enough = [
        levels
        for levels in range(1, k + 1)
        if k % levels == 0 and (2 * k // levels + 1) ** levels >= n
    ]
    left_out = n % 2 == 0  # a multiple may be n/2
    assert _farthest(n, jumps) <= min([-(-(n // 2) // k), *enough]) + left_out


@pytest.mark.parametrize(("n", "d"), [(14, 11), (60, 53), (22, 13), (20, 10), (64, 62)])
def test_dense_circulants_meet_both_bounds(n: int, d: int) -> None:
    [*_, (_, jumps)] = members(n, d)
    cost = evaluate(circulant(n, jumps)).cost
    assert cost == Cost(2, Fraction(n - 1, n))


@pytest.mark.parametrize(("n", "d"), [(822, 47), (200, 22), (2503, 10), (2504, 7)])
def test_spread_circulants_take_the_least_bandwidth(n: int, d: int) -> None:
    [*_, (_, jumps)] = members(n, d)
    assert evaluate(circulant(n, jumps)).cost.bandwidth == Fraction(n - 1, n)
