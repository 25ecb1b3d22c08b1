"""Rail-only switches on hosts of unlike size: port c of every host that has one is on switch c.

Such switches do not block, but they join fewer hosts the higher their number is. So what crosses
from small hosts to large ones takes the rails that both have; the shards of small hosts may reach a
large one by way of another. Rails of the same hosts are as one switch of their rates together:
that small network is what is solved here.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from scipy.optimize import linprog

from generators.hosts.template import GIGABYTE, HostTemplate
from generators.topology import FloatArray, Topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.finder.host_prediction import Interval, allgather_bound
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network

CLOSE = 1 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchedRails:
    """What hosts with a switch for each rail reach: the time of a shard in 1/(GB/s), f in GB/s.

    With `straight` the allgather takes no longer where shards go from host to host in one hop.
    """

    inverse_rate: Fraction
    alltoall: Interval
    straight: bool


def rate_rail_switches(
    each: Sequence[HostTemplate], sizes: Sequence[int], gap: Fraction, time: float
) -> SwitchedRails:
    """What `sizes` reach, `each` being a host of every size; the inside is no bottleneck.

    >>> from generators.hosts.notation import read_hosts
    >>> each = [read_hosts(f"Host({g};switch@450GB/s;1@50GB/s)")[0] for g in (4, 8)]
    >>> found = rate_rail_switches(each, (4, 4, 8), Fraction(1, 1000), 60.0)
    >>> str(found.inverse_rate), found.straight, [round(float(f), 4) for f in found.alltoall]
    ('3/50', False, [3.125, 3.125])
    """
    network = _rail_network(each, sizes)
    weights = np.array([*sizes, *(0 for _ in network.switches)])
    shares = find_optimum(Network.of(network, weights.tolist())).inverse_rate * gcd(*sizes)
    demand = Demand.of(np.outer(weights, weights))
    found = bound_throughput(FlowProblem(topology=network, demand=demand), gap=gap, time=time)
    rate = each[0].rate / GIGABYTE
    inverse_rate = max(shares / rate, *(allgather_bound(host, sum(sizes)) for host in each))
    return SwitchedRails(
        inverse_rate=inverse_rate,
        alltoall=(found.lower * rate, found.upper * rate),
        straight=_straight_time(each, sizes) <= float(inverse_rate * rate) * CLOSE,
    )


def _bands(each: Sequence[HostTemplate]) -> list[tuple[int, int]]:
    """Rails from a to b that the same hosts have."""
    ends = sorted({host.ports for host in each})
    return list(zip([0, *ends], ends, strict=False))


def _rail_network(each: Sequence[HostTemplate], sizes: Sequence[int]) -> Topology:
    """Hosts, then a switch for every band of rails; capacities are ports."""
    ports = {host.accelerators: host.ports for host in each}
    arcs, capacity, bands = [], [], _bands(each)
    for switch, (begin, end) in enumerate(bands, len(sizes)):
        for host, g in enumerate(sizes):
            if ports[g] >= end:
                arcs += [(host, switch), (switch, host)]
                capacity += [Fraction(end - begin)] * 2
    n = len(sizes) + len(bands)
    return Topology.from_arcs(n, arcs, capacity=capacity, switches=range(len(sizes), n))


def _straight_time(each: Sequence[HostTemplate], sizes: Sequence[int]) -> float:
    """The least time of an allgather where every host sends its shards to each other itself.

    A program over sizes: what a host of one sends to one of another over each band of rails.
    """
    bands, counts = _bands(each), Counter(sizes)
    flows = [
        (s, t, band)
        for s, a in enumerate(each)
        for t, b in enumerate(each)
        if counts[b.accelerators] > (s == t)
        for band, (_, end) in enumerate(bands)
        if end <= min(a.ports, b.ports)
    ]
    whole, wanted = np.zeros((len(each) ** 2, len(flows) + 1)), np.zeros(len(each) ** 2)
    busy = np.zeros((2 * len(each) * len(bands), len(flows) + 1))
    for column, (s, t, band) in enumerate(flows):
        whole[s * len(each) + t, column] = 1
        wanted[s * len(each) + t] = each[s].accelerators
        out, into = ((2 * end + way) * len(bands) + band for way, end in enumerate((s, t)))
        busy[out, column] = counts[each[t].accelerators] - (s == t)
        busy[into, column] = counts[each[s].accelerators] - (s == t)
    busy[:, -1] = np.tile([begin - end for begin, end in bands], 2 * len(each))
    aim: FloatArray = np.eye(1, len(flows) + 1, len(flows))[0]
    found: Any = linprog(aim, A_ub=busy, b_ub=np.zeros(len(busy)), A_eq=whole, b_eq=wanted)
    return float(found.fun)
