"""Ctrl-C in the middle of long commands: what each leaves, and what is told until then.

The signal is a real one. It is sent when a certain line of progress is told, so that tests need
not wait for a moment that may have passed. One program runs all commands, for most of what a test
would cost is the start of another.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command import started, without_announcement

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

IN_TURN = """
import io, json, os, signal, sys, threading, warnings
from contextlib import redirect_stderr, redirect_stdout
from topofinder.cli import bar
from topofinder.cli.app import main

class Line:
    waiting, wanted, heard = True, "", []
    def __init__(self, stack):
        pass
    def __call__(self, line):
        Line.heard.append(line)
        if Line.waiting and Line.wanted in line:
            Line.waiting = False
            os.kill(os.getpid(), signal.SIGINT)

def written(descriptor, content, write=os.write):
    return sys.stderr.write(content.decode()) if descriptor == 2 else write(descriptor, content)

bar.StatusLine, os.write = Line, written
found = []
for wanted, *words in json.loads(sys.argv[1]):
    Line.waiting, Line.wanted, Line.heard = wanted is not None, wanted, []
    out, err = io.StringIO(), io.StringIO()
    hook = threading.excepthook
    with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        try:
            main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    threading.excepthook = hook
    found.append((code, out.getvalue(), err.getvalue(), Line.heard))
json.dump(found, sys.stdout)
"""


class Told(NamedTuple):
    """How a command ended, and the lines of its progress."""

    code: int
    out: str
    err: str
    heard: list[str]


def ran_with_interrupts(*commands: tuple[object, ...]) -> list[Told]:
    """Commands in turn in one program, each after the words of the line at which Ctrl-C comes.

    None in place of the words lets a command end by itself.
    """
    asked = json.dumps([[each if each is None else str(each) for each in one] for one in commands])
    with started(asked, program=IN_TURN, kernels="auto") as running:
        out, err = running.communicate(timeout=300)
    assert (running.returncode, err) == (0, "")
    return [
        Told(code, said, without_announcement(wrong), heard)
        for code, said, wrong, heard in json.loads(out)
    ]


FILES = ("--inventory", "i.json", "--current", "c.csv")
SIX = ("--inventory", "six.json", "--current", "six.csv")
NEW_SIX = ("-o", "six.json", "--current", "six.csv")
PLAN = ("plan", *FILES, "--to", "C(16,{3,4})", "--json")
TRAIN = ("train", "--model", "switch-base", "--n", 16, "--d", 4, "--alpha", "10us", "--bandwidth",
         "100Gbps", "--json", "--db")  # fmt: skip
TIMES = ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps")
TIMED = ("C(20,{3,4})", "--method", "timed", "--collective", "allreduce", *TIMES)
SEARCH = ("search", "--n", 16, "--d", 4, "--with-throughput", "--gap", 1e-9, "--json")
COMMANDS: dict[str, tuple[object, ...]] = {
    "torus": (None, "inventory", "Torus(4,4)", "-o", "i.json", "--current", "c.csv"),
    "six": (None, "inventory", "Torus(3,2)", "--panels", 3, *NEW_SIX),
    "plan similar": ("similar placements", *PLAN, "-o", "s.csv"),
    "replay similar": (None, "replay", "s.csv", *FILES),
    "plan percolation": ("percolation", *PLAN, "-o", "p.csv"),
    "replay percolation": (None, "replay", "p.csv", *FILES),
    "few hosts": ("all placements of few hosts", "plan", *SIX, "--to", "K(3,3)", "--json"),
    "few hosts whole": (None, "plan", *SIX, "--to", "K(3,3)", "--json"),
    "jobs": ("percolation", "plan-jobs", "j.json", *FILES, "--d", 4, "--json", "--time", "60s"),
    "search": ("throughput of ", *SEARCH),
    "train throughput of": ("throughput of", *TRAIN, "t.db"),
    "train candidates, ": ("candidates, ", *TRAIN, "c.db"),
    "train whole": (None, *TRAIN, "w.db"),
    "lower trees": ("lower trees", "schedule", "Pi(4,50)", "--method", "forest", "-o", "f.npz"),
    "verify lower trees": (None, "verify", "f.npz"),
    "timed": ("translated, 1 chunk", "schedule", *TIMED, "-o", "t.npz"),
    "verify timed": (None, "verify", "t.npz"),
    "no forest": ("switches: 20", "schedule", "FatTree(4)", "--method", "forest", "-o", "n.npz"),
    "auto": ("bfb: looking", "schedule", "C(9,{1,2})", *TIMES, "-o", "auto.npz"),
    "verify auto": (None, "verify", "auto.npz"),
    "show": ("lower trees", "show", "Pi(4,50)", "--forest"),
    "half a check": ("replaying", "verify", "auto.npz"),
    "half an export": ("lowering", "export", "auto.npz", "--format", "msccl", "-o", "a.xml"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all commands are run: a file of jobs for them."""
    folder = tmp_path_factory.mktemp("interrupted")
    job = {"n": 16, "sizes": [["1GiB", 1]], "rounds": 9, "alpha": "10us", "bandwidth": "100Gbps"}
    jobs = [{"name": "a", **job}, {"name": "b", **job, "sizes": [["1KiB", 1]]}]
    (folder / "j.json").write_text(json.dumps({"jobs": jobs}))
    return folder


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[str, Told]:
    """How each of COMMANDS ended."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("TOPOFINDER_DB", str(folder / "a.db"))
        ended = ran_with_interrupts(*COMMANDS.values())
    return dict(zip(COMMANDS, ended, strict=True))


PLANNED = "topofinder: interrupted; the plan is of the best placement so far\n"


@pytest.mark.parametrize(
    ("name", "when"), [("similar", "similar placements"), ("percolation",) * 2]
)
def test_plan_leaves_the_best_placement(told: dict[str, Told], name: str, when: str) -> None:
    ended = told[f"plan {name}"]
    assert (ended.code, ended.err) == (0, PLANNED)
    assert json.loads(ended.out)["moves"] == 12
    assert (told[f"replay {name}"].code, told[f"replay {name}"].err) == (0, "")
    assert f"{when}; 12 moves so far, at least 4" in ended.heard
    assert not any("destroying" in line for line in ended.heard)


def test_plan_of_few_hosts_leaves_the_best_placement(told: dict[str, Told]) -> None:
    ended, whole = told["few hosts"], told["few hosts whole"]
    assert (ended.code, whole.code, ended.err) == (0, 0, PLANNED)
    assert json.loads(ended.out)["moves"] >= json.loads(whole.out)["moves"]


def test_plan_jobs_goes_on_with_next_to_no_search(told: dict[str, Told]) -> None:
    ended = told["jobs"]
    assert (ended.code, ended.err) == (0, PLANNED)
    courses = json.loads(ended.out)["courses"]
    assert courses[0]["total"] == min(course["total"] for course in courses)
    assert ended.heard[0].startswith("plan 1, the wiring in place to ")
    assert any(line.startswith("plan 2, ") for line in ended.heard)


BOUNDED = "topofinder: interrupted; throughputs from here on are bounded in next to no time\n"


def test_search_bounds_the_other_throughputs_roughly(told: dict[str, Told]) -> None:
    ended = told["search"]
    assert (ended.code, ended.err) == (0, BOUNDED)
    found = json.loads(ended.out)["frontier"]
    assert len(found) > 1
    for row in found:
        assert 0 < Fraction(row["throughput"]["lower"]) <= Fraction(row["throughput"]["upper"])
    assert {line.split(": ")[0] for line in ended.heard} >= {
        f"throughput of {row['recipe']}" for row in found
    }


UNFINISHED = (
    "topofinder: interrupted; the answer is of what was rated until then, and is not stored\n"
)


@pytest.mark.parametrize(("when", "more"), [("throughput of", BOUNDED), ("candidates, ", "")])
def test_train_tells_what_was_rated(told: dict[str, Told], when: str, more: str) -> None:
    ended = told[f"train {when}"]
    assert (ended.code, ended.err) == (0, more + UNFINISHED)
    found, whole = json.loads(ended.out), json.loads(told["train whole"].out)
    assert found["candidates"]["considered"] < whole["candidates"]["considered"] or when.startswith(
        "throughput"
    )
    assert (found["candidates"]["complete"], whole["candidates"]["complete"]) == (False, True)
    members = {row["recipe"] for row in found["rows"]}
    assert members >= {row["recipe"] for row in whole["rows"] if row["kind"] == "baseline"}


def test_checks_and_exports_tell_what_they_are_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", str(tmp_path / "a.db"))
    ended = ran_with_interrupts(
        (None, "schedule", "K(4)", "-o", "rows.npz"),
        (None, "verify", "rows.npz"),
        (None, "schedule", "K(4)", "--method", "forest", "-o", "forest.npz"),
        (None, "verify", "forest.npz"),
        (None, "throughput", "K(4)", "--certificate", "proof.npz"),
        (None, "verify", "proof.npz"),
        (None, "export", "rows.npz", "--format", "msccl", "-o", "a.xml"),
        (None, "verify", "a.xml"),
    )
    assert [(one.code, one.err) for one in ended] == [(0, "")] * len(ended)
    lines = [one.heard for one in ended]
    assert lines[1] == ["reading", "replaying 12 rows"]
    trees = ["routes of 4 out-trees", "walking 4 out-trees", "pipeline of chunks"]
    assert lines[3] == ["reading", *trees]
    assert lines[5] == ["reading"]
    assert lines[6][:3] == ["reading", "verifying: begun", "verifying: replaying 12 rows"]
    assert lines[6][3:5] == ["lowering to what ranks send", "writing 4 programs"]
    assert lines[7] == ["reading", "running 28 steps", "values and races, out of place"]


ENDED = "topofinder: interrupted; the best so far follows; once more ends the command\n"


@pytest.mark.parametrize("name", ["lower trees", "timed", "auto"])
def test_schedules_are_the_best_so_far(told: dict[str, Told], name: str) -> None:
    ended, checked = told[name], told[f"verify {name}"]
    assert (ended.code, ended.err) == (0, ENDED)
    assert (checked.code, checked.err) == (0, "")
    assert not any("two phases: translated, 4" in line for line in ended.heard)


def test_of_all_methods_those_that_began_are_told(told: dict[str, Told]) -> None:
    ended = told["auto"]
    begun = [line.split(":")[0] for line in ended.heard if line.endswith("looking for a schedule")]
    assert begun == ["timed", "bfb"]
    assert "forest: interrupted" in ended.out


def test_a_shown_forest_is_the_best_so_far(told: dict[str, Told]) -> None:
    assert (told["show"].code, told["show"].err) == (0, ENDED)
    assert "Pi(4,50)" in told["show"].out


def test_a_forest_of_which_nothing_is_there_is_no_answer(
    told: dict[str, Told], folder: Path
) -> None:
    ended = told["no forest"]
    words = "topofinder: interrupted; what was finished is stored\n"
    assert (ended.code, ended.out, ended.err) == (130, "", ENDED + words)
    assert not (folder / "n.npz").exists()


def test_half_a_check_and_half_an_export_tell_how_far_they_were(
    told: dict[str, Told], folder: Path
) -> None:
    words = "topofinder: interrupted; what was finished is stored\n"
    check, export = told["half a check"], told["half an export"]
    line = "topofinder: verify: not decided: replaying chunks, 0 of 2\n"
    assert (check.code, check.out, check.err) == (130, "", ENDED + line + words)
    line = "topofinder: export: not done: writing 9 programs\n"
    assert (export.code, export.out, export.err) == (130, "", ENDED + line + words)
    assert not (folder / "a.xml").exists()
