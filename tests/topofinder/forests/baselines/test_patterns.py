"""Customary collectives as trees: each reaches every host once, whatever the number of hosts."""

from collections import Counter

import pytest

from generators.errors import InvalidInput, Unsupported
from topofinder.forests.baselines.patterns import (
    LogicalTrees,
    bruck_trees,
    chained_trees,
    direct_trees,
    double_binary_trees,
    doubling_trees,
    ring_trees,
)

SIZES = [*range(2, 18), 31, 32, 33]


def _require_spanning(trees: LogicalTrees) -> None:
    for root, edges in zip(trees.root, trees.edges, strict=True):
        reached = {root}
        for u, v in edges:
            assert u in reached
            assert v not in reached
            reached.add(v)
        assert reached == set(range(trees.hosts))


@pytest.mark.parametrize("hosts", SIZES)
def test_trees_span(hosts: int) -> None:
    order = list(range(hosts))
    made = [ring_trees([order, order[::-1]]), direct_trees(hosts), bruck_trees(hosts)]
    made += [double_binary_trees(hosts)] + ([] if hosts & (hosts - 1) else [doubling_trees(hosts)])
    for trees in made:
        _require_spanning(trees)
    assert all(set(trees.weight) == {1} for trees in made[:3])


@pytest.mark.parametrize(("boxes", "size"), [(1, 4), (2, 8), (3, 2), (5, 3), (8, 4)])
def test_chains_span_and_share_their_heads(boxes: int, size: int) -> None:
    trees = chained_trees([list(range(i * size, (i + 1) * size)) for i in range(boxes)])
    _require_spanning(trees)
    heads = Counter(trees.root)
    assert len(trees.root) == size * (2 if boxes > 1 else 1)
    assert sum(trees.weight) * trees.k == sum(heads.values())


@pytest.mark.parametrize("hosts", [4, 8, 16, 32])
def test_hosts_are_inner_in_one_of_two_trees_at_most(hosts: int) -> None:
    first, second = double_binary_trees(hosts).edges
    roots = double_binary_trees(hosts).root
    assert {u for u, _ in first} & {u for u, _ in second} <= set(roots)


def test_doubling_and_bruck_end_in_logarithmic_depth() -> None:
    for trees, depth in ((doubling_trees(16), 4), (bruck_trees(16), 4), (bruck_trees(9), 4)):
        for root, edges in zip(trees.root, trees.edges, strict=True):
            at = {root: 0}
            for u, v in edges:
                at[v] = at[u] + 1
            assert max(at.values()) <= depth


def test_mistakes_are_refused() -> None:
    with pytest.raises(Unsupported, match="a power of two is needed, not 6"):
        doubling_trees(6)
    with pytest.raises(InvalidInput, match="at least 2 are needed, not 1"):
        direct_trees(1)
    with pytest.raises(Unsupported, match="edges of trees"):
        direct_trees(4096)
