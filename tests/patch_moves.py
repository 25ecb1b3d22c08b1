"""The fewest patch moves by trying everything: slow, obvious, and independent of the planner.

All placements of the nodes, and for each all ways to put its circuits on panels or to leave them
out. Of the project only the nouns are used: the ports of a fabric with their states, and what each
transmitter reaches.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from generators.topology import Topology
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring

LOCKED = (State.HELD, State.RESERVED, State.PINNED)
GOOD = (State.LIVE, State.PINNED)


@dataclass(frozen=True)
class Ground:
    """What is in place, for hosts that may play: `room` counts the fibres that may be plugged in.

    Keys of `room` are (side, host, panel), side 0 sending, 1 hearing; in duplex only side 0 is
    used, for ports. `there` counts circuits that may stay or go, by (tail, head, panel); `pins`
    those that stay whatever comes, by (tail, head). A duplex circuit is counted once, from the
    lower host.
    """

    room: Counter
    there: Counter
    pins: Counter


def ground(fabric: PortMap, wiring: Wiring, hosts: Sequence[int], *, duplex: bool) -> Ground:
    """Each fibre of each port looked at on its own; in duplex both fibres of a port at once."""
    to = wiring.to.tolist()
    heard = [-1] * fabric.ports
    for port, other in enumerate(to):
        if other >= 0:
            heard[other] = port
    state, panel = fabric.states, fabric.panel.tolist()
    host = fabric.host.tolist()

    def free(port: int, side: int) -> bool:
        others = (to[port], heard[port]) if duplex else ((to[port], heard[port])[side],)
        mine = state[port] is State.LIVE and host[port] in hosts
        return mine and not any(other >= 0 and state[other] in LOCKED for other in others)

    room, there, pins = Counter(), Counter(), Counter()
    for port in range(fabric.ports):
        for side in (0,) if duplex else (0, 1):
            room[side, host[port], panel[port]] += free(port, side)
    for port, other in enumerate(to):
        if other < 0 or (duplex and (to[other] != port or other < port)):
            continue
        pair = host[port], host[other]
        pair = (min(pair), max(pair)) if duplex else pair
        if pair[0] == pair[1] or not set(pair) <= set(hosts):
            continue
        if free(port, 0) and free(other, 0 if duplex else 1):
            there[(*pair, panel[port])] += 1
        elif (
            state[port] in GOOD
            and state[other] in GOOD
            and State.PINNED
            in (
                state[port],
                state[other],
            )
        ):
            pins[pair] += 1
    return Ground(room, there, pins)


def fewest(
    fabric: PortMap,
    wiring: Wiring,
    graph: Topology,
    *,
    duplex: bool,
    hosts: Sequence[int],
    fixed: Sequence[int] | None = None,
) -> tuple[int, int]:
    """The fewest circuits left out, and of such plans the fewest circuits made; no fewer exist."""
    base = ground(fabric, wiring, hosts, duplex=duplex)
    wanted = _wanted(graph, duplex=duplex)
    asked = {
        tuple(sorted(_open(base, wanted, place, duplex=duplex)))
        for place in _placements(graph.n, hosts, fixed)
    }
    panels = range(len(fabric.panels))
    return min(cheapest(base, circuits, panels, duplex=duplex) for circuits in asked)


def fewest_of(
    fabric: PortMap,
    wiring: Wiring,
    graph: Topology,
    place: Sequence[int],
    *,
    duplex: bool,
    hosts: Sequence[int],
) -> tuple[int, int]:
    """The same where host `place[v]` plays node v: by all ways to put its circuits on panels."""
    base = ground(fabric, wiring, hosts, duplex=duplex)
    circuits = sorted(_open(base, _wanted(graph, duplex=duplex), tuple(place), duplex=duplex))
    return cheapest(base, circuits, range(len(fabric.panels)), duplex=duplex)


def _wanted(graph: Topology, *, duplex: bool) -> list[tuple[int, int]]:
    return [
        (u, v)
        for u, v in zip(graph.tail.tolist(), graph.head.tolist(), strict=True)
        if u < v or (u > v and not duplex)
    ]


def _placements(
    nodes: int, hosts: Sequence[int], fixed: Sequence[int] | None
) -> Iterator[tuple[int, ...]]:
    for place in permutations(hosts, nodes):
        if fixed is None or all(h < 0 or place[v] == h for v, h in enumerate(fixed)):
            yield place


def _open(
    base: Ground, wanted: list[tuple[int, int]], place: tuple[int, ...], *, duplex: bool
) -> Iterator[tuple[int, int]]:
    """The circuits between hosts that no pinned circuit is there for."""
    pins = base.pins.copy()
    for u, v in wanted:
        pair = place[u], place[v]
        pair = (min(pair), max(pair)) if duplex else pair
        if pins[pair]:
            pins[pair] -= 1
        else:
            yield pair


def cheapest(
    base: Ground, circuits: Sequence[tuple[int, int]], panels: Sequence[int], *, duplex: bool
) -> tuple[int, int]:
    """Circuits left out and made, over all ways to put each on a panel or to leave it out."""
    room, there = base.room.copy(), base.there.copy()

    @cache
    def used_up(number: int, *_: object) -> tuple[int, int]:
        if number == len(circuits):
            return 0, 0
        tail, head = circuits[number]
        out, made = rest(number + 1)
        best = out + 1, made
        for panel in panels:
            ends = (0, tail, panel), (0 if duplex else 1, head, panel)
            if all(room[end] for end in ends):
                stays = there[tail, head, panel] > 0
                for end in ends:
                    room[end] -= 1
                there[tail, head, panel] -= 1
                out, made = rest(number + 1)
                best = min(best, (out, made + (not stays)))
                there[tail, head, panel] += 1
                for end in ends:
                    room[end] += 1
        return best

    # What is left of `room` and `there` matters only at the circuits still to come.
    later = [
        (
            [
                (s, h, p)
                for h in {e for c in circuits[i:] for e in c}
                for p in panels
                for s in (0, 1)
            ],
            [(*c, p) for c in set(circuits[i:]) for p in panels],
        )
        for i in range(len(circuits) + 1)
    ]

    def rest(number: int) -> tuple[int, int]:
        ends, pairs = later[number]
        return used_up(number, *(room[end] for end in ends), *(there[pair] for pair in pairs))

    return rest(0)
