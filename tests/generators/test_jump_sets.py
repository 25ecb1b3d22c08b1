"""The jump sets of generators/data/jump_sets.npz: each of all 13,929 is proved anew."""

from importlib.resources import files
from math import comb

import networkx as nx
import numpy as np
import pytest

from generators.families.circulant import circulant
from generators.jump_sets import EVEN, HALF, MOST_TABLED, jump_set
from topofinder.schedules.bfb.evaluation import evaluate

TABLES = [(k, False) for k in EVEN] + [(k, True) for k in HALF]
"""Jumps of a set, and whether n/2 is one more."""
SAMPLE = [
    (n, k, half)
    for n in (20, 333, 332, 1000, 1999, 2000)
    for k, half in TABLES
    if not half or n % 2 == 0
]


def sizes(k: int, half: bool) -> range:
    """All n for which there are so many jumps below n/2 to choose from."""
    return range(2 * k + 2, MOST_TABLED + 1, 2) if half else range(2 * k + 1, MOST_TABLED + 1)


def plain_diameter(n: int, jumps: tuple[int, ...]) -> int:
    """Steps until all residues are reached, held as the bits of one number."""
    every, ball, steps = (1 << n) - 1, 1, 0
    turns = {turn % n for jump in jumps for turn in (jump, -jump)}
    while ball != every:
        larger = ball
        for turn in turns:
            moved = ball << turn
            larger |= (moved & every) | (moved >> n)
        assert larger != ball, f"{jumps} do not lead to all of {n}"
        ball, steps = larger, steps + 1
    return steps


def volume(k: int, steps: int, half: bool) -> int:
    """The most nodes within so many steps of k two-way jumps, and n/2 (Boesch and Wang 1985)."""
    ball = sum(2**i * comb(k, i) * comb(steps, i) for i in range(k + 1))
    return ball + (volume(k, steps - 1, False) if half and steps else 0)


@pytest.mark.parametrize(("k", "half"), TABLES)
def test_every_shipped_set_takes_the_steps_it_says(k: int, half: bool) -> None:
    for n in sizes(k, half):
        shipped = jump_set(n, k, half)
        assert shipped is not None, (n, k)
        jumps = shipped.jumps
        assert list(jumps[:k]) == sorted(set(jumps[:k]))
        assert jumps[0] >= 1
        assert 2 * jumps[k - 1] < n
        assert jumps[k:] == ((n // 2,) if half else ())
        assert plain_diameter(n, jumps) == shipped.diameter, (n, jumps)


@pytest.mark.parametrize(("k", "half"), TABLES)
def test_no_set_takes_fewer_steps_than_its_volume_allows(k: int, half: bool) -> None:
    for n in sizes(k, half):
        shipped = jump_set(n, k, half)
        assert shipped is not None
        assert volume(k, shipped.diameter, half) >= n


def test_the_file_holds_these_sets_and_no_others() -> None:
    with np.load(str(files("generators") / "data" / "jump_sets.npz")) as arrays:
        held = {name: array.shape for name, array in arrays.items()}
    named = {(f"{'half' if half else 'even'}{k}", k): len(sizes(k, half)) for k, half in TABLES}
    told = {name: (count, k) for (name, k), count in named.items()}
    assert held == told | {f"{name}_diameter": (count,) for (name, _), count in named.items()}
    for k, half in TABLES:
        first, last = sizes(k, half)[0], sizes(k, half)[-1]
        assert jump_set(first - 1, k, half) is jump_set(last + 1, k, half) is None


@pytest.mark.parametrize("case", SAMPLE)
def test_the_graph_of_a_set_takes_as_many_steps(case: tuple[int, int, bool]) -> None:
    n, k, half = case
    shipped = jump_set(n, k, half)
    assert shipped is not None
    graph = circulant(n, shipped.jumps)
    found = nx.DiGraph(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    assert max(nx.single_source_shortest_path_length(found, 0).values()) == shipped.diameter
    assert evaluate(graph).cost.steps == shipped.diameter
    assert (graph.degree, graph.is_simple) == (2 * k + half, True)
