"""Every baseline: its rows against an independent replay, its formula against its rows."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from expansions.recipe import Base
from generators.errors import InvalidInput, Unsupported
from generators.families.double_binary_tree import double_binary_tree
from tests.topofinder.schedules.baselines.tree_pipeline import TreePipeline, tree_pipeline
from topofinder.schedules.baselines.double_binary_tree import tree_cost
from topofinder.schedules.baselines.register import BASELINES, baseline_named, baselines_at
from topofinder.verification.schedules import verify_schedule

ALPHA, SIZE, RATE = Fraction(1, 10**5), Fraction(2**20), Fraction(100 * 10**9, 8)
"""Table 4: alpha = 10 us, M/B = 1 MiB / 100 Gbps."""

SIZES = [2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 18, 24, 25, 27, 30, 32]
CASES = [
    pytest.param(baseline.name, base, id=f"{baseline.name} {base}")
    for n in SIZES
    for d in range(1, 8)
    for baseline, base in baselines_at(n, d)
    if baseline.allgather is not None
]


@pytest.mark.parametrize(("name", "base"), CASES)
@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
def test_the_schedule_is_complete_and_costs_what_is_predicted(
    name: str, base: Base, collective: str
) -> None:
    baseline, wanted, topology = BASELINES[name], Collective(collective), build(base)
    schedule = baseline.schedule(base, wanted)
    verdict = verify_schedule(topology, schedule)
    assert verdict.violation is None
    assert verdict.redundant == 0
    assert (verdict.cost,) == baseline.costs(base, wanted)
    assert schedule.cost(topology) == verdict.cost


def test_every_wiring_has_the_size_and_ports_asked_for() -> None:
    for n in range(2, 40):
        for d in range(1, 9):
            for baseline, base in baselines_at(n, d):
                topology = build(parse(str(base)))
                assert (topology.n, topology.degree) == (n, d)
                baseline.check(base)


def microseconds(name: str, recipe: str) -> float:
    base = parse(recipe)
    assert isinstance(base, Base)
    return float(baseline_named(name).seconds(base, ALPHA, SIZE, RATE) * 10**6)


def test_the_double_binary_tree_takes_the_time_of_table_4() -> None:
    assert round(microseconds("double-binary-tree", "DoubleBinaryTree(1024)")) == 1434


def test_the_shifted_ring_takes_nearly_the_time_of_table_4() -> None:
    time = microseconds("shifted-ring", "ShiftedRing(1024)")
    assert time == pytest.approx(20 * 1023 + 2 * 83.88608 * 1023 / 1024)
    assert time == pytest.approx(20640, rel=1e-3)
    assert round(20 * 1024 + 2 * 80.0) == 20640


def test_equal_dimensions_make_the_customary_torus_bandwidth_optimal() -> None:
    torus = baseline_named("torus-by-dimension")
    for widths in [(3, 3), (4, 4), (2, 2, 2), (3, 3, 3), (5, 5)]:
        (cost,) = torus.costs(Base("Torus", widths), Collective.ALLGATHER)
        n = int(np.prod(widths))
        assert cost == Cost(sum(widths) - len(widths), least_bandwidth(n))
    (cost,) = torus.costs(Base("Torus", (3, 3, 2)), Collective.ALLGATHER)
    assert cost.bandwidth > least_bandwidth(18)


@pytest.mark.parametrize("n", [*range(2, 20), 31, 32, 33, 64])
@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_the_tree_pipeline_is_an_allreduce_at_the_predicted_cost(n: int, chunks: int) -> None:
    rows, topology = tree_pipeline(n, chunks), double_binary_tree(n)
    assert rows.cost(topology) == tree_cost(Base("DoubleBinaryTree", (n,)), chunks)
    assert set(rows.step.tolist()) == set(range(1, int(rows.step.max()) + 1))
    for tree in (0, 1):
        for chunk in range(chunks):
            replay_chunk(rows, topology.tail, topology.head, n, tree, chunk)


def replay_chunk(
    rows: TreePipeline, tail: np.ndarray, head: np.ndarray, n: int, tree: int, chunk: int
) -> None:
    """Every node starts with its own contribution; sums move up, and the total comes down."""
    held = [{v} for v in range(n)]
    kept = np.flatnonzero((rows.tree == tree) & (rows.chunk == chunk))
    for step in np.unique(rows.step[kept]):
        sent = []
        for row in kept[rows.step[kept] == step]:
            u, w = int(tail[rows.arc[row]]), int(head[rows.arc[row]])
            if rows.up[row]:
                assert held[u].isdisjoint(held[w])
                sent.append((u, w, held[u]))
            else:
                assert held[u] == set(range(n))
                sent.append((u, w, held[u]))
        for u, w, sums in sent:
            held[w] = held[w] | sums
            if sums != set(range(n)):
                held[u] = set()
    assert all(sums == set(range(n)) for sums in held)


def test_a_node_of_the_tree_serves_one_child_of_a_tree_at_a_time() -> None:
    rows, topology = tree_pipeline(16, 3), double_binary_tree(16)
    for tree in (0, 1):
        down = np.flatnonzero((rows.tree == tree) & ~rows.up)
        served = list(zip(rows.step[down], topology.tail[rows.arc[down]], strict=True))
        assert len(served) == len(set(served))


def test_more_data_asks_for_more_chunks() -> None:
    tree, base = baseline_named("double-binary-tree"), Base("DoubleBinaryTree", (64,))
    costs = tree.costs(base)
    best = [
        min(range(len(costs)), key=lambda k: costs[k].runtime(ALPHA, size, RATE))
        for size in (Fraction(1000), SIZE, 1000 * SIZE)
    ]
    assert best[0] == 0
    assert best == sorted(set(best))


def test_other_wirings_collectives_and_names_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"ring: runs on BiRing, not on K\(4\)"):
        baseline_named("ring").costs(Base("K", (4,)))
    with pytest.raises(InvalidInput, match=r"direct: runs on the complete graph K\(m\), not on"):
        baseline_named("direct").costs(Base("K", (4, 4)))
    with pytest.raises(InvalidInput, match="did you mean shifted-ring"):
        baseline_named("shifted-rings")
    tree, base = baseline_named("double-binary-tree"), Base("DoubleBinaryTree", (8,))
    with pytest.raises(Unsupported, match="has no schedule of its own for allgather"):
        tree.costs(base, Collective.ALLGATHER)
    with pytest.raises(Unsupported, match="has no schedule of shards for allreduce"):
        tree.schedule(base, Collective.ALLREDUCE)
    assert [base for _, base in baselines_at(6, 3) if base.name == "Q"] == []
    with pytest.raises(InvalidInput, match="at least 2 and 1, not 1 and 1"):
        tree_pipeline(1, 1)
