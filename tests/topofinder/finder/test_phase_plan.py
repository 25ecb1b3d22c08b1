"""Wirings that change between collectives: exact, and never worse than one wiring."""

from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.errors import InvalidInput, Unsupported
from tests.command import ran
from topofinder.api.plan_phases import count_moves, plan_phases
from topofinder.finder.phase_plan import choose_wirings
from topofinder.model.candidate import LinkMode

times = st.lists(
    st.lists(st.integers(0, 9).map(Fraction), min_size=3, max_size=3), min_size=1, max_size=5
)
WORDS = ("--n", "24", "--d", "4", "--alpha", "10us", "--bandwidth", "100Gbps")


def changes_of(way: tuple[int, ...], repeats: bool) -> int:
    count = sum(a != b for a, b in pairwise(way))
    return count + (repeats and way[0] != way[-1])


@settings(max_examples=150)
@given(times, st.integers(0, 6), st.booleans())
def test_it_is_the_best_of_all_sequences(
    seconds: list[list[Fraction]], change: int, repeats: bool
) -> None:
    plan = choose_wirings(seconds, Fraction(change), repeats=repeats)
    ways = [
        (
            sum(line[w] for line, w in zip(seconds, way, strict=True))
            + change * changes_of(way, repeats),
            changes_of(way, repeats),
            way,
        )
        for way in product(range(3), repeat=len(seconds))
    ]
    assert (plan.seconds, plan.changes, plan.wirings) == min(ways)
    single = [sum(line[w] for line in seconds) for w in range(3)]
    assert plan.single_seconds == min(single) == single[plan.single]
    assert plan.least <= plan.seconds <= plan.single_seconds
    if repeats and plan.changes:
        assert change <= plan.worth


def test_refuses_nothing_to_plan() -> None:
    with pytest.raises(InvalidInput, match="at least one phase and one wiring"):
        choose_wirings([], Fraction(1))


def test_a_quick_change_pays_and_a_slow_one_does_not(tmp_path: Path) -> None:
    given = {"alpha": "10us", "bandwidth": "100Gbps", "db": tmp_path / "t.db"}
    phases = "allgather:1GiB, allgather:1KiB"
    slow, quick = (plan_phases(phases, 64, 4, change=time, **given) for time in ("1s", "1us"))
    assert slow.plan.changes == 0
    assert slow.plan.seconds == slow.plan.single_seconds
    assert quick.plan.changes == 2
    assert quick.plan.least < quick.plan.seconds < slow.plan.seconds
    assert quick.plan.seconds == quick.plan.least + 2 * Fraction(1, 10**6)
    assert "no change pays; one would have to take less than" in str(slow)
    assert "of what the best single wiring takes" in str(quick)
    for line in quick.record.lines:
        assert line.bound <= line.seconds


def test_the_baseline_pays_a_change_a_step() -> None:
    """On 16 hosts 4 steps each: 15/16 of the bytes, and of an all-to-all half of them each time."""
    found = plan_phases(
        ["allgather:16MB", "all-to-all:16MB"], 16, 4, change="1ms", alpha="1us",
        bandwidth="1GB/s", once=True,
    )  # fmt: skip
    assert found.record.by_steps == Fraction(8 * 1001, 10**6) + Fraction(15 + 32, 1000)


def test_where_a_wiring_meets_every_phase_it_says_so(capsys, tmp_path: Path) -> None:
    ended = ran(
        capsys, "plan-phases", "allreduce:64MiB", *WORDS, "--change", "1us",
        "--db", tmp_path / "t.db",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[0] == (
        "N = 24, d = 4: 10.350 ms, again and again, with 0 changes of 1.0 us among 1 wirings"
    )
    assert lines[-1] == "nothing can be gained: that wiring is the quickest in every phase"


@pytest.mark.parametrize(
    ("phases", "change", "told"),
    [
        ("allreduce", "1ms", "phases: COLLECTIVE:SIZE with one of allgather, reduce-scatter"),
        ("broadcast:1MiB", "1ms", "all-to-all, not 'broadcast:1MiB'"),
        ("allreduce:0MiB", "1ms", "phases: allreduce"),
        ("allreduce:1MiB", "soon", "--change"),
    ],
)
def test_refusals(capsys, tmp_path: Path, phases: str, change: str, told: str) -> None:
    ended = ran(
        capsys, "plan-phases", phases, *WORDS, "--change", change, "--db", tmp_path / "t.db"
    )
    assert ended.code == 2
    assert told in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("seed", range(40))
def test_changes_of_unlike_times_are_chosen_exactly(seed: int) -> None:
    """Every sequence of wirings, added up plainly."""
    generator = np.random.default_rng(seed)
    phases, wirings = int(generator.integers(1, 5)), int(generator.integers(1, 4))
    seconds = [
        [Fraction(int(x)) for x in row] for row in generator.integers(0, 9, (phases, wirings))
    ]
    change = [
        [Fraction(int(x)) for x in row] for row in generator.integers(0, 5, (wirings, wirings))
    ]
    for repeats in (True, False):
        found = choose_wirings(seconds, change, repeats=repeats)
        best = min(
            sum(seconds[p][w] for p, w in enumerate(way))
            + sum(change[a][b] for a, b in pairwise([*way, *way[: int(repeats)]]) if a != b)
            for way in product(range(wirings), repeat=phases)
        )
        assert found.seconds == best <= found.single_seconds


def test_moves_of_the_planner_are_what_a_change_takes(tmp_path: Path) -> None:
    given = {"alpha": "10us", "bandwidth": "100Gbps", "db": tmp_path / "a.db"}
    phases = "allreduce:1GiB,all-to-all:1GiB"
    quick, slow = (plan_phases(phases, 16, 4, move=time, **given) for time in ("1us", "1s"))
    assert quick.plan.changes == 2
    assert slow.plan.changes == 0
    moves = count_moves([line.recipe for line in quick.record.lines], 4, LinkMode.SIMPLEX)
    assert moves[0][1] == moves[1][0] > 0
    spent = sum(line.seconds for line in quick.record.lines)
    assert quick.plan.seconds == spent + 2 * moves[0][1] * Fraction(1, 10**6)
    assert "by the moves planned" in str(quick)
    assert quick.to_dict()["own_moves"] is True


def test_one_of_the_two_times_is_needed() -> None:
    for more in ({}, {"change": "1s", "move": "1s"}):
        with pytest.raises(InvalidInput, match="phases: one of --change and --move is needed"):
            plan_phases("allreduce:1MiB", 16, 4, alpha="1us", bandwidth="1Gbps", **more)
    with pytest.raises(Unsupported, match="--move: at most 12 wirings are planned pair by pair"):
        count_moves(["K(4)"] * 13, 3, LinkMode.SIMPLEX)
