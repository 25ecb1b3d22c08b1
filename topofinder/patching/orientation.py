"""Which end of each circuit is on side A of a switch, and which on side B: orientation, colours.

Where hosts have ports on both sides, an orientation that leaves every host as often as it enters it
(Euler; where its circuits are odd in number, once more or less) needs as many of either. Where each
host is on one side, its circuits' graph must have two colours: an odd cycle says that it has not
(König).
"""

from collections import deque
from collections.abc import Sequence

import numpy as np

from generators.topology import BoolArray, Int64Array, IntArray

NO_COLOUR = -1


def turned_circuits(n: int, tail: IntArray, head: IntArray) -> BoolArray:
    """Which circuits are turned round, (circuits,), so that no end has two more heads than tails.

    Nor two more tails than heads.

    >>> turned_circuits(3, np.array([0, 0, 1]), np.array([1, 2, 2])).tolist()
    [False, True, False]
    """
    ends = np.stack([tail, head], axis=1).tolist()
    at = _circuits_at(n, ends)
    turned, left = np.zeros(len(ends), dtype=np.bool_), [len(own) for own in at]
    done = np.zeros(len(ends), dtype=np.bool_)

    def walk(node: int) -> None:
        """Leave a node along circuits that are not oriented yet until there is none."""
        while left[node]:
            circuit = at[node].pop()
            if not done[circuit]:
                done[circuit], turned[circuit] = True, ends[circuit][0] != node
                other = ends[circuit][turned[circuit] ^ 1]
                left[node] -= 1
                left[other] -= 1
                node = other

    for odd in (True, False):
        for node in range(n):
            while left[node] and (left[node] % 2 == 1 or not odd):
                walk(node)
    return turned


def _circuits_at(n: int, ends: Sequence[Sequence[int]]) -> list[list[int]]:
    """The circuits at each end, the last first."""
    at: list[list[int]] = [[] for _ in range(n)]
    for circuit in reversed(range(len(ends))):
        for node in ends[circuit]:
            at[node].append(circuit)
    return at


class TwoColouring:
    """Colours 0 and 1 of `n` ends, (n,), such that circuits join unlike ones, or an odd `cycle`.

    `component` (n,) numbers the parts that no circuit joins: in each, colours may be exchanged.

    >>> TwoColouring(3, np.array([0, 1, 2]), np.array([1, 2, 0])).cycle
    (1, 0, 2)
    >>> TwoColouring(3, np.array([0, 1]), np.array([1, 2])).colour.tolist()
    [0, 1, 0]
    """

    def __init__(self, n: int, tail: IntArray, head: IntArray) -> None:
        self.colour: Int64Array = np.full(n, NO_COLOUR, dtype=np.int64)
        self.component: Int64Array = np.full(n, NO_COLOUR, dtype=np.int64)
        self.cycle: tuple[int, ...] = ()
        self._parent = [NO_COLOUR] * n
        self._near: list[list[int]] = [[] for _ in range(n)]
        for u, v in zip(tail.tolist(), head.tolist(), strict=True):
            self._near[u].append(v)
            self._near[v].append(u)
        for count, root in enumerate(range(n)):
            if self.colour[root] == NO_COLOUR and not self.cycle:
                self._colour_from(root, count)

    def _colour_from(self, root: int, component: int) -> None:
        """Colour what can be reached, nearest first, until two alike are joined."""
        self.colour[root], self.component[root] = 0, component
        waiting = deque([root])
        while waiting:
            node = waiting.popleft()
            for other in self._near[node]:
                if self.colour[other] == NO_COLOUR:
                    self.colour[other], self.component[other] = 1 - self.colour[node], component
                    self._parent[other] = node
                    waiting.append(other)
                elif self.colour[other] == self.colour[node]:
                    self.cycle = self._cycle_through(node, other)
                    return

    def _cycle_through(self, one: int, two: int) -> tuple[int, ...]:
        """From one end up to where both ways to the root meet, and down to the other."""
        up, down = self._way_up(one), self._way_up(two)
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        return (*up, *reversed(down[:-1]))

    def _way_up(self, node: int) -> list[int]:
        way = [node]
        while self._parent[way[-1]] != NO_COLOUR:
            way.append(self._parent[way[-1]])
        return way

    def with_counts(self, least: int, most: int) -> Int64Array | None:
        """The colours with from `least` to `most` ends of colour 0, parts exchanged; or None."""
        chosen: list[dict[int, int]] = [{0: 0}]
        parts = np.unique(self.component)
        for part in parts.tolist():
            own = self.colour[self.component == part]
            sizes = int((own == 0).sum()), int((own == 1).sum())
            reached = {total + size: swap for total in chosen[-1] for swap, size in
                       reversed(list(enumerate(sizes)))}  # fmt: skip
            chosen.append(reached)
        total = next((total for total in sorted(chosen[-1]) if least <= total <= most), None)
        if total is None:
            return None
        colour = self.colour.copy()
        for place in range(len(parts), 0, -1):
            members, swap = self.component == parts[place - 1], chosen[place][total]
            own = self.colour[members]
            total -= int((own == swap).sum())
            colour[members] = own ^ swap
        return colour
