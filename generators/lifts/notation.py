"""Arcs of a lift as text: per base node its in-arcs `source.shift`, or circuits `other:shift`.

rows  = row { "|" row }         a row for each base node 0, 1, ...
row   = [ entry { "," entry } ]
entry = int "." int             an arc from (source, shift) to (row, 0)
      | int ":" int             a circuit, two-way, between (other, shift) and (row, 0)

Either all entries are arcs or all are circuits. An arc or circuit stands for its translates under
the group: (source, g h) to (row, g) for all g. A circuit is listed once, in the row of either end;
rows at the end without any may be left out. In a row's own fibre, a circuit whose shift is its own
inverse takes one port of a node, any other one two.

Which element of each fibre is called 0 is a choice, and so are the names of base nodes. The
canonical text numbers base nodes breadth-first against the arcs, from 0 by sorted rows, and gives
the arcs of that tree the shift 0; its rows are sorted, and a two-way graph is written in circuits.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from generators.cayley.generated import reachable_elements
from generators.cayley.group import Group
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.lifts.annealed import is_annealed_lift
from generators.size_limits import require_size
from generators.topology import AnyIntArray, Int64Array, IntArray

LONGEST_ROWS = 1 << 16
"""Characters of the rows, which bounds the arcs."""
MOST_PORTS = 1 << 12
"""Largest degree."""

_ENTRY = re.compile(r"\s*([0-9]{1,9})\s*([.:])\s*([0-9]{1,9})\s*", re.ASCII)


@dataclass(frozen=True, eq=False, kw_only=True)
class VoltageGraph:
    """A base digraph whose arcs carry elements of a group (Gross, "Voltage graphs", 1974).

    `sources` and `shifts`, int32 of shape (m, d): arc j of row r is one from
    (sources[r, j], shifts[r, j]) to (r, 0), and its translates. Rows are sorted.

    >>> ring = read_voltage_graph("Z3", "1.0|0.1")
    >>> ring.n, ring.d, ring.sources.tolist(), ring.is_two_way, ring.text
    (6, 1, [[1], [0]], False, '1.0|0.1')
    """

    group: Group
    sources: IntArray
    shifts: IntArray

    @property
    def base_nodes(self) -> int:
        """m: nodes of the base graph, orbits of the lift."""
        return len(self.sources)

    @property
    def n(self) -> int:
        """Nodes of the lift."""
        return self.base_nodes * self.group.order

    @property
    def d(self) -> int:
        """Arcs into every node, and out of it."""
        return int(self.sources.shape[1])

    @cached_property
    def keys(self) -> Int64Array:
        """A number for each arc (row, source, shift), shape (m, d)."""
        row = np.arange(self.base_nodes, dtype=np.int64)[:, None]
        return self._key(row, self.sources, self.shifts)

    def _key(self, row: AnyIntArray, source: AnyIntArray, shift: AnyIntArray) -> Int64Array:
        keys: Int64Array = (
            row.astype(np.int64) * self.base_nodes + source
        ) * self.group.order + shift
        return keys

    @cached_property
    def is_two_way(self) -> bool:
        """Whether the arcs are closed under reversal: u.h in row r and r.h^-1 in row u."""
        row = np.arange(self.base_nodes, dtype=np.int64)[:, None]
        back = self._key(self.sources, row, self.group.inverses[self.shifts])
        return bool(np.array_equal(np.sort(back.ravel()), np.sort(self.keys.ravel())))

    @property
    def text(self) -> str:
        """The rows as text, in circuits where all are two-way; base nodes keep their names."""
        if not self.is_two_way:
            rows = zip(self.sources.tolist(), self.shifts.tolist(), strict=True)
            return "|".join(",".join(f"{u}.{h}" for u, h in zip(*row, strict=True)) for row in rows)
        row = np.arange(self.base_nodes)[:, None]
        own = (self.sources == row) & (self.shifts <= self.group.inverses[self.shifts])
        kept = zip(self.sources, self.shifts, (self.sources > row) | own, strict=True)
        listed = [zip(u[k].tolist(), h[k].tolist(), strict=True) for u, h, k in kept]
        return "|".join(",".join(f"{u}:{h}" for u, h in row) for row in listed).rstrip("|")

    def canonical_form(self) -> "VoltageGraph":
        """The same graph with the base nodes in canonical order, and 0s along the tree.

        >>> read_voltage_graph("Z5", "2.1,1.3|0.0,2.2|1.4,0.4").canonical_form().text
        '1.0,2.0|0.3,2.4|0.0,1.2'
        """
        order, offset = self._search_tree()
        place = np.argsort(order)
        inverse = self.group.inverses[offset]
        turned = self.group.multiply(inverse[:, None], self.shifts)
        turned = self.group.multiply(turned, offset[self.sources])
        return _sorted_graph(self.group, place[self.sources][order], turned[order])

    def _search_tree(self) -> tuple[IntArray, IntArray]:
        """Base nodes in the order of a search against the arcs, and what is called 0 in each."""
        order, offset = [0], np.full(self.base_nodes, -1, dtype=np.int32)
        offset[0] = 0
        for row in order:
            pairs = zip(self.sources[row].tolist(), self.shifts[row].tolist(), strict=True)
            for source, shift in pairs:
                if offset[source] < 0:
                    back = self.group.inverses[shift]
                    offset[source] = self.group.multiply(back, offset[row])
                    order.append(source)
        if len(order) < self.base_nodes:
            missing = int(np.flatnonzero(offset < 0)[0])
            raise InvalidInput(f"{name_of(self.group)}: base node {missing} does not reach 0")
        return np.array(order, dtype=np.int32), offset

    def require_connected(self) -> None:
        """Refuse a lift that falls into parts: shifts round closed walks generate a subgroup."""
        shifts = sorted(set(self.canonical_form().shifts.ravel().tolist()))
        count = int(reachable_elements(self.group, shifts).sum())
        if count < self.group.order:
            raise InvalidInput(
                f"{name_of(self.group)}: closed walks generate {count} of {self.group.order} "
                "elements, so that the graph is not connected"
            )


def name_of(group: Group | str) -> str:
    """How a lift is called in errors."""
    return f"Lift({excerpt(str(group)).strip(chr(39))};...)"


@lru_cache(maxsize=1 << 12)
def read_voltage_graph(group: str, rows: str) -> VoltageGraph:
    """The base graph that a recipe's rows describe.

    Raises InvalidInput, in one line, for a group or rows that cannot be read, base nodes or
    elements that are not there, nodes of unequal degree, a graph that is not connected, and one
    that is larger than a Topology can be.

    >>> read_voltage_graph("Z4", "1:0,1:1|").sources.tolist()
    [[1, 1], [0, 0]]
    """
    known = parse_group(group)
    entries, circuits = _read_rows(known, rows)
    m = len(entries)
    if circuits:
        m = max([m, *(other + 1 for row in entries for other, _ in row)])
        _require_size(known, m, 1)
        entries = _arcs_of_circuits(known, entries, m)
    d = len(entries[0])
    _require_size(known, m, d)
    _require_regular(known, entries, m, d)
    pairs = np.array(entries, dtype=np.int32).reshape(m, d, 2)
    found = _sorted_graph(known, pairs[:, :, 0], pairs[:, :, 1])
    if not is_annealed_lift(group, rows):  # those that ship are
        found.require_connected()
    return found


Entries = list[list[tuple[int, int]]]


def _require_size(group: Group, m: int, d: int) -> None:
    if d > MOST_PORTS:
        raise InvalidInput(f"{name_of(group)}: at most {MOST_PORTS} arcs a row, not {d}")
    require_size(name_of(group), m * group.order, d)


def _read_rows(group: Group, text: str) -> tuple[Entries, bool]:
    """Pairs of numbers a row, and whether they are circuits."""
    if len(text) > LONGEST_ROWS:
        raise InvalidInput(
            f"{name_of(group)}: at most {LONGEST_ROWS} characters of rows, not {len(text)}"
        )
    found: Entries = []
    signs = set[str]()
    for row in text.split("|"):
        found.append([])
        for entry in row.split(",") if row.strip() else ():
            match = _ENTRY.fullmatch(entry)
            if match is None:
                raise InvalidInput(
                    f"{name_of(group)}: row {len(found) - 1} has {excerpt(entry)}, which is "
                    "neither source.shift nor other:shift"
                )
            signs.add(match[2])
            found[-1].append((int(match[1]), _element(group, int(match[3]))))
    if len(signs) != 1:
        raise InvalidInput(f"{name_of(group)}: needs arcs or circuits, all of one kind")
    return found, signs == {":"}


def _element(group: Group, number: int) -> int:
    if number >= group.order:
        raise InvalidInput(f"{name_of(group)}: shift {number} is not in 0..{group.order - 1}")
    return number


def _arcs_of_circuits(group: Group, circuits: Entries, m: int) -> Entries:
    """The arcs into (row, 0) of each row: both directions of every circuit."""
    found: Entries = [[] for _ in range(m)]
    for row, entries in enumerate(circuits):
        for other, shift in entries:
            back = int(group.inverses[shift])
            found[row].append((other, shift))
            if other != row or back != shift:
                found[other].append((row, back))
    return found


def _require_regular(group: Group, entries: Entries, m: int, d: int) -> None:
    sent = [0] * m
    for row, arcs in enumerate(entries):
        if len(arcs) != d:
            raise InvalidInput(
                f"{name_of(group)}: base node {row} has {len(arcs)} arcs in, base node 0 has {d}"
            )
        for source, _ in arcs:
            if source >= m:
                raise InvalidInput(f"{name_of(group)}: base node {source} is not in 0..{m - 1}")
            sent[source] += 1
    wrong = next((node for node, count in enumerate(sent) if count != d), None)
    if wrong is not None:
        raise InvalidInput(
            f"{name_of(group)}: base node {wrong} has {sent[wrong]} arcs out and {d} in"
        )


def _sorted_graph(group: Group, sources: ArrayLike, shifts: ArrayLike) -> VoltageGraph:
    """The voltage graph with every row in the order of source and shift."""
    u, h = np.asarray(sources, dtype=np.int32), np.asarray(shifts, dtype=np.int32)
    order = np.lexsort((h, u), axis=1)
    return VoltageGraph(
        group=group,
        sources=np.take_along_axis(u, order, axis=1),
        shifts=np.take_along_axis(h, order, axis=1),
    )
