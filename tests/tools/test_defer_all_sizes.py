"""The tool that works deferred costs out anew: what it finds, resumes and puts into the file."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from expansions.cost import Cost
from expansions.deferred_costs import deferred_costs, read_deferred_cost
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from generators.deferred_costs import all_deferred_lines, deferred_lines
from tools import defer_all_sizes as tool
from tools.find_lifts import LiftSize
from topofinder.finder.deferrals import evaluate_deferred
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode, Method

SIZES = [LiftSize(n, 2, LinkMode.SIMPLEX) for n in (29, 34, 41)]
LIKELY = tool.Choice.LIKELY


def test_lines_are_those_that_ship(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    tool.search(state, SIZES, tool.Choice.KNOWN)
    rows = [json.loads(line) for line in state.read_text().splitlines()]
    assert [row["key"] for row in rows] == [size.key for size in SIZES]
    for size, row in zip(SIZES, rows, strict=True):
        assert row["lines"] == deferred_lines(*size)
    before = state.read_text()
    tool.search(state, SIZES, tool.Choice.KNOWN)
    assert state.read_text() == before


def test_the_likeliest_other_graphs_are_deferred() -> None:
    size = SIZES[0]
    alone = tool.defer(size, [], LIKELY)
    assert alone == deferred_lines(*size)
    assert tool.defer(size, [], tool.Choice.KNOWN) == []
    assert tool.defer(size, [parse("Pi(2,29)")], LIKELY) == alone
    [found] = map(read_deferred_cost, alone)
    assert evaluate_deferred(found.recipe).allgather == found.forth


def test_graphs_of_low_bandwidth_time_are_deferred_though_not_the_quickest() -> None:
    size = LiftSize(491, 2, LinkMode.SIMPLEX)
    patient, quick = deferred_lines(*size)
    assert tool.defer(size, [], LIKELY) == [quick]
    assert tool.defer(size, [], tool.Choice.FEW_STEPS) == [quick, patient]


def test_sizes_near_the_least_bandwidth_time_have_no_wasteful_graphs() -> None:
    pool, few = Pools().pool(491, 2), Pools().pool(50, 2)
    assert min(one.allgather.bandwidth for one in few) == Fraction(49, 50)
    assert tool.wasteful_graphs(few, []) == tool.wasteful_graphs([], []) == []
    deferred = [evaluate_deferred(one.recipe) for one in tool.wasteful_graphs(pool, [])]
    assert deferred
    assert tool.wasteful_graphs(pool, deferred) == []


def test_what_may_add_a_point_is_deferred_besides_what_ships(tmp_path: Path) -> None:
    size = LiftSize(207, 4, LinkMode.SIMPLEX)
    state = tmp_path / "state.jsonl"
    tool.search(state, [size, LiftSize(50, 2, LinkMode.SIMPLEX)], tool.Choice.FRONTIER)
    found, other = (json.loads(line)["lines"] for line in state.read_text().splitlines())
    assert other == deferred_lines(50, 2, "simplex")
    [product] = [one for one in map(read_deferred_cost, found) if one.forth.steps == 7]
    assert product.recipe == parse("DirC(1) x L(Cay(Z23;1,3,15))")
    assert product.forth == evaluate_deferred(product.recipe).allgather
    assert not any(one.allgather.weakly_beats(product.forth) for one in Pools().pool(*size))
    for shipped in deferred_costs(*size):
        assert any(read_deferred_cost(line).forth.weakly_beats(shipped.forth) for line in found)


def test_what_takes_fewer_steps_than_the_least_bandwidth_is_hopeful() -> None:
    pool = Pools().pool(207, 4)
    hopeful = tool.hopeful_graphs(pool, LinkMode.SIMPLEX)
    assert [one.allgather.steps for one in hopeful] == [4, 5, 6, 7]
    *others, last = hopeful
    least = replace(last, allgather=Cost(7, least_bandwidth(207)))
    assert tool.hopeful_graphs([*pool, least], LinkMode.SIMPLEX) == others
    deferred = replace(hopeful[0], method=Method.DEFERRED)
    assert tool.hopeful_graphs([*pool, deferred], LinkMode.SIMPLEX) == hopeful[1:]


def test_sizes_that_were_not_gone_through_are_left_alone(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    tool.search(state, [LiftSize(29, 13, LinkMode.SIMPLEX)])
    assert not state.exists()
    assert not deferred_costs(30, 2, "simplex")
    tool.search(state, [LiftSize(30, 2, LinkMode.SIMPLEX)], tool.Choice.KNOWN)
    assert not state.exists()


def test_of_several_states_the_last_counts(tmp_path: Path) -> None:
    lines = ["2 29 simplex 5 1 5 1 Pi(2,29)", "2 29 simplex 4 2 4 2 Pi(2,29)"]
    states = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for state, line in zip(states, lines, strict=True):
        state.write_text(json.dumps({"key": "29,2,simplex", "lines": [line]}) + "\n")
    found = tool.collect(states)
    assert set(found) == {*all_deferred_lines(), lines[1]} - set(deferred_lines(29, 2, "simplex"))
    assert tool.collect([]) == all_deferred_lines()


def test_the_command_says_what_it_cannot_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["defer_all_sizes", "search", "--state", "x", "--sizes", "2,29"]
    monkeypatch.setattr("sys.argv", asked)
    with pytest.raises(SystemExit):
        tool.main()
    assert "invalid read_size value: '2,29'" in capsys.readouterr().err
