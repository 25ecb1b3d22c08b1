"""Alternating walks that move circuits between panels, as Kempe chains do in edge colouring.

A circuit that moves from panel p to panel q may leave too many at one of its ends on q. One of
those then moves to p, which may leave too many at its other end, and so on until it fits. Where
every host has one port on each panel the walk is a Kempe chain. In simplex mode senders and
receivers are different ends, the graph is bipartite, and a walk that places a circuit always
ends (Koenig 1916); in duplex mode it may come back, and chance is needed.
"""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.kernels import copy_into, inner, kernel


class PanelSplit(NamedTuple):
    """Circuits on panels, changed in place.

    `ends` (circuits, 2); `panel` (circuits,), -1 for none; `room` (ends, panels): ports still
    free; `start` (ends + 1,) and `at` (2 circuits,): the circuits at each end; `pair` (circuits,):
    which kind of parallel circuits; `spare` (pairs, panels): circuits in place minus those
    of the split, negative where more are wanted; `log` (limit, 2): circuits moved and
    where they were; `size[0]`: length of the log.
    """

    ends: Int64Array
    panel: Int64Array
    room: Int64Array
    start: Int64Array
    at: Int64Array
    pair: Int64Array
    spare: Int64Array
    log: Int64Array
    size: Int64Array


@inner
def put_on_panel(split: Any, circuit: int, panel: int) -> int:
    """Move a circuit to a panel, or to none (-1), and log it; how many more stay in place."""
    was, pair, gain = split.panel[circuit], split.pair[circuit], 0
    slot = split.size[0]
    split.log[slot, 0], split.log[slot, 1] = circuit, was
    split.size[0] = slot + 1
    if was >= 0:
        gain -= split.spare[pair, was] >= 0
        split.spare[pair, was] += 1
    if panel >= 0:
        gain += split.spare[pair, panel] > 0
        split.spare[pair, panel] -= 1
    for side in range(2):
        end = split.ends[circuit, side]
        if was >= 0:
            split.room[end, was] += 1
        if panel >= 0:
            split.room[end, panel] -= 1
    split.panel[circuit] = panel
    return gain


@inner
def undo_chain(split: Any) -> None:
    """Put back all that the log holds."""
    while split.size[0] > 0:
        slot = split.size[0] - 1
        put_on_panel(split, split.log[slot, 0], split.log[slot, 1])
        split.size[0] = slot


@inner
def has_just_moved(split: Any, circuit: int) -> bool:
    """Whether the circuit has moved in one of the latest steps of this walk."""
    for slot in range(max(0, split.size[0] - 2), split.size[0]):
        if split.log[slot, 0] == circuit:
            return True
    return bool(split.size[0] > 0 and split.log[0, 0] == circuit)


@inner
def follow_chain(split: Any, end: int, full: int, other: int) -> tuple[bool, int]:
    """Walk from an end with one circuit too many on `full`, moving it to `other`, and so on.

    Returns whether all fits again, and how many more circuits stay in place.
    """
    total = 0
    while split.room[end, full] < 0:
        low, width = split.start[end], split.start[end + 1] - split.start[end]
        shift, chosen = np.random.randint(width), -1
        for i in range(width):
            circuit = split.at[low + (i + shift) % width]
            if split.panel[circuit] == full and not has_just_moved(split, circuit):
                chosen = circuit
                break
        if chosen < 0 or split.size[0] >= len(split.log) - 4:
            return False, total
        total += put_on_panel(split, chosen, other)
        end = split.ends[chosen, 0] + split.ends[chosen, 1] - end
        full, other = other, full
    return True, total


@inner
def move_circuit(split: Any, circuit: int, panel: int) -> tuple[bool, int]:
    """Move a circuit from its panel to another, and settle both ends; the log is new."""
    split.size[0] = 0
    was = split.panel[circuit]
    total = put_on_panel(split, circuit, panel)
    for side in range(2):
        fits, gain = follow_chain(split, split.ends[circuit, side], panel, was)
        total += gain
        if not fits:
            return False, total
    return True, total


@inner
def insert_circuit(split: Any, circuit: int) -> tuple[bool, int]:
    """Find room for a circuit that has no panel: free at one end, made free at the other."""
    split.size[0] = 0
    panels = split.room.shape[1]
    side = np.random.randint(2)
    one, two = split.ends[circuit, side], split.ends[circuit, 1 - side]
    here, there = -1, -1
    for i in range(panels):
        turn = (i + split.at[split.start[one]] + np.random.randint(panels)) % panels
        if split.room[one, turn] > 0:
            here = turn
        if split.room[two, turn] > 0:
            there = turn
    for panel in range(panels):
        if split.room[one, panel] > 0 and split.room[two, panel] > 0:
            here = there = panel
        elif here < 0 and split.room[one, panel] > 0:
            here = panel
        elif there < 0 and split.room[two, panel] > 0:
            there = panel
    if here < 0 or there < 0:
        return False, 0
    total = put_on_panel(split, circuit, here)
    fits, gain = follow_chain(split, two, here, there)
    return fits, total + gain


@inner
def insert_cheaply(split: Any, circuit: int, tries: int, seed: int) -> bool:
    """Of some walks that find room for a circuit, make the one after which most stays in place."""
    best, chosen = 0, -1
    for attempt in range(tries):
        np.random.seed(seed + attempt)
        fits, gain = insert_circuit(split, circuit)
        undo_chain(split)
        if fits and (chosen < 0 or gain > best):
            best, chosen = gain, attempt
    if chosen < 0:
        return False
    np.random.seed(seed + chosen)
    insert_circuit(split, circuit)
    return True


@kernel
def place_circuits(split: Any, walks: int, tries: int, seed: int) -> int:
    """Find panels for the circuits that have none; returns how many are left without.

    The best of `tries` walks is made; if all fail, a circuit at one of the ends moves by chance,
    until so many `walks` have failed.
    """
    panels = split.room.shape[1]
    left = 0
    for circuit in range(len(split.panel)):
        if split.panel[circuit] >= 0:
            continue
        for step in range(0, walks, tries):
            if insert_cheaply(split, circuit, tries, seed + step):
                break
            end = split.ends[circuit, np.random.randint(2)]
            low, high = split.start[end], split.start[end + 1]
            other = split.at[low + np.random.randint(high - low)]
            panel = np.random.randint(panels)
            split.size[0] = 0
            if split.panel[other] >= 0 and split.panel[other] != panel:
                fits, _gain = move_circuit(split, other, panel)
                if not fits:
                    undo_chain(split)
        left += split.panel[circuit] < 0
    return left


@inner
def panel_in_place(split: Any, circuit: int) -> int:
    """A panel, by chance, where a circuit would be in place that is not so on its own; or -1."""
    panels = split.room.shape[1]
    pair, was, panel = split.pair[circuit], split.panel[circuit], -1
    if was < 0 or split.spare[pair, was] >= 0:
        return panel
    shift = np.random.randint(panels)
    for i in range(panels):
        if split.spare[pair, (i + shift) % panels] > 0:
            panel = (i + shift) % panels
    return panel


@kernel
def anneal_panels(split: Any, steps: int, heat: float, cold: float, seed: int) -> int:
    """Move circuits to panels where they are in place already, by annealing over walks.

    Ends on the best panels met. Returns how many more circuits stay than before.
    """
    np.random.seed(seed)
    now, most, best = 0, 0, split.panel.copy()
    fall = (cold / heat) ** (1.0 / max(1, steps))
    temperature = heat
    for _ in range(steps):
        temperature *= fall
        circuit = np.random.randint(len(split.panel))
        panel = panel_in_place(split, circuit)
        if panel < 0:
            continue
        fits, gain = move_circuit(split, circuit, panel)
        if fits and (gain >= 0 or np.random.random() < np.exp(gain / temperature)):
            now += gain
            if now > most:
                most = now
                copy_into(best, split.panel)
        else:
            undo_chain(split)
    for circuit in range(len(best)):
        split.size[0] = 0
        put_on_panel(split, circuit, best[circuit])
    return int(most)


@kernel
def improve_panels(split: Any, seed: int) -> int:
    """Make every walk after which more circuits stay, until there is none; how many more stay.

    On panels with one port a host, circuits on two panels are alternating paths and cycles, each
    free to change sides: no two panels can then share their circuits better.
    """
    np.random.seed(seed)
    panels, total, found = split.room.shape[1], 0, True
    while found:
        found = False
        for circuit in range(len(split.panel)):
            for panel in range(panels):
                pair, was = split.pair[circuit], split.panel[circuit]
                if was < 0 or split.spare[pair, was] >= 0 or split.spare[pair, panel] <= 0:
                    continue
                fits, gain = move_circuit(split, circuit, panel)
                if fits and gain > 0:
                    total, found = total + gain, True
                else:
                    undo_chain(split)
    return int(total)
