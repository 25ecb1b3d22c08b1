"""Ctrl-C in the middle of long commands: what each leaves, and what is told until then.

The signal is a real one. It is sent when a certain line of progress is told, so that tests need
not wait for a moment that may have passed.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tests.command import Ended, ran, ran_alone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

WHEN_TOLD = """
import os, signal, sys
from topofinder.cli import bar
from topofinder.cli.app import main

class Line:
    waiting = True
    def __init__(self, stack):
        pass
    def __call__(self, line):
        with open("heard", "a") as heard:
            print(line, file=heard)
        if Line.waiting and wanted in line:
            Line.waiting = False
            os.kill(os.getpid(), signal.SIGINT)

wanted = sys.argv.pop(1)
bar.StatusLine = Line
main()
"""


def interrupted(line: str, *words: object) -> Ended:
    """A command that gets Ctrl-C when a line with certain words is told; all lines are in heard."""
    return ran_alone(line, *words, program=WHEN_TOLD, kernels="auto")


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """A folder with inventories of a torus and of six hosts, and jobs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", str(tmp_path / "a.db"))
    ran(capsys, "inventory", "Torus(4,4)", "-o", "i.json", "--current", "c.csv")
    ran(capsys, "inventory", "Torus(3,2)", "--panels", 3, "-o", "six.json", "--current", "six.csv")
    job = {"n": 16, "sizes": [["1GiB", 1]], "rounds": 9, "alpha": "10us", "bandwidth": "100Gbps"}
    jobs = [{"name": "a", **job}, {"name": "b", **job, "sizes": [["1KiB", 1]]}]
    (tmp_path / "j.json").write_text(json.dumps({"jobs": jobs}))
    return tmp_path


FILES = ("--inventory", "i.json", "--current", "c.csv")
PLANNED = "topofinder: interrupted; the plan is of the best placement so far\n"


@pytest.mark.parametrize("when", ["similar placements", "percolation"])
def test_plan_leaves_the_best_placement(folder: Path, when: str) -> None:
    ended = interrupted(when, "plan", *FILES, "--to", "C(16,{3,4})", "-o", "p.csv", "--json")
    assert (ended.code, ended.err) == (0, PLANNED)
    assert json.loads(ended.out)["moves"] == 12
    replayed = ran_alone("replay", "p.csv", *FILES)
    assert (replayed.code, replayed.err) == (0, "")
    heard = (folder / "heard").read_text().splitlines()
    assert f"{when}; 12 moves so far, at least 4" in heard
    assert not any("destroying" in line for line in heard)


def test_plan_of_few_hosts_leaves_the_best_placement(folder: Path) -> None:
    files = ("--inventory", "six.json", "--current", "six.csv")
    ended = interrupted("all placements of few hosts", "plan", *files, "--to", "K(3,3)", "--json")
    whole = ran_alone("plan", *files, "--to", "K(3,3)", "--json", kernels="auto")
    assert (ended.code, whole.code, ended.err) == (0, 0, PLANNED)
    assert json.loads(ended.out)["moves"] >= json.loads(whole.out)["moves"]


def test_plan_jobs_goes_on_with_next_to_no_search(folder: Path) -> None:
    words = ("plan-jobs", "j.json", *FILES, "--d", 4, "--json")
    ended = interrupted("percolation", *words, "--time", "60s")
    assert (ended.code, ended.err) == (0, PLANNED)
    courses = json.loads(ended.out)["courses"]
    assert courses[0]["total"] == min(course["total"] for course in courses)
    heard = (folder / "heard").read_text().splitlines()
    assert heard[0].startswith("plan 1, the wiring in place to ")
    assert any(line.startswith("plan 2, ") for line in heard)


BOUNDED = "topofinder: interrupted; throughputs from here on are bounded in next to no time\n"


def test_search_bounds_the_other_throughputs_roughly(folder: Path) -> None:
    words = ("search", "--n", 16, "--d", 4, "--with-throughput", "--gap", 1e-9, "--json")
    ended = interrupted("throughput of ", *words)
    assert (ended.code, ended.err) == (0, BOUNDED)
    found = json.loads(ended.out)["frontier"]
    assert len(found) > 1
    for row in found:
        assert 0 < Fraction(row["throughput"]["lower"]) <= Fraction(row["throughput"]["upper"])
    heard = (folder / "heard").read_text().splitlines()
    assert {line.split(": ")[0] for line in heard} >= {
        f"throughput of {row['recipe']}" for row in found
    }


TRAINED = ("train", "--model", "switch-base", "--n", 16, "--d", 4, "--alpha", "10us", "--bandwidth",
           "100Gbps", "--json")  # fmt: skip
UNFINISHED = (
    "topofinder: interrupted; the answer is of what was rated until then, and is not stored\n"
)


@pytest.mark.parametrize(("when", "told"), [("throughput of", BOUNDED), ("candidates, ", "")])
def test_train_tells_what_was_rated(folder: Path, when: str, told: str) -> None:
    ended = interrupted(when, *TRAINED)
    assert (ended.code, ended.err) == (0, told + UNFINISHED)
    found = json.loads(ended.out)
    whole = json.loads(ran_alone(*TRAINED, kernels="auto").out)
    assert found["candidates"]["considered"] < whole["candidates"]["considered"] or when.startswith(
        "throughput"
    )
    assert (found["candidates"]["complete"], whole["candidates"]["complete"]) == (False, True)
    members = {row["recipe"] for row in found["rows"]}
    assert members >= {row["recipe"] for row in whole["rows"] if row["kind"] == "baseline"}


LINES = """
import json, sys
from topofinder.cli.app import main
from topofinder.progress import work_progress

for words in json.loads(sys.argv[1]):
    heard = []
    from topofinder.cli import bar
    bar.StatusLine = lambda stack: heard.append
    try:
        main(words)
    except SystemExit:
        pass
    print(json.dumps(heard))
"""


def test_checks_and_exports_tell_what_they_are_at(folder: Path) -> None:
    commands = [
        ("schedule", "K(4)", "-o", "rows.npz"),
        ("verify", "rows.npz"),
        ("schedule", "K(4)", "--method", "forest", "-o", "forest.npz"),
        ("verify", "forest.npz"),
        ("throughput", "K(4)", "--certificate", "proof.npz"),
        ("verify", "proof.npz"),
        ("export", "rows.npz", "--format", "msccl", "-o", "a.xml"),
        ("verify", "a.xml"),
    ]
    ended = ran_alone(json.dumps(commands), program=LINES, kernels="auto")
    assert (ended.code, ended.err) == (0, "")
    told = [json.loads(line) for line in ended.out.splitlines() if line.startswith("[")]
    assert told[1] == ["replaying 12 rows"]
    assert told[3] == ["routes of 4 out-trees", "walking 4 out-trees", "pipeline of chunks"]
    assert told[5] == ["upper bound: sources, 0 of 4"]
    assert told[6][:3] == ["reading", "verifying: begun", "verifying: replaying 12 rows"]
    assert told[6][3:5] == ["lowering to what ranks send", "writing 4 programs"]
    assert told[7] == ["running 28 steps", "values and races, out of place"]


ENDED = "topofinder: interrupted; the best so far follows; once more ends the command\n"


TIMED = ("C(20,{3,4})", "--method", "timed", "--collective", "allreduce", "--alpha", "10us",
         "--size", "1MiB", "--bandwidth", "100Gbps")  # fmt: skip


@pytest.mark.parametrize(
    ("when", "words"),
    [("lower trees", ("Pi(4,50)", "--method", "forest")), ("translated, 1 chunk", TIMED)],
)
def test_schedules_are_the_best_so_far(folder: Path, when: str, words: tuple[str, ...]) -> None:
    ended = interrupted(when, "schedule", *words, "-o", "made.npz")
    assert (ended.code, ended.err) == (0, ENDED)
    checked = ran_alone("verify", "made.npz", kernels="auto")
    assert (checked.code, checked.err) == (0, "")
    assert "two phases: translated, 4" not in (folder / "heard").read_text()


def test_a_forest_of_which_nothing_is_there_is_no_answer(folder: Path) -> None:
    ended = interrupted(
        "switches: 20", "schedule", "FatTree(4)", "--method", "forest", "-o", "made.npz"
    )
    words = "topofinder: interrupted; what was finished is stored\n"
    assert (ended.code, ended.out, ended.err) == (130, "", ENDED + words)
    assert not (folder / "made.npz").exists()
