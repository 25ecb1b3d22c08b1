"""Annealing over splits in which slots may be overfull, and walks that close them.

A slot is an end on a panel. A single circuit changes panel at a time; a circuit above the ports of
a slot costs so many moves. Single steps hardly reach a split without one: from near-splits with a
few conflicts, walks of circuits that push each other on end where all fits, now and then after a
few steps. The best split met is kept.
"""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.kernels import copy_into, inner, kernel
from topofinder.patching.panels.kempe_chain_kernels import put_on_panel, undo_chain


class OverfullSlots(NamedTuple):
    """Lists of what proposals are drawn from, changed in place.

    `full` (slots,): overfull slots first, `full_at` (slots,) where each is, -1 for none; `off`
    (circuits,) and `off_at` alike: circuits away from their `home` (circuits,), the panel that each
    has in place, -1 for none. `size` (3,): lengths of both lists, and circuits above the ports.
    """

    full: Int64Array
    full_at: Int64Array
    off: Int64Array
    off_at: Int64Array
    home: Int64Array
    size: Int64Array


@inner
def enter_member(members: Any, place: Any, size: Any, which: int, member: int, there: bool) -> None:
    """Put a member into a list, or take it out."""
    if there == (place[member] >= 0):
        return
    if there:
        place[member] = size[which]
        members[size[which]] = member
        size[which] += 1
    else:
        size[which] -= 1
        last = members[size[which]]
        members[place[member]] = last
        place[last] = place[member]
        place[member] = -1


@inner
def shift_circuit(split: Any, slots: Any, circuit: int, panel: int) -> int:
    """Move a circuit to a panel whether or not it has room; how many more stay in place."""
    panels, was = split.room.shape[1], split.panel[circuit]
    split.size[0] = 0
    gain = put_on_panel(split, circuit, panel)
    for side in range(2):
        end = split.ends[circuit, side]
        slots.size[2] += (split.room[end, panel] < 0) - (split.room[end, was] <= 0)
        for one in (was, panel):
            over = split.room[end, one] < 0
            enter_member(slots.full, slots.full_at, slots.size, 0, end * panels + one, over)
    away = panel != slots.home[circuit]
    enter_member(slots.off, slots.off_at, slots.size, 1, circuit, away)
    return int(gain)


@inner
def lacking_panel(split: Any, end: int, bias: float) -> int:
    """A panel by chance, mostly one on which an end has a port free."""
    panels = split.room.shape[1]
    shift = np.random.randint(panels)
    if np.random.random() < bias:
        for i in range(panels):
            if split.room[end, (i + shift) % panels] > 0:
                return int((i + shift) % panels)
    return int(shift)


@inner
def circuit_on(split: Any, end: int, panel: int, latest: int) -> int:
    """A circuit of an end on a panel, by chance, but for one; -1 for none."""
    low, width = split.start[end], split.start[end + 1] - split.start[end]
    shift = np.random.randint(width)
    for i in range(width):
        circuit = split.at[low + (i + shift) % width]
        if split.panel[circuit] == panel and circuit != latest:
            return int(circuit)
    return -1


@inner
def propose_shift(split: Any, slots: Any) -> tuple[int, int]:
    """A circuit and the panel that it could change to."""
    panels = split.room.shape[1]
    if slots.size[0] and (np.random.random() < 0.5 or not slots.size[1]):
        slot = slots.full[np.random.randint(slots.size[0])]
        end, panel = slot // panels, slot % panels
        return circuit_on(split, end, panel, -1), lacking_panel(split, end, 0.7)
    if not slots.size[1]:
        return -1, -1
    circuit = slots.off[np.random.randint(slots.size[1])]
    if slots.home[circuit] >= 0 and np.random.random() < 0.8:
        return circuit, slots.home[circuit]
    return circuit, np.random.randint(panels)


@inner
def excess_change(split: Any, circuit: int, panel: int) -> int:
    """How many more circuits are above the ports when a circuit changes to a panel."""
    was, total = split.panel[circuit], 0
    for side in range(2):
        end = split.ends[circuit, side]
        total += (split.room[end, panel] <= 0) - (split.room[end, was] < 0)
    return total


@inner
def stay_change(split: Any, circuit: int, panel: int) -> int:
    """How many more circuits stay in place when a circuit changes to a panel."""
    pair, was = split.pair[circuit], split.panel[circuit]
    return int(split.spare[pair, panel] > 0) - int(split.spare[pair, was] >= 0)


@inner
def close_conflicts(split: Any, slots: Any, steps: int, stack: Any) -> tuple[bool, int]:
    """Walk from each overfull slot until all fits; whether it does, and how many more stay.

    The walk is in the log of the split.
    """
    panels, total, top = split.room.shape[1], 0, slots.size[0]
    split.size[0] = 0
    for i in range(top):
        stack[i] = slots.full[i]
    latest = -1
    for _ in range(min(steps, len(split.log) - 4)):
        while top > 0 and split.room[stack[top - 1] // panels, stack[top - 1] % panels] >= 0:
            top -= 1
        if top == 0:
            return True, total
        end, panel = stack[top - 1] // panels, stack[top - 1] % panels
        circuit, other = circuit_on(split, end, panel, latest), lacking_panel(split, end, 0.9)
        if circuit < 0 or other == panel or top > len(stack) - 4:
            continue
        total += put_on_panel(split, circuit, other)
        latest = circuit
        far = split.ends[circuit, 0] + split.ends[circuit, 1] - end
        for one in (end, far):
            if split.room[one, other] < 0:
                stack[top] = one * panels + other
                top += 1
    return False, total


@kernel
def anneal_overfull(
    split: Any, slots: Any, heat: Any, price: Any, steps: int, closing: Any, seed: int
) -> bool:
    """Anneal from the panels of the split, and leave it on the best panels that fit.

    `heat` and `price` of a circuit too many: first and last, floats (2,). `closing` (4,): steps
    between walks, most conflicts that they close, tries, and steps of each. Returns whether any
    fit; the panels are as they were where none do. The lists of `slots` are of no use afterwards.
    """
    np.random.seed(seed)
    best, now, most, found = split.panel.copy(), 0, 0, False
    stack = np.empty(split.room.size + 8, dtype=np.int64)
    for step in range(steps):
        share = step / steps
        temperature = heat[0] + (heat[1] - heat[0]) * share
        dear = price[0] + (price[1] - price[0]) * share
        circuit, panel = propose_shift(split, slots)
        if circuit >= 0 and panel != split.panel[circuit]:
            rise = dear * excess_change(split, circuit, panel) - stay_change(split, circuit, panel)
            if rise <= 0 or np.random.random() < np.exp(-rise / temperature):
                now += shift_circuit(split, slots, circuit, panel)
        if slots.size[2] == 0 and (not found or now > most):
            found, most = True, now
            copy_into(best, split.panel)
        elif 0 < slots.size[2] <= closing[1] and step % closing[0] == 0:
            for _ in range(closing[2]):
                fits, gain = close_conflicts(split, slots, closing[3], stack)
                if fits and (not found or now + gain > most):
                    found, most = True, now + gain
                    copy_into(best, split.panel)
                undo_chain(split)
    for circuit in range(len(best)):
        split.size[0] = 0
        put_on_panel(split, circuit, best[circuit])
    return found
