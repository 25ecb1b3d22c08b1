"""The best panels and ports for the circuits of one placement where some must not be made.

Ports of a host on a panel are alike where they are forbidden the same ports: they make a class. A
way of a circuit is a panel with a class at each end; what is in place may stay in any way, nothing
forbidden is made. So many circuits in each way is one integer program, in which a circuit left out
costs more than all moves.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from generators.topology import Int64Array, IntArray
from topofinder.model.inventory.forbidden import forbidding_rule, port_classes, rate_numbers
from topofinder.patching.circuits import Circuits
from topofinder.patching.existing_circuits import ExistingCircuits
from topofinder.patching.placement.integer_program import Effort, IntegerProgram, solve_program

HostPair = tuple[int, int, int]
"""Two hosts, and the place of a rate among those of ports; 0 where they have none."""


class CircuitWay(NamedTuple):
    """A panel and the classes of the ports at both ends: `most` circuits, `there` in place."""

    panel: int
    classes: tuple[int, int]
    most: int
    there: int
    makeable: bool


class CircuitWays:
    """What two hosts can be joined by, on the ports of a fabric and with what is in place."""

    def __init__(self, place: ExistingCircuits) -> None:
        self.place, fabric = place, place.fabric
        self.port_class = port_classes(fabric.forbidden, fabric.ports)
        self.port_rate = rate_numbers(fabric.forbidden, fabric.ports)
        self.room: Counter[tuple[int, int, int, int]] = Counter()
        self._port: dict[tuple[int, int, int], int] = {}
        self._kinds: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        sides = 1 if place.duplex else 2
        for side, port in zip(*np.nonzero(place.usable[:sides]), strict=True):
            host, panel = int(fabric.host[port]), int(fabric.panel[port])
            kind = panel, int(self.port_class[port])
            if not self.room[(int(side), host, *kind)]:
                self._kinds[int(side), host].append(kind)
            self.room[(int(side), host, *kind)] += 1
            self._port.setdefault((host, *kind), int(port))
        self.there: defaultdict[HostPair, defaultdict[tuple[int, ...], list[int]]]
        self.there = defaultdict(lambda: defaultdict(list))
        self.pins: defaultdict[HostPair, list[int]] = defaultdict(list)
        for number in np.flatnonzero(place.countable).tolist():
            self._enter(number)
        self._ways: dict[HostPair, list[CircuitWay]] = {}

    def _enter(self, number: int) -> None:
        """Enter a circuit in place that may stay."""
        fabric, circuit = self.place.fabric, self.place.circuits[number]
        ends = [(int(fabric.host[port]), int(self.port_class[port])) for port in circuit[:2]]
        if self.place.duplex:
            ends.sort(key=lambda end: end[0])
        rates = {int(self.port_rate[port]) for port in circuit[:2]}
        if ends[0][0] == ends[1][0] or len(rates) > 1:
            return
        pair = ends[0][0], ends[1][0], rates.pop()
        if number < self.place.pinned:
            self.pins[pair].append(number)
        else:
            way = int(fabric.panel[circuit.a]), ends[0][1], ends[1][1]
            self.there[pair][way].append(number)

    def pair(self, tail: int, head: int, rate: int) -> HostPair:
        """Two hosts as keys have them: the lower one first in duplex."""
        return (*((min(tail, head), max(tail, head)) if self.place.duplex else (tail, head)), rate)

    def far_side(self) -> int:
        """The side of the ports at the head of a circuit."""
        return 0 if self.place.duplex else 1

    def of(self, pair: HostPair) -> list[CircuitWay]:
        """The ways in which circuits between two hosts can be."""
        if pair not in self._ways:
            self._ways[pair] = list(self._find_ways(pair))
        return self._ways[pair]

    def _find_ways(self, pair: HostPair) -> Iterator[CircuitWay]:
        fabric, far = self.place.fabric, self.far_side()
        for panel, own in self._kinds[0, pair[0]]:
            for other_panel, other in self._kinds[far, pair[1]]:
                if panel != other_panel:
                    continue
                ports = self._port[pair[0], panel, own], self._port[pair[1], panel, other]
                if self.port_rate[ports[0]] != pair[2]:
                    continue
                rule = forbidding_rule(fabric.forbidden, fabric.host, fabric.panel, ports)
                there = len(self.there[pair].get((panel, own, other), ()))
                room = self.room[0, pair[0], panel, own], self.room[far, pair[1], panel, other]
                most = min(*room) if rule is None else min(*room, there)
                if most:
                    yield CircuitWay(panel, (own, other), most, there, rule is None)

    def most(self, pair: HostPair) -> int:
        """Circuits between two hosts, at most, those that are pinned too."""
        return len(self.pins[pair]) + sum(way.most for way in self.of(pair))

    def kept_at_most(self, pair: HostPair) -> int:
        """Circuits in place between two hosts that may stay."""
        return len(self.pins[pair]) + sum(map(len, self.there[pair].values()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PortSplit:
    """Panels (circuits,), -1 for left out; `stays` the circuit in place, or -1.

    `classes` (circuits, 2) are those of the ports to take. Of all splits of the placement none
    leaves out fewer than `out`, and none that leaves out as few makes fewer than `made`.
    """

    panel: IntArray
    stays: Int64Array
    classes: Int64Array
    out: int
    made: int

    @property
    def price(self) -> tuple[int, int]:
        """Circuits left out and circuits to make: less is better, in this order."""
        left = self.panel < 0
        return int(left.sum()), int(((self.stays < 0) & ~left).sum())


class _Variable(NamedTuple):
    """So many circuits of a pair in a way that stay there (cost 0), or are made (cost 1)."""

    pair: HostPair
    way: CircuitWay
    cost: int


def split_over_ports(
    ways: CircuitWays, target: Circuits, host: Sequence[int], effort: Effort
) -> PortSplit:
    """The best split of the circuits of a target over panels and ports; `host[v]` plays node v."""
    split = PortSplit(
        panel=np.full(target.count, -1, dtype=np.int32),
        stays=np.full(target.count, -1, dtype=np.int64),
        classes=np.zeros((target.count, 2), dtype=np.int64),
        out=0,
        made=0,
    )
    open_ = _serve_by_pins(ways, target, host, split)
    if not open_:
        return split
    wanted = {pair: len(circuits) for pair, circuits in open_.items()}
    variables = [
        _Variable(pair, way, cost)
        for pair in wanted
        for way in ways.of(pair)
        for cost in (0, 1)
        if (way.makeable if cost else way.there)
    ]
    total = sum(wanted.values())
    program = _program(ways, wanted, variables, total + 1)
    known = _first_come(ways, wanted, variables)
    found = solve_program(program, known, effort)
    _enter_split(ways, split, open_, variables, found.chosen)
    if target.duplex:
        placed = np.asarray(host)
        turned = placed[target.tail] > placed[target.head]
        split.classes[turned] = split.classes[turned][:, ::-1]
    out = split.price[0]
    if found.bound >= out * (total + 1):
        return replace(split, out=out, made=found.bound - out * (total + 1))
    return replace(split, out=max(0, -(-(found.bound - total) // (total + 1))))


def _serve_by_pins(
    ways: CircuitWays, target: Circuits, host: Sequence[int], split: PortSplit
) -> dict[HostPair, list[int]]:
    """Let pinned circuits serve the target; what is left, by pair of hosts."""
    left = {pair: list(reversed(numbers)) for pair, numbers in ways.pins.items()}
    fabric, open_ = ways.place.fabric, defaultdict[HostPair, list[int]](list)
    for i, (u, v, rate) in enumerate(target.rows):
        pair = ways.pair(int(host[u]), int(host[v]), rate)
        if left.get(pair):
            split.stays[i] = left[pair].pop()
            circuit = ways.place.circuits[split.stays[i]]
            split.panel[i] = fabric.panel[circuit.a]
        else:
            open_[pair].append(i)
    return open_


def _program(
    ways: CircuitWays, wanted: Mapping[HostPair, int], variables: Sequence[_Variable], dear: int
) -> IntegerProgram:
    """Fewest moves and circuits left out, which are `dear`: the last variable of each pair."""
    number: dict[tuple[int, ...], int] = {}
    rows, columns = list[int](), list[int]()
    for column, ((a, b, _), way, _) in enumerate(variables):
        for key in ((0, a, way.panel, way.classes[0]),
                    (ways.far_side(), b, way.panel, way.classes[1])):  # fmt: skip
            rows.append(number.setdefault(key, len(number)))
            columns.append(column)
    pairs = {pair: place for place, pair in enumerate(wanted)}
    count = len(variables), len(variables) + len(pairs)
    use = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(number), count[1]))
    own_rows = [pairs[one.pair] for one in variables] + list(range(len(pairs)))
    own = sparse.csr_matrix(
        (np.ones(count[1]), (own_rows, np.arange(count[1]))), shape=(len(pairs), count[1])
    )
    need = np.array(list(wanted.values()), dtype=np.int64)
    most = [min(v.way.most, v.way.there if not v.cost else wanted[v.pair]) for v in variables]
    return IntegerProgram(
        cost=np.array([one.cost for one in variables] + [dear] * len(pairs), dtype=np.int64),
        rows=sparse.csr_matrix(sparse.vstack([use, own, -own])),
        limit=np.concatenate(
            [np.array([ways.room[key] for key in number], dtype=np.int64), need, -need]  # type: ignore[index]
        ),
        most=np.concatenate([np.array(most, dtype=np.int64), need]),
    )


def _first_come(
    ways: CircuitWays, wanted: Mapping[HostPair, int], variables: Sequence[_Variable]
) -> Int64Array:
    """A split to begin with: what may stay does, the others take what is left, as they come."""
    room, left = ways.room.copy(), dict(wanted)
    taken = np.zeros(len(variables), dtype=np.int64)
    for column in sorted(range(len(variables)), key=lambda column: variables[column].cost):
        pair, way, cost = variables[column]
        a, b, _ = pair
        ends = ((0, a, way.panel, way.classes[0]),
                (ways.far_side(), b, way.panel, way.classes[1]))  # fmt: skip
        most = way.most if cost else way.there
        taken[column] = min(most, left[pair], *(room[end] for end in ends))
        left[pair] -= int(taken[column])
        room.subtract({end: int(taken[column]) for end in ends})
    return np.concatenate([taken, np.array(list(left.values()), dtype=np.int64)])


def _enter_split(
    ways: CircuitWays,
    split: PortSplit,
    open_: Mapping[HostPair, Sequence[int]],
    variables: Sequence[_Variable],
    chosen: Int64Array,
) -> None:
    """Give each circuit the way that the program has chosen for one of its pair."""
    waiting = {pair: list(reversed(circuits)) for pair, circuits in open_.items()}
    for (pair, way, cost), times in zip(variables, chosen.tolist(), strict=False):
        there = ways.there[pair].get((way.panel, *way.classes), [])
        for place in range(times):
            i = waiting[pair].pop()
            split.panel[i], split.classes[i] = way.panel, way.classes
            if not cost:
                split.stays[i] = there[place]
