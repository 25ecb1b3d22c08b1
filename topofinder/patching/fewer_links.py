"""A target with as few circuits left out as it takes to fit hosts that lack ports.

A circuit between two hosts that each lack a port serves both, so hosts that lack ports are put
next to one another where that is possible: in pairs far apart, since a host that loses two
circuits doubles the loss, or all in one place. Which circuits go is tried with several seeds; the
best of the graphs that are left is the one with the least T_B, then T_L, of its exact BFB cost.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np

from expansions.cost import Cost
from generators.errors import InvalidInput, Unsupported
from generators.topology import Int64Array, Topology
from topofinder.patching.circuits import Circuits
from topofinder.schedules.bfb.evaluation import evaluate

DROP_TRIES = 12
Room = Sequence[int] | Int64Array
"""Ports of a host that send and that hear; where ports have rates, an array (2, rates) of them."""
Costs = Callable[[Topology], tuple[Cost, Cost] | None]


def bfb_costs(topology: Topology, d: int) -> tuple[Cost, Cost] | None:
    """Allgather and reduce-scatter by BFB, T_B in M/B for hosts of d ports; None if unconnected.

    >>> from generators.families.complete import complete
    >>> bfb_costs(complete(4, 4), 4)[0]
    Cost(steps=2, bandwidth=Fraction(7, 8))
    """
    try:
        found = [evaluate(graph).cost for graph in (topology, topology.transpose())]
    except (InvalidInput, Unsupported):
        return None
    scale = Fraction(d, topology.degree)
    first, second = (Cost(cost.steps, cost.bandwidth * scale) for cost in found)
    return first, second


def fewer_links(
    topology: Topology,
    rooms: Iterable[Room],
    *,
    duplex: bool,
    rates: Sequence[Fraction] = (),
    costs: Costs | None = None,
) -> Topology | None:
    """The best graph found that hosts with so many ports can realise; None if there is none.

    `rooms` are the ports that send and those that hear, both the same in duplex, of at least as
    many hosts as the topology has nodes. With `rates`, those of ports, slowest first, each host
    has so many of each. `costs` says what a graph takes, BFB unless told.
    """
    circuits = Circuits.of(topology, duplex=duplex, rates=rates)
    whole = [np.array(one, dtype=np.int64).reshape(2, -1) for one in rooms]
    whole.sort(key=lambda one: (one.sum(), one.sum(axis=1).min()), reverse=True)
    room = whole[: topology.n]
    if len(room) < topology.n or min(int(one.sum(axis=1).min()) for one in room) < 1:
        return None
    need = _ports_needed(circuits, max(len(rates), 1))
    most = need.max(axis=1)
    short = [one for one in reversed(room) if (one < most).any()]
    best, least = None, None
    for seed in range(DROP_TRIES):
        gone = _circuits_to_drop(circuits, need, short, seed)
        found = topology_of_rest(topology, circuits, gone, rates)
        cost = bfb_costs(found, topology.degree) if costs is None else costs(found)
        if cost is None:
            continue
        rank = cost[0].bandwidth + cost[1].bandwidth, cost[0].steps + cost[1].steps, -found.arcs
        if least is None or rank < least:
            best, least = found, rank
    return best


def _ports_needed(circuits: Circuits, rates: int) -> Int64Array:
    """Ports in use by side, node and rate; shape (2, nodes, rates)."""
    need = np.zeros((2, circuits.n, rates), dtype=np.int64)
    for tail, head, rate in circuits.rows:
        for node, side in _sides((tail, head), circuits.duplex):
            need[side, node, rate] += 1
    if circuits.duplex:
        need[1] = need[0]
    return need


def _circuits_to_drop(
    circuits: Circuits, need: Int64Array, short: list[Int64Array], seed: int
) -> set[int]:
    """Circuits to leave out, so that as many nodes as there are `short` hosts fit their ports.

    With the first seed these are the nodes that need the fewest, such as those with loops.
    """
    random = np.random.default_rng(seed)
    ends = list(zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True))
    at: list[list[int]] = [[] for _ in range(circuits.n)]
    for number, (u, v) in enumerate(ends):
        at[u].append(number)
        at[v].append(number)
    speed = [rate for _, _, rate in circuits.rows]
    poor = _neighbours(at, ends, len(short), random, 2 if seed % 2 else len(at))
    if not seed:
        order = np.argsort(need.sum(axis=2).max(axis=0), kind="stable")
        poor = order[: len(short)].tolist()
    duplex = circuits.duplex
    sides = (0,) if duplex else (0, 1)
    left = {
        (node, side, rate): int(need[side, node, rate] - room[side, rate])
        for node, room in zip(poor, short, strict=True)
        for side in sides
        for rate in range(need.shape[2])
    }
    gone: set[int] = set()
    for both in (True, False):
        for node in poor:
            # Other hosts that lose nothing yet come first; `left` is not above zero where one has.
            near = sorted(
                random.permutation(at[node]).tolist(),
                key=lambda number: sum(
                    (*end, speed[number]) in left for end in _sides(ends[number], duplex)
                ),
            )
            for number in near:
                here = [(*end, speed[number]) for end in _sides(ends[number], duplex)]
                serves = [left.get(end, 0) > 0 for end in here]
                if number not in gone and (all(serves) if both else any(serves)):
                    gone.add(number)
                    for end in here:
                        left[end] = left.get(end, 0) - 1
    return gone


def _sides(ends: tuple[int, int], duplex: bool) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where a circuit uses a port: the sending (0) and receiving (1) side, alike if duplex."""
    return (ends[0], 0), (ends[1], 0 if duplex else 1)


def _neighbours(
    at: list[list[int]],
    ends: list[tuple[int, int]],
    count: int,
    random: np.random.Generator,
    together: int,
) -> list[int]:
    """So many nodes, each where possible next to one before it, but `together` in one place."""
    chosen: dict[int, None] = {}
    near: dict[int, None] = {}
    border: list[int] = []
    order = random.permutation(len(at)).tolist()
    while len(chosen) < count:
        if not border or not len(chosen) % together:
            others = [v for v in order if v not in chosen]
            border = [next((v for v in others if v not in near), others[0])]
        node = border.pop(0)
        if node in chosen:
            continue
        chosen[node] = None
        for number in random.permutation(at[node]).tolist():
            border += [v for v in ends[number] if v not in chosen]
            near |= dict.fromkeys(ends[number])
    return list(chosen)


def topology_of_rest(
    topology: Topology, circuits: Circuits, gone: set[int], rates: Sequence[Fraction] = ()
) -> Topology:
    """The topology of the circuits that are not `gone`; with `rates` each has its own."""
    kept = [number for number in range(circuits.count) if number not in gone]
    tail, head = circuits.tail[kept], circuits.head[kept]
    if circuits.duplex:
        tail, head = np.concatenate([tail, head]), np.concatenate([head, tail])
    if circuits.rate is None:
        return Topology(n=topology.n, tail=tail, head=head)
    speeds = tuple(rates[place] for place in circuits.rate[kept].tolist())
    return Topology(
        n=topology.n,
        tail=tail,
        head=head,
        capacity=speeds * 2 if circuits.duplex else speeds,
        unit_rate=Fraction(1),
    )


def topology_without(
    topology: Topology, missing: Iterable[tuple[int, int]], *, duplex: bool
) -> Topology:
    """The topology without one circuit for each of the pairs of nodes given.

    >>> from generators.families.ring import two_way_ring
    >>> topology_without(two_way_ring(2, 4), [(0, 1)], duplex=True).arcs
    6
    """
    circuits = Circuits.of(topology, duplex=duplex)
    left = Counter(missing)
    gone = set()
    for number, ends in enumerate(zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True)):
        pair = next((p for p in (ends, ends[::-1] if duplex else ends) if left[p]), None)
        if pair is not None:
            left[pair] -= 1
            gone.add(number)
    return topology_of_rest(topology, circuits, gone)
