"""The problem of `few_hosts` as arrays for its kernels, and what makes its placements alike.

Hosts that can be exchanged without any circuit noticing are twins: of free ones the first is
taken. Where there are none, symmetries of the target say which nodes are to be on lower hosts.
"""

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.few_host_kernels import (
    FewHostsProblem,
)
from topofinder.patching.placement.target_symmetry import lower_hosts


def few_hosts_problem(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    pinned: int,
    hosts: Int64Array,
    number: Int64Array,
) -> tuple[Int64Array, FewHostsProblem]:
    """The pair of nodes of each circuit, numbered, and the problem for the kernels."""
    ends = _ends(target, np.arange(target.n))
    pairs, pair, times = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    tail, head = pairs.T.astype(np.int64)
    start, by_node = csr_by_node(np.concatenate([tail, head]), target.n)
    by_node %= len(times)
    pins, there = _in_place(wiring, constraints.panels, pinned, hosts, number)
    room = _room(target, constraints, hosts)
    twin = _interchangeable_hosts(pins, there, room.reshape(-1, len(hosts), room.shape[1]))
    order = _placing_order(target.n, tail, head, constraints.fixed)
    return pair.ravel(), FewHostsProblem(
        tail=tail,
        head=head,
        times=times.astype(np.int64),
        start=start,
        at=by_node.astype(np.int64),
        need=np.stack([target.sends, target.receives], axis=1).astype(np.int64),
        order=order,
        pins=pins,
        there=there,
        room=room,
        stay=there.sum(axis=2),
        ports=room.sum(axis=1),
        most=np.minimum(room[: len(hosts), None], room[None, -len(hosts) :]).sum(axis=2),
        far=0 if target.duplex else len(hosts),
        twin=twin,
        lower=_ordered_nodes(target, constraints, twin, order),
    )


def _ends(circuits: Circuits, number: Int64Array) -> Int64Array:
    """The ends of each circuit, shape (circuits, 2); the lower one first where they are alike."""
    ends = number[np.stack([circuits.tail, circuits.head], axis=1)]
    return np.sort(ends, axis=1) if circuits.duplex else ends


def _in_place(
    wiring: Circuits, panels: int, pinned: int, hosts: Int64Array, number: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Circuits that stay whatever comes, by host and host, and those that may, by panel as well."""
    k = len(hosts)
    counts = np.zeros((2, k, k, panels), dtype=np.int64)
    ends = _ends(wiring, number)
    panel = np.zeros(wiring.count, dtype=np.int64) if wiring.panel is None else wiring.panel
    free = (np.arange(wiring.count) >= pinned).astype(np.int64)
    good = (ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])
    np.add.at(counts, (free[good], ends[good, 0], ends[good, 1], panel[good]), 1)
    if wiring.duplex:
        counts += counts.transpose(0, 2, 1, 3)
    return counts[0].sum(axis=2), counts[1]


def _room(target: Circuits, constraints: Constraints, hosts: Int64Array) -> Int64Array:
    """The ports of each end, by panel; as many as there are circuits where nothing is said."""
    if constraints.ports is None or constraints.receivers is None:
        sides = [np.full((len(hosts), 1), target.count)] * 2
    else:
        sides = [constraints.ports[hosts], constraints.receivers[hosts]]
    return np.concatenate(sides[:1] if target.duplex else sides).astype(np.int64)


def _placing_order(
    nodes: int, tail: Int64Array, head: Int64Array, fixed: IntArray | None
) -> Int64Array:
    """Fixed nodes first, then each next to as many placed ones as possible; lone ones last."""
    near = np.zeros((nodes, nodes), dtype=np.int64)
    near[tail, head] = near[head, tail] = 1
    order: list[int] = [] if fixed is None else np.flatnonzero(fixed >= 0).tolist()
    while len(order) < nodes:
        rank = near[:, order].sum(axis=1) * nodes + near.sum(axis=1)
        rank[order] = -1
        order.append(int(np.argmax(rank)))
    return np.array(order, dtype=np.int64)


def _ordered_nodes(
    target: Circuits, constraints: Constraints, twin: Int64Array, order: Int64Array
) -> BoolArray:
    """What symmetries of the target ask for, where no hosts are alike and no node is fixed."""
    fixed = constraints.fixed is not None and bool((constraints.fixed >= 0).any())
    if fixed or (twin != np.arange(len(twin))).any():
        return np.zeros((target.n, target.n), dtype=np.bool_)
    near = np.zeros((target.n, target.n), dtype=np.int64)
    np.add.at(near, (target.tail, target.head), 1)
    return lower_hosts(near + near.T if target.duplex else near, order.tolist())


def _interchangeable_hosts(pins: Int64Array, there: Int64Array, room: Int64Array) -> Int64Array:
    """The first host that each can be exchanged with, itself if there is none before it."""
    k = len(pins)
    twin = np.arange(k)
    for h in range(k):
        for g in range(h):
            swap = np.arange(k)
            swap[[g, h]] = h, g
            both = np.ix_(swap, swap)
            same = (pins[both] == pins).all() and (there[both] == there).all()
            if same and (room[:, g] == room[:, h]).all():
                twin[h] = twin[g]
                break
    return twin
