"""Which ports new circuits take, so that the worst insertion loss is least.

Ports of a host on a panel are alike but for what light loses there. In each stage the circuits of
the stage may exchange the ports of a host among themselves, and with ports that are free before the
plan and after it. One host at a time is given the best exchange by a bottleneck assignment (the
least threshold under which all can be matched, then the least sum), until nothing gets better. As
both ends of a circuit are chosen, that may end above the optimum: so an integer program is asked
for anything better, panel by panel, and otherwise proves that there is nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from generators.topology import Int64Array
from topofinder.model.inventory.document import State
from topofinder.model.inventory.forbidden import forbidding_rule
from topofinder.model.inventory.losses import PortLosses
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Stage, Wiring
from topofinder.model.losses import CircuitLosses

ROUNDS = 50
"""Rounds over all hosts, at most."""
MOST_CHOICES = 50_000
"""Choices of an integer program, at most."""
NODES = 2000
"""Nodes of its branch and bound, at most."""
FORBIDDEN = 1 << 40
"""The loss of a circuit that must not be made."""

Group = tuple[int, int]
"""A host, and the side of its ports: 0 those that send, or both in duplex, 1 those that hear."""


def assign_ports(
    fabric: PortMap,
    host: Sequence[int],
    before: Wiring,
    stages: Sequence[Stage],
    losses: PortLosses,
    budget: int | None,
) -> tuple[tuple[Stage, ...], CircuitLosses]:
    """The stages with the least worst loss of what they make, and what the losses come to then.

    `host` are those of the plan, `budget` is in thousandths of a decibel.
    """
    spare = set[tuple[int, int]]()
    if not _frees_others(fabric, host, stages):
        spare = _spare_ports(fabric, before, stages)
    made, proved = list[Stage](), True
    for stage in stages:
        connects = list(stage.connects)
        for panel in sorted({int(fabric.panel[one.a]) for one in connects}):
            chosen = [i for i, one in enumerate(connects) if fabric.panel[one.a] == panel]
            ports = _PanelPorts(fabric, [connects[i] for i in chosen], losses, spare)
            proved &= ports.improve()
            for i, one in zip(chosen, ports.circuits, strict=True):
                connects[i] = one
            spare = ports.spare
        made.append(replace(stage, connects=tuple(connects)))
    every = [one for stage in made for one in stage.connects]
    worst = max(map(losses.of_circuit, every), default=0)
    above = () if budget is None else tuple(c for c in every if losses.of_circuit(c) > budget)
    return tuple(made), CircuitLosses(
        ports=losses, worst=worst, proved=proved, budget=budget, above=above
    )


def _frees_others(fabric: PortMap, host: Sequence[int], stages: Sequence[Stage]) -> bool:
    """Whether circuits go for a port alone, which then has to be taken."""
    plays = set(host)
    return any(
        int(fabric.host[port]) not in plays or fabric.states[port] is not State.LIVE
        for stage in stages
        for circuit in stage.frees
        for port in circuit[:2]
    )


def _spare_ports(fabric: PortMap, before: Wiring, stages: Sequence[Stage]) -> set[tuple[int, int]]:
    """Ports with their sides (0 sends, 1 hears) that no circuit takes before the plan or in it."""
    ends = np.flatnonzero(before.to >= 0)
    used = {(int(a), 0) for a in ends} | {(int(before.to[a]), 1) for a in ends}
    for stage in stages:
        for a, b, duplex in stage.connects:
            used |= {(a, 0), (b, 1), (a, int(duplex)), (b, int(not duplex))}
    live = [port for port, state in enumerate(fabric.states) if state is State.LIVE]
    return {(port, side) for port in live for side in (0, 1)} - used


@dataclass(slots=True, eq=False)
class _PanelPorts:
    """The circuits that a stage makes on a panel, and the ports that each host has for them."""

    fabric: PortMap
    circuits: list[Circuit]
    losses: PortLosses
    spare: set[tuple[int, int]]
    pool: dict[Group, list[int]] = field(default_factory=dict)
    ends: dict[Group, list[tuple[int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for i, circuit in enumerate(self.circuits):
            for end in (0, 1):
                group = self._group(circuit, end)
                self.ends.setdefault(group, []).append((i, end))
                self.pool.setdefault(group, []).append(circuit[end])
        panel = self.fabric.panel[self.circuits[0].a]
        duplex = self.circuits[0].duplex
        for port, side in sorted(self.spare):
            group = int(self.fabric.host[port]), side
            both = not duplex or (port, 1 - side) in self.spare
            if self.fabric.panel[port] == panel and group in self.pool and both:
                self.pool[group].append(port)

    def _group(self, circuit: Circuit, end: int) -> Group:
        return int(self.fabric.host[circuit[end]]), 0 if circuit.duplex else end

    def loss_of(self, circuit: Circuit) -> int:
        """What a circuit loses; more than any where it must not be made."""
        rules = self.fabric.forbidden
        if rules and forbidding_rule(rules, self.fabric.host, self.fabric.panel, circuit[:2]):
            return FORBIDDEN
        return self.losses.of_circuit(circuit)

    @property
    def worst(self) -> int:
        """The worst loss."""
        return max(map(self.loss_of, self.circuits))

    def improve(self) -> bool:
        """Bring the worst loss down; whether it is proved that it is the least."""
        before = self._ports_in_use()
        for _ in range(ROUNDS):
            if not sum(self._exchange(group) for group in self.ends):
                break
        proved = self._improve_by_program()
        self.spare = (self.spare | before) - self._ports_in_use()
        return proved

    def _ports_in_use(self) -> set[tuple[int, int]]:
        """The ports that the circuits take, with their sides."""
        found = set[tuple[int, int]]()
        for a, b, duplex in self.circuits:
            found |= {(a, 0), (b, 1), (a, int(duplex)), (b, int(not duplex))}
        return found

    def _exchange(self, group: Group) -> bool:
        """Give the circuits at a host its best ports; whether that made anything better."""
        ends, pool = self.ends[group], self.pool[group]
        cost = np.array(
            [[self._loss_at(i, end, port) for port in pool] for i, end in ends], dtype=np.int64
        )
        now = [self.loss_of(self.circuits[i]) for i, _ in ends]
        limit = least_bottleneck(cost)
        barred = np.where(cost > limit, int(cost.sum()) + 1, cost)
        rows, columns = linear_sum_assignment(barred)
        chosen = cost[rows, columns]
        if (int(chosen.max()), int(chosen.sum())) >= (max(now), sum(now)):
            return False
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            self._set_port(*ends[row], pool[column])
        return True

    def _loss_at(self, i: int, end: int, port: int) -> int:
        a, b, duplex = self.circuits[i]
        return self.loss_of(Circuit(*((port, b) if end == 0 else (a, port)), duplex))

    def _set_port(self, i: int, end: int, port: int) -> None:
        a, b, duplex = self.circuits[i]
        self.circuits[i] = Circuit(*((port, b) if end == 0 else (a, port)), duplex)

    def _choices(self, most: int) -> list[tuple[int, int, int, int]]:
        """(loss, circuit, port, port) of all ways to make circuits with at most such a loss."""
        found = []
        for i, circuit in enumerate(self.circuits):
            for a in self.pool[self._group(circuit, 0)]:
                for b in self.pool[self._group(circuit, 1)]:
                    loss = self.loss_of(Circuit(a, b, circuit.duplex))
                    if loss <= most:
                        found.append((loss, i, a, b))
        return found

    def _improve_by_program(self) -> bool:
        """Take what an integer program finds below the worst loss; whether nothing is left."""
        while True:
            widths = (len(self.pool[self._group(c, 0)]) * len(self.pool[self._group(c, 1)])
                      for c in self.circuits)  # fmt: skip
            if sum(widths) > MOST_CHOICES:
                return self._least_alone() == self.worst
            choices = self._choices(self.worst - 1)
            if {i for _, i, _, _ in choices} != set(range(len(self.circuits))):
                return True  # some circuit has nothing better
            found = self._solve(choices)
            if isinstance(found, bool):
                return found
            for i, a, b in found:
                self.circuits[i] = Circuit(a, b, self.circuits[i].duplex)

    def _least_alone(self) -> int:
        """What the worst circuit loses at least, if it had its choice."""
        return max(
            min(
                self.loss_of(Circuit(a, b, one.duplex))
                for a in self.pool[self._group(one, 0)]
                for b in self.pool[self._group(one, 1)]
            )
            for one in self.circuits
        )

    def _solve(self, choices: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int]] | bool:
        """One choice for each circuit, no port twice; True where none is, False where unknown."""
        rows = dict[tuple[int, ...], int]()
        places = list[tuple[int, int]]()
        for column, (_, i, a, b) in enumerate(choices):
            side = 0 if self.circuits[i].duplex else 1
            for key in ((i,), (a, 0), (b, side)):
                places.append((rows.setdefault(key, len(rows)), column))
        row, column = np.array(places, dtype=np.int32).T
        table = coo_matrix((np.ones(len(row)), (row, column)), (len(rows), len(choices)))
        least = np.array([len(key) == 1 for key in rows], dtype=np.float64)
        answer = milp(
            np.zeros(len(choices)),
            constraints=LinearConstraint(_int32_rows(table), least, np.ones(len(rows))),
            integrality=np.ones(len(choices), dtype=np.int8),
            bounds=Bounds(0, 1),
            options={"node_limit": NODES},
        )
        if answer.status == 2:
            return True
        if answer.x is None:
            return False
        taken = np.flatnonzero(answer.x > 0.5).tolist()
        return [choices[place][1:] for place in taken]


def _int32_rows(table: coo_matrix) -> csr_matrix:
    made = csr_matrix(table)
    made.indices, made.indptr = made.indices.astype(np.int32), made.indptr.astype(np.int32)
    return made


def least_bottleneck(cost: Int64Array) -> int:
    """The least value such that each row can be given a column of its own at most that dear.

    There are no more rows than columns.

    >>> least_bottleneck(np.array([[1, 5], [2, 9]]))
    5
    """
    values = np.unique(cost)
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        allowed = csr_matrix(cost <= values[middle])
        matched = maximum_bipartite_matching(allowed, perm_type="column")
        if (matched >= 0).all():
            high = middle
        else:
            low = middle + 1
    return int(values[low])
