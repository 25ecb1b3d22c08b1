"""The dispatcher: which way a kernel is run, and that all ways come to the same."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.command import IN_TURN, ROOT
from topofinder.dispatch.interpreter import are_same, compare, interpret
from topofinder.dispatch.kernel import KERNELS, VARIABLE, count_bytes, expect_long_work
from topofinder.kernels import (
    GOLDEN,
    copy_into,
    hop_table,
    inner,
    kernel,
    mix64,
    popcount,
    random_below,
    seed_random,
    shuffle_entries,
)
from topofinder.patching.bounds.cycle_kernels import count_cycles
from topofinder.patching.placement.percolation_kernels import percolate

FABRIC = ("schedule", "L(K(4,4))", "--collective", "allreduce", "-o", "rows.json")
COMMANDS = (
    FABRIC,
    ("verify", "rows.json"),
    ("schedule", "DGXA100(2)", "--method", "forest", "-o", "forest.json"),
    ("verify", "forest.json"),
    ("schedule", "C(9,{1,2})", "--method", "timed", "--size", "1MiB", "--alpha", "1us",
     *("--bandwidth", "100Gbps", "-o", "timed.json")),
    ("verify", "timed.json"),
    ("search", "--n", 24, "--d", 3),
    ("discover", "--n", 12, "--d", 3, "--kind", "cayley", "--trials", 200),
)  # fmt: skip


@inner
def bits_of(words, at):
    return popcount(words[at])


@kernel
def all_bits(words):
    total = 0
    for at in range(len(words)):
        total += bits_of(words, at)
    return total


@kernel
def tripled(number):
    return 3 * number


@kernel
def tripled_sum(numbers):
    total = tripled(numbers[0])
    for at in range(1, len(numbers)):
        total += tripled(numbers[at])
    return total


@kernel
def hashed_sum(words):
    total = np.uint64(0)
    for word in words:
        total += mix64(word + GOLDEN)
    return total


@kernel
def drawn(seed):
    np.random.seed(seed)
    return np.random.randint(10)


@kernel
def drawn_in_turn(seed, counts, order):
    seed_random(seed)
    for at in range(len(counts)):
        counts[at] = random_below(counts[at])
    shuffle_entries(order)
    return random_below(100)


def ran_apart(folder: Path, way: str, **environment: str) -> tuple[list, dict[str, bytes]]:
    """What commands answer in a folder of their own, and the files that they write."""
    folder.mkdir()
    words = json.dumps([[str(word) for word in command] for command in COMMANDS])
    done = subprocess.run(
        [sys.executable, "-c", IN_TURN, words],
        capture_output=True,
        cwd=folder,
        env=os.environ
        | {"PYTHONPATH": str(ROOT), VARIABLE: way, "TOPOFINDER_DB": "own.db"}
        | environment,
        timeout=600,
        check=True,
    )
    told = [(code, out) for code, out, _ in json.loads(done.stdout)]
    return told, {path.name: path.read_bytes() for path in folder.glob("*.json")}


def test_commands_answer_alike_interpreted_and_compiled(tmp_path: Path) -> None:
    compiled = ran_apart(tmp_path / "a", "compiled")
    assert [code for code, _ in compiled[0]] == [0] * len(COMMANDS)
    assert len(compiled[1]) == 3
    assert ran_apart(tmp_path / "b", "interpreted") == compiled


@pytest.mark.parametrize(
    "words",
    [
        ("schedule", "K(4)", "-o", "a.json"),
        ("search", "--n", "1999", "--d", "12"),
        ("search", "--n", "1801", "--d", "11", "--links", "duplex"),
    ],
    ids=lambda words: "-".join(words[:3]),
)
def test_what_takes_little_imports_no_numba(tmp_path: Path, words: tuple[str, ...]) -> None:
    program = """
import sys
from topofinder.cli.app import main
try:
    main()
finally:
    print("numba" in sys.modules, file=sys.stderr)
"""
    empty = {"NUMBA_CACHE_DIR": str(tmp_path / "none"), VARIABLE: "auto"}
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | empty,
        timeout=300,
        check=True,
    )
    assert done.stderr == b"False\n"


def test_what_lies_compiled_is_loaded_without_all_that_compiling_takes(tmp_path: Path) -> None:
    program = """
import sys
import numpy as np
from topofinder.kernels import hop_table
hop_table(np.arange(0, 9, 2), np.array([1, 2, 2, 3, 3, 0, 0, 1], np.int32))
print("numba.core.decorators" in sys.modules, "numba.np.arraymath" in sys.modules)
"""
    told = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            env=os.environ
            | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path), VARIABLE: "compiled"},
            timeout=300,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert told == [b"True True\n", b"True False\n"]


@pytest.mark.parametrize("way", ["auto", "compiled", "interpreted", "compared", "other"])
def test_every_way_answers(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setenv(VARIABLE, way)
    words = np.array([0, 1, 3, (1 << 64) - 1], np.uint64)
    assert all_bits(words) == 67
    start, node = np.arange(0, 9, 2), np.array([1, 2, 2, 3, 3, 0, 0, 1], np.int32)
    table = hop_table(start, node)
    assert table.dtype == np.int32
    assert table.tolist() == [[0, 1, 1, 2], [2, 0, 1, 1], [1, 2, 0, 1], [1, 1, 2, 0]]
    assert hashed_sum(words) == sum(int(mix64.python(word + 1)) for word in small_sums()) % 2**64


def small_sums() -> list[int]:
    """What `hashed_sum` hashes, less one, without words that overflow."""
    return [(word + int(GOLDEN) - 1) % 2**64 for word in (0, 1, 3, (1 << 64) - 1)]


def test_traits_are_read_from_the_code() -> None:
    assert (all_bits.traits.can, all_bits.traits.wraps) == (True, False)
    assert (hashed_sum.traits.can, hashed_sum.traits.wraps) == (True, True)
    assert not drawn.traits.can
    assert KERNELS[all_bits.name] is all_bits


def test_a_kernel_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(hop_table)) is hop_table


def test_arguments_may_be_named() -> None:
    words = np.array([7, 1], np.uint64)
    assert all_bits(words=words) == 4
    assert bits_of.python(words, at=1) == 1


def test_large_arrays_are_counted() -> None:
    assert count_bytes((np.zeros(3), (np.zeros((2, 2), np.int8), 5))) == 28


def test_a_comparison_notices_a_difference() -> None:
    numbers = np.arange(3)
    with pytest.raises(AssertionError, match="in Python"):
        compare(lambda array: len(array), lambda array: 4, False, (numbers,))
    with pytest.raises(AssertionError):
        compare(lambda array: array.fill(1), lambda array: None, False, (numbers,))
    assert compare(len, len, False, (numbers,)) == 3
    assert not are_same((1, 2), (1, True))


def test_copy_into_copies() -> None:
    target = np.zeros(3, np.int64)
    copy_into.python(target, np.arange(3))
    assert target.tolist() == [0, 1, 2]


@pytest.mark.parametrize("seed", [0, 1, 77, 2**31 - 1, 2**32 - 1])
def test_what_is_drawn_is_the_same_in_python(seed: int) -> None:
    below = [1, 2, 3, 10, 16, 17, 1000, 1 << 31, (1 << 31) + 1, 1 << 40] * 5
    counts, order, own = np.array(below), np.arange(99), np.random.RandomState(seed)
    compare(drawn_in_turn.python, drawn_in_turn.compiled, False, (seed, counts, order))
    assert counts.tolist() == [own.randint(count) for count in below]
    own.shuffle(expected := np.arange(99))
    assert order.tolist() == expected.tolist()


def test_numpys_own_random_state_is_left_alone() -> None:
    np.random.seed(3)
    before = np.random.get_state()[1].tolist()
    interpret(drawn_in_turn.python, (5, np.array([9]), np.arange(4)), 9.0, False)
    assert np.random.get_state()[1].tolist() == before


def test_placements_by_chance_can_be_interpreted() -> None:
    assert percolate.traits.can
    assert not drawn.traits.can


def test_a_kernel_that_calls_many_is_interpreted_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    for part in (*percolate.traits.parts, *count_cycles.traits.parts):
        monkeypatch.delitem(vars(part), "compiled", raising=False)
    assert {part.name.split(":")[1] for part in count_cycles.traits.parts} == {
        "count_cycles",
        "copy_into",
        "distances",
    }
    assert percolate.patience() > 1 > count_cycles.patience() > 0.4
    monkeypatch.setitem(sys.modules, "numba", None)
    assert 0.1 < count_cycles.patience() < 0.4
    for part in percolate.traits.parts:
        monkeypatch.setitem(vars(part), "compiled", None)
    assert percolate.patience() == 0


@kernel
def doubled(number):
    return 2 * number


def test_a_kernel_of_which_long_work_is_expected_is_never_interpreted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "auto")
    expect_long_work(doubled)
    assert doubled(3) == 6
    assert doubled.is_ready


@inner
def one_more(number):
    return number + 1


@kernel
def count_up(most):
    number = 0
    while number < most:
        number = one_more(number)
    return number


def test_nothing_is_compiled_while_a_kernel_is_interpreted() -> None:
    tripled.load()(2)  # ready, and compiled for integers alone
    before = list(tripled.compiled.signatures)
    assert interpret(tripled_sum.python, (np.array([0.5, 1.5]),), 9.0, False) == 6.0
    assert tripled.compiled.signatures == before


def test_what_is_called_with_a_first_number_is_compiled_once() -> None:
    assert count_up.compiled(5) == 5
    assert len(one_more.compiled.signatures) <= 1  # none where `count_up` lay on the disk
