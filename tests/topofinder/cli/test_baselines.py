"""`--with-baselines` of `search` and `show`: the customary wirings and their times."""

import json
from pathlib import Path

import pytest

from tests.command import ran
from topofinder.api.shared.baseline_rows import baseline_rows
from topofinder.schedules.baselines.register import BASELINES

TIMES = ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps")


def test_the_baselines_of_table_4(capsys) -> None:
    ended = ran(capsys, "show", "Pi(4,1024)", "--with-baselines", *TIMES, "--json")
    found = json.loads(ended.out)["baselines"]
    micros = {(row["baseline"], row["recipe"]): row["seconds"] * 10**6 for row in found}
    assert round(micros["double-binary-tree", "DoubleBinaryTree(1024)"]) == 1434
    assert micros["shifted-ring", "ShiftedRing(1024)"] == pytest.approx(20627.6, abs=0.1)
    assert micros["ring", "BiRing(4,1024)"] == micros["shifted-ring", "ShiftedRing(1024)"]
    assert list(micros.values()) == sorted(micros.values())
    assert {name for name, _ in micros} < set(BASELINES)


def test_search_lists_them_after_the_frontier(tmp_path: Path, capsys) -> None:
    words = ("search", "--n", 8, "--d", 3, "--db", tmp_path / "a.db", "--with-baselines")
    ended = ran(capsys, *words)
    assert ended.code == 0
    frontier, _, table = ended.out.partition("\n\nBaselines, allreduce:\n\n")
    assert frontier.startswith("N = 8, d = 3")
    assert [line.split()[-1] for line in table.splitlines()[2:]] == [
        "Q(3)",
        "Torus(2,4)",
        "Torus(2,2,2)",
    ]
    plain = json.loads(ran(capsys, *words[:-1], "--json").out)
    assert "baselines" not in plain
    listed = json.loads(ran(capsys, *words, "--json").out)
    assert listed.pop("baselines")[0] == {
        "baseline": "recursive-doubling",
        "recipe": "Q(3)",
        "collective": "allreduce",
        "steps": 6,
        "bandwidth": "21/4",
        "seconds": None,
    }
    assert listed == plain


def test_the_collective_asked_for(tmp_path: Path, capsys) -> None:
    words = ("search", "--n", 8, "--d", 4, "--db", tmp_path / "a.db", "--with-baselines", "--json")
    found = json.loads(ran(capsys, *words, *TIMES, "--collective", "allgather").out)
    rows = {row["baseline"]: row for row in found["baselines"]}
    assert "double-binary-tree" not in rows
    assert (rows["ring"]["steps"], rows["ring"]["bandwidth"]) == (7, "7/8")


def test_chunks_are_left_open_without_a_size() -> None:
    rows = {row.name: row for row in baseline_rows(8, 4)}
    assert rows["double-binary-tree"].cost is None
    assert rows["ring"].cost is not None


def test_a_size_without_any(capsys) -> None:
    ended = ran(capsys, "show", "Pi(5,11)", "--with-baselines")
    assert ended.out.endswith("\n\nNo baseline has this size and degree.\n")


def test_times_are_for_baselines(capsys) -> None:
    ended = ran(capsys, "show", "K(4)", *TIMES)
    assert (ended.code, ended.out) == (2, "")
    assert "--alpha, --size and --bandwidth are for --with-baselines" in ended.err
