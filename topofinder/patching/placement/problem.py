"""The problem as the searches see it: both graphs as rows over the same ends, and the rules.

Hosts that play no node are paired with padding nodes that have no circuits, so that a placement
is a bijection. A placement is an int64 array `host` of shape (hosts,).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints, PlacementRules, placement_rules
from topofinder.patching.placement.incidence import IncidenceRows, incidence_rows
from topofinder.patching.placement.incidence_kernels import kept_in_place


class TooFewPorts(InvalidInput):
    """Too few hosts have the ports that a target needs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacementProblem:
    """Rows of the wiring and of the padded target, the rules, and how many circuits to realise."""

    wiring: IncidenceRows
    target: IncidenceRows
    rules: PlacementRules
    circuits: int

    @property
    def n(self) -> int:
        """Number of hosts."""
        return self.wiring.n

    def count_kept(self, host: Int64Array) -> int:
        """Circuits of the target that are in place."""
        return int(kept_in_place(self.wiring, self.target, host))

    def allows(self, host: Int64Array) -> bool:
        """Whether every node sits where there is room for its circuits."""
        return self.rules.allows(slice(None), host)


def placement_problem(
    wiring: Circuits, target: Circuits, constraints: Constraints, *, panels: int = 1
) -> PlacementProblem:
    """The problem for circuits told apart by panel, or not (panels = 1).

    Raises InvalidInput when wiring, target and constraints do not fit one another.
    """
    _require_fit(wiring, target, constraints)
    rule = placement_rules(target, wiring.n, constraints)
    return PlacementProblem(
        wiring=incidence_rows(usable_circuits(wiring, rule), panels=panels),
        target=incidence_rows(target, n=wiring.n, panels=panels),
        rules=rule,
        circuits=target.count,
    )


def usable_circuits(wiring: Circuits, rule: PlacementRules) -> Circuits:
    """The circuits in place that may stay: those between hosts that may play a node."""
    keep = (rule.room[wiring.tail, 0] > 0) & (rule.room[wiring.head, 1] > 0)
    return replace(
        wiring,
        tail=wiring.tail[keep],
        head=wiring.head[keep],
        panel=None if wiring.panel is None else wiring.panel[keep],
    )


def _require_fit(wiring: Circuits, target: Circuits, constraints: Constraints) -> None:
    if wiring.duplex != target.duplex:
        raise InvalidInput("duplex: wiring and target must both be duplex or both simplex")
    if target.n > wiring.n:
        raise InvalidInput(f"target: {target.n} nodes, but the wiring has {wiring.n} hosts")
    if (target.tail == target.head).any():
        raise InvalidInput("target: a circuit from a node to itself carries nothing; leave it out")
    shapes = {"fixed": target.n, "allowed": wiring.n, "ports": wiring.n}
    for name, length in shapes.items():
        values = getattr(constraints, name)
        if values is not None and len(values) != length:
            raise InvalidInput(f"{name}: {length} values are needed, not {len(values)}")
    if constraints.fixed is not None and constraints.fixed.max(initial=-1) >= wiring.n:
        raise InvalidInput(f"fixed: host {constraints.fixed.max()} is not in 0..{wiring.n - 1}")
    if wiring.panel is not None and wiring.panel.max(initial=0) >= constraints.panels:
        raise InvalidInput(
            f"panel: {wiring.panel.max()} is not among the {constraints.panels} of `ports`"
        )


def checked_start(start: IntArray | None, target: Circuits, wiring: Circuits) -> IntArray:
    """The user's placement, checked; without one, node v on host v."""
    if start is None:
        return np.arange(target.n, dtype=np.int32)
    own = np.array(start)
    if own.shape != (target.n,) or own.dtype.kind not in "iu":
        raise InvalidInput(f"start: a host for each of {target.n} nodes, not shape {own.shape}")
    if len(np.unique(own)) < len(own) or own.min() < 0 or own.max() >= wiring.n:
        raise InvalidInput(f"start: {target.n} different hosts in 0..{wiring.n - 1} are needed")
    return own.astype(np.int32)


def lawful_placement(wanted: IntArray, rule: PlacementRules, fixed: IntArray | None) -> Int64Array:
    """A placement of every node, padding included, that is as wanted wherever the rules allow.

    `wanted` (nodes,) has a host for each node of the target. Those that cannot have it take the
    hosts that are left, the neediest first the roomiest, which succeeds if anything does.
    Raises InvalidInput when a fixed node does not fit its host, TooFewPorts when no placement
    respects the rules.
    """
    n = len(rule.room)
    host = np.full(n, -1, dtype=np.int64)
    if fixed is not None:
        host[: len(fixed)] = fixed
    taken = np.zeros(n, dtype=np.bool_)
    taken[host[host >= 0]] = True
    pinned = host.copy()
    _refuse_tight(rule, pinned)
    for v, h in enumerate(wanted.tolist()):
        if host[v] < 0 and not taken[h] and rule.allows(v, h):
            host[v], taken[h] = h, True
    if not _fill(host, rule):
        host[:] = pinned
        if not _fill(host, rule):
            nodes = np.count_nonzero(rule.need.max(axis=1) > 0)
            raise TooFewPorts(
                f"ports: {nodes} nodes need up to {rule.need.max()} ports each, and too few "
                "allowed hosts have that many"
            )
    return host


def _refuse_tight(rule: PlacementRules, host: Int64Array) -> None:
    """A fixed node must fit its host."""
    for v in np.flatnonzero(host >= 0).tolist():
        need, room = rule.need[v], np.maximum(rule.room[host[v]], 0)
        short = np.flatnonzero(need > rule.room[host[v]])
        if short.size:
            side = int(short[0])
            raise InvalidInput(
                f"fixed: node {v} needs {max(need[side], 0)} ports, host {host[v]} has {room[side]}"
            )


def _fill(host: Int64Array, rule: PlacementRules) -> bool:
    """Place who is left, in place; padding nodes last, on the lowest hosts that are free."""
    nodes = np.flatnonzero(host < 0)
    free = np.setdiff1d(np.arange(len(host)), host[host >= 0])
    nodes = nodes[np.argsort(-rule.need[nodes].sum(axis=1), kind="stable")]
    free = free[np.argsort(-rule.room[free].sum(axis=1), kind="stable")]
    host[nodes] = free
    if rule.allows(nodes, free):
        return True
    # Of hosts that send on more ports and others that hear on more, no order is the right one.
    matched = _match_hosts(rule.need[nodes], rule.room[free])
    if matched is None:
        return False
    host[nodes] = free[matched]
    return True


def _match_hosts(need: Int64Array, room: Int64Array) -> Int64Array | None:
    """A host for each of as many nodes: a flow from the kinds of nodes to the kinds of hosts."""
    kinds, kind, nodes = np.unique(need, axis=0, return_inverse=True, return_counts=True)
    sites, site, hosts = np.unique(room, axis=0, return_inverse=True, return_counts=True)
    first, end = 1 + len(kinds), 1 + len(kinds) + len(sites)
    capacity = np.zeros((end + 1, end + 1), dtype=np.int32)
    capacity[0, 1:first], capacity[first:end, end] = nodes, hosts
    fits = (kinds[:, None] <= sites[None]).all(axis=2)
    capacity[1:first, first:end] = fits * len(need)
    found = maximum_flow(csr_array(capacity), 0, end)
    if found.flow_value < len(need):
        return None
    waiting = [np.flatnonzero(site.ravel() == i).tolist() for i in range(len(sites))]
    answer = np.empty(len(need), dtype=np.int64)
    flow = found.flow.toarray()[1:first, first:end]
    for i, row in enumerate(flow):
        chosen = [waiting[j].pop(0) for j in np.flatnonzero(row).tolist() for _ in range(row[j])]
        answer[kind.ravel() == i] = chosen
    return answer
