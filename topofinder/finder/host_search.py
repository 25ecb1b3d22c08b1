"""The frontier over fabrics of hosts: predicted by theorem, all-to-all certified, none built.

Candidates are looked at in the order of their promise. One whose bounds another certainly reaches
is dropped before its all-to-all is worked out, and before its trees over the hosts are packed,
which takes longest. The latency axis is that of the longest way in the trees, its hops outside and
inside weighed alike or by their alphas.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from expansions.hosts import HostFabric, HostWiring, host_graph, host_topology, host_wiring
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.finder.host_packing import trees_of_hosts
from topofinder.finder.host_prediction import (
    HopWeights,
    HostPrediction,
    Interval,
    alltoall_bound,
    hop_table,
    predict_alltoall,
    predict_forest,
)
from topofinder.forests.collectives.host_forest import (
    host_tree_height,
    inner_trees,
)

EVEN_WEIGHTS = (Fraction(1), Fraction(1))

MOST_WHOLE = 1024
WHOLE_GAP = Fraction(1, 1000)
WHOLE_SECONDS = 10.0

RateGraph = Callable[[HostFabric], Interval]
"""f of the graph of hosts with circuits of capacity 1, for every pair of accelerators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCandidate:
    """A fabric of hosts with what it costs; `alltoall` bounds f in GB/s for every pair.

    `tree_height` is that of the trees over the hosts, in circuits, `latency` that of the longest
    way in the composed trees, in what its hops were weighed by.
    """

    fabric: HostFabric
    prediction: HostPrediction
    alltoall: Interval
    hop_bound: Fraction
    tree_height: int
    latency: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class _Promise:
    fabric: HostFabric
    wiring: HostWiring
    latency: Fraction
    most: Fraction


def host_frontier(
    fabrics: Iterable[HostFabric],
    axes: Sequence[str],
    rate: RateGraph,
    weights: HopWeights = EVEN_WEIGHTS,
    known: Sequence[HostCandidate] = (),
) -> list[HostCandidate]:
    """The fabrics that no other certainly beats on the axes, those of least latency first.

    `axes` are of latency, bandwidth and alltoall; `weights` are of a hop outside and inside. Among
    equals on all axes the one with the greater all-to-all is kept. What is `known` is a frontier
    already.

    >>> from expansions.hosts import parse_host_fabric
    >>> names = [f"HostA100[{graph}]" for graph in ("K(8,8)", "UniRing(8,16)")]
    >>> found = host_frontier(map(parse_host_fabric, names), ("latency", "alltoall"), graph_rate)
    >>> [str(one.fabric.graph) for one in found]
    ['K(8,8)']
    """
    kept = list(known)
    promises = [_look_at(fabric, weights) for fabric in fabrics]
    for promise in sorted(promises, key=lambda one: (one.latency, -one.most)):
        if any(_is_beaten(promise, one, axes) for one in kept):
            continue
        alltoall = predict_alltoall(promise.fabric, rate(promise.fabric))
        if any(_is_beaten(replace(promise, most=alltoall[1]), one, axes) for one in kept):
            continue
        alltoall = narrow_alltoall(promise.fabric, alltoall, promise.wiring)
        most = alltoall["alltoall" in axes]  # among equals all-to-all is compared by what is sure
        if any(_is_beaten(replace(promise, most=most), one, axes) for one in kept):
            continue
        for found in _with_trees(promise.fabric, alltoall, weights, promise.wiring):
            if not any(_beats(one, found, axes) for one in kept):
                kept = [one for one in kept if not _beats(found, one, axes)] + [found]
    return sorted(kept, key=lambda one: (one.latency, one.prediction.inverse_rate))


def rate_fabric(
    fabric: HostFabric,
    rate: RateGraph,
    weights: HopWeights = EVEN_WEIGHTS,
    wiring: HostWiring | None = None,
) -> HostCandidate:
    """A fabric with what it costs, by the forest that takes least."""
    wiring = wiring or host_wiring(fabric)
    alltoall = narrow_alltoall(fabric, predict_alltoall(fabric, rate(fabric)), wiring)
    return _with_trees(fabric, alltoall, weights, wiring)[0]


def narrow_alltoall(fabric: HostFabric, known: Interval, wiring: HostWiring) -> Interval:
    """The bounds on f, from a flow on the whole fabric where the theorem's are apart.

    That is so where accelerators are joined by links. It takes at most WHOLE_SECONDS, for at most
    MOST_WHOLE accelerators.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("TrayTPUv4[K(16,16)]")
    >>> low, high = predict_alltoall(fabric, (Fraction(1, 24), Fraction(1, 24)))
    >>> high > 4 * low
    True
    >>> low, high = narrow_alltoall(fabric, (low, high), host_wiring(fabric))
    >>> high < low * 1001 / 1000
    True
    """
    low, high = known
    if high <= low * (1 + 2 * WHOLE_GAP) or fabric.accelerators > MOST_WHOLE:
        return known
    whole = FlowProblem(topology=host_topology(fabric, wiring))
    found = bound_throughput(whole, gap=WHOLE_GAP, time=WHOLE_SECONDS)
    return max(low, found.lower), min(high, found.upper)


def _with_trees(
    fabric: HostFabric, alltoall: Interval, weights: HopWeights, wiring: HostWiring
) -> list[HostCandidate]:
    """A fabric with what trees on it cost, once or by lower trees too, and the known all-to-all."""
    composed, tree_height = predict_forest(fabric, wiring), host_tree_height(fabric, wiring)
    way = way_latency(tree_height, composed.inside, weights)
    bound = alltoall_bound(fabric, wiring)
    return [
        HostCandidate(
            fabric=fabric,
            prediction=prediction,
            alltoall=alltoall,
            hop_bound=bound,
            tree_height=tree_height,
            latency=way if latency is None else latency,
        )
        for prediction, latency in trees_of_hosts(fabric, wiring, composed, weights)
    ]


def way_latency(circuits: int, inside: int, weights: HopWeights) -> Fraction:
    """Of a way of so many circuits that goes up to `inside` hops inside of every host on it.

    >>> way_latency(2, 1, (Fraction(10), Fraction(1)))
    Fraction(23, 1)
    """
    return circuits * weights[0] + (circuits + 1) * inside * weights[1]


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


def graph_rate(
    fabric: HostFabric,
    gap: Fraction = Fraction(1, 1000),
    time: float = 60,
    wiring: HostWiring | None = None,
) -> Interval:
    """Certain bounds on f of the graph of hosts, for hosts of any sizes, wired as told.

    >>> from expansions.hosts import parse_host_fabric
    >>> graph_rate(parse_host_fabric("Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]"))[1] > 0
    True
    """
    graph = host_graph(fabric, wiring or host_wiring(fabric))
    sizes = np.array(fabric.host_sizes)
    demand = Demand.of(np.outer(sizes, sizes))
    found = bound_throughput(FlowProblem(topology=graph, demand=demand), gap=gap, time=time)
    return found.lower, found.upper


def _look_at(fabric: HostFabric, weights: HopWeights) -> _Promise:
    wiring = host_wiring(fabric)
    hops = int(hop_table(host_graph(fabric, wiring)).max())
    inside = max(inner_trees(host).height for host in fabric.each_size.values())
    latency, most = way_latency(hops, inside, weights), alltoall_bound(fabric, wiring)
    return _Promise(fabric=fabric, wiring=wiring, latency=latency, most=most)


def _is_beaten(promise: _Promise, one: HostCandidate, axes: Sequence[str]) -> bool:
    """Whether a candidate is certainly as good on the axes, and in all-to-all."""
    if one.latency > promise.latency and "latency" in axes:
        return False
    if one.prediction.inverse_rate > one.prediction.bound and "bandwidth" in axes:
        return False
    ties = "alltoall" in axes or one.latency == promise.latency
    return not ties or one.alltoall[0] >= promise.most


def _beats(one: HostCandidate, other: HostCandidate, axes: Sequence[str]) -> bool:
    """Whether one is certainly as good on every axis; of equals, the one with more all-to-all."""
    pairs: list[tuple[Fraction, Fraction]] = []
    if "latency" in axes:
        pairs.append((one.latency, other.latency))
    if "bandwidth" in axes:
        pairs.append((one.prediction.inverse_rate, other.prediction.inverse_rate))
    if any(mine > its for mine, its in pairs):
        return False
    if "alltoall" in axes:
        return one.alltoall[0] >= other.alltoall[1]
    return any(mine < its for mine, its in pairs) or one.alltoall[0] >= other.alltoall[0]
