"""Over five hundred random mutations of valid timetables, each judged by a slow twin as well."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from generators.errors import InvalidInput
from tests.timetable_twin import judge
from tests.timetables import valid_timetables
from topofinder.model.timetable import Timetable
from topofinder.verification.timetables import verify_timetable

Changes = dict[str, Any]
Mutation = Callable[[Timetable, int, np.random.Generator], Changes]


def _set(table: Timetable, name: str, place: int, value: int) -> Changes:
    column = getattr(table, name).copy()
    column[place] = value
    return {name: column}


def swap_begins(table, i, random):
    other = int(random.integers(table.sends))
    begin = table.begin.copy()
    begin[[i, other]] = begin[[other, i]]
    return {"begin": begin}


def drop(table, i, random):
    rows = {name: np.delete(getattr(table, name), i) for name in ("chunk", "channel", "begin")}
    return rows | {"reducing": table.reducing - (i < table.reducing)}


def duplicate(table, i, random):
    """At once after itself, or much later."""
    rows = {name: np.insert(getattr(table, name), i, getattr(table, name)[i])
            for name in ("chunk", "channel", "begin")}  # fmt: skip
    if random.random() < 0.5:
        rows["begin"][i + 1] = table.makespan
    return rows | {"reducing": table.reducing + (i < table.reducing)}


def redirect(table, i, random):
    return _set(table, "channel", i, random.integers(table.channels))


def redirect_between_the_same_ends(table, i, random):
    """A parallel link, or another route: harmless where that is free and as fast."""
    tail, head = table.channel_ends()
    c = table.channel[i]
    like = np.flatnonzero((tail == tail[c]) & (head == head[c]))
    return _set(table, "channel", i, random.choice(like))


def shift_later(table, i, random):
    return _set(table, "begin", i, table.begin[i] + 1)


def shift_earlier(table, i, random):
    return _set(table, "begin", i, table.begin[i] - 1)


def change_chunk(table, i, random):
    return _set(table, "chunk", i, random.integers(table.chunks))


def change_origin(table, i, random):
    return _set(table, "origin", table.chunk[i], random.integers(table.topology.n))


def change_target(table, i, random):
    if table.target is None:
        return {"target": table.origin}
    return _set(table, "target", table.chunk[i], random.integers(table.topology.n))


def change_amount(table, i, random):
    """More takes longer, less is harmless."""
    return _set(table, "amount", table.chunk[i], random.integers(1, 4))


def move_between_phases(table, i, random):
    """A send of the last place of its phase becomes the first of the other, or back."""
    order = np.arange(table.sends)
    if i < table.reducing:
        order = np.append(np.delete(order, i), i)
    else:
        order = np.insert(np.delete(order, i), 0, i)
    rows = {name: getattr(table, name)[order] for name in ("chunk", "channel", "begin")}
    return rows | {"reducing": table.reducing + (1 if i >= table.reducing else -1)}


def swap_channels(table, i, random):
    other = int(random.integers(table.sends))
    channel = table.channel.copy()
    channel[[i, other]] = channel[[other, i]]
    return {"channel": channel}


def change_model(table, i, random):
    return {"model": "occupied" if table.model == "pipelined" else "pipelined"}


MUTATIONS: tuple[Mutation, ...] = (
    swap_begins, drop, duplicate, redirect, redirect_between_the_same_ends, shift_later,
    shift_earlier, change_chunk, change_origin, change_target, change_amount, move_between_phases,
    swap_channels, change_model,
)  # fmt: skip
EACH = 14
"""Mutations of one kind and seed that the noun itself does not refuse."""


@pytest.mark.parametrize("seed", range(4))
def test_the_verdict_is_that_of_the_twin(seed: int) -> None:
    random = np.random.default_rng(seed)
    originals = [table for table in valid_timetables(seed) if table.sends]
    judged: Counter[bool] = Counter()
    for mutate in MUTATIONS:
        refused = kept = 0
        while kept < EACH and refused < 10 * EACH:
            table = originals[random.integers(len(originals))]
            try:
                changed = replace(table, **mutate(table, int(random.integers(table.sends)), random))
            except InvalidInput:
                refused += 1
                continue
            found, faults = verify_timetable(changed, at_once=7), judge(changed)
            assert (found.violation is not None) == bool(faults), (mutate, found, faults)
            judged[found.valid] += 1
            kept += 1
    assert sum(judged.values()) > 150
    assert judged[False] > 80
    assert judged[True] > 20


@pytest.mark.parametrize("mutate", [drop, duplicate, shift_earlier, change_origin])
def test_what_always_harms_is_always_caught(mutate: Mutation) -> None:
    """A send too few or too many, one before it can be, and sums that end elsewhere."""
    random = np.random.default_rng(7)
    for table in valid_timetables(5):
        for i in random.integers(max(table.sends, 1), size=4 if table.sends else 0).tolist():
            if mutate is change_origin and table.collective == "all-to-all":
                continue
            try:
                changes = mutate(table, i, random)
                if mutate is change_origin and (changes["origin"] == table.origin).all():
                    continue
                changed = replace(table, **changes)
            except InvalidInput:
                continue
            assert not verify_timetable(changed).valid
