"""The theorems on BFB costs as properties of evaluated graphs (appendices C, E and F)."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.lower_bounds import least_bandwidth, moore_steps
from expansions.parser import parse
from generators.families.register_all import FAMILIES
from generators.registry import Family
from generators.topology import Topology
from tests.twins import distances, random_topology
from topofinder.schedules.bfb.evaluation import evaluate

BALANCED = [
    pytest.param(family, arguments, id=f"{name}{arguments}")
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.properties(*arguments).bandwidth_optimal
]


def layers(topology: Topology) -> list[set[int]]:
    """For each step, the numbers of shards that the receivers take then."""
    hops = distances(topology)
    return [
        {int((hops[:, u] == step).sum()) for u in range(topology.n)}
        for step in range(1, int(hops.max()) + 1)
    ]


@pytest.mark.parametrize(("family", "arguments"), BALANCED)
def test_theorem_17_on_every_graph_proved_to_be_bandwidth_optimal(
    family: Family, arguments: tuple[int, ...]
) -> None:
    """All receivers take equally many shards at each step, and every link carries the average."""
    topology = family.build(*arguments)
    found = evaluate(topology)
    assert found.cost.bandwidth == least_bandwidth(topology.n)
    if topology.n <= 128:
        counts = layers(topology)
        assert all(len(count) == 1 for count in counts)
        assert list(found.loads) == [Fraction(count.pop(), topology.degree) for count in counts]


@pytest.mark.parametrize("seed", range(60))
def test_theorems_4_and_19_loads_are_at_least_the_averages(seed: int) -> None:
    """Balance, where it is reached, is the average; a set of shards with few links forbids it."""
    topology = random_topology(seed)
    found = evaluate(topology)
    assert found.cost.bandwidth >= least_bandwidth(topology.n)
    for load, counts in zip(found.loads, layers(topology), strict=True):
        assert load >= Fraction(max(counts), topology.degree)


def constants(topology: Topology, step: int) -> tuple[set[int], set[int], set[int]]:
    """The values that N_x, a_x and b_x of theorem 18 take over all nodes, at x = step."""
    hops = distances(topology)
    around = [set(topology.head[topology.tail == u].tolist()) for u in range(topology.n)]
    sizes = {int((hops[u] == step).sum()) for u in range(topology.n)}
    through = {
        int(((hops[u] == step) & (hops[w] == step - 1)).sum())
        for u in range(topology.n)
        for w in around[u]
    }
    onto = {
        sum(1 for w in around[u] if hops[v, w] == step - 1)
        for u in range(topology.n)
        for v in np.flatnonzero(hops[u] == step)
    }
    return sizes, through, onto


@pytest.mark.parametrize(
    "text", ["Q(4)", "DistReg(4,35)", "DistReg(4,26)", "H(2,4)", "BiRing(2,9)"]
)
def test_theorem_18_constants_a_and_b_give_the_layers_and_balance(text: str) -> None:
    topology = build(parse(text))
    for step, load in enumerate(evaluate(topology).loads, 1):
        sizes, through, onto = constants(topology, step)
        assert len(sizes) == len(through) == len(onto) == 1
        assert load == Fraction(through.pop(), onto.pop()) == Fraction(sizes.pop(), topology.degree)


def test_theorem_18_the_third_constant_need_not_exist() -> None:
    """Against the theorem's closing remark: N_2 and b_2 are constant here, a_2 is not."""
    sizes, through, onto = constants(build(parse("Torus(3,4)")), 2)
    assert (sizes, through, onto) == ({5}, {2, 3}, {2})


@pytest.mark.parametrize("d", [2, 3, 4, 5, 8])
def test_theorem_21_generalized_kautz_is_one_step_from_moore(d: int) -> None:
    family = FAMILIES["Pi"]
    for m in [*range(d + 1, 60), 97, 200, 333]:
        topology = family.build(d, m)
        assert len(evaluate(topology).loads) <= moore_steps(m, d) + 1


@pytest.mark.parametrize("d", [2, 4, 8, 16])
def test_generalized_kautz_stays_below_twice_the_least_bandwidth(d: int) -> None:
    """Figure 18, at a sample of its sizes."""
    for m in (d + 2, 100, 257, 500, 1001):
        cost = evaluate(FAMILIES["Pi"].build(d, m)).cost
        assert cost.bandwidth <= 2 * least_bandwidth(m)
