"""What the edits of a graft do to the arcs of a graph, and the canonical edits that do the same.

Arcs are integers tail * 2^20 + head in ascending order, so that the number of an arc is its place;
circuits alike, each once, its lower end first. The canonical edits are found by rebuilding: every
number is the least that does the same, and switches are read off the difference of the arcs before
and after them. All steps keep the graph regular.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from expansions.graft_ranks import (
    Pairs,
    matched_pairs,
    matching_count,
    matching_rank,
    permutation_count,
    permutation_rank,
    permuted_pairs,
)
from expansions.recipe import EditList
from generators.errors import InvalidInput
from generators.registry import require
from generators.topology import Int64Array

SHIFT = 20
MASK = (1 << SHIFT) - 1


def tails(links: Int64Array) -> Int64Array:
    """The tails of arcs, the lower ends of circuits."""
    return links >> SHIFT


def heads(links: Int64Array) -> Int64Array:
    """The heads of arcs, the higher ends of circuits."""
    return links & MASK


class Edits(NamedTuple):
    """Removals (v, rank) or (u, v, rank), insertions (arcs), and switches (arcs of a cycle)."""

    removals: EditList = ()
    insertions: EditList = ()
    switches: EditList = ()


class EditedGraph:
    """The arcs (or with `duplex` the circuits) of a d-regular graph, as edits change them.

    Every method applies one edit, and returns it in canonical form.
    """

    def __init__(self, n: int, d: int, links: Int64Array, *, duplex: bool) -> None:
        self.n, self.d, self.links, self.duplex = n, d, np.sort(links), duplex
        self.before, self.removed = n, list[int]()

    def remove(self, edit: Sequence[int]) -> tuple[int, ...]:
        """Remove a node, or two of a duplex graph of odd degree; join what that leaves open.

        Nodes have the numbers that they had before any of them was removed.
        """
        *offered, rank = edit
        for node in offered:
            last = self.before - 1
            require(node <= last, f"-{_dots(edit)}: node {node} is not in 0..{last}")
        nodes = [node - sum(gone < node for gone in self.removed) for node in offered]
        joined = self._rejoin_circuits(nodes, rank) if self.duplex else self._rejoin(nodes[0], rank)
        pairs, least, ways = joined
        require(least >= 0, f"-{_dots(edit)}: joining {rank} is not in 0..{ways - 1}")
        loop = next((one for one, other in pairs if one == other), None)
        require(loop is None, f"-{_dots(edit)}: joins node {loop} to itself")
        tail, head = tails(self.links), heads(self.links)
        kept = ~(np.isin(tail, nodes) | np.isin(head, nodes))
        self._set_links(np.concatenate([self.links[kept], _keys(self._in_order(pairs))]))
        for node in sorted(nodes, reverse=True):
            self._close_gap(node)
        self.removed += offered
        return *offered, least

    def insert(self, edit: Sequence[int]) -> tuple[int, ...]:
        """Put a new node on arcs, or on circuits; two on circuits of a graph of odd degree.

        Of those the first is on the first circuits, the second on the last ones, and the circuit
        between is cut between them: its lower end stays with the first.
        """
        cut, least = self._cut_links(edit)
        new = self.n
        if not self.duplex:
            pairs = [pair for t, h in cut for pair in ((t, new), (new, h))]
        else:
            half = self.d // 2
            pairs = [(end, new) for circuit in cut[:half] for end in circuit]
            if self.d % 2:
                low, high = cut[half]
                pairs += [(low, new), (high, new + 1)]
                pairs += [(end, new + 1) for circuit in cut[half + 1 :] for end in circuit]
        self._set_links(np.concatenate([_without(self.links, least), _keys(pairs)]))
        self.n += 1 + (self.duplex and self.d % 2)
        return tuple(least)

    def switch(self, cycles: EditList) -> EditList:
        """Turn the heads of the arcs of each cycle round: every arc takes that of the next."""
        before, arcs = self.links, self.arcs()
        chosen = [number for cycle in cycles for number in cycle]
        for number in chosen:
            require(0 <= number < len(arcs), f"~: arc {number} is not in 0..{len(arcs) - 1}")
        gone = self._link_numbers(arcs, np.array(chosen, dtype=np.int64)).tolist()
        require(len(set(gone)) == len(gone), "~: an arc, or its circuit, is switched twice")
        pairs = [
            (int(tails(arcs)[one]), int(heads(arcs)[other]))
            for cycle in cycles
            for one, other in zip(cycle, cycle[1:] + cycle[:1], strict=True)
        ]
        loop = next((one for one, other in pairs if one == other), None)
        require(loop is None, f"~: switches join node {loop} to itself")
        self._set_links(np.concatenate([_without(before, gone), _keys(self._in_order(pairs))]))
        return switch_cycles(before, self.links, duplex=self.duplex)

    def arcs(self) -> Int64Array:
        """All arcs in ascending order; a circuit is two."""
        return both_ways(self.links) if self.duplex else self.links

    def _set_links(self, links: Int64Array) -> None:
        self.links = np.sort(links)

    def _close_gap(self, node: int) -> None:
        tail, head = tails(self.links), heads(self.links)
        self.links = ((tail - (tail > node)) << SHIFT) | (head - (head > node))
        self.n -= 1

    def _in_order(self, pairs: Pairs) -> Pairs:
        return [(min(pair), max(pair)) for pair in pairs] if self.duplex else pairs

    def _rejoin(self, node: int, rank: int) -> tuple[Pairs, int, int]:
        """The pairs that are joined, the least number that joins them (or -1), and how many."""
        tail, head = tails(self.links), heads(self.links)
        entering, leaving = tail[head == node].tolist(), head[tail == node].tolist()
        ways = permutation_count(self.d)
        if rank >= ways:
            return [], -1, ways
        pairs = permuted_pairs(entering, leaving, rank)
        return pairs, permutation_rank(entering, leaving, pairs), ways

    def _rejoin_circuits(self, nodes: list[int], rank: int) -> tuple[Pairs, int, int]:
        tail, head = tails(self.links), heads(self.links)
        into, out = np.isin(head, nodes), np.isin(tail, nodes)
        ends = np.sort(np.concatenate([tail[into & ~out], head[out & ~into]])).tolist()
        ways = matching_count(len(ends))
        if rank >= ways:
            return [], -1, ways
        pairs = matched_pairs(ends, rank)
        return pairs, matching_rank(ends, pairs), ways

    def _cut_links(self, edit: Sequence[int]) -> tuple[Pairs, list[int]]:
        """The links with these numbers, and the least numbers that are alike."""
        for number in edit:
            what = "circuit" if self.duplex else "arc"
            last = len(self.links) - 1
            require(number <= last, f"+{_dots(edit)}: {what} {number} is not in 0..{last}")
        require(len(set(edit)) == len(edit), f"+{_dots(edit)}: numbers coincide")
        half = self.d // 2 if self.duplex and self.d % 2 else len(edit)
        parts = (sorted(edit[:half]), edit[half : half + 1], sorted(edit[half + 1 :]))
        least = _least_numbers(self.links, [number for part in parts for number in part])
        return [(int(self.links[i]) >> SHIFT, int(self.links[i]) & MASK) for i in least], least

    def _link_numbers(self, arcs: Int64Array, numbers: Int64Array) -> Int64Array:
        """The places of arcs among `links`: a copy of an arc belongs to that copy of a circuit."""
        if not self.duplex:
            return numbers
        keys = arcs[numbers]
        copies = numbers - np.searchsorted(arcs, keys)
        return np.searchsorted(self.links, np.minimum(keys, _reverse(keys))) + copies


def both_ways(links: Int64Array) -> Int64Array:
    """The arcs of circuits, in ascending order."""
    return np.sort(np.concatenate([links, _reverse(links)]))


def switch_cycles(before: Int64Array, after: Int64Array, *, duplex: bool) -> EditList:
    """The canonical switches that make the links `after` of those `before`, both ascending.

    The difference is walked along closed trails, a lost and a gained link in turn: from the least
    lost arc t -> h along the least gained link of t to h', along the least lost link t' -> h' to
    t', and so on until a gained link ends in h. In a duplex graph links are met from either end.

    >>> links = np.array([0 << SHIFT | 1, 2 << SHIFT | 3])
    >>> switch_cycles(links, np.array([0 << SHIFT | 3, 2 << SHIFT | 1]), duplex=False)
    ((0, 1),)
    """
    lost, gained = _difference(before, after), _difference(after, before)
    heads, tails = _Trails(gained, 0, duplex=duplex), _Trails(lost, 1, duplex=duplex)
    arcs = both_ways(before) if duplex else before
    starts = both_ways(lost) if duplex else lost
    seen: Counter[int] = Counter()
    cycles = []
    for start in starts.tolist():
        first, target = start >> SHIFT, start & MASK
        if not tails.take(target, first):
            continue
        cycle, tail = [start], first
        while (head := heads.take_least(tail)) != target:
            tail = tails.take_least(head)
            cycle.append(tail << SHIFT | head)
        numbers = []
        for key in cycle:
            numbers.append(int(np.searchsorted(arcs, key)) + seen[key])
            seen[key] += 1
            if duplex:
                seen[(key & MASK) << SHIFT | key >> SHIFT] += 1
        least = numbers.index(min(numbers))
        cycles.append((*numbers[least:], *numbers[:least]))
    return tuple(sorted(cycles))


class _Trails:
    """Links by one of their ends (by both, in a duplex graph), each used once."""

    def __init__(self, links: Int64Array, end: int, *, duplex: bool) -> None:
        self.duplex = duplex
        self.others: dict[int, list[int]] = defaultdict(list)
        for key in (both_ways(links) if duplex else links).tolist():
            ends = (key >> SHIFT, key & MASK)
            self.others[ends[end]].append(ends[1 - end])
        for others in self.others.values():
            others.sort(reverse=True)

    def take(self, node: int, other: int) -> bool:
        """Use the link from `node` to `other`, if there is one left."""
        if other not in self.others[node]:
            return False
        self.others[node].remove(other)
        if self.duplex:
            self.others[other].remove(node)
        return True

    def take_least(self, node: int) -> int:
        """Use the link of `node` to the least node; returns that."""
        other = self.others[node][-1]
        self.take(node, other)
        return other


def _difference(one: Int64Array, other: Int64Array) -> Int64Array:
    """Links of `one` that are not in `other`, as often as they are missing there; ascending."""
    keys, place = np.unique(np.concatenate([one, other]), return_inverse=True)
    balance = np.bincount(place[: len(one)], minlength=len(keys))
    balance -= np.bincount(place[len(one) :], minlength=len(keys))
    return np.repeat(keys, np.maximum(balance, 0))


def _least_numbers(links: Int64Array, numbers: list[int]) -> list[int]:
    """The same links by the least numbers of parallel ones, in this order."""
    seen: Counter[int] = Counter()
    least = []
    for number in numbers:
        first = int(np.searchsorted(links, links[number]))
        least.append(first + seen[first])
        seen[first] += 1
    return least


def _keys(pairs: Pairs) -> Int64Array:
    return np.array([one << SHIFT | other for one, other in pairs], dtype=np.int64)


def _without(links: Int64Array, numbers: list[int]) -> Int64Array:
    return np.delete(links, np.array(numbers, dtype=np.int64))


def _reverse(links: Int64Array) -> Int64Array:
    return (heads(links) << SHIFT) | tails(links)


def _dots(edit: Sequence[int]) -> str:
    return ".".join(map(str, edit))


def require_counts(edits: Edits, d: int, *, duplex: bool) -> None:
    """Refuse edits of other numbers of integers than those of a d-regular graph have."""
    odd = duplex and d % 2
    wanted = 2 + bool(odd)
    for edit in edits.removals:
        if len(edit) != wanted or (odd and edit[0] <= edit[1]):
            form = "-u.v.p with u > v" if odd else "-v.p"
            raise InvalidInput(f"-{_dots(edit)}: {form} removes from a graph of degree {d}")
    links = d // 2 if duplex and not odd else d
    for edit in edits.insertions:
        what = "circuits" if duplex else "arcs"
        require(len(edit) == links, f"+{_dots(edit)}: {links} {what} are cut, not {len(edit)}")
    firsts = [edit[0] for edit in edits.removals]
    nodes = [node for edit in edits.removals for node in edit[:-1]]
    require(
        firsts == sorted(set(firsts), reverse=True) and len(set(nodes)) == len(nodes),
        "removals: from the greatest node down, each once",
    )
    for cycle in edits.switches:
        require(len(cycle) > 1, f"~{_dots(cycle)}: at least two arcs are switched")
