"""Small fabrics with everything that makes patch plans hard, drawn from a seed.

Often: ports one of whose fibres is locked, parallel circuits in place, panels with unequal ports,
and targets that are in place but for a circuit or two.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from generators.topology import Topology
from tests.patch_moves import Ground, ground
from topofinder.model.inventory.document import Host, Inventory, Panel, Port, State
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.failures import Failures, mark_failed

Random = np.random.Generator
ODD = (State.DEAD, State.PINNED, State.RESERVED, State.HELD)
MOST = 8
"""Circuits of a target, at most."""
MOST_WAYS = 6000
"""Placements times circuits of one case, so that trying everything takes a moment."""


@dataclass(frozen=True)
class Case:
    """A fabric, what is in place, and a target; `hosts` may play, `fixed[v]` is a host or -1."""

    fabric: PortMap
    wiring: Wiring
    graph: Topology
    duplex: bool
    hosts: tuple[int, ...]
    fixed: tuple[int, ...] | None


def drawn_case(seed: int, more: int = 0) -> Case:
    """A case; with so many `more` hosts there are too many placements to try them all."""
    random = np.random.default_rng(seed)
    duplex = bool(random.random() < 0.4)
    fabric = _fabric(random, more)
    wiring = _wiring(random, fabric, duplex)
    if random.random() < 0.2:
        fabric = mark_failed(fabric, wiring, _failures(random, fabric, wiring))
    good = {int(fabric.host[p]) for p in fabric.of_state(State.LIVE, State.PINNED).tolist()}
    hosts = sorted(good)
    if len(hosts) > 2 and random.random() < 0.15:
        hosts.pop(int(random.integers(len(hosts))))
    if len(hosts) < 2:
        return drawn_case(seed + 1_000_000, more)
    graph = _graph(random, fabric, wiring, hosts, duplex, MOST if more else None)
    fixed = None
    if random.random() < 0.15:
        one = [-1] * graph.n
        one[int(random.integers(graph.n))] = int(random.choice(hosts))
        fixed = tuple(one)
    return Case(fabric, wiring, graph, duplex, tuple(hosts), fixed)


def _fabric(random: Random, more: int) -> PortMap:
    """2 to 7 hosts and some more, of 1 to 4 ports on 1 to 3 panels, mostly on any of them."""
    hosts = int(random.choice([2, 3, 4, 5, 6, 7], p=[0.15, 0.3, 0.3, 0.13, 0.07, 0.05]))
    panels = int(random.choice([1, 2, 3], p=[0.35, 0.45, 0.2]))
    odd, even = random.choice([0.0, 0.15, 0.3]), random.random() < 0.3
    most = int(random.integers(1, 5 if hosts < 5 else 4))
    listed, position = [], 0
    for h in range(hosts + more):
        own = []
        for j in range(most if even else int(random.integers(1, most + 1))):
            position += 1
            panel = j % panels if even else int(random.integers(panels))
            state = random.choice(ODD) if random.random() < odd else State.LIVE
            own.append(Port(panel=f"P{panel}", position=position, state=State(state)))
        state = random.choice(ODD) if random.random() < odd / 4 else State.LIVE
        listed.append(Host(name=f"h{h}", ports=own, state=State(state)))
    made = [Panel(name=f"P{panel}") for panel in range(panels)]
    return port_map(Inventory(panels=made, hosts=listed))


def _wiring(random: Random, fabric: PortMap, duplex: bool) -> Wiring:
    """Fibres inside each panel; parallel ones often, as hosts that are joined attract more."""
    to = np.full(fabric.ports, -1)
    full = random.choice([0.5, 0.9, 1.0])
    pairs = duplex if random.random() < 0.85 else not duplex
    for panel in range(len(fabric.panels)):
        ports = np.flatnonzero(fabric.panel == panel)
        senders, hearers = random.permutation(ports).tolist(), random.permutation(ports).tolist()
        if random.random() < 0.5:
            senders.sort(key=lambda port: fabric.host[port])
            hearers.sort(key=lambda port: -fabric.host[port])
        for sender in senders:
            free = [p for p in hearers if p != sender and p not in to]
            if pairs:
                free = [p for p in free if to[p] < 0] if sender not in to else []
            if to[sender] < 0 and free and random.random() < full:
                to[sender] = free[0]
                if pairs:
                    to[free[0]] = sender
    return Wiring(to=to)


def _failures(random: Random, fabric: PortMap, wiring: Wiring) -> Failures:
    circuits = wiring.circuits()
    if circuits and random.random() < 0.5:
        a, b, _ = circuits[int(random.integers(len(circuits)))]
        return Failures(links=(f"{fabric.names[a]}={fabric.names[b]}",))
    return Failures(ports=(fabric.names[int(random.integers(fabric.ports))],))


def _graph(
    random: Random,
    fabric: PortMap,
    wiring: Wiring,
    hosts: list[int],
    duplex: bool,
    most: int | None,
) -> Topology:
    """What is in place on some hosts, with a circuit or two exchanged; or any circuits.

    There are at most so many circuits, or as many as allow to try all placements.
    """
    n = int(random.integers(2, min(len(hosts), 7) + 1))
    chosen = random.permutation(hosts)[:n].tolist()
    pairs: list[tuple[int, int]] = []
    base = ground(fabric, wiring, hosts, duplex=duplex)
    if random.random() < 0.65:
        for (u, v, *_), times in (*base.there.items(), *base.pins.items()):
            if u in chosen and v in chosen:
                pairs += [(chosen.index(u), chosen.index(v))] * times
    change = int(random.integers(0, 3)) if pairs else int(random.integers(1, 2 * n + 1))
    for _ in range(change):
        if len(pairs) > 1 and random.random() < 0.6:
            pairs.pop(int(random.integers(len(pairs))))
        u, v = random.permutation(n)[:2].tolist()
        pairs += [(u, v)] * int(random.choice([1, 2], p=[0.8, 0.2]))
    if random.random() < 0.75:
        pairs = list(_with_ports(base, pairs, chosen, duplex=duplex))
    if not pairs:
        pairs = [(0, 1)]
    ways = int(np.prod(np.arange(len(hosts) - n + 1, len(hosts) + 1)))
    pairs = pairs[: max(1, min(MOST, MOST_WAYS // ways)) if most is None else most]
    if duplex:
        pairs += [(v, u) for u, v in pairs]
    return Topology.from_arcs(n, pairs)


def _with_ports(
    base: Ground, pairs: list[tuple[int, int]], chosen: list[int], *, duplex: bool
) -> Iterator[tuple[int, int]]:
    """Those for which the chosen hosts have fibres, whatever their panels."""
    room: Counter[tuple[int, int]] = Counter()
    for (side, host, _), count in base.room.items():
        room[side, host] += count
    pins = base.pins.copy()
    for u, v in pairs:
        pair = chosen[u], chosen[v]
        pair = (min(pair), max(pair)) if duplex else pair
        ends = (0, pair[0]), (0 if duplex else 1, pair[1])
        if pins[pair]:
            pins[pair] -= 1
            yield u, v
        elif all(room[end] for end in ends):
            room.subtract(ends)
            yield u, v
