"""Every command as a function: its answer prints, shows and exports what the command line does."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import topofinder as tf
from tests.command import ran
from tests.known_timetables import ring_timetable

TIMES = {"alpha": "10us", "size": "1MiB", "bandwidth": "100Gbps"}
OPTIONS = [word for name, text in TIMES.items() for word in (f"--{name}", text)]
WORKLOAD = {"workload": tf.read_workload(**TIMES)}
SIZE = ("--n", 16, "--d", 4)

SECONDS = re.compile(r"in \d+\.\d+ s\b")
JOB = {"name": "one", "n": 6, "rounds": 9} | {
    **{"alpha": "10us", "bandwidth": "100Gbps"},
    "sizes": [["1MiB", 1]],
}

CASES: dict[str, tuple[tuple[object, ...], Callable[[Any], Any]]] = {
    "search": (("search", *SIZE, "--db", "{}/a.db"), lambda at: tf.search(16, 4)),
    "search with all": (
        (
            *("search", "--n", 8, "--d", 4, "--db", "{}/a.db", *OPTIONS),
            *("--with-baselines", "--with-throughput"),
        ),
        lambda at: tf.search(8, 4, with_baselines=True, with_throughput=True, **WORKLOAD),
    ),
    "query": (("query", "--db", "{}/a.db"), lambda at: tf.query(at / "a.db")),
    "query with times": (
        ("query", "--db", "{}/a.db", "--all", *OPTIONS),
        lambda at: tf.query(at / "a.db", everything=True, **WORKLOAD),
    ),
    "show": (("show", "L(K(4,4))"), lambda at: tf.show("L(K(4,4))")),
    "show with baselines": (
        ("show", "Q(3)", "--with-baselines", *OPTIONS),
        lambda at: tf.show(tf.parse("Q(3)"), with_baselines=True, **TIMES),
    ),
    "show a fabric": (("show", "DGXA100(1)"), lambda at: tf.show("DGXA100(1)")),
    "show a schedule": (("show", "{}/a.npz"), lambda at: tf.show(f"{at}/a.npz")),
    "show a forest": (("show", "{}/f.json"), lambda at: tf.show(f"{at}/f.json")),
    "show a timetable": (("show", "{}/t.json"), lambda at: tf.show(f"{at}/t.json")),
    "schedule": (
        ("schedule", "K(4)", "-o", "{}/b.npz", "--db", "{}/a.db", *OPTIONS),
        lambda at: tf.schedule("K(4)", at / "b.npz", db=at / "a.db", **TIMES),
    ),
    "schedule a forest": (
        ("schedule", "K(4)", "--method", "forest", "-o", "{}/g.npz", "--db", "{}/a.db"),
        lambda at: tf.schedule("K(4)", at / "g.npz", method="forest", db=at / "a.db"),
    ),
    "verify a schedule": (
        ("verify", "{}/a.npz", "--on", "K(4)", *OPTIONS),
        lambda at: tf.verify(at / "a.npz", on="K(4)", **TIMES),
    ),
    "verify a forest": (("verify", "{}/f.json"), lambda at: tf.verify(at / "f.json")),
    "verify for another graph": (
        ("verify", "{}/a.npz", "--on", "K(5)"),
        lambda at: tf.verify(at / "a.npz", on="K(5)"),
    ),
    "export": (
        (*("export", "{}/a.npz", "--format", "msccl", "-o", "{}/x.xml"), "--force"),
        lambda at: tf.export(at / "a.npz", at / "x.xml", format="msccl", force=True),
    ),
    "throughput": (
        ("throughput", "K(4)", "--size", "1MiB", "--bandwidth", "100Gbps", "--db", "{}/a.db"),
        lambda at: tf.throughput("K(4)", size="1MiB", bandwidth="100Gbps", db=at / "a.db"),
    ),
    "throughput with files": (
        ("throughput", "K(4)", "--certificate", "{}/c.npz", "--routes", "{}/r.csv"),
        lambda at: tf.throughput("K(4)", certificate=at / "c.npz", routes=at / "r.csv"),
    ),
    "verify a certificate": (("verify", "{}/k.json"), lambda at: tf.verify(at / "k.json")),
    "show beats": (
        ("show", "Small(4,14,2)", "--beats", "--links", "duplex"),
        lambda at: tf.show("Small(4,14,2)", beats=True, links="duplex"),
    ),
    "discover": (
        (
            "discover",
            "--n",
            12,
            "--d",
            2,
            "--kind",
            "cayley",
            "--trials",
            100,
            "--db",
            "{}/done.db",
        ),
        lambda at: tf.discover(12, 2, kind="cayley", trials=100, db=at / "done.db"),
    ),
    "plan": (
        (*("plan", "--inventory", "{}/i.json", "--current", "{}/i.csv"), "--to", "C(6,{1,2})"),
        lambda at: tf.plan(at / "i.json", at / "i.csv", "C(6,{1,2})"),
    ),
    "replay": (
        ("replay", "{}/p.json", "--inventory", "{}/i.json", "--current", "{}/i.csv"),
        lambda at: tf.replay(at / "p.json", at / "i.json", at / "i.csv"),
    ),
    "replay of another wiring": (
        ("replay", "{}/p.json", "--inventory", "{}/i.json", "--current", "{}/p.wiring.csv"),
        lambda at: tf.replay(at / "p.json", at / "i.json", at / "p.wiring.csv"),
    ),
    "plan jobs": (
        (
            *("plan-jobs", "{}/jobs.json", "--inventory", "{}/i.json", "--current", "{}/i.csv"),
            *("--d", 2, "--db", "{}/a.db"),
        ),
        lambda at: tf.plan_jobs(at / "jobs.json", at / "i.json", at / "i.csv", 2, db=at / "a.db"),
    ),
    "merge": (
        ("merge", "{}/a.db", "--into", "{}/b.db"),
        lambda at: [tf.merge(at / "a.db", at / "b.db") for _ in range(2)][1],
    ),
    "reproduce": (
        ("reproduce", "table 8", "--db", "{}/a.db"),
        lambda at: tf.reproduce("table8", db=at / "a.db"),
    ),
}
"""Words of a command, and a call of the function; what they say of files is in one folder."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("answers")
    tf.search(16, 4, db=at / "a.db")
    tf.schedule("K(4)", at / "a.npz")
    tf.schedule("K(4)", at / "f.json", method="forest")
    tf.save(ring_timetable(4), at / "t.json")
    tf.save(tf.throughput("K(4)").certificate, at / "k.json")
    tf.inventory("BiRing(2,6)", at / "i.json", at / "i.csv", ports=4)
    tf.plan(at / "i.json", at / "i.csv", "C(6,{1,2})", at / "p.csv")
    tf.merge(at / "a.db", at / "b.db")
    for _ in range(2):  # what is left of the trials is done when it is resumed
        tf.discover(12, 2, kind="cayley", trials=100, db=at / "done.db")
    (at / "jobs.json").write_text(json.dumps({"jobs": [JOB, JOB | {"name": "two"}]}))
    return at


def timeless(found: Any) -> Any:
    """The same without what no two runs have alike."""
    if isinstance(found, dict):
        return {
            key: timeless(value)
            for key, value in found.items()
            if key != "seconds" or isinstance(value, dict)
        }
    return list(map(timeless, found)) if isinstance(found, list) else found


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], folder: Path, name: str
) -> None:
    words, call = CASES[name]
    words = tuple(str(word).replace("{}", str(folder)) for word in words)
    answer = call(folder)
    printed = json.loads(ran(capsys, *words, "--json").out)
    assert timeless(answer.to_dict()) == timeless(printed)
    assert timeless(json.loads(answer.to_json())) == timeless(printed)
    shown = ran(capsys, *words).out
    assert SECONDS.sub("", shown) == SECONDS.sub("", f"{answer}\n")


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_frozen_and_shows_itself(folder: Path, name: str) -> None:
    answer = CASES[name][1](folder)
    assert repr(answer).startswith(f"{type(answer).__name__}(")
    assert len(repr(answer)) < 160
    assert "\n" not in repr(answer)
    assert not hasattr(answer, "__dict__")
    with pytest.raises(FrozenInstanceError):
        setattr(answer, type(answer).__slots__[0], None)
    table = answer._repr_html_()
    assert table.startswith("<table><caption>")
    assert table.count("<tr>") == min(len(answer.table_rows()), 100) + 1


WITHOUT_JSON: dict[str, tuple[tuple[object, ...], Callable[[Any], Any]]] = {
    "build": (("build", "K(4)", "-o", "{}/g.edges"), lambda at: tf.build("K(4)", at / "g.edges")),
    "build a fabric": (
        ("build", "DGXA100(1)", "-o", "{}/d.json"),
        lambda at: tf.build("DGXA100(1)", at / "d.json"),
    ),
    "inventory": (
        ("inventory", "K(4)", "-o", "{}/j.json", "--current", "{}/j.csv", "--force"),
        lambda at: tf.inventory("K(4)", at / "j.json", at / "j.csv", force=True),
    ),
    "report": (
        ("report", "--n", 16, "--d", 4, "--db", "{}/a.db"),
        lambda at: tf.report(16, 4, db=at / "a.db"),
    ),
    "report in a file": (
        ("report", "--n", 16, "--d", 4, "--db", "{}/a.db", "-o", "{}/r.md"),
        lambda at: tf.report(16, 4, at / "r.md", db=at / "a.db"),
    ),
}


@pytest.mark.parametrize("name", WITHOUT_JSON)
def test_an_answer_without_json_prints_the_same(
    capsys: pytest.CaptureFixture[str], folder: Path, name: str
) -> None:
    words, call = WITHOUT_JSON[name]
    answer = call(folder)
    assert (
        ran(capsys, *(str(word).replace("{}", str(folder)) for word in words)).out == f"{answer}\n"
    )
    assert json.loads(answer.to_json()) == answer.to_dict()
    assert answer._repr_html_().startswith("<table><caption>")


def test_sweeps_and_exports_tell_what_they_stored(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    swept = tf.sweep([(n, 2) for n in range(3, 6)], db=tmp_path / "a.db", jobs=1)
    assert (swept.searched, swept.sizes) == (3, 3)
    again = ran(capsys, "sweep", "--n", "3:5", "--d", 2, "--db", tmp_path / "a.db", "-j", 1)
    assert again.err == f"{tf.sweep([(3, 2)], db=tmp_path / 'a.db', jobs=1)}\n"
    written = tf.export_db(tmp_path / "a.db", tmp_path / "b.db", n=[(3, 4)])
    assert str(written) == f"4 sizes written to {tmp_path}/b.db"


def test_a_frontier_and_a_query_as_data_frames(folder: Path) -> None:
    frame = tf.search(16, 4, with_throughput=True).to_frame()
    assert list(frame["recipe"]) == ["Small(4,16)", "C(16,{3,4})"]
    assert list(frame["bandwidth"]) == [1, 15 / 16]
    assert list(frame["bandwidth_exact"]) == ["1", "15/16"]
    assert (frame["throughput_lower"] <= frame["throughput_upper"]).all()
    assert "seconds_allreduce" not in frame
    assert "seconds_allreduce" in tf.search(8, 4, **WORKLOAD).to_frame()
    rows = tf.query(folder / "a.db", n=16, d=4)
    found = rows.to_frame()
    assert list(found["recipe"]) == [each.row.recipe for each in rows]
    assert list(found["bandwidth"]) == [1, 15 / 16]
    assert len(tf.query(folder / "a.db", n=5000).to_frame()) == 0


def test_without_pandas_one_line_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(tf.TopofinderError, match=r"^data frames need pandas: pip install "):
        tf.search(16, 4).to_frame()


def test_every_kind_of_file_is_loaded_and_saved_again(folder: Path, tmp_path: Path) -> None:
    tf.build("K(4)", tmp_path / "g.edges")
    for file in (tmp_path / "g.edges", *(folder / name for name in ("a.npz", "f.json", "k.json"))):
        noun = tf.load(file)
        again = tf.load(tf.save(noun, tmp_path / f"again{file.suffix}"))
        assert type(again) is type(noun)
        assert (tmp_path / f"again{file.suffix}").read_bytes() == file.read_bytes()
    fabric = tf.load(folder / "i.json")
    tf.save(fabric, tmp_path / "i.json")
    assert (tmp_path / "i.json").read_bytes() == (folder / "i.json").read_bytes()
    wiring = tf.load(folder / "i.csv", inventory=folder / "i.json")
    plan = tf.load(folder / "p.json", inventory=folder / "i.json")
    assert plan.fields.before == wiring.digest
    made = tf.plan(folder / "i.json", folder / "i.csv", "C(6,{1,2})").plan
    tf.save(made, tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_bytes() == (folder / "p.csv").read_bytes()
    for name in ("p.json", "i.csv"):
        with pytest.raises(tf.InvalidInput, match="give the inventory of its fabric, --inventory"):
            tf.load(folder / name)
    with pytest.raises(tf.InvalidInput, match="is no file that topofinder reads"):
        tf.load(folder / "a.db")
