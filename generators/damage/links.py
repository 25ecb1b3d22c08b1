"""Which node and which link a text means: `gpu0.1`, `0-1`, `0>1`, `gpu0.1-ib0*2`, or 5% of all."""

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import IntArray, Topology

_COUNT = re.compile(r"(.+)\*([0-9]{1,9})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """All arcs, or the first `count` in either direction, from u to v and, `two_way`, back."""

    u: int
    v: int
    two_way: bool
    count: int | None = None


class Names:
    """The nodes of a topology by their names, or by their numbers where no name says otherwise.

    >>> pair = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)], names=("a", "b-1", "c"))
    >>> names = Names(pair)
    >>> names.link("a>b-1", "--fail-links")
    Link(u=0, v=1, two_way=False, count=None)
    """

    def __init__(self, topology: Topology) -> None:
        self._n, self._names = topology.n, topology.names or ()

    @cached_property
    def _known(self) -> dict[str, int]:
        """Found when the first text is looked up: of a large file none may be."""
        known = {str(node): node for node in range(self._n)}
        return known | {name: node for node, name in enumerate(self._names)}

    @cached_property
    def _twice(self) -> set[str]:
        return {name for name, count in Counter(self._names).items() if count > 1}

    def has(self, text: str) -> bool:
        """Whether some node is called so."""
        return text in self._known

    def node(self, text: str, field: str) -> int:
        """The node of that name or number. Raises InvalidInput naming the field."""
        if text in self._twice:
            raise InvalidInput(f"{field}: two nodes are called {excerpt(text)}; give a number")
        if text not in self._known:
            raise InvalidInput(f"{field}: no node is called {excerpt(text)}")
        return self._known[text]

    def link(self, text: str, field: str) -> Link:
        """The link that the text means; a name may itself hold a `-` or `>`.

        Raises InvalidInput when no pair of nodes fits, or more than one.
        """
        counted = _COUNT.fullmatch(text)
        if counted and text not in self._known:
            return self._ends(counted[1], field, int(counted[2]))
        return self._ends(text, field, None)

    def _ends(self, text: str, field: str, count: int | None) -> Link:
        found = [
            Link(self.node(text[:at], field), self.node(text[at + 1 :], field), sign == "-", count)
            for at, sign in enumerate(text)
            if sign in "->" and text[:at] in self._known and text[at + 1 :] in self._known
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidInput(f"{field}: {excerpt(text)} may mean {len(found)} different links")
        raise self._no_link(text, field)

    def _no_link(self, text: str, field: str) -> InvalidInput:
        for sign in "->":
            u, found, v = text.partition(sign)
            if found:
                unknown = v if u in self._known else u
                return InvalidInput(f"{field}: no node is called {excerpt(unknown)}")
        return InvalidInput(f"{field}: a link such as 0-1 or 0>1 is needed, not {excerpt(text)}")


def arcs_of(topology: Topology, link: Link, text: str, field: str) -> IntArray:
    """The arcs that a link means. Raises InvalidInput when the topology has no such link."""
    ways = [(link.u, link.v)] + ([(link.v, link.u)] if link.two_way else [])
    chosen: list[NDArray[np.intp]] = []
    for u, v in ways:
        arcs = np.flatnonzero((topology.tail == u) & (topology.head == v))
        if not len(arcs) or (link.count is not None and not 0 < link.count <= len(arcs)):
            names = topology.names or tuple(map(str, range(topology.n)))
            have = f"{len(arcs)} arcs lead from {names[u]} to {names[v]}"
            raise InvalidInput(f"{field}: {excerpt(text)}: {have}")
        chosen.append(arcs[: link.count])
    return np.unique(np.concatenate(chosen)).astype(np.int32)


def random_arcs(topology: Topology, share: Fraction, seed: int) -> IntArray:
    """The arcs of a share of all links, rounded to the nearest number of links (halves up).

    A link is an arc with one that leads back, where there is one; self-loops stay.

    >>> ring = Topology.from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> len(random_arcs(ring, Fraction(1, 2), seed=1))
    2
    """
    links = _links(topology)
    count = int(share * len(links) + Fraction(1, 2))
    chosen = np.random.default_rng(seed).permutation(len(links))[:count]
    found = [arc for place in sorted(chosen.tolist()) for arc in links[place]]
    return np.array(sorted(found), dtype=np.int32)


def _links(topology: Topology) -> list[tuple[int, ...]]:
    """Arcs in pairs that lead there and back, in the order of their first arc."""
    waiting: dict[tuple[int, int], list[int]] = {}
    links: list[tuple[int, ...]] = []
    for arc, (u, v) in enumerate(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)):
        if u == v:
            continue
        if waiting.get((v, u)):
            links.append((waiting[v, u].pop(0), arc))
        else:
            waiting.setdefault((u, v), []).append(arc)
    alone: list[tuple[int, ...]] = [(arc,) for arcs in waiting.values() for arc in arcs]
    return sorted(links + alone)
