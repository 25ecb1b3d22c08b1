"""Kernels as plain Python: what they change, what they leave alone, and when they are stopped."""

import threading
import time
from typing import NamedTuple

import numpy as np
import pytest

from topofinder.dispatch.interpreter import (
    InterpretationError,
    TimeIsOver,
    interpret,
    is_interpreting,
)

LONG = 60.0


class Pair(NamedTuple):
    left: np.ndarray
    right: int


def fill(out, value):
    for i in range(len(out)):
        out[i] = value
    return out[0], len(out)


def test_arrays_are_changed_in_place_and_numbers_are_python_s() -> None:
    out = np.zeros(3, np.int32)
    found = interpret(fill, (out, 7), LONG, False)
    assert out.tolist() == [7, 7, 7]
    assert found == (7, 3)
    assert [type(value) for value in found] == [int, int]


def test_what_another_thread_writes_meanwhile_stays() -> None:
    out = np.zeros(4, np.int32)

    def write_first(part):
        part[0] = 1
        out[3] = 7  # as another thread would

    interpret(write_first, (out,), LONG, False)
    assert out.tolist() == [1, 0, 0, 7]


def test_small_integers_count_in_64_bits() -> None:
    def multiply(values):
        total = 0
        for value in values:
            total += value * value
        return total

    assert interpret(multiply, (np.full(4, 1 << 30, np.int32),), LONG, False) == 1 << 62
    assert interpret(multiply, (np.full(4, 100, np.int8),), LONG, False) == 40_000


def test_tuples_keep_their_names() -> None:
    def swap(pair):
        pair.left[0] = pair.right
        return Pair(pair.left[:1], pair.left[0] + 1)

    pair = Pair(np.zeros(2, np.int64), 5)
    found = interpret(swap, (pair,), LONG, False)
    assert pair.left.tolist() == [5, 0]
    assert isinstance(found, Pair)
    assert (found.left.tolist(), found.right) == ([5], 6)


def overflow(out):
    out[0] = 1
    out[1] = out[2] * out[2]


def divide(out):
    out[0] = 1
    out[1] = out[2] // out[1]


def leave(out):
    out[0] = 1
    raise KeyError(out[9])


@pytest.mark.parametrize("function", [overflow, divide, leave])
def test_a_run_that_fails_changes_nothing(function) -> None:
    out = np.array([0, 0, 1 << 62])
    with pytest.raises(InterpretationError):
        interpret(function, (out,), LONG, False)
    assert out.tolist() == [0, 0, 1 << 62]
    assert not is_interpreting()


def test_a_value_that_does_not_fit_its_array_changes_nothing() -> None:
    out = np.zeros(3, np.int8)
    with pytest.raises(InterpretationError):
        interpret(fill, (out, 300), LONG, False)
    assert out.tolist() == [0, 0, 0]


def test_arrays_that_overlap_are_left_to_the_compiler() -> None:
    table = np.zeros((2, 2), np.int64)
    with pytest.raises(InterpretationError):
        interpret(fill, (table[0], table[:1].ravel()), LONG, False)
    both = np.zeros(2, np.int64)

    def shift(one, other):
        one[0] = 1
        other[1] = one[0] + other[0]

    interpret(shift, (both, both), LONG, False)
    assert both.tolist() == [1, 2]


def test_words_wrap_where_a_kernel_counts_on_it() -> None:
    def hashed(words):
        return words[0] * words[0]

    words = np.array([(1 << 63) + 3], np.uint64)
    assert interpret(hashed, (words,), LONG, True) == 9
    with pytest.raises(InterpretationError):
        interpret(hashed, (words,), LONG, False)


def count_on(out):
    while True:
        out[0] += 1


@pytest.mark.parametrize("turn", range(5))
def test_a_run_is_stopped_and_changes_nothing(turn: int) -> None:
    out = np.zeros(1, np.int64)
    with pytest.raises(TimeIsOver):
        interpret(count_on, (out,), 0.01 * turn, False)
    assert out[0] == 0
    assert not is_interpreting()


def test_threads_are_stopped_one_by_one() -> None:
    ends = []

    def run(seconds: float) -> None:
        try:
            interpret(count_on, (np.zeros(1, np.int64),), seconds, False)
        except TimeIsOver:
            ends.append(seconds)

    threads = [threading.Thread(target=run, args=(0.02 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == [0.0, 0.02, 0.04, 0.06]


def test_no_stop_arrives_after_the_end() -> None:
    """Runs that end when their time does: the interrupt comes inside, or not at all."""

    def wait(until):
        while time.thread_time() < until:
            pass
        return 1

    outcomes = set()
    for turn in range(40):
        until = time.thread_time() + 0.02 + turn / 10_000
        try:
            outcomes.add(interpret(wait, (until,), 0.02, False))
        except TimeIsOver:
            outcomes.add(0)
        sum(range(2000))
    assert outcomes <= {0, 1}


def test_a_stop_that_is_lost_on_its_way_does_not_hang() -> None:
    """As in a callback of ctypes, which ignores whatever is raised in it."""

    def swallow(out):
        try:
            while True:
                out[0] += 1
        except TimeIsOver:
            out[0] = 5

    out = np.zeros(1, np.int64)
    interpret(swallow, (out,), 0.05, False)
    assert out.tolist() == [5]
