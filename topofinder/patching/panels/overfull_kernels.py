"""Annealing over splits whose slots may be overfull, and walks that close them.

A slot is an end on a panel; it is overfull where more circuits are on it than it has ports, and
each circuit too many is a conflict. Single circuits change panels at a price for each conflict.
That hardly ever reaches none, since repairs of sparse graphs are long alternating cycles: so from
time to time walks along two panels in turn are tried on a split with few conflicts.
"""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.kernels import copy_into, inner, kernel, random_below, seed_random


class OverfullSplit(NamedTuple):
    """Circuits on panels, changed in place; every circuit always has a panel.

    `ends` (circuits, 2); `home` (circuits,): the panel where each is in place, -1 for a new one;
    `panel` (circuits,); `load` and `room` (ends, panels): circuits on each slot, and its ports;
    `start` (ends + 1,) and `at` (2 circuits,): the circuits at each end. `away` and `full` list the
    circuits off their home, new ones too, and the overfull slots, `away_at` and `full_at` where
    each stands in these lists, or -1; `size`: lengths of both, conflicts, length of the log.
    `log` (limit, 2): circuits moved, and where they were.
    """

    ends: Int64Array
    home: Int64Array
    panel: Int64Array
    load: Int64Array
    room: Int64Array
    start: Int64Array
    at: Int64Array
    away: Int64Array
    away_at: Int64Array
    full: Int64Array
    full_at: Int64Array
    size: Int64Array
    log: Int64Array


class FoundSplits(NamedTuple):
    """What an annealing leaves: `closed` (kept, circuits), the best splits without conflicts.

    `moves` (kept,) are their circuits off home, -1 where there is none yet. `open_` (most
    conflicts + 1, circuits) and `open_moves` are the best splits with so many conflicts.
    """

    closed: Int64Array
    moves: Int64Array
    open_: Int64Array
    open_moves: Int64Array


AWAY, FULL, CONFLICTS, LOGGED = 0, 1, 2, 3
"""Places in `size`."""
CLOSING, CLOSABLE, TRIES = 3000, 4, 3
"""Steps between closings, most conflicts to close, and walks of which the best is taken."""
SHORT, LONG = 40, 20_000
"""Steps within which half of the walks turn to other panels, and after which all give up."""


@inner
def list_entry(entries: Any, at: Any, size: Any, which: int, value: int) -> None:
    """Put a value into one of the two lists, where it is not in it yet."""
    if at[value] < 0:
        at[value] = size[which]
        entries[size[which]] = value
        size[which] += 1


@inner
def unlist_entry(entries: Any, at: Any, size: Any, which: int, value: int) -> None:
    """Take a value out of one of the two lists, where it is in it."""
    place = at[value]
    if place >= 0:
        size[which] -= 1
        last = entries[size[which]]
        entries[place] = last
        at[last] = place
        at[value] = -1


@inner
def change_load(split: Any, end: int, panel: int, by: int) -> None:
    """Count a circuit more or less on a slot, and the conflicts."""
    slot = end * split.room.shape[1] + panel
    before = split.load[end, panel] - split.room[end, panel]
    split.load[end, panel] += by
    if by > 0:
        if before >= 0:
            split.size[CONFLICTS] += 1
            list_entry(split.full, split.full_at, split.size, FULL, slot)
    elif before > 0:
        split.size[CONFLICTS] -= 1
        if before == 1:
            unlist_entry(split.full, split.full_at, split.size, FULL, slot)


@inner
def shift_circuit(split: Any, circuit: int, panel: int) -> None:
    """Move a circuit to another panel."""
    was = split.panel[circuit]
    for side in range(2):
        end = split.ends[circuit, side]
        change_load(split, end, was, -1)
        change_load(split, end, panel, 1)
    split.panel[circuit] = panel
    if panel == split.home[circuit]:
        unlist_entry(split.away, split.away_at, split.size, AWAY, circuit)
    else:
        list_entry(split.away, split.away_at, split.size, AWAY, circuit)


@inner
def added_conflicts(split: Any, circuit: int, panel: int) -> int:
    """How many more conflicts there are once a circuit moves to another panel."""
    was, more = split.panel[circuit], 0
    for side in range(2):
        end = split.ends[circuit, side]
        more -= split.load[end, was] > split.room[end, was]
        more += split.load[end, panel] >= split.room[end, panel]
    return more


@inner
def circuit_on(split: Any, end: int, panel: int, but: int) -> int:
    """A circuit at an end on a panel, by chance, other than one; -1 if there is none."""
    low, width = split.start[end], split.start[end + 1] - split.start[end]
    shift = random_below(width)
    for i in range(width):
        circuit = split.at[low + (i + shift) % width]
        if split.panel[circuit] == panel and circuit != but:
            return int(circuit)
    return -1


@inner
def panel_for(split: Any, end: int, full: int) -> int:
    """A panel other than `full`: mostly one where an end has a port to spare."""
    panels = split.room.shape[1]
    if random_below(10) < 7:
        shift = random_below(panels)
        for i in range(panels):
            panel = (i + shift) % panels
            if split.load[end, panel] < split.room[end, panel]:
                return int(panel)
    return int((full + 1 + random_below(panels - 1)) % panels)


@inner
def propose(split: Any) -> tuple[int, int]:
    """A circuit and the panel that it may move to: away from an overfull slot, or home."""
    panels = split.room.shape[1]
    count = split.size[FULL]
    if count and (not split.size[AWAY] or random_below(2) == 0):
        slot = split.full[random_below(count)]
        end, full = slot // panels, slot % panels
        return circuit_on(split, end, full, -1), panel_for(split, end, full)
    if not split.size[AWAY]:
        return int(random_below(len(split.panel))), int(random_below(panels))
    circuit = split.away[random_below(split.size[AWAY])]
    if split.home[circuit] >= 0 and random_below(10) < 8:
        return int(circuit), int(split.home[circuit])
    return int(circuit), int(random_below(panels))


@inner
def take_back(split: Any) -> None:
    """Put back all that the log holds."""
    while split.size[LOGGED] > 0:
        split.size[LOGGED] -= 1
        slot = split.size[LOGGED]
        shift_circuit(split, split.log[slot, 0], split.log[slot, 1])


@inner
def shift_and_log(split: Any, circuit: int, panel: int) -> None:
    """Move a circuit, and write down where it was."""
    slot = split.size[LOGGED]
    split.log[slot, 0], split.log[slot, 1] = circuit, split.panel[circuit]
    split.size[LOGGED] = slot + 1
    shift_circuit(split, circuit, panel)


@inner
def close_conflicts(split: Any, most: int) -> bool:
    """Walk from overfull slots along two panels in turn until all fits; whether it does.

    Walks that would take as many as `most` circuits off home are given up.
    """
    panels, limit = split.room.shape[1], len(split.log)
    while split.size[FULL]:
        slot = split.full[random_below(split.size[FULL])]
        end, full = slot // panels, slot % panels
        other, but, left = panel_for(split, end, full), -1, LONG
        if random_below(2) == 0:
            left = 1 + random_below(SHORT)
        while split.load[end, full] > split.room[end, full] and left > 0:
            circuit = circuit_on(split, end, full, but)
            if circuit < 0 or split.size[LOGGED] >= limit or split.size[AWAY] >= most:
                return False
            shift_and_log(split, circuit, other)
            # Its other end may now have too many on the other panel, and one too few on this.
            end = split.ends[circuit, 0] + split.ends[circuit, 1] - end
            full, other, but, left = other, full, circuit, left - 1
    return True


@inner
def keep_closed(split: Any, found: Any) -> None:
    """Keep a split without conflicts, if it is among the best and new among them."""
    moves, worst = split.size[AWAY], 0
    for i in range(len(found.moves)):
        if found.moves[i] < 0:
            worst = i
            break
        if found.moves[i] == moves:
            same = True
            for circuit in range(len(split.panel)):
                if split.panel[circuit] != found.closed[i, circuit]:
                    same = False
                    break
            if same:
                return
        if found.moves[i] > found.moves[worst]:
            worst = i
    if found.moves[worst] < 0 or moves < found.moves[worst]:
        found.moves[worst] = moves
        copy_into(found.closed[worst], split.panel)


@inner
def limit_of(found: Any) -> int:
    """Circuits off home that a new split must stay below to be kept."""
    most = least = 1 << 40
    for moves in found.moves:
        if moves >= 0:
            least = min(least, moves)
    for moves in found.moves:
        if moves < 0:
            return least + least // 4
    most = 0
    for moves in found.moves:
        most = max(most, moves)
    return int(min(most, least + least // 4))


@inner
def try_to_close(split: Any, found: Any) -> None:
    """Close a split by some walks, keep what is good, and go back to it."""
    for _ in range(TRIES):
        split.size[LOGGED] = 0
        if close_conflicts(split, limit_of(found)):
            keep_closed(split, found)
        take_back(split)


@kernel
def anneal_overfull(
    split: Any,
    found: Any,
    price: Any,
    heat: Any,
    steps: int,
    seed: int,
) -> None:
    """Anneal for so many steps, from the split as it is; what is good goes into `found`.

    `price` is what a conflict costs, in circuits, `heat` the temperature, each first and last.
    """
    seed_random(seed)
    span = max(1, steps // 256)
    rise, fall = (price[1] / price[0]) ** (1.0 / span), (heat[1] / heat[0]) ** (1.0 / span)
    cost, temperature = price[0], heat[0]
    if not split.size[CONFLICTS]:
        keep_closed(split, found)
    for step in range(steps):
        if step % 256 == 255:
            cost *= rise
            temperature *= fall
        if step % CLOSING == CLOSING - 1 and split.size[CONFLICTS] <= CLOSABLE:
            try_to_close(split, found)
        circuit, panel = propose(split)
        if circuit < 0:
            return
        was, home = split.panel[circuit], split.home[circuit]
        if panel == was:
            continue
        more = cost * added_conflicts(split, circuit, panel)
        if home >= 0:
            more += (was == home) - (panel == home)
        if more > 0 and np.random.random() >= np.exp(-more / temperature):
            continue
        shift_circuit(split, circuit, panel)
        conflicts = split.size[CONFLICTS]
        if conflicts < len(found.open_moves):
            least = found.open_moves[conflicts]
            if least < 0 or split.size[AWAY] < least:
                found.open_moves[conflicts] = split.size[AWAY]
                copy_into(found.open_[conflicts], split.panel)
                if conflicts == 0:
                    keep_closed(split, found)
