"""A file of a kind that a command does not take: what it is, what takes it, what is taken."""

from pathlib import Path

import pytest

from tests.command import ran
from tests.known_timetables import ring_timetable
from topofinder.api.shared.file_kinds import TAKEN
from topofinder.model.timetable_files import write_timetable


@pytest.fixture
def folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.chdir(tmp_path)
    made = (
        ("build", "K(3)", "-o", "one.edges"),
        ("build", "K(3)", "-o", "one.json"),
        ("build", "K(3)", "-o", "one.graphml"),
        ("schedule", "K(3)", "-o", "s.npz"),
        ("schedule", "K(3)", "-o", "s.json"),
        ("schedule", "K(3)", "--method", "forest", "-o", "f.npz"),
        ("throughput", "K(3)", "--certificate", "c.json"),
        ("inventory", "K(3)", "-o", "inventory.json", "--current", "current.csv"),
        ("plan", "--inventory", "inventory.json", "--current", "current.csv", "--to", "K(3)",
         "-o", "plan.json"),
    )  # fmt: skip
    for words in made:
        wanted = () if words[0] in ("build", "inventory") else ("--db", "a.db")
        assert ran(capsys, *words, *wanted).code == 0, words
    for name in ("t.npz", "t.json"):
        write_timetable(ring_timetable(3), name)
    return tmp_path


def test_every_wrong_file_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = ("--inventory", "inventory.json", "--current", "current.csv", "--to")
    for words, subject, kind in (
        (("show",), "c.json", "a throughput certificate, which is for verify"),
        (("show",), "plan.json", "a plan, which is for replay"),
        (("show",), "a.db", "a database"),
        (("show", "--forest"), "s.json", "a schedule file"),
        (("show", "--forest"), "t.npz", "a timetable file, which is for show, verify and export"),
        (
            ("build", "-o", "x.edges"),
            "t.json",
            "a timetable file, which is for show, verify and export",
        ),
        (("throughput",), "t.npz", "a timetable file"),
        (("verify",), "one.graphml", "a topology file"),
        (("verify",), "one.json", "a topology file"),
        (("verify",), "plan.json", "a plan, which is for replay"),
        (("verify",), "inventory.json", "an inventory"),
        (("build", "-o", "x.edges"), "one.edges", "a topology file"),
        (
            ("build", "-o", "x.edges"),
            "s.npz",
            "a schedule file, which is for show, verify and export",
        ),
        (("schedule", "-o", "x.npz"), "s.npz", "a schedule file"),
        (("schedule", "-o", "x.npz", "--method", "forest"), "f.npz", "a forest file"),
        (("throughput",), "s.json", "a schedule file"),
        (("throughput",), "current.csv", "a table"),
        (("plan", *plan), "s.npz", "a schedule file"),
        (("inventory", "-o", "x.json", "--current", "x.csv"), "c.json", "a throughput certificate"),
    ):
        ended = ran(capsys, *words, subject)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"topofinder: {subject}: {kind}"), ended.err
        assert ended.err.endswith(f"; {words[0]} takes {TAKEN[words[0]]}\n")


def test_other_complaints_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.edges").write_text("0 1 -1\n")
    for words, told in (
        (("throughput", "bad.edges"), "bad.edges: line 1: capacity: must be above 0, not '-1'"),
        (("throughput", "none.edges"), "none.edges: cannot be read: no such file or directory"),
        (("verify", "none.npz"), "none.npz: cannot be read: no such file or directory"),
        (("show", "K(3"), "expected ',' or ')', not the end (column 4)"),
    ):
        assert ran(capsys, *words).err.splitlines()[0] == f"topofinder: {told}"
