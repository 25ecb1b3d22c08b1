"""Bounds on allreduces: those of the program with flows, and reached by the networks we know."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from expansions.collective import Collective
from generators.fabrics.fat_tree import fat_tree
from generators.topology import Topology
from tests.forests import bidirectional
from tests.known_forests import ring_forest
from topofinder.api.schedule_forest import ForestRequest, schedule_forest
from topofinder.forests.collectives.allreduce_bound import allreduce_bound
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.forest import Forest

BOTH = ForestOptions(collective=Collective.ALLREDUCE)


def by_flows(topology: Topology) -> float:
    """Program (5) of appendix G, word for word, for a graph without switches: sum of x_v."""
    n, m = topology.n, topology.arcs
    width = [float(c) for c in topology.capacity or (1,) * m]
    ends = list(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    share = {"bc": n, "re": n + m}
    columns = n + 2 * m
    blocks = [(way, t) for way in ("bc", "re") for t in range(n)]
    base = {block: columns + i * (n + m) for i, block in enumerate(blocks)}
    columns += len(blocks) * (n + m)
    rows: list[dict[int, float]] = []
    limits: list[float] = []

    def at_most(row: dict[int, float], limit: float) -> None:
        rows.append(row)
        limits.append(limit)

    for e in range(m):
        at_most({share["bc"] + e: 1, share["re"] + e: 1}, width[e])
    for way, t in blocks:
        start = base[way, t]
        for v in range(n):
            at_most({start + v: 1, v: -1}, 0)
            net = {start + v: -1.0} | (dict.fromkeys(range(n), 1.0) if v == t else {})
            for e, (u, w) in enumerate(ends):
                tail, head = (u, w) if way == "bc" else (w, u)
                if head == v:
                    net[start + n + e] = net.get(start + n + e, 0) - 1
                if tail == v:
                    net[start + n + e] = net.get(start + n + e, 0) + 1
            at_most(net, 0)
        for e in range(m):
            at_most({start + n + e: 1, share[way] + e: -1}, 0)
    matrix = np.zeros((len(rows), columns))
    for i, row in enumerate(rows):
        for j, value in row.items():
            matrix[i, j] += value
    gain = np.zeros(columns)
    gain[:n] = -1
    return -float(linprog(gain, A_ub=matrix, b_ub=limits, method="highs").fun)


def small_graphs() -> list[Topology]:
    found = []
    rng = np.random.default_rng(5)
    for n in (3, 4, 5, 5, 6):
        ring = [(u, (u + 1) % n) for u in range(n)]
        more = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(n)]
        arcs = ring + more
        capacity = [Fraction(int(c), 2) for c in rng.integers(1, 6, len(arcs))]
        found.append(Topology.from_arcs(n, arcs, capacity=capacity))
    return found


@pytest.mark.parametrize("topology", small_graphs())
def test_the_bound_is_the_optimum_of_the_program_with_flows(topology: Topology) -> None:
    saved = make_forest(topology, BOTH)
    bound = allreduce_bound(saved)
    assert bound is not None
    assert float(saved.total / bound) == pytest.approx(by_flows(topology), rel=1e-6)
    assert bound <= saved.together <= saved.inverse_rate


@pytest.mark.parametrize(
    "saved",
    [
        ring_forest(6, Collective.ALLREDUCE),
        *(
            schedule_forest(ForestRequest(subject=subject, collective=Collective.ALLREDUCE))
            for subject in ("DGXA100(1)", "DGXA100(2)", "DGXA100(4)", "MI250(2)", "Torus(4,4)")
        ),
        make_forest(fat_tree(4, 4, 2, 1), BOTH),
    ],
)
def test_equal_fabrics_reach_the_bound(saved: Forest) -> None:
    assert allreduce_bound(saved) == saved.together == saved.inverse_rate


def test_a_switch_between_boxes_that_combines_is_no_box() -> None:
    """Two pairs of hosts; the switch in the middle has no host of its own, and need not be used."""
    links = [(0, 1, 3), (2, 3, 3), (0, 2, 1), *((v, 4, 1) for v in range(4))]
    plain = bidirectional(5, links, [4])
    able = replace(plain, multicast=(4,), reduce=(4,))
    saved = make_forest(able, replace(BOTH, overlap=True))
    bound = allreduce_bound(saved)
    assert bound is not None
    assert bound <= saved.together
    assert bound <= make_forest(plain, replace(BOTH, overlap=True)).together


def test_switches_that_combine_beat_what_others_can() -> None:
    able = ForestRequest(subject="DGXH100(1)", collective=Collective.ALLREDUCE)
    saved = schedule_forest(able)
    assert saved.together == allreduce_bound(saved) == Fraction(8, 450)
    assert saved.inverse_rate == Fraction(14, 450)
