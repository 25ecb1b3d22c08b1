"""The matchers of chunks and channels with sets, dicts and heapq: slow and obvious."""

import heapq
from collections import defaultdict
from fractions import Fraction

import networkx as nx

from topofinder.timetables.problem import ChunkProblem

MASK = (1 << 64) - 1
Row = tuple[int, int, int]


class SplitMix:
    """The random numbers of Steele, Lea and Flood."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def draw(self, bound: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        word = self.state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        return ((word ^ (word >> 31)) >> 33) % bound


class Play:
    """Chunks that spread; `match` is asked at each instant what to send."""

    def __init__(self, problem: ChunkProblem, seed: int) -> None:
        every, graph = problem.channels, problem.topology
        hosts = set(range(graph.n)) - set(graph.switches)
        self.problem, self.random = problem, SplitMix(seed)
        self.tail, self.head = every.tail.tolist(), every.head.tolist()
        self.channels = [
            e for e in range(len(self.tail))
            if self.tail[e] != self.head[e] and {self.tail[e], self.head[e]} <= hosts
        ]  # fmt: skip
        self.arcs = {
            e: every.arc[every.start[e] : every.start[e + 1]].tolist() for e in self.channels
        }
        self.cost = {e: int(every.latency[e] + every.unit[e]) for e in self.channels}
        self.there = defaultdict(set)
        self.promised = defaultdict(set)
        self.sent: dict[int, int] = defaultdict(int)
        self.rows: list[Row] = []
        for x, u in enumerate(problem.origin.tolist()):
            self.there[u].add(x)
            self.promised[u].add(x)

    def run(self) -> list[Row]:
        events, every, now = [0], self.problem.channels, 0
        coming: list[tuple[int, int, int]] = []
        users: dict[int, list[tuple[int, int]]] = defaultdict(list)
        room = every.room.tolist()
        rate = {e: min(room[a] for a in arcs) for e, arcs in self.arcs.items()}

        def left(a: int, now: int) -> int:
            return room[a] - sum(part for part, until in users[a] if until > now)

        while events:
            now = heapq.heappop(events)
            for at, v, x in coming:
                if at <= now:
                    self.there[v].add(x)
            self.is_free = lambda e, now=now: all(left(a, now) >= rate[e] for a in self.arcs[e])
            for e, x in self.match():
                took = int(every.unit[e]) * int(self.problem.amounts[x])
                self.rows.append((x, e, now))
                coming.append((now + int(every.latency[e]) + took, self.head[e], x))
                free = now + int(every.hold[e]) + took
                for a in self.arcs[e]:
                    users[a].append((rate[e], free))
                self.promised[self.head[e]].add(x)
                self.sent[self.arcs[e][0]] += 1
                heapq.heappush(events, coming[-1][0])
                heapq.heappush(events, free)
        return self.rows

    def match(self):
        raise NotImplementedError


class RandomPlay(Play):
    def match(self):
        hosts, chunks = self.problem.hosts.tolist(), range(len(self.problem.origin))
        pairs = [(v, x) for v in hosts for x in chunks if self.cheapest(v, x)]
        for i in range(len(pairs)):
            other = i + self.random.draw(len(pairs) - i)
            pairs[i], pairs[other] = pairs[other], pairs[i]
            v, x = pairs[i]
            if found := self.cheapest(v, x):
                yield found[0], x

    def cheapest(self, v: int, x: int) -> list[int]:
        if x in self.promised[v]:
            return []
        able = [
            e for e in self.channels
            if self.head[e] == v and x in self.there[self.tail[e]] and self.is_free(e)
        ]  # fmt: skip
        return sorted(able, key=lambda e: (self.cost[e], e))[:1]


class WantedPlay(Play):
    def __init__(self, problem: ChunkProblem, seed: int, nearest: bool) -> None:
        super().__init__(problem, seed)
        graph = nx.DiGraph()
        graph.add_nodes_from(problem.hosts.tolist())
        for e in self.channels:
            u, v = self.tail[e], self.head[e]
            old = graph.edges[u, v]["weight"] if graph.has_edge(u, v) else self.cost[e]
            graph.add_edge(u, v, weight=min(old, self.cost[e]))
        self.far = dict(nx.all_pairs_dijkstra_path_length(graph))
        self.nearest = nearest

    def turn(self, e: int) -> int:
        """How many sends of its port come before the channel."""
        port = self.arcs[e][0]
        heads = {self.head[f] for f in self.channels if self.arcs[f][0] == port}
        if len([f for f in self.channels if self.arcs[f][0] == port]) == 1:
            return 0
        ends = sorted(heads | {self.tail[e]})
        ahead = ends.index(self.head[e]) - ends.index(self.tail[e])
        return (ahead % len(ends) - 1 - self.sent[port]) % (len(ends) - 1)

    def match(self):
        order = sorted(self.channels, key=lambda e: (self.cost[e], self.turn(e), e))
        for e in order:
            if self.is_free(e) and (x := self.wanted(e)) is not None:
                yield e, x

    def wanted(self, e: int) -> int | None:
        u, v, best = self.tail[e], self.head[e], None
        for x in sorted(self.there[u] - self.promised[v]):
            holders = [w for w in self.promised if x in self.promised[w]]
            near = min(self.far[w].get(v, Fraction(10**30)) for w in holders)
            if self.nearest and near < self.cost[e]:
                continue
            behind = sum(self.tail[f] == v and self.head[f] in holders for f in self.channels)
            front = sum(self.head[f] == v and self.tail[f] in holders for f in self.channels)
            key = (behind, front, len(holders))
            if best is None or key <= best[0]:
                drawn = self.random.draw(1 << 30)
                if best is None or (key, drawn) < best[:2]:
                    best = (key, drawn, x)
        return None if best is None else best[2]
