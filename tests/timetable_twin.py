"""Timetables judged and made with sets, dicts and Fractions of a second: slow and obvious.

Sums are sets of nodes that travel, so that nothing rests on the library's argument about parts
that are sent once.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import NamedTuple

import numpy as np

from expansions.automorphisms import Automorphisms
from generators.topology import Topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.timetable import Timetable

Channel = tuple[int, ...]


class Send(NamedTuple):
    number: int
    chunk: tuple[int, int]
    arcs: Channel
    tail: int
    head: int
    begin: Fraction
    arrive: Fraction
    free: Fraction
    sums: bool


def arc_seconds(graph: Topology, units: LinkUnits, size: Fraction) -> list[tuple]:
    """Of each arc its latency, and what `size` bytes take."""
    late = graph.latency or (1,) * graph.arcs
    wide = graph.capacity or (1,) * graph.arcs
    return [(units.latency * a, size / (units.rate * b)) for a, b in zip(late, wide, strict=True)]


def tick_of(graph: Topology, units: LinkUnits, size: Fraction) -> Fraction:
    found = Fraction()
    for pair in arc_seconds(graph, units, size):
        for value in map(Fraction, pair):
            a, b, c, d = found.numerator, found.denominator, value.numerator, value.denominator
            found = Fraction(gcd(a * d, b * c), b * d)
    return found


def durations(graph, units, size, model, arcs: Channel) -> tuple[Fraction, Fraction]:
    """How long after its begin a chunk is there, and how long its arcs are busy."""
    seconds = arc_seconds(graph, units, size)
    late, sending = sum(seconds[e][0] for e in arcs), max(seconds[e][1] for e in arcs)
    return late + sending, sending + (late if model == "occupied" else 0)


def arc_share(graph: Topology, arc: int, arcs: Channel) -> Fraction:
    """What a send over these arcs, at the rate of the slowest, takes of one of them."""
    if graph.capacity is None:
        return Fraction(1)
    return Fraction(min(graph.capacity[e] for e in arcs)) / graph.capacity[arc]


def channels_of(table: Timetable) -> list[Channel]:
    start, arcs = table.route_start.tolist(), table.route_arc.tolist()
    routes = [tuple(arcs[a:b]) for a, b in pairwise(start)]
    return [(e,) for e in range(table.topology.arcs)] + routes


def images_of(words: Automorphisms | None, graph: Topology) -> list[tuple]:
    """(node, image of nodes, image of arcs) for all nodes; parallel arcs keep their order."""
    if words is None:
        return [(0, list(range(graph.n)), list(range(graph.arcs)))]
    pairs = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    found = []
    for u in range(graph.n):
        image = words.image(u).tolist()
        arcs = []
        for e, (a, b) in enumerate(pairs):
            rank = pairs[:e].count((a, b))
            like = [f for f, pair in enumerate(pairs) if pair == (image[a], image[b])]
            arcs.append(like[rank])
        found.append((u, image, arcs))
    return found


def sends_of(table: Timetable) -> list[Send]:
    graph, tick = table.topology, tick_of(table.topology, table.units, table.chunk_bytes)
    channels, found = channels_of(table), []
    for u, _, image in images_of(table.translations, graph):
        for i in range(table.sends):
            x = int(table.chunk[i])
            arcs = tuple(image[e] for e in channels[table.channel[i]])
            size = table.chunk_bytes * int(table.amount[x])
            there, busy = durations(graph, table.units, size, table.model, arcs)
            begin = int(table.begin[i]) * tick
            found.append(Send(i, (u, x), arcs, int(graph.tail[arcs[0]]), int(graph.head[arcs[-1]]),
                              begin, begin + there, begin + busy, i < table.reducing))  # fmt: skip
    return found


def judge(table: Timetable) -> set[str]:
    """The kinds of faults that a timetable has: none if it is valid."""
    graph, sends = table.topology, sends_of(table)
    hosts = set(range(graph.n)) - set(graph.switches)
    faults = {"switch" for send in sends if not {send.tail, send.head} <= hosts}
    for u, image, _ in images_of(table.translations, graph):
        for x in range(table.chunks):
            target = None if table.target is None else image[table.target[x]]
            own = [send for send in sends if send.chunk == (u, x)]
            faults |= chunk_faults(table, own, hosts, image[table.origin[x]], target)
    taken = defaultdict(list)
    for send in sends:
        for arc in send.arcs:
            taken[arc].append((send.begin, send.free, arc_share(graph, arc, send.arcs)))
    for uses in taken.values():
        for now, _, _ in uses:
            if sum(share for begin, free, share in uses if begin <= now < free) > 1:
                faults.add("shared")
    if table.bound is not None and table.bound > max((s.arrive for s in sends), default=0):
        faults.add("bound")
    return faults


def chunk_faults(table, sends, hosts, origin, target) -> set[str]:
    """What is wrong with one chunk, event by event; what arrives comes before what leaves."""
    kind, faults = str(table.collective), set()
    sums = kind in ("reduce-scatter", "reduce", "allreduce")
    parts = {v: {v} for v in hosts} if sums else {}
    holders = set() if sums else {origin}
    moving, passed, sent = {}, set(), set()
    events = [(send.arrive, 0, at) for at, send in enumerate(sends)]
    events += [(send.begin, 1, at) for at, send in enumerate(sends)]
    last = max((send.arrive for send in sends if send.sums), default=Fraction())
    for now, leaves, at in sorted(events):
        send = sends[at]
        if sums and now >= last and parts.get(origin) == hosts:
            holders.add(origin)
        if leaves and send.sums:
            if send.tail == origin or send.tail in sent:
                faults.add("sent twice")
            sent.add(send.tail)
            moving[at], parts[send.tail] = parts.get(send.tail, set()), set()
        elif leaves:
            if send.tail not in holders:
                faults.add("not there")
            passed.add(send.tail)
        elif send.sums:
            if parts.setdefault(send.head, set()) & moving[at]:
                faults.add("counted twice")
            parts[send.head] |= moving[at]
        else:
            if send.head in holders | {origin}:
                faults.add("twice")
            holders.add(send.head)
    if sums and (parts[origin] != hosts or any(parts[v] for v in hosts - {origin})):
        faults.add("sum")
    if kind == "allreduce" or not sums:
        if target is None and holders | {origin} != hosts:
            faults.add("lacking")
        if target is not None and target not in holders:
            faults.add("lacking")
        if target is not None and holders - passed - {target} - {origin}:
            faults.add("astray")
    return faults


def host_channels(graph: Topology, longest: int = 3) -> tuple[list[Channel], list[Channel]]:
    """Arcs between different hosts, and all routes through switches of up to so many arcs."""
    tail, head, switches = graph.tail.tolist(), graph.head.tolist(), set(graph.switches)
    arcs = [(e,) for e in range(graph.arcs)
            if not {tail[e], head[e]} & switches and tail[e] != head[e]]  # fmt: skip
    ways = [(e,) for e in range(graph.arcs) if tail[e] not in switches and head[e] in switches]
    routes = []
    for _ in range(longest - 1):
        ways = [(*way, e) for way in ways for e in range(graph.arcs)
                if tail[e] == head[way[-1]] and e not in way]  # fmt: skip
        done = [way for way in ways if head[way[-1]] not in switches]
        routes += [way for way in done if tail[way[0]] != head[way[-1]]]
        ways = [way for way in ways if head[way[-1]] in switches]
    return arcs, routes


def make_timetable(
    graph: Topology, collective: str, *, model="pipelined", chunks=1, seed=0, amounts=False,
    units=LinkUnits(latency=Fraction(1, 3), rate=Fraction(2)), size=Fraction(3),
) -> Timetable:  # fmt: skip
    """A valid timetable: each send in turn is that of the earliest begin, ties at random."""
    random = np.random.default_rng(seed)
    arcs, routes = host_channels(graph)
    channels = arcs + routes
    number = {way: way[0] for way in arcs}
    number |= {way: graph.arcs + place for place, way in enumerate(routes)}
    hosts = [v for v in range(graph.n) if v not in graph.switches]
    root = int(random.choice(hosts)) if collective in ("broadcast", "reduce") else None
    origin = [v for v in (hosts if root is None else [root]) for _ in range(chunks)]
    target = None
    if collective == "all-to-all":
        pairs = [(u, v) for u in hosts for v in hosts if u != v for _ in range(chunks)]
        origin, target = [u for u, _ in pairs], [v for _, v in pairs]
    amount = [int(random.integers(1, 4)) if amounts else 1 for _ in origin]
    play = _Play(graph, units, size, model, channels, amount)
    if collective in ("reduce-scatter", "reduce", "allreduce"):
        play.gather(origin, hosts, random)
    reducing = len(play.rows)
    if collective not in ("reduce-scatter", "reduce"):
        play.spread(origin, hosts, target, random)
    tick = tick_of(graph, units, size)
    ends = np.cumsum([0, *map(len, routes)])
    return Timetable(
        topology=graph, collective=collective, model=model, units=units, chunk_bytes=size,
        chunk=[x for x, _, _ in play.rows], channel=[number[way] for _, way, _ in play.rows],
        begin=[int(begin / tick) for _, _, begin in play.rows], origin=origin, target=target,
        amount=amount, reducing=reducing, root=root, route_start=ends,
        route_arc=np.array([e for way in routes for e in way], dtype=np.int32),
    )  # fmt: skip


class _Play:
    """Sends appended one by one, each as early as its arcs and its chunk allow."""

    def __init__(self, graph, units, size, model, channels, amount) -> None:
        self.tail = {way: int(graph.tail[way[0]]) for way in channels}
        self.head = {way: int(graph.head[way[-1]]) for way in channels}
        self.times = {
            (way, m): durations(graph, units, size * m, model, way)
            for way in channels
            for m in set(amount)
        }
        self.amount, self.channels = amount, channels
        self.rows: list = []
        self.graph, self.uses = graph, defaultdict(list)
        self.there: dict = {}

    def begin(self, x, way, ready) -> Fraction:
        """The earliest moment from which on all arcs have room, whatever comes later there."""
        uses = [(self.uses[e], 1 - arc_share(self.graph, e, way)) for e in way]
        ends = {until for own, _ in uses for _, until, _ in own}
        for now in sorted({ready, *(end for end in ends if end > ready)}):
            if all(self.most_used(own, now) <= rest for own, rest in uses):
                return now
        raise AssertionError("some end is the last")

    @staticmethod
    def most_used(own, now) -> Fraction:
        own = [use for use in own if use[1] > now]
        moments = [now, *(begin for begin, _, _ in own if begin > now)]
        return max(
            sum((share for a, b, share in own if a <= moment < b), Fraction(0))
            for moment in moments
        )

    def send(self, x, way, ready) -> Fraction:
        begin = self.begin(x, way, ready)
        there, busy = self.times[way, self.amount[x]]
        for e in way:
            self.uses[e].append((begin, begin + busy, arc_share(self.graph, e, way)))
        self.rows.append((x, way, begin))
        return begin + there

    def gather(self, origin, hosts, random) -> None:
        """Random in-trees; a node's part leaves when all that goes into it has come."""
        waiting = []
        for x, top in enumerate(origin):
            parent = self._tree(top, hosts, random)
            ready = dict.fromkeys(hosts, Fraction())
            waiting.append((x, parent, ready, {v: sum(self.head[w] == v for w in parent.values())
                                               for v in hosts}))  # fmt: skip
        tasks = [(x, v) for x, parent, _, _ in waiting for v in parent]
        while tasks:
            open_ = [(x, v) for x, v in tasks if not waiting[x][3][v]]
            x, v = min(open_, key=lambda task: (
                self.begin(task[0], waiting[task[0]][1][task[1]], waiting[task[0]][2][task[1]]),
                random.random()))  # fmt: skip
            tasks.remove((x, v))
            _, parent, ready, missing = waiting[x]
            into = self.head[parent[v]]
            ready[into] = max(ready[into], self.send(x, parent[v], ready[v]))
            missing[into] -= 1
        self.there = {(x, top): waiting[x][2][top] for x, top in enumerate(origin)}

    def _tree(self, top, hosts, random) -> dict:
        """For every node but the top, the channel to its parent."""
        parent, inside = {}, {top}
        while len(inside) < len(hosts):
            ways = [way for way in self.channels
                    if self.head[way] in inside and self.tail[way] not in inside]  # fmt: skip
            way = ways[random.integers(len(ways))]
            parent[self.tail[way]] = way
            inside.add(self.tail[way])
        return parent

    def spread(self, origin, hosts, target, random) -> None:
        has = self.there or {(x, top): Fraction() for x, top in enumerate(origin)}
        wanted = {(x, v) for x, top in enumerate(origin) for v in hosts if v != top}
        allowed = None
        if target is not None:
            allowed = {(x, way) for x, top in enumerate(origin)
                       for way in self._path(top, target[x], random)}  # fmt: skip
            wanted = {(x, self.head[way]) for x, way in allowed}
        while wanted:
            x, way = min(
                ((x, way) for x, v in wanted for way in self.channels
                 if self.head[way] == v and (x, self.tail[way]) in has
                 and (allowed is None or (x, way) in allowed)),
                key=lambda move: (self.begin(*move, has[move[0], self.tail[move[1]]]),
                                  random.random()),
            )  # fmt: skip
            has[x, self.head[way]] = self.send(x, way, has[x, self.tail[way]])
            wanted.remove((x, self.head[way]))

    def _path(self, top, target, random) -> list:
        """A random way of few channels."""
        came, frontier = {top: None}, [top]
        while target not in came:
            ways = [way for way in self.channels if self.tail[way] in frontier]
            frontier = []
            for at in random.permutation(len(ways)):
                if self.head[ways[at]] not in came:
                    came[self.head[ways[at]]] = ways[at]
                    frontier.append(self.head[ways[at]])
        found, node = [], target
        while came[node] is not None:
            found.append(came[node])
            node = self.tail[came[node]]
        return found
