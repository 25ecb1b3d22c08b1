"""Rail-only switches on hosts of unlike size, rail by rail and cut by cut."""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from generators.hosts.notation import read_hosts
from generators.topology import Topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.finder.rail_switches import SwitchedRails, rate_rail_switches

GAP = Fraction(1, 10**4)


def rated(sizes: list[int], each: int) -> SwitchedRails:
    """What hosts of these sizes with a wide inside reach, at 1 GB/s a port."""
    hosts = [read_hosts(f"Host({g};switch@1000GB/s;{each}@1GB/s)")[0] for g in sorted(set(sizes))]
    return rate_rail_switches(hosts, sizes, GAP, 60.0)


def drawn(seed: int) -> tuple[list[int], int]:
    """Sizes of a few hosts, not all alike, and the ports of an accelerator."""
    draw = random.Random(seed)
    sizes = draw.choices(draw.sample(range(1, 7), 3), k=draw.randint(2, 6))
    return [*sizes, max(sizes) + 1], draw.choice([1, 1, 2])


def by_rail(sizes: list[int], each: int) -> list[list[int]]:
    """The hosts of every rail."""
    return [
        [h for h, g in enumerate(sizes) if g * each > rail] for rail in range(max(sizes) * each)
    ]


@pytest.mark.parametrize("seed", range(8))
def test_the_worst_cut_and_a_switch_for_each_rail(seed: int) -> None:
    sizes, each = drawn(seed)
    found, total, rails = rated(sizes, each), sum(sizes), by_rail(sizes, each)
    time = Fraction()
    for inside in product([False, True], repeat=len(sizes)):
        own = sum(g for g, mine in zip(sizes, inside, strict=True) if mine)
        if 0 < own < total:
            ends = [[inside[host] for host in hosts] for hosts in rails]
            links = sum(min(sum(mine), len(mine) - sum(mine)) for mine in ends)
            time = max(time, Fraction(total - own, links))
    assert found.inverse_rate == time
    arcs = [
        pair
        for switch, hosts in enumerate(rails, len(sizes))
        for host in hosts
        for pair in ((host, switch), (switch, host))
    ]
    n = len(sizes) + len(rails)
    weight = np.array([*sizes, *(0 for _ in rails)])
    whole = FlowProblem(
        topology=Topology.from_arcs(n, arcs, switches=range(len(sizes), n)),
        demand=Demand.of(np.outer(weight, weight)),
    )
    known = bound_throughput(whole, gap=GAP)
    assert found.alltoall[0] <= known.upper
    assert known.lower <= found.alltoall[1] <= found.alltoall[0] * (1 + 2 * GAP)


@pytest.mark.parametrize("seed", range(8))
def test_straight_is_what_a_program_over_hosts_and_rails_says(seed: int) -> None:
    sizes, each = drawn(seed)
    rails, pairs = by_rail(sizes, each), list(product(range(len(sizes)), repeat=2))
    flows = [
        (u, v, rail) for rail, hosts in enumerate(rails) for u in hosts for v in hosts if u != v
    ]
    sent = np.zeros((len(pairs), len(flows) + 1))
    busy = np.zeros((2 * len(sizes) * len(rails), len(flows) + 1))
    busy[:, -1] = -1
    for column, (u, v, rail) in enumerate(flows):
        sent[u * len(sizes) + v, column] = 1
        busy[u * len(rails) + rail, column] = 1
        busy[(len(sizes) + v) * len(rails) + rail, column] = 1
    wanted = [sizes[u] if u != v else 0 for u, v in pairs]
    aim = np.eye(1, len(flows) + 1, len(flows))[0]
    best = linprog(aim, A_ub=busy, b_ub=np.zeros(len(busy)), A_eq=sent, b_eq=wanted)
    found = rated(sizes, each)
    assert best.fun >= float(found.inverse_rate) * (1 - 1e-9)
    assert found.straight == (best.fun <= float(found.inverse_rate) * (1 + 1e-7))


def test_hosts_alike_are_as_one_switch() -> None:
    found = rated([3, 3, 3, 3], 1)
    assert (found.inverse_rate, found.straight) == (Fraction(9, 3), True)
    assert found.alltoall[0] <= Fraction(3, 3 * 9) <= found.alltoall[1]
