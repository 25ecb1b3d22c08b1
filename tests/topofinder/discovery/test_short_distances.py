"""Cayley digraphs of short distances: sums against plain breadth-first search, and what they do."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.cayley.family import digraph
from generators.cayley.generated import reachable_elements
from generators.cayley.notation import parse_group
from topofinder.api.search_hosts import search_hosts
from topofinder.discovery.distance_kernels import UNREACHED, anneal_distances
from topofinder.discovery.multiplication_table import multiplication_columns
from topofinder.discovery.short_distances import close_digraphs
from topofinder.finder.host_prediction import hop_table


def moore_sum(n: int, d: int) -> int:
    """The least sum of distances from a node that any digraph could have."""
    left, hops, total = n - 1, 1, 0
    while left:
        near = min(left, d**hops)
        left, total, hops = left - near, total + near * hops, hops + 1
    return total


@pytest.mark.parametrize(("group", "d"), [("Z7", 2), ("A4", 3), ("Z8:Z2[3]", 2), ("Z2^3", 3)])
@pytest.mark.parametrize("steps", [0, 5, 300])
def test_the_sum_is_that_of_the_chosen_digraph(group: str, d: int, steps: int) -> None:
    chosen = np.zeros(d, np.int64)
    known = parse_group(group)
    columns = multiplication_columns(known)
    levels = np.arange(steps)[::-1] // 100
    total = anneal_distances(columns, d, levels, 1, chosen)
    if reachable_elements(known, chosen.tolist()).all():
        assert total == hop_table(digraph(known, chosen.tolist()))[0].sum()
    else:
        assert total >= UNREACHED


@pytest.mark.parametrize(("n", "d"), [(12, 3), (40, 8), (64, 8)])
def test_digraphs_are_close_to_the_moore_bound(n: int, d: int) -> None:
    found = close_digraphs(n, d)
    assert list(found) == sorted(found)
    for total, recipe in found:
        assert hop_table(build(parse(recipe)))[0].sum() == total
    assert moore_sum(n, d) <= found[0][0] <= moore_sum(n, d) * 1.02


def test_eight_hosts_of_eight_cannot_reach_all_of_it() -> None:
    """As docs/hosts.md counts: m ordered pairs are not joined, and lie m + e hops beyond one."""
    for m in range(8):
        for e in range(8 - m):
            most = 1 + Fraction(8 - m - e, 144 - 5 * m - m * m // 2 + e)
            of_hops, of_moore = Fraction(64, 56 + m + e), Fraction(8, 7)
            assert most < max(Fraction(97, 100) * of_hops, Fraction(9, 10) * of_moore), (m, e)


def test_there_are_none_where_all_nodes_are_neighbours_or_too_many() -> None:
    assert close_digraphs(9, 8) == close_digraphs(8, 8) == close_digraphs(2000, 8) == ()


def test_the_latency_axis_weighs_hops_outside_and_inside(tmp_path: Path) -> None:
    words = (64, 8, 1, "450GB/s", "50GB/s")
    for alphas, outer, inner in ((("1us", "100ns"), 10, 1), (("1us", "3us"), 1, 3)):
        outside, inside = alphas
        found = search_hosts(
            *words, alpha=outside, inner_alpha=inside, pareto="latency", db=tmp_path / "a.db"
        )
        (best,) = found.members
        height = best.prediction.height(best.tree_height)
        weight = outer * best.tree_height + inner * (height - best.tree_height)
        assert best.latency == weight * Fraction(inside == "3us" or Fraction(1, 10)) / 10**6
        assert found.record.members[0].latency == best.latency
        assert all(row.latency >= found.record.bound.latency for row in found.record.members)


def test_64_hosts_of_eight_reach_what_is_wanted_of_them(tmp_path: Path) -> None:
    found = search_hosts(64, 8, 1, "450GB/s", "50GB/s", db=tmp_path / "a.db")
    best = min(found.members, key=lambda one: (one.prediction.inverse_rate, one.latency))
    assert best.prediction.inverse_rate == best.prediction.bound == Fraction(63, 50)
    assert best.latency <= 2 * best.prediction.hops + 1
    assert best.alltoall[0] >= Fraction(97, 100) * best.hop_bound
    assert best.alltoall[0] >= Fraction(97, 100) * found.record.bound.alltoall[1]
