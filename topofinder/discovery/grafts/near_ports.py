"""Which ports links end at: what keeps the edits of a wired graph on the panels of its links.

A kind of port is a panel, and where ports there are unlike a fibre (simplex) or a side of it
(circulators); links lead from ports of a kind to those of its mate. A link that is cut leaves a
port of either kind free, so new nodes with ports of both take its place, and two links exchange
their ends where these are alike: no other link changes panels. Where all ports are alike, all is
allowed.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from expansions.graft_edits import MASK, SHIFT
from generators.topology import BoolArray, Int64Array, IntArray, Topology


class Cut(NamedTuple):
    """A link that is cut; its tail (lower end) is joined to node `first`, its head to `second`.

    Nodes are numbered in their group.
    """

    link: int
    first: int
    second: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkPorts:
    """The kinds of port that links of a graph end at, and the ports of nodes to be put in.

    `kind[i]` is that at the tail (the lower end of a circuit) of link i, links in ascending order;
    shape (links,). Links from kind k end at `mate[k]`; shape (kinds,). New node x has `ports[x, k]`
    of kind k, of which it uses as many as links end at a node; shape (nodes, kinds).
    """

    kind: IntArray
    mate: IntArray
    ports: IntArray

    @classmethod
    def alike(cls, graph: Topology, more: int, *, duplex: bool) -> "LinkPorts":
        """Ports of one kind; new nodes have as many as they use."""
        ends = graph.degree * (1 if duplex else 2)
        return cls(
            kind=np.zeros(graph.arcs // (2 if duplex else 1), dtype=np.int32),
            mate=np.zeros(1, dtype=np.int32),
            ports=np.full((max(more, 0), 1), ends, dtype=np.int32),
        )

    @property
    def are_alike(self) -> bool:
        """Whether any two links may exchange their ends."""
        return len(self.mate) == 1

    def make_pairs(self, ends: int) -> BoolArray:
        """Which new nodes can be put on whole links, so many of their ports being used."""
        own = np.minimum(self.ports, self.ports[:, self.mate])
        own[:, self.mate == np.arange(len(self.mate))] //= 2
        own[:, self.mate < np.arange(len(self.mate))] = 0
        enough: BoolArray = own.sum(axis=1) >= ends // 2
        return enough & (ends % 2 == 0)

    def node_groups(self, ends: int) -> list[tuple[int, ...]] | None:
        """New nodes that are put in together: alone where they can be, else in twos of neighbours.

        None where one is left.
        """
        groups, waiting = list[tuple[int, ...]](), list[int]()
        for node, alone in enumerate(self.make_pairs(ends).tolist()):
            if alone and not waiting:
                groups.append((node,))
            elif waiting:
                groups.append((waiting.pop(), node))
            else:
                waiting.append(node)
        return None if waiting else groups

    def draw_cuts(
        self, group: tuple[int, ...], ends: int, own: Int64Array, random: np.random.Generator
    ) -> list[Cut] | None:
        """Links to cut for a group, of its `own`, the nodes having ports for what that leaves.

        None where the ports that were drawn do not match, or too few links end at such ports.
        """
        pairs, single = zip(*(self._draw_ports(node, ends, random) for node in group), strict=True)
        wanted = Counter(int(self.mate[k]) for k in single[0])
        if wanted != sum(map(Counter, single[1:]), Counter()):
            return None
        cuts, several = list[Cut](), len(single[0]) > 1
        least = np.minimum(self.kind, self.mate[self.kind])[own]
        shared = sorted(single[0], key=lambda k: min(k, self.mate[k]))
        for kind in range(len(self.mate)):
            split = [k for k in shared if min(k, self.mate[k]) == kind]
            first, *rest = (one.count(kind) for one in pairs)
            count = first + len(split) + sum(rest)
            links = own[least == kind]
            if len(links) < count:
                return None
            chosen = random.choice(links, count, replace=False).tolist() if count else []
            cuts += [Cut(link, 0, 0) for link in chosen[:first]]
            for link, k in zip(chosen[first:], split, strict=False):
                turned = several and bool(random.integers(2))
                if self.mate[k] != k:  # the tail leaves a port of its mate's kind to be joined to
                    turned = self.mate[self.kind[link]] != k
                cuts.append(Cut(link, int(turned), int(not turned)))
            cuts += [Cut(link, 1, 1) for link in chosen[first + len(split) :]]
        return cuts

    def _draw_ports(
        self, node: int, ends: int, random: np.random.Generator
    ) -> tuple[list[int], list[int]]:
        """Kinds of the links that a node is put on, by the lesser kind, and of single ports."""
        left, pairs = self.ports[node].copy(), list[int]()
        for k, mate in enumerate(self.mate.tolist()):
            pairs += [k] * int(left[k] // 2 if k == mate else min(left[k], left[mate]) * (k < mate))
        pairs = _draw_some(pairs, ends // 2, random)
        for k in pairs:
            left[k] -= 1
            left[self.mate[k]] -= 1
        single = np.repeat(np.arange(len(left)), left).tolist()
        return pairs, _draw_some(single, ends - 2 * len(pairs), random)

    def cut_links(
        self, links: Int64Array, cuts: list[Cut], n: int, *, duplex: bool
    ) -> tuple[Int64Array, "LinkPorts"]:
        """The links after these cuts, ascending, and their ports; the first new node is `n`."""
        gone = np.array([cut.link for cut in cuts], dtype=np.int64)
        first, second = (n + np.array([cut[i] for cut in cuts], dtype=np.int64) for i in (1, 2))
        tail, head, kind = links[gone] >> SHIFT, links[gone] & MASK, self.kind[gone]
        into = (head << SHIFT | second) if duplex else (second << SHIFT | head)
        made = np.concatenate([np.delete(links, gone), tail << SHIFT | first, into])
        kinds = [np.delete(self.kind, gone), kind, self.mate[kind] if duplex else kind]
        return np.sort(made), self.in_order(made, np.concatenate(kinds))

    def slot_kinds(self, links: Int64Array, *, duplex: bool) -> IntArray:
        """The kind of port at the node of each slot of annealing, see `annealed_graph`."""
        other = self.mate[self.kind]
        back = (links & MASK) << SHIFT | links >> SHIFT
        if duplex:
            both = np.argsort(np.concatenate([links, back]), kind="stable")
            return np.concatenate([self.kind, other])[both]
        return np.concatenate([other[np.argsort(back, kind="stable")], self.kind])

    def of_slots(self, slots: IntArray, kinds: IntArray, n: int, *, duplex: bool) -> "LinkPorts":
        """The ports of the links that slots with such kinds make."""
        there, own = (slots, kinds) if duplex else np.split(np.stack([slots, kinds]), 2, axis=1)[1]
        node = np.repeat(np.arange(n, dtype=np.int64), len(there) // n)
        kept = node < there if duplex else np.ones(len(there), dtype=np.bool_)
        return self.in_order((node << SHIFT | there)[kept], own[kept])

    def in_order(self, links: Int64Array, kind: IntArray) -> "LinkPorts":
        """The ports of links in any order, each with its kind."""
        order = np.argsort(links, kind="stable")
        return replace(self, kind=kind[order].astype(np.int32))


def _draw_some(kinds: list[int], most: int, random: np.random.Generator) -> list[int]:
    """So many of the kinds in order; nothing is drawn where all are taken or they are equal."""
    if len(kinds) <= most or len(set(kinds)) == 1:
        return kinds[:most]
    return sorted(random.choice(kinds, most, replace=False).tolist())
