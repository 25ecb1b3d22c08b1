"""Nouns of what pictures show of schedules: trees by their edges, sends by line and time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Stretch(NamedTuple):
    """A chunk of `origin` on the arc of a line, in seconds."""

    line: int
    begin: float
    length: float
    origin: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTree:
    """A tree from its root: edges (parent, child, links on the way), parents before children."""

    name: str
    root: int
    edges: Sequence[tuple[int, int, int]]

    def depths(self) -> dict[int, int]:
        """Edges from the root to each node.

        >>> DrawnTree(name="t", root=2, edges=[(2, 0, 1), (0, 1, 1)]).depths()
        {2: 0, 0: 1, 1: 2}
        """
        found = {self.root: 0}
        for parent, child, _ in self.edges:
            found[child] = found[parent] + 1
        return found

    def columns(self) -> dict[int, float]:
        """How far right each node stands: leaves in a row, parents above their children's middle.

        >>> DrawnTree(name="t", root=2, edges=[(2, 0, 1), (2, 1, 1)]).columns()
        {0: 0.0, 1: 1.0, 2: 0.5}
        """
        children: dict[int, list[int]] = {}
        for parent, child, _ in self.edges:
            children.setdefault(parent, []).append(child)
        found: dict[int, float] = {}
        waiting, leaves = [(self.root, False)], 0
        while waiting:
            node, ready = waiting.pop()
            own = children.get(node, [])
            if not own:
                found[node], leaves = float(leaves), leaves + 1
            elif ready:
                found[node] = (found[own[0]] + found[own[-1]]) / 2
            else:
                waiting.append((node, True))
                waiting += [(child, False) for child in reversed(own)]
        return found
