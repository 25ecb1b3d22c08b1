"""The frontier over fabrics of hosts: predicted by theorem, all-to-all certified, none built.

Candidates are looked at in the order of their promise. One whose bounds another certainly reaches
is dropped before its all-to-all, which is what takes time, is worked out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.hosts import HostFabric, HostWiring, host_wiring
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.finder.host_prediction import (
    HostPrediction,
    Interval,
    alltoall_bound,
    hop_table,
    predict_alltoall,
    predict_forest,
)
from topofinder.forests.collectives.host_forest import host_graph

RateGraph = Callable[[HostFabric], Interval]
"""f of the graph of hosts with circuits of capacity 1, for every pair of accelerators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCandidate:
    """A fabric of hosts with what it costs; `alltoall` bounds f in GB/s for every pair."""

    fabric: HostFabric
    prediction: HostPrediction
    alltoall: Interval
    hop_bound: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class _Promise:
    fabric: HostFabric
    wiring: HostWiring
    hops: int
    most: Fraction


def host_frontier(
    fabrics: Iterable[HostFabric], axes: Sequence[str], rate: RateGraph
) -> list[HostCandidate]:
    """The fabrics that no other certainly beats on the axes, those of fewest hops first.

    `axes` are of latency, bandwidth and alltoall. Among equals on all axes the one with the greater
    all-to-all is kept.

    >>> from expansions.hosts import parse_host_fabric
    >>> names = [f"HostA100[{graph}]" for graph in ("K(8,8)", "UniRing(8,16)")]
    >>> found = host_frontier(map(parse_host_fabric, names), ("latency", "alltoall"), graph_rate)
    >>> [str(one.fabric.graph) for one in found]
    ['K(8,8)']
    """
    kept: list[HostCandidate] = []
    for promise in sorted(map(_look_at, fabrics), key=lambda one: (one.hops, -one.most)):
        if any(_is_beaten(promise, one, axes) for one in kept):
            continue
        found = rate_fabric(promise.fabric, rate, promise.wiring)
        if any(_beats(one, found, axes) for one in kept):
            continue
        kept = [one for one in kept if not _beats(found, one, axes)] + [found]
    return sorted(kept, key=lambda one: (one.prediction.hops, one.prediction.inverse_rate))


def rate_fabric(
    fabric: HostFabric, rate: RateGraph, wiring: HostWiring | None = None
) -> HostCandidate:
    """A fabric with what it costs."""
    wiring = wiring or host_wiring(fabric)
    return HostCandidate(
        fabric=fabric,
        prediction=predict_forest(fabric, wiring),
        alltoall=predict_alltoall(fabric, rate(fabric)),
        hop_bound=alltoall_bound(fabric, wiring),
    )


def crowded_recipes(n: int, d: int) -> Iterator[str]:
    """Recipes of n nodes of degree d that no simple graph has, and line graphs of such.

    All pairs are joined, and arcs that are left over are spent on jumps that reach everyone: spare
    capacity then helps all pairs. K(8) with a ring of eight carries 29/28 of a unit for every pair,
    with spare arcs that join pairs once more than others only 1.

    >>> list(crowded_recipes(8, 8)), list(crowded_recipes(64, 8))
    (['Cay(Z8;1,1,2,3,4,5,6,7)'], ['L(Cay(Z8;1,1,2,3,4,5,6,7))'])
    """
    if 3 <= n <= d and d % (n - 1):
        spare = [jump if place % 2 == 0 else n - jump for place, jump in _spare_jumps(n, d)]
        jumps = sorted(list(range(1, n)) * (d // (n - 1)) + spare)
        yield f"Cay(Z{n};{','.join(map(str, jumps))})"
    if n % d == 0 and n > d > 1:
        for recipe in crowded_recipes(n // d, d):
            yield f"L({recipe})"


def _spare_jumps(n: int, d: int) -> list[tuple[int, int]]:
    """Jumps there and back in turn, each with its place: 1, 1, 2, 2, ..."""
    return [(place, place // 2 + 1) for place in range(d % (n - 1))]


def graph_rate(fabric: HostFabric, gap: Fraction = Fraction(1, 1000), time: float = 60) -> Interval:
    """Certain bounds on f of the graph of hosts, for hosts of any sizes.

    >>> from expansions.hosts import parse_host_fabric
    >>> graph_rate(parse_host_fabric("Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]"))[1] > 0
    True
    """
    graph, sizes = host_graph(fabric, host_wiring(fabric)), np.array(fabric.host_sizes)
    demand = Demand.of(np.outer(sizes, sizes))
    found = bound_throughput(FlowProblem(topology=graph, demand=demand), gap=gap, time=time)
    return found.lower, found.upper


def _look_at(fabric: HostFabric) -> _Promise:
    wiring = host_wiring(fabric)
    hops = int(hop_table(host_graph(fabric, wiring)).max())
    most = alltoall_bound(fabric, wiring)
    return _Promise(fabric=fabric, wiring=wiring, hops=hops, most=most)


def _is_beaten(promise: _Promise, one: HostCandidate, axes: Sequence[str]) -> bool:
    """Whether a candidate is certainly as good on the axes, and in all-to-all."""
    if one.prediction.hops > promise.hops and "latency" in axes:
        return False
    if one.prediction.inverse_rate > one.prediction.bound and "bandwidth" in axes:
        return False
    ties = "alltoall" in axes or one.prediction.hops == promise.hops
    return not ties or one.alltoall[0] >= promise.most


def _beats(one: HostCandidate, other: HostCandidate, axes: Sequence[str]) -> bool:
    """Whether one is certainly as good on every axis; of equals, the one with more all-to-all."""
    pairs: list[tuple[Fraction | int, Fraction | int]] = []
    if "latency" in axes:
        pairs.append((one.prediction.hops, other.prediction.hops))
    if "bandwidth" in axes:
        pairs.append((one.prediction.inverse_rate, other.prediction.inverse_rate))
    if any(mine > its for mine, its in pairs):
        return False
    if "alltoall" in axes:
        return one.alltoall[0] >= other.alltoall[1]
    return any(mine < its for mine, its in pairs) or one.alltoall[0] >= other.alltoall[0]
