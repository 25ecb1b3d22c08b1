"""`topofinder search --link-rates`: wirings of unlike ports, and what is refused."""

import json
from pathlib import Path

import pytest

from generators.formats.by_suffix import read_topology
from tests.command import ran

WORDS = ("search", "--n", 8, "--alpha", "1us", "--size", "1MB", "--effort", 0)
RATES = ("--link-rates", "100Gbps,200Gbps")

TABLE = """\
8 hosts, simplex; ports of each: 1 of 100 Gbps and 1 of 200 Gbps
allgather of 1 MB, 1.0 us a hop

time     method  of bound  at the mean rate  diameter  host 0 sends to           recipe
-------  ------  --------  ----------------  --------  ------------------------  ------------------
30.3 us  bfb        0.802           30.3 us         7  100 Gbps: 1; 200 Gbps: 1  UniRing(1,8)||2
"""


def test_the_quickest_wiring_is_written_and_takes_what_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    db, file = ("--db", tmp_path / "a.db"), tmp_path / "w.json"
    words = (*WORDS, *RATES, *db, "--collective", "allgather", "-o", file)
    by_bfb = (*words, "--methods", "bfb")
    out = ran(capsys, *by_bfb).out
    assert out.startswith(TABLE), out
    assert out.rstrip().endswith(f"with these rates written to {file}")
    assert set(read_topology(file).capacity or ()) == {1, 2}
    told = json.loads(ran(capsys, *by_bfb, "--json").out)
    first, *others = told["wirings"]
    assert all(first["seconds"] <= other["seconds"] for other in others)
    assert (told["d"], told["ports"][1]) == (2, {"count": 1, "rate": "25000000000"})
    made = ran(
        capsys, "schedule", file, "--method", "bfb", "--alpha", "1us", "--size", "1MB",
        "--json", "-o", tmp_path / "s.npz", *db,
    )  # fmt: skip
    assert json.loads(made.out)["runtime"] == first["seconds"]
    assert ran(capsys, "verify", tmp_path / "s.npz").code == 0
    # Of the quickest by BFB the quickest of all methods counts; schedules take what is told.
    best = json.loads(ran(capsys, *words, "--json").out)["wirings"][0]
    assert best["bound"] <= best["seconds"] < first["seconds"] <= best["bfb_seconds"]
    name = best["method"].partition(":")[0]
    made = ran(
        capsys, "schedule", file, "--method", name, "--alpha", "1us", "--size", "1MB", "--json",
        "-o", tmp_path / "t.npz", *db,
    )  # fmt: skip
    assert json.loads(made.out)["runtime"] == pytest.approx(best["seconds"], rel=0.01)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--d", 4), "--d: does not go with --link-rates"),
        (("--bandwidth", "1Gbps"), "--bandwidth: does not go with --link-rates"),
        (("--with-baselines",), "--with-baselines: does not go with --link-rates"),
        (("--failed-pairs", 4), "--failed-pairs: does not go with --link-rates"),
        (("--collective", "broadcast"), None),
    ],
)
def test_what_does_not_go_together_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[object, ...], error: str | None
) -> None:
    ended = ran(capsys, *WORDS, *RATES, *words, "--db", tmp_path / "a.db")
    assert ended.code == 2
    assert error is None or ended.err == f"topofinder: {error}\n"


def test_a_ring_of_five_falls_into_no_matchings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("search", "--n", 5, *WORDS[3:], *RATES, "--links", "duplex")
    ended = ran(capsys, *words, "--db", tmp_path / "a.db")
    told = "topofinder: --link-rates: no candidate falls into links of these numbers\n"
    assert (ended.code, ended.err) == (2, told)


def test_options_that_are_missing_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    short = ran(capsys, "search", "--n", 8, *RATES)
    assert (short.code, short.err) == (2, "topofinder: --link-rates: needs --alpha and --size\n")
    lone = ran(capsys, "search", "--n", 8, "--d", 2, "-o", "x.json")
    assert (lone.code, lone.err) == (
        2,
        "topofinder: --output: goes with --link-rates or --max-moves\n",
    )
