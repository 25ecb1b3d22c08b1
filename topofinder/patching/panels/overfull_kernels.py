"""Annealing over splits in which slots may be overfull, and walks that close them.

A slot is an end on a panel. A single circuit changes panel at a time; a circuit above the ports of
a slot costs so many moves. Single steps hardly reach a split without one: from near-splits with a
few conflicts, walks of circuits that push each other on end where all fits, now and then after a
few steps. The best split met is kept.

Of parallel circuits each in place is the home of one: the circuits away from home are then at
least those that are made, and as many once they have changed names.
"""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.kernels import always_inline, borrow, copy_into, kernel

ADJUST = 1024
"""Steps between two looks at temperature and price."""
RISE, FALL = 1.0002, 0.98
"""What the price of a circuit too many is multiplied by at such a look."""
_THIRTEEN, _SEVEN, _SEVENTEEN, _HALF = (np.uint64(k) for k in (13, 7, 17, 32))


class OverfullSplit(NamedTuple):
    """Circuits on panels, more than fit, changed in place.

    `ends` (circuits, 2); `panel` and `home` (circuits,), where each is and where it is in place, -1
    for nowhere; `room` (ends, panels): ports free, below 0 where overfull; `start` (ends + 1,) and
    `at`: the circuits at each end. Lists that proposals are drawn from: `full` (slots,) overfull
    slots first, `full_at` (slots,) where each is, -1 for none; `off` and `off_at` (circuits,) alike
    those away from home. `size` (3,): lengths of both lists, and circuits above the ports.
    """

    ends: Int64Array
    panel: Int64Array
    home: Int64Array
    room: Int64Array
    start: Int64Array
    at: Int64Array
    full: Int64Array
    full_at: Int64Array
    off: Int64Array
    off_at: Int64Array
    size: Int64Array


@always_inline
def draw_word(word: Any) -> Any:
    """The next of half a word of random bits (xorshift64, Marsaglia 2003); `word` is its state."""
    state = word[0]
    state ^= state << _THIRTEEN
    state ^= state >> _SEVEN
    state ^= state << _SEVENTEEN
    word[0] = state
    return state >> _HALF


@always_inline
def draw_below(word: Any, count: int) -> Any:
    """One of 0 to count - 1."""
    return np.int64((draw_word(word) * np.uint64(count)) >> _HALF)


@always_inline
def draw_share(word: Any) -> float:
    """A number from 0 to below 1."""
    return np.float64(draw_word(word)) / 4294967296.0


@always_inline
def enter_member(members: Any, place: Any, size: Any, which: int, member: int, there: bool) -> None:
    """Put a member into a list, or take it out."""
    if there != (place[member] >= 0):
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


@always_inline
def shift_circuit(split: Any, circuit: int, panel: int) -> None:
    """Move a circuit to a panel whether or not it has room."""
    panels, was = split.room.shape[1], split.panel[circuit]
    split.panel[circuit] = panel
    for side in range(2):
        end = split.ends[circuit, side]
        split.size[2] += (split.room[end, panel] <= 0) - (split.room[end, was] < 0)
        split.room[end, was] += 1
        split.room[end, panel] -= 1
        for one in (was, panel):
            over = split.room[end, one] < 0
            enter_member(split.full, split.full_at, split.size, 0, end * panels + one, over)
    away = panel != split.home[circuit]
    enter_member(split.off, split.off_at, split.size, 1, circuit, away)


@always_inline
def lacking_panel(split: Any, word: Any, end: int, bias: float) -> Any:
    """A panel by chance, mostly one on which an end has a port free."""
    panels = split.room.shape[1]
    chosen = draw_below(word, panels)
    if draw_share(word) < bias:
        shift = chosen
        for i in range(panels):
            panel = shift + i if shift + i < panels else shift + i - panels
            if split.room[end, panel] > 0:
                chosen = panel
                break
    return chosen


@always_inline
def circuit_on(split: Any, word: Any, end: int, panel: int, latest: int) -> Any:
    """A circuit of an end on a panel, by chance, but for one; -1 for none."""
    low, width, chosen = split.start[end], split.start[end + 1] - split.start[end], -1
    shift = draw_below(word, width)
    for i in range(width):
        circuit = split.at[low + (shift + i if shift + i < width else shift + i - width)]
        if split.panel[circuit] == panel and circuit != latest:
            chosen = circuit
            break
    return chosen


@always_inline
def propose_shift(split: Any, word: Any) -> tuple[int, int]:
    """A circuit and the panel that it could change to; -1 for none."""
    panels, circuit, panel = split.room.shape[1], -1, -1
    if split.size[0] > 0 and (split.size[1] == 0 or draw_share(word) < 0.5):
        slot = split.full[draw_below(word, split.size[0])]
        panel = lacking_panel(split, word, slot // panels, 0.7)
        circuit = circuit_on(split, word, slot // panels, slot % panels, -1)
    elif split.size[1] > 0:
        circuit = split.off[draw_below(word, split.size[1])]
        panel = split.home[circuit]
        if panel < 0 or draw_share(word) >= 0.8:
            panel = draw_below(word, panels)
    return circuit, panel


@always_inline
def excess_change(split: Any, circuit: int, panel: int) -> int:
    """How many more circuits are above the ports when a circuit changes to a panel, -2 to 2."""
    was, total = split.panel[circuit], 0
    for side in range(2):
        end = split.ends[circuit, side]
        total += (split.room[end, panel] <= 0) - (split.room[end, was] < 0)
    return total


@always_inline
def step_circuit(split: Any, circuit: int, panel: int) -> int:
    """Move a circuit in a walk, which keeps no lists; how many more are away from home."""
    was = split.panel[circuit]
    for side in range(2):
        end = split.ends[circuit, side]
        split.room[end, was] += 1
        split.room[end, panel] -= 1
    split.panel[circuit] = panel
    return int(was == split.home[circuit]) - int(panel == split.home[circuit])


@always_inline
def close_conflicts(
    split: Any, word: Any, steps: int, stack: Any, log: Any
) -> tuple[bool, int, int]:
    """Walk from each overfull slot until all fits, or for so many steps.

    Returns whether it fits, how many more are away from home, and the length of the `log` (steps,
    2): circuits moved and where they were.
    """
    panels, away, top, length, latest = split.room.shape[1], 0, split.size[0], 0, -1
    for i in range(top):
        stack[i] = split.full[i]
    for _ in range(steps):
        while top > 0 and split.room[stack[top - 1] // panels, stack[top - 1] % panels] >= 0:
            top -= 1
        if top == 0:
            break
        end, panel = stack[top - 1] // panels, stack[top - 1] % panels
        circuit = circuit_on(split, word, end, panel, latest)
        other = lacking_panel(split, word, end, 0.9)
        if circuit >= 0 and other != panel:
            log[length, 0], log[length, 1] = circuit, panel
            length += 1
            away += step_circuit(split, circuit, other)
            latest = circuit
            for side in range(2):
                if split.room[split.ends[circuit, side], other] < 0:
                    stack[top] = split.ends[circuit, side] * panels + other
                    top += 1
    return top == 0, away, length


@kernel
def anneal_overfull(
    split: Any,
    toll: Any,
    heat: Any,
    price: Any,
    steps: int,
    closing: Any,
    seed: int,
    best: Any,
) -> int:
    """Anneal from the panels of a split, and write the best panels that fit to `best` (circuits,).

    `toll` (circuits, panels): what a circuit costs on a panel, floats.
    `heat`: first and last temperature; `price` of a circuit too many: first and most, floats (2,).
    It rises while there are more conflicts than walks close, and falls where all fits, so that
    the search goes on. `closing` (4,): steps between walks, most conflicts that they close, tries,
    and steps of each. Returns the circuits away from home on the best panels, -1 where none that
    fit were met.
    """
    own_word, own_stack = (
        np.empty(1, dtype=np.uint64),
        np.empty(split.room.size + 2 * closing[3] + 2, dtype=np.int64),
    )
    own_log = np.empty((closing[3], 2), dtype=np.int64)
    split, closing, word = borrow(split), borrow(closing), borrow(own_word)
    stack, log, toll = borrow(own_stack), borrow(own_log), borrow(toll)
    word[0] = np.uint64(88172645463325252) ^ (np.uint64(seed + 1) << _HALF)
    least, dear, temperature = -1, price[0], heat[0]
    for step in range(steps):
        if step % ADJUST == 0:
            share = step / steps
            temperature = heat[0] + (heat[1] - heat[0]) * share
            if split.size[2] == 0:
                dear *= FALL
            elif split.size[2] > closing[1]:
                dear = min(price[1], dear * RISE)
        circuit, panel = propose_shift(split, word)
        if circuit >= 0 and panel != split.panel[circuit]:
            more = toll[circuit, panel] - toll[circuit, split.panel[circuit]]
            more += dear * excess_change(split, circuit, panel)
            if more <= 0 or draw_share(word) < np.exp(-more / temperature):
                shift_circuit(split, circuit, panel)
        if split.size[2] == 0:
            if least < 0 or split.size[1] < least:
                least = split.size[1]
                copy_into(best, split.panel)
        elif split.size[2] <= closing[1] and step % closing[0] == 0:
            for _ in range(closing[2]):
                fits, more, length = close_conflicts(split, word, closing[3], stack, log)
                if fits and (least < 0 or split.size[1] + more < least):
                    least = split.size[1] + more
                    copy_into(best, split.panel)
                for i in range(length - 1, -1, -1):
                    step_circuit(split, log[i, 0], log[i, 1])
    return int(least)
