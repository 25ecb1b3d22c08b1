"""Rings with chords that close no short cycles: Chords(n,d), two-way graphs of few steps.

Node v is joined to v + 1 and v - 1 modulo n and, by d - 2 matchings, to d - 2 other nodes. A ring
and a random matching have diameter log2 n + O(log log n) with high probability (Bollobas and Chung,
"The diameter of a cycle plus a random matching", 1988). The matchings here are the neighbours in
pseudo-random orders of n/2 nodes, by splitmix64, some of them half a turn on; v to v + n/2 is an
automorphism, so that half of the nodes tell what others take. Then chords on cycles of at most 2 h
arcs, where (d - 1)^(2 h) <= n / ROOM, are exchanged with others as long as there are any. So a node
has about as many nodes within h steps as there can be, and no node is far from the others.
All is arithmetic of integers: a name is one graph on every machine.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_name
from generators.topology import IntArray, Topology

Words = NDArray[np.uint64]
Nodes = IntArray | NDArray[np.int64] | np.int64 | int
Chord = tuple[int, int]
"""A node, and the column of the table that has its partner."""

SMALLEST, LARGEST = 64, 20_000
"""Nodes of the members that a search considers: below, or where two steps may lead everywhere,
others are better; above, it would take long."""
MOST_WORK = 9 * LARGEST**2
"""Of those members, in n n d, which is what it takes to evaluate one."""
LEAST = 4
"""Nodes a port: fewer may leave parallel links."""
ROOM = 2
MOST_TURNS = 64
AHEAD, BACK, FIRST_CHORD = 0, 1, 2
"""Columns of the table of neighbours."""


def chords(n: int, d: int) -> Topology:
    """Chords(n,d): the ring of n nodes and d - 2 matchings, n even.

    Raises InvalidInput unless n is even and at least LEAST d and d is at least 3, and where chords
    on short cycles are left; at the sizes that a search considers none are.

    >>> chords(64, 3).degree, chords(64, 3).is_bidirectional
    (3, True)
    """
    require_buildable(properties(n, d))
    table = neighbour_table(n, d)
    return Topology(
        n=n,
        tail=np.repeat(np.arange(n, dtype=np.int32), d),
        head=table.ravel(),
        orbits=np.arange(n // 2, dtype=np.int32),
    )


def neighbour_table(n: int, d: int) -> IntArray:
    """The neighbours of every node, shape (n, d): v + 1, v - 1, and one a matching."""
    nodes = np.arange(n, dtype=np.int32)
    table = np.empty((n, d), dtype=np.int32)
    table[:, AHEAD], table[:, BACK] = (nodes + 1) % n, (nodes - 1) % n
    for column in range(FIRST_CHORD, d):
        _join_at_random(table, column)
    _part_short_cycles(table)
    return table


def _join_at_random(table: IntArray, column: int) -> None:
    """A matching of half of the nodes and its image; of an odd half one is joined to its image."""
    half = len(table) // 2
    words = _words(half, column)
    order = np.argsort(words, kind="stable")
    one, other = order[0 : half - 1 : 2], order[1::2]
    turned = (words[one] & np.uint64(1)).astype(np.int64)
    _join(table, column, one, other + half * turned)
    if half % 2:
        _join(table, column, order[-1], order[-1] + half)


def _join(table: IntArray, column: int, one: Nodes, other: Nodes) -> None:
    """Chords between these nodes, and those half a turn on."""
    n = len(table)
    for turn in (0, n // 2):
        there, far = (one + turn) % n, (other + turn) % n
        table[there, column], table[far, column] = far, there


def half_girth(n: int, d: int) -> int:
    """The h of the longest cycles that are parted, 2 h; 1 for parallel links alone.

    >>> half_girth(64, 3), half_girth(20_000, 3), half_girth(2002, 9)
    (2, 6, 1)
    """
    h = 1
    while (d - 1) ** (2 * h + 2) * ROOM <= n:
        h += 1
    return h


def _words(count: int, stream: int) -> Words:
    """So many words of splitmix64 (Steele, Lea and Flood, 2014), from a stream's own seed."""
    word = np.arange(1, count + 1, dtype=np.uint64) + np.uint64(stream << 32)
    word *= np.uint64(0x9E3779B97F4A7C15)
    word ^= word >> np.uint64(30)
    word *= np.uint64(0xBF58476D1CE4E5B9)
    word ^= word >> np.uint64(27)
    word *= np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def _part_short_cycles(table: IntArray) -> None:
    """Exchange chords on short cycles until there are none, MOST_TURNS times at most."""
    n, d = table.shape
    h = half_girth(n, d)
    found = chords_on_cycles(table, np.arange(n // 2, dtype=np.int32), h)
    for turn in range(MOST_TURNS):
        if not found:
            return
        chosen = sorted({(one % (n // 2), column) for one, column in found})
        others = _words(len(chosen), d + turn) % np.uint64(n)
        changed = set[int]()
        for chord, other in zip(chosen, others.tolist(), strict=True):
            changed.update(_exchange(table, chord, other))
        found = chords_on_cycles(table, np.array(sorted(changed), dtype=np.int32), h)
    require(not found, f"Chords({n},{d}): chords on short cycles are left")


def _exchange(table: IntArray, chord: Chord, other: int) -> list[int]:
    """Join a chord's ends to those of the other node's chord in the same matching; all four.

    Where a node was joined to its image, one of the others is then.
    """
    (one, column), half = chord, len(table) // 2
    partner, far = int(table[one, column]), int(table[other, column])
    if (other - one) % half == 0 or (other - partner) % half == 0:
        return [one, partner]
    _join(table, column, one, other)
    if (partner - one) % half == 0:
        _join(table, column, far, far + half)
    elif (far - other) % half == 0:
        _join(table, column, partner, partner + half)
    else:
        _join(table, column, partner, far)
    return [one, partner, other, far]


def chords_on_cycles(table: IntArray, nodes: IntArray, h: int) -> list[Chord]:
    """Chords of these nodes on cycles of at most 2 h arcs, each with its lower end, in order.

    Two walks from a node that never turn back, of at most h arcs, which begin with different arcs
    and meet.
    """
    d = table.shape[1]
    keys = _walk_ends(table, nodes, h)
    keys.sort(axis=1)
    unlike, bits = keys[:, 1:] ^ keys[:, :-1], d.bit_length()
    rows, places = np.nonzero((unlike != 0) & (unlike >> bits == 0))
    pairs = keys[rows[:, None], places[:, None] + (0, 1)] & ((1 << bits) - 1)
    one, column = np.repeat(nodes[rows], 2), pairs.ravel()
    kept = (column >= FIRST_CHORD) & (column < d)
    one, column = one[kept], column[kept]
    low = np.minimum(one, table[one, column]).astype(np.int64)
    return [divmod(key, d) for key in sorted(set((low * d + column).tolist()))]


def _walk_ends(table: IntArray, nodes: IntArray, h: int) -> IntArray:
    """Ends of walks of 0 to h arcs that never turn back, the first columns in the lowest bits.

    Shape (nodes, walks); the walk of no arcs has d for a column.
    """
    d = table.shape[1]
    back = np.arange(d, dtype=np.int32)
    back[[AHEAD, BACK]] = BACK, AHEAD
    onward = np.array([np.flatnonzero(back != column) for column in range(d)], dtype=np.int32)
    columns = np.tile(np.arange(d, dtype=np.int32), (len(nodes), 1))
    first, ends = columns, table[nodes]
    found = [(nodes[:, None], np.full((len(nodes), 1), d, dtype=np.int32)), (ends, first)]
    for _ in range(h - 1):
        columns = onward[columns].reshape(len(nodes), -1)
        first, ends = np.repeat(first, d - 1, axis=1), np.repeat(ends, d - 1, axis=1)
        ends = table[ends, columns]
        found.append((ends, first))
    return np.concatenate([end << d.bit_length() | one for end, one in found], axis=1)


def properties(n: int, d: int) -> BaseProperties:
    """Regular and two-way; the ring alone leads everywhere in n/2 steps."""
    name = f"Chords({n},{d})"
    require(d >= 3, f"{name}: d must be at least 3")
    require(n % 2 == 0 and n >= LEAST * d, f"{name}: n must be even and at least {LEAST} d")
    require_name(name, n, d)
    return BaseProperties(
        n=n,
        d=d,
        regular=True,
        max_diameter=n // 2,
        reverse_symmetric=True,
        bidirectional=True,
        simple=True,
        loop_free=True,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """Where links are two-way, n is large and d is odd: other graphs take many more steps there."""
    if (
        max(SMALLEST, d * d) <= n <= LARGEST
        and n % 2 == 0
        and d % 2 == 1
        and 3 <= d <= MOST_WORK // n**2
    ):
        yield (n, d)


register_family(
    Family(
        name="Chords",
        title="ring with chords",
        signature="Chords(n,d)",
        source="Bollobas and Chung (1988)",
        build=chords,
        properties=properties,
        members=members,
        published=False,
        only_duplex=True,
        samples=((12, 3), (16, 4), (20, 5), (64, 3), (30, 7)),
    )
)
