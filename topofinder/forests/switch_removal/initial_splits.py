"""The guessed splits of one switch: its ports in groups, turned against each other."""

from collections.abc import Iterator

import numpy as np

from generators.topology import FloatArray, Int64Array
from topofinder.forests.switch_removal.rotation import rotation_pairs
from topofinder.forests.switch_removal.split_state import Splitting
from topofinder.forests.switch_removal.tiers import ABOVE, Tiers

Splits = tuple[Int64Array, Int64Array, Int64Array]


def unlinked_runs(state: Splitting, order: list[int]) -> Iterator[list[int]]:
    """The switches in this order, in runs without an arc between two switches of a run.

    Arcs are looked up when a run is asked for, so that what earlier runs made counts.
    """
    rest = order
    while rest:
        alive = state.capacity > 0
        ends = state.tail[alive], state.head[alive]
        near: set[int] = set()
        linked = linked_switches(ends, rest)
        count = 0
        while count < len(rest) and rest[count] not in near:
            near.update(linked[rest[count]])
            count += 1
        yield rest[:count]
        rest = rest[count:]


def linked_switches(ends: tuple[Int64Array, Int64Array], among: list[int]) -> dict[int, list[int]]:
    """Which of the nodes `among` each of them shares an arc with."""
    member = set(among)
    found: dict[int, list[int]] = {w: [] for w in among}
    both = np.isin(ends[0], among) & np.isin(ends[1], among)
    for u, v in zip(ends[0][both].tolist(), ends[1][both].tolist(), strict=True):
        if u in member and v in member:
            found[u].append(v)
            found[v].append(u)
    return found


def initial_splits(
    state: Splitting, run: list[int], tiers: Tiers, spread: int, turn: int
) -> Splits:
    """Splits (arc in, arc out, amount) that would use up all capacity at the switches of a run.

    At most `spread` different turns a switch; `turn` makes switches that are alike differ.
    """
    listed = [
        _splits_of_switch(state, w, ports, tiers, spread, turn + at)
        for at, (w, ports) in enumerate(zip(run, state.ports(run), strict=True))
    ]
    into, out, amount = (np.concatenate(columns) for columns in zip(*listed, strict=True))
    return into, out, amount


def _splits_of_switch(
    state: Splitting,
    w: int,
    ports: tuple[Int64Array, Int64Array],
    tiers: Tiers,
    spread: int,
    turn: int,
) -> Splits:
    into, into_group = _sort_by_group(ports[0], state.tail[ports[0]], w, tiers)
    out, out_group = _sort_by_group(ports[1], state.head[ports[1]], w, tiers)
    turns = rotation_angles(len(set(into_group.tolist()) | set(out_group.tolist())), spread)
    lower = np.array([(into_group < ABOVE).sum(), (out_group < ABOVE).sum()])
    pairs = rotation_pairs(
        state.capacity[into],
        into_group,
        state.capacity[out],
        out_group,
        lower,
        turns,
        turn % len(turns),
    )
    return into[pairs[:, 0]], out[pairs[:, 1]], pairs[:, 2].copy()


def rotation_angles(groups: int, spread: int) -> FloatArray:
    """Which turns to use, as fractions of the way from the least to the greatest.

    All that lead from group to group if `spread` allows; else those by 1, 2, 4... groups, either
    way, so that every group is reached from every other in few hops.

    >>> [rotation_angles(*sizes).tolist() for sizes in ((4, 8), (2, 8), (9, 4))]
    [[0.0, 0.5, 1.0], [0.0], [0.0, 1.0, 0.14285714285714285, 0.8571428571428571]]
    """
    offsets = list(range(1, groups))
    if len(offsets) > spread:
        hop = max(2.0, (groups / 2) ** (2 / spread))
        ways = [round(hop**i) for i in range((spread + 1) // 2)]
        ways = [o for o in dict.fromkeys(ways) if 2 * o <= groups]
        offsets = list(dict.fromkeys(o for way in ways for o in (way, groups - way)))
    reach = max(groups - 2, 1)
    return np.array([(o - 1) / reach for o in offsets] or [0.0])


def _sort_by_group(
    arcs: Int64Array, ports: Int64Array, w: int, tiers: Tiers
) -> tuple[Int64Array, Int64Array]:
    """The arcs sorted by the group of their port, and the groups."""
    group = tiers.group(w, ports)
    order = np.lexsort((ports, group))
    return arcs[order], group[order]
