"""The fewest patch moves by trying everything: slow, obvious, and independent of the planner.

All placements of the nodes, and for each all ways to put its circuits on panels or to leave them
out. Of the project only the nouns are used: the ports of a fabric with their states, and what each
transmitter reaches.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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
    free = _free_fibres(fabric, to, heard, hosts, duplex=duplex)

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


def _free_fibres(
    fabric: PortMap, to: list[int], heard: list[int], hosts: Sequence[int], *, duplex: bool
) -> Callable[[int, int], bool]:
    """Whether a fibre of a port may be plugged in: side 0 sends, 1 hears."""
    state, host = fabric.states, fabric.host.tolist()

    def free(port: int, side: int) -> bool:
        others = (to[port], heard[port]) if duplex else ((to[port], heard[port])[side],)
        mine = state[port] is State.LIVE and host[port] in hosts
        return mine and not any(other >= 0 and state[other] in LOCKED for other in others)

    return free


def fewest_allowed(
    fabric: PortMap,
    wiring: Wiring,
    graph: Topology,
    barred: Sequence[Sequence[str]],
    *,
    duplex: bool,
    hosts: Sequence[int],
    fixed: Sequence[int] | None = None,
    place: tuple[int, ...] | None = None,
) -> tuple[int, int]:
    """The same where pairs of names must not be joined: by all choices of ports, one by one.

    With a `place`, of that placement alone.
    """
    base = ground(fabric, wiring, hosts, duplex=duplex)
    wanted = _wanted(graph, duplex=duplex)
    asked = {
        tuple(sorted(_open(base, wanted, each, duplex=duplex)))
        for each in ([place] if place else _placements(graph.n, hosts, fixed))
    }
    ways = _port_ways(fabric, wiring, barred, hosts, duplex=duplex)
    return min(_cheapest_ports(circuits, ways) for circuits in asked)


Way = tuple[int, int]
"""The fibres that a circuit takes, as bits, and whether it is to be made."""


def _port_ways(
    fabric: PortMap,
    wiring: Wiring,
    barred: Sequence[Sequence[str]],
    hosts: Sequence[int],
    *,
    duplex: bool,
) -> dict[tuple[int, int], list[Way]]:
    """All ways of joining two hosts, port by port."""
    to = wiring.to.tolist()
    heard = [to.index(port) if port in to else -1 for port in range(fabric.ports)]
    free = _free_fibres(fabric, to, heard, hosts, duplex=duplex)

    def called(port: int) -> tuple[str, ...]:
        panel, host = fabric.panels[fabric.panel[port]].name, fabric.hosts[fabric.host[port]]
        return fabric.names[port], fabric.positions[port], panel, host

    found: dict[tuple[int, int], list[Way]] = {}
    for a, b in permutations(range(fabric.ports), 2):
        pair = int(fabric.host[a]), int(fabric.host[b])
        if fabric.panel[a] != fabric.panel[b] or pair[0] == pair[1]:
            continue
        if not free(a, 0) or not free(b, 0 if duplex else 1) or (duplex and pair[0] > pair[1]):
            continue
        stays = to[a] == b and (not duplex or to[b] == a)
        if not stays and any(
            (x in called(a) and y in called(b)) or (y in called(a) and x in called(b))
            for x, y in barred
        ):
            continue
        fibres = (1 << 2 * a) | (1 << 2 * b + (not duplex))
        found.setdefault(pair, []).append((fibres, not stays))
    return found


def _cheapest_ports(
    circuits: Sequence[tuple[int, int]], ways: dict[tuple[int, int], list[Way]]
) -> tuple[int, int]:
    @cache
    def rest(number: int, used: int) -> tuple[int, int]:
        if number == len(circuits):
            return 0, 0
        out, made = rest(number + 1, used)
        best = out + 1, made
        for fibres, new in ways.get(circuits[number], ()):
            if not fibres & used:
                out, made = rest(number + 1, used | fibres)
                best = min(best, (out, made + new))
        return best

    return rest(0, 0)


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
