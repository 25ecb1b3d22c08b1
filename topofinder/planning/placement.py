"""The question as the searches see it: both graphs as rows over the same ends, and the rules.

Hosts that play no node are paired with padding nodes that have no circuits, so that a placement
is a bijection. A placement is an int64 array `host` of shape (hosts,).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.topology import IntArray
from topofinder.planning.circuits import Circuits
from topofinder.planning.constraints import Constraints
from topofinder.planning.rows import Rows, kept_in_place, rows
from topofinder.planning.rules import Rules, rules

Hosts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Rows of the wiring and of the padded target, the rules, and how many circuits to realise."""

    wiring: Rows
    target: Rows
    rules: Rules
    circuits: int

    @property
    def n(self) -> int:
        """Number of hosts."""
        return self.wiring.n

    def kept(self, host: Hosts) -> int:
        """Circuits of the target that are in place."""
        return int(kept_in_place(self.wiring, self.target, host))

    def allows(self, host: Hosts) -> bool:
        """Whether every node sits where there is room for its circuits."""
        return bool((self.rules.need <= self.rules.room[host]).all())


def problem(
    wiring: Circuits, target: Circuits, constraints: Constraints, *, panels: int = 1
) -> Problem:
    """The question for circuits told apart by panel, or not (panels = 1).

    Raises InvalidInput when wiring, target and constraints do not fit one another.
    """
    _require_fit(wiring, target, constraints)
    rule = rules(target, wiring.n, constraints)
    return Problem(
        wiring=rows(usable(wiring, rule), panels=panels),
        target=rows(target, n=wiring.n, panels=panels),
        rules=rule,
        circuits=target.count,
    )


def usable(wiring: Circuits, rule: Rules) -> Circuits:
    """The circuits in place that may stay: those between hosts that may play a node."""
    keep = (rule.room[wiring.tail] > 0) & (rule.room[wiring.head] > 0)
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


def lawful(wanted: IntArray, rule: Rules, fixed: IntArray | None) -> Hosts:
    """A placement of every node, padding included, that is as wanted wherever the rules allow.

    `wanted` (nodes,) has a host for each node of the target. Those that cannot have it take the
    hosts that are left, the neediest first the roomiest, which succeeds if anything does.
    Raises InvalidInput when no placement respects the rules.
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
        if host[v] < 0 and not taken[h] and rule.need[v] <= rule.room[h]:
            host[v], taken[h] = h, True
    if not _fill(host, rule):
        host[:] = pinned
        if not _fill(host, rule):
            raise InvalidInput(
                f"ports: {int(np.count_nonzero(rule.need))} nodes need up to {rule.need.max()} "
                "ports each, and too few allowed hosts have that many"
            )
    return host


def _refuse_tight(rule: Rules, host: Hosts) -> None:
    """A fixed node must fit its host."""
    nodes = np.flatnonzero(host >= 0)
    tight = nodes[rule.need[nodes] > rule.room[host[nodes]]]
    if tight.size:
        v = int(tight[0])
        raise InvalidInput(
            f"fixed: node {v} needs {rule.need[v]} ports, host {host[v]} has {rule.room[host[v]]}"
        )


def _fill(host: Hosts, rule: Rules) -> bool:
    """Place who is left, in place; padding nodes last, on the lowest hosts that are free."""
    nodes = np.flatnonzero(host < 0)
    free = np.setdiff1d(np.arange(len(host)), host[host >= 0])
    nodes = nodes[np.argsort(-rule.need[nodes], kind="stable")]
    free = free[np.argsort(-rule.room[free], kind="stable")]
    host[nodes] = free
    return bool((rule.need[nodes] <= rule.room[free]).all())
