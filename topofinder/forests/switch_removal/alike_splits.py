"""Split off all switches alike at every host, where shifts of the hosts are automorphisms.

Hosts stand in blocks of one size, as GPUs in racks. Where shifting all hosts within their blocks,
and shifting the blocks, carries switches to switches, these shifts carry any host to any other, and
one host's splits to those of all. What is left is a Cayley digraph with capacities, on which trees
of one root can be packed and shifted. Some of its cuts may be worse than those of the network: it
is for the packer to tell, whose trees reach the optimum or are none.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from generators.divisors import divisors
from generators.topology import Int64Array, IntArray
from topofinder.forests.switch_removal.split_state import Splitting

Signature = frozenset[tuple[int, int, int]]
"""What links a switch: (host, capacity to it, capacity from it)."""


@dataclass(frozen=True, slots=True, eq=False)
class HostShifts:
    """Shifts of n hosts in blocks of `size` that are automorphisms.

    `links` tells the hosts of every switch, `inner` and `outer` to which switch a shift within
    blocks, and one of the blocks, carries each.
    """

    n: int
    size: int
    links: dict[int, Signature]
    inner: dict[int, int]
    outer: dict[int, int]

    def translation(self, u: int) -> IntArray:
        """The shift that carries host 0 to u, as an array of all hosts' images."""
        blocks = np.arange(self.n, dtype=np.int32).reshape(-1, self.size)
        return np.roll(blocks, (-(u // self.size), -(u % self.size)), axis=(0, 1)).ravel()


def host_shifts(state: Splitting, compute: IntArray) -> HostShifts | None:
    """The shifts in the largest blocks, or None; switches must be linked to hosts alone.

    Hosts are counted in the order of `compute`.
    """
    n = len(compute)
    place = np.full(state.n, -1, dtype=np.int64)
    place[compute] = np.arange(n)
    if n == state.n or ((place[state.tail] < 0) & (place[state.head] < 0)).any():
        return None
    links = _switch_links(state, place)
    for size in sorted(divisors(n), reverse=True):
        shifts = _block_shifts(n, size)
        inner, outer = (_switch_images(links, shift) for shift in shifts)
        if inner is not None and outer is not None and _keeps_circuits(state, place, shifts):
            return HostShifts(n, size, links, inner, outer)
    return None


def _block_shifts(n: int, size: int) -> tuple[Int64Array, Int64Array]:
    """Each host to the next of its block, and to the same of the next block."""
    blocks = np.arange(n).reshape(-1, size)
    return np.roll(blocks, -1, axis=1).ravel(), np.roll(blocks, -1, axis=0).ravel()


def _switch_links(state: Splitting, place: Int64Array) -> dict[int, Signature]:
    """The hosts of every switch, with capacities to and from them."""
    both: defaultdict[int, defaultdict[int, list[int]]]
    both = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    columns = (state.tail, state.head, state.capacity)
    for u, v, capacity in zip(*(column.tolist() for column in columns), strict=True):
        if place[u] < 0:
            both[u][int(place[v])][0] += capacity
        elif place[v] < 0:
            both[v][int(place[u])][1] += capacity
    return {
        w: frozenset((host, to, back) for host, (to, back) in hosts.items())
        for w, hosts in both.items()
    }


def _switch_images(links: dict[int, Signature], shift: Int64Array) -> dict[int, int] | None:
    """The switch that each is carried to; None where there is none."""
    alike: defaultdict[Signature, list[int]] = defaultdict(list)
    for w in sorted(links):
        alike[links[w]].append(w)
    taken: defaultdict[Signature, int] = defaultdict(int)
    images = {}
    for w in sorted(links):
        moved = frozenset((int(shift[host]), to, back) for host, to, back in links[w])
        if taken[moved] >= len(alike.get(moved, ())):
            return None
        images[w] = alike[moved][taken[moved]]
        taken[moved] += 1
    return images


def _keeps_circuits(
    state: Splitting, place: Int64Array, shifts: tuple[Int64Array, Int64Array]
) -> bool:
    """Whether shifts carry arcs between hosts to such arcs."""
    tail, head = place[state.tail], place[state.head]
    own = (tail >= 0) & (head >= 0)
    tail, head, capacity = tail[own], head[own], state.capacity[own]
    arcs = sorted(zip(tail, head, capacity, strict=True))
    return all(
        sorted(zip(shift[tail], shift[head], capacity, strict=True)) == arcs for shift in shifts
    )


def split_alike(state: Splitting, compute: IntArray, shifts: HostShifts) -> Splitting | None:
    """The splits of the first host, shifted to all; None where a switch keeps capacity."""
    arc = {
        ends: e for e, ends in enumerate(zip(state.tail.tolist(), state.head.tolist(), strict=True))
    }
    images = [compute[shifts.translation(u)].tolist() for u in range(shifts.n)]
    rows = []
    for w, v, amount in _splits_of_first(shifts.links):
        for host, at in enumerate(_images_of_switch(shifts, w)):
            u, to = images[host][0], images[host][v]
            if (u, at) not in arc or (at, to) not in arc:
                return None
            rows.append((arc[u, at], arc[at, to], amount))
    made = state.copy()
    made.split(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)
    between = np.isin(made.tail, compute) & np.isin(made.head, compute)
    left = made.capacity[~between].any() or (made.capacity < 0).any()
    return None if left else made


def _images_of_switch(shifts: HostShifts, w: int) -> Iterator[int]:
    """Where the shifts to each host carry a switch."""
    start = w
    for _ in range(shifts.n // shifts.size):
        at = start
        for _ in range(shifts.size):
            yield at
            at = shifts.inner[at]
        start = shifts.outer[start]


def _splits_of_first(links: dict[int, Signature]) -> list[tuple[int, int, int]]:
    """(switch, other host, amount) of the first host, for each switch in even parts.

    Another host is met through the switch that has most capacity of those which both are linked
    to; a switch that is no other host's best meets all of its own.
    """
    own = {
        w: next(back for host, _, back in hosts if host == 0)
        for w, hosts in links.items()
        if any(host == 0 for host, _, _ in hosts)
    }
    met: dict[int, int] = {}
    for w in sorted(own, key=lambda w: (-own[w], w)):
        for host, _, _ in links[w]:
            met.setdefault(host, w)
    rows = []
    for w, room in own.items():
        others = sorted(host for host, _, _ in links[w] if host)
        some = [host for host in others if met[host] == w] or others
        parts = np.diff(room * np.arange(len(some) + 1) // max(len(some), 1)).tolist()
        rows += [(w, v, amount) for v, amount in zip(some, parts, strict=True) if amount]
    return rows
