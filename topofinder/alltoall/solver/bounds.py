"""Both bounds on f, computed exactly from what proves them.

Above: give every arc a length. A flow that serves everyone at rate f uses f times the sum of
demand times distance, and there is the sum of capacity times length (LP duality). With all
lengths 1 this is the hop bound; with the distances of a tree that fills as fast as d ports allow
it is the Moore bound of n and d. Below: a flow that delivers every demand once, and loads arc e
with load[e], can be scaled until its busiest arc is full.
"""

from fractions import Fraction

import numpy as np

from expansions.cayley_colours import ArcColours
from generators.errors import Unsupported
from generators.topology import Int64Array, Topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem, flow_network
from topofinder.alltoall.result import Flow, Lift
from topofinder.alltoall.solver.shortest_path_kernels import fill_distances

SOURCE_BLOCK = 64
"""How many sources are looked at together."""


def hop_bound(problem: FlowProblem) -> Fraction:
    """What f could be if every flow took fewest hops and no arc stayed idle.

    >>> hop_bound(FlowProblem(topology=Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])))
    Fraction(1, 3)
    """
    topology = problem.topology
    return length_upper_bound(problem, (topology.tail != topology.head).astype(np.int64))


def moore_bound(problem: FlowProblem) -> Fraction | None:
    """What f could be on any graph of so many nodes and ports; None unless all pairs are alike.

    It is d divided by the sum of distances in a tree with d, d^2, ... nodes at distance 1, 2, ...

    >>> moore_bound(FlowProblem(topology=Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])))
    Fraction(1, 3)
    """
    topology = problem.topology
    if not problem.is_uniform or topology.switches or topology.capacity is not None:
        return None
    return moore_rate(topology.n, topology.degree)


def moore_rate(n: int, d: int, *, two_way: bool = False) -> Fraction:
    """The same of n nodes with d ports; where all links are `two_way`, one port leads back.

    >>> moore_rate(1024, 4), moore_rate(1024, 4, two_way=True)
    (Fraction(4, 4667), Fraction(2, 2711))
    """
    return Fraction(d, sum(_moore_distances(n, d, two_way)))


def moore_demand_rate(demand: Demand, d: int, *, two_way: bool = False) -> Fraction:
    """What f of a demand can be on any graph of its nodes with d ports.

    Each source's largest amounts go to its nearest nodes of a tree that fills as fast as ports
    allow, each sink's come from there; and none can send or take more than its ports carry.

    >>> from topofinder.alltoall.demand.matrix import Demand
    >>> moore_demand_rate(Demand.of([[0, 1, 1], [1, 0, 1], [4, 1, 0]]), 1)
    Fraction(1, 5)
    """
    n = len(demand.low)
    near = np.array([0, *_moore_distances(n, d, two_way)], dtype=object)
    least = []
    for amounts in (demand.low, demand.low.T):
        busiest = int(amounts.sum(axis=1).max())
        wanted = -np.sort(-amounts, axis=1).sum(axis=0)  # the greatest of all, the second, ...
        moved = int((wanted.astype(object)[: n - 1] * near[1:]).sum())
        least.append(max(Fraction(busiest, d), Fraction(moved, n * d)))
    return 1 / (max(least) * demand.unit)


def _moore_distances(n: int, d: int, two_way: bool) -> list[int]:
    """Distances of n - 1 nodes in a tree that fills as fast as ports allow, the least first."""
    found: list[int] = []
    level, hops = d, 1
    while len(found) < n - 1:
        found += [hops] * min(n - 1 - len(found), level)
        level, hops = level * max(d - two_way, 1), hops + 1
    return found


def length_upper_bound(problem: FlowProblem, lengths: Int64Array) -> Fraction:
    """The bound that lengths prove, all sources counted; `lengths` is int64 of shape (arcs,).

    In a graph with a group of translations that keep colours, lengths that are equal on each colour
    give every source the same distances, and one is enough. Raises Unsupported when distances
    leave the range in which they are added exactly.
    """
    topology = problem.topology
    return _weighted_capacity(topology, lengths) / (
        _weighted_distance(problem, lengths) * problem.unit
    )


def longest_distance(problem: FlowProblem) -> int:
    """How long a distance may be, so that the sums of a source fit 62 bits."""
    most = 1 if problem.is_uniform else 1 << 15
    return (1 << 62) // (most * problem.topology.n)


def flow_lower_bound(problem: FlowProblem, flow: Flow) -> Fraction:
    """The bound that a flow proves: how far it can be scaled until an arc is full."""
    load = _arc_loads(problem.topology, flow)
    if problem.topology.capacity is None:
        return 1 / (int(load.max()) * flow.quantum)
    pairs = zip(problem.topology.capacity, load.tolist(), strict=True)
    return min(Fraction(capacity, amount) for capacity, amount in pairs if amount) / flow.quantum


def _weighted_capacity(topology: Topology, lengths: Int64Array) -> Fraction:
    """Sum over arcs of capacity times length."""
    if topology.capacity is None:
        return Fraction(sum(lengths.tolist()))
    pairs = zip(topology.capacity, lengths.tolist(), strict=True)
    return sum((capacity * length for capacity, length in pairs), Fraction())


def _weighted_distance(problem: FlowProblem, lengths: Int64Array) -> int:
    """Sum over pairs of what is at least wanted, in units, times the distance."""
    topology = problem.topology
    net = flow_network(topology)
    sources, times = problem.sources, 1
    if problem.is_uniform and not topology.switches and _colours_have_one_length(topology, lengths):
        sources, times = sources[:1], topology.n
    total, own = 0, lengths[net.arc]
    for begin in range(0, len(sources), SOURCE_BLOCK):
        block = sources[begin : begin + SOURCE_BLOCK]
        out = np.empty((len(block), topology.n), dtype=np.int64)
        fill_distances(block, net, own, out)
        if int(out.max()) > longest_distance(problem):
            raise Unsupported(
                f"lengths: a distance of {out.max()} is beyond {longest_distance(problem)}"
            )
        rows = problem.demand_rows(block, least=True)
        for wanted, distance in zip(rows, out, strict=True):
            high, low = int((wanted >> 15) @ distance), int((wanted & 0x7FFF) @ distance)
            total += (high << 15) + low
    return total * times


def _colours_have_one_length(topology: Topology, lengths: Int64Array) -> bool:
    """Whether known translations keep colours, and all arcs of a colour are equally long."""
    if topology.translation is None:
        return False
    colours = ArcColours(topology)
    if colours.steps is None:
        return False
    first = np.zeros(topology.degree, dtype=np.int64)
    first[colours.colour] = lengths
    return bool((first[colours.colour] == lengths).all())


def _arc_loads(topology: Topology, flow: Flow) -> Int64Array:
    """What all sources together send over every arc; shape (arcs,)."""
    if flow.lift is Lift.WHOLE:
        whole: Int64Array = flow.rows.sum(axis=0)
        return whole
    colours = ArcColours(topology)
    if colours.steps is None:
        raise Unsupported("flow: the topology has no translations that keep colours")
    carried = np.zeros(topology.degree, dtype=np.int64)
    np.add.at(carried, colours.colour, flow.rows[0])
    return carried[colours.colour]
