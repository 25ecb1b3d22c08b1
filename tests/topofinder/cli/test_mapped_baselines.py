"""`show --baselines` and `schedule --method` of customary collectives on the user's graph."""

import json
from fractions import Fraction

import pytest

import topofinder as tf
from tests.command import ran


def test_a_table_of_all(capsys) -> None:
    found = ran(capsys, "show", "DGXA100(2)", "--baselines", "--size", "1GB", "--alpha", "3us")
    lines = found.out.splitlines()
    assert lines[0] == (
        "allreduce on DGXA100(2) by shortest routes; the optimum of trees: algbw 173.333 GB/s"
    )
    assert lines[1:3] == [
        "any allreduce: at least 2/25 by cuts, 6/65 by what hosts send",
        "reduce-scatter, then allgather by trees: 6/65, optimal (theorem 19 b); "
        "reduce, then broadcast: 4/25",
    ]
    assert lines[6].split()[:6] == ["nccl-ring", "106.667", "GB/s", "1.625", "34", "9.777"]
    assert "* routes lead through hosts, which pass on what is not theirs" in lines


def test_json_tells_reasons(capsys) -> None:
    found = ran(capsys, "show", "C(12,{2,3})", "--baselines", "--collective", "allgather", "--json")
    told = {row["baseline"]: row for row in json.loads(found.out)["baselines"]}
    assert told["halving-doubling"]["reason"] == "hosts: a power of two is needed, not 12"
    assert told["blink"]["reason"] == "carries out allreduce, not allgather"
    assert told["nccl-ring"]["over_optimum"] == 2


def test_one_is_written_and_verified(capsys, tmp_path) -> None:
    file = str(tmp_path / "ring.npz")
    made = ran(capsys, "schedule", "DGXA100(2)", "--method", "nccl-ring", "-o", file, "--db",
               tmp_path / "a.db")  # fmt: skip
    assert "1/x* 3/65, missed by 62.5 %; algbw 213.333 GB/s" in made.out
    assert ran(capsys, "verify", file, "--on", "DGXA100(2)").out.startswith("valid: allgather")
    limited = tf.schedule("Torus(4,4)", method="nccl-ring", alpha="1us", size="1MiB",
                          bandwidth="100Gbps", injection="25Gbps")  # fmt: skip
    assert limited.time == 15 == limited.optimum


@pytest.mark.parametrize("name", ["double-tree", "bruck", "mapped-direct", "multitree"])
def test_hosts_keep_what_passes_them(capsys, tmp_path, name: str) -> None:
    file, arguments = str(tmp_path / "a.npz"), ("MI250(2)", "--method", name)
    table = tf.show("MI250(2)", baselines=True).table
    mapped = {row.name: row.time for row in table.rows}
    what = ("--collective", "allreduce", "--db", tmp_path / "a.db")
    made = json.loads(ran(capsys, "schedule", *arguments, *what, "-o", file, "--json").out)
    total = Fraction(made["algbw"]) * Fraction(made["time"])
    assert Fraction(made["passing"]) == total * mapped[name]
    assert made["method"] == f"{name}, cut at hosts"
    assert ran(capsys, "verify", file, "--on", "MI250(2)").out.startswith("valid: allreduce")
    assert ran(capsys, "export", file, "--format", "msccl", "-o", tmp_path / "a.xml").code == 0


def test_what_passing_takes_is_told(capsys, tmp_path) -> None:
    made = ran(capsys, "schedule", "UniRing(1,5)", "--method", "mapped-direct", "-o",
               tmp_path / "a.npz", "--db", tmp_path / "a.db")  # fmt: skip
    assert made.out.splitlines()[:3] == [
        "allgather on UniRing(1,5) by mapped-direct, cut at hosts",
        "  1/x* 4, reached; algbw 5/4 links",
        "  hosts keep what passes them; else 10, algbw 1/2 links",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("schedule", "K(4)", "--method", "nccl-ring", "--root", "1", "-o", "a.npz"),
         "--root: nccl-ring carries out allgather, reduce-scatter, allreduce"),
        (("schedule", "K(4)", "--method", "blink", "-o", "a.npz"),
         "blink: carries out allreduce, not allgather"),
        (("schedule", "K(4)", "--method", "nccl-ring", "--k", "2", "-o", "a.npz"), "--k is for"),
        (("show", "K(4)", "--baselines", "--with-baselines"), "--baselines goes together with"),
        (("show", "K(4)", "--collective", "allgather"), "--collective is for --baselines"),
        (("show", "K(4)", "--baselines", "--collective", "broadcast"), "--collective: allgather"),
        (("show", "K(4)", "--baselines", "--size", "1MiB"), "--size needs --bandwidth"),
    ],
)  # fmt: skip
def test_mistakes_take_one_line(
    capsys, tmp_path, monkeypatch, arguments: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", str(tmp_path / "a.db"))
    found = ran(capsys, *arguments)
    assert found.code == 2
    assert found.err.count("\n") == 1
    assert told in found.err
