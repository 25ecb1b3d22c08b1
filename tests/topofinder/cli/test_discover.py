"""`topofinder discover` as a user calls it."""

import json
import signal
import time
from pathlib import Path

import pytest

from db.store import Store
from tests.command import ran, started

TEXT = """\
N = 16, d = 4, simplex links, seed 0: 42,840 graphs judged

T_L  T_B    T_B exact  RS T_B  RS exact  by      trials  recipe
---  -----  ---------  ------  --------  ------  ------  -----------
  2  1.000          1   1.000         1  search          Small(4,16)
  3  0.938      15/16   0.938     15/16  search          C(16,{3,4})
  2  0.938      15/16   0.938     15/16                  lower bound

Lower bounds: Moore bound; theorem 4
"""
LIFT = """\
N = 183, d = 5, simplex links, seed 0: 317,460 graphs judged

T_L  T_B    T_B exact  RS T_B  RS exact  by      trials  recipe
---  -----  ---------  ------  --------  ------  ------  ----------------------------------------
  4  1.000          1   1.000         1  lifts   158730  Lift(Z61;0.3,1.0,1.22,2.0,2... #33b88026
  7  0.995    182/183   0.995   182/183  search          DirC(1) x C(61,{5,6})
  4  0.995    182/183   0.995   182/183                  lower bound

Lower bounds: Moore bound; theorem 4
"""


def test_the_table_and_the_resumed_search(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ("discover", "--n", 16, "--d", 4, "--kind", "cayley", "--trials", 50000)
    asked = (*asked, "--db", tmp_path / "a.db")
    assert ran(capsys, *asked) == (0, TEXT, "")
    again = TEXT.replace("42,840 graphs judged", "0 graphs judged, 42,840 before")
    assert ran(capsys, *asked) == (0, again, "")


@pytest.mark.usefixtures("unsearched_sizes")
def test_a_lift_is_cut_and_named_by_its_row(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    db = ("--db", tmp_path / "a.db")
    asked = ("discover", "--n", 183, "--d", 5, "--kind", "lifts", "--trials", 1)
    assert ran(capsys, *asked, *db) == (0, LIFT, "")
    code, out, _ = ran(capsys, "show", "#33b88026", "--json", *db)
    told = json.loads(out)
    assert (code, told["n"], told["recipe"][:20]) == (0, 183, "Lift(Z61;0.3,1.0,1.2")
    code, out, _ = ran(capsys, "discover", "--status", "--json", *db)
    [size] = json.loads(out)["sizes"]
    assert size["judged_by_kind"] == {"cayley": 0, "lifts": 317460, "grafts": 0}
    assert size["best"][0]["recipe"] == told["recipe"]
    code, out, _ = ran(capsys, "search", "--n", 183, "--d", 5, "--effort", 0, "--json", *db)
    first = json.loads(out)["frontier"][0]
    assert (first["recipe"], first["origin"]) == (told["recipe"], "discover")


def test_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = (
        "--n",
        32,
        "--d",
        8,
        "--trials",
        1000,
        "--seed",
        7,
        "--json",
        "--both-ways",
        "--kind",
        "cayley",
    )
    code, out, err = ran(capsys, "discover", *asked, "--db", tmp_path / "a.db")
    assert (code, err) == (0, "")
    told = json.loads(out)
    (find,) = told.pop("finds")
    assert told == {
        **{"n": 32, "d": 8, "links": "simplex", "both_ways": True, "seed": 7},
        "kinds": ["cayley"],
        **{"judged": told["judged"], "judged_before": 0},
        "bound": {
            **{"steps": 2, "bandwidth": "31/32"},
            **{"steps_source": "Moore bound", "bandwidth_source": "theorem 4"},
        },
    }
    assert find["reduce_scatter"] == {"steps": 2, "bandwidth": "31/32"}
    assert (find["steps"], find["bandwidth"], find["by"]) == (2, "31/32", "search")
    assert find["recipe"] == find["base"]


def test_what_meets_its_bounds_is_not_searched(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ("--n", 9, "--d", 3, "--links", "duplex", "--time", "60s", "--db", tmp_path / "a.db")
    code, out, err = ran(capsys, "discover", *asked)
    assert (code, err) == (0, "")
    assert out.startswith("N = 9, d = 3, duplex links, seed 0: 0 graphs judged\n")
    assert "search          SplitOff(Small(3,10),0)\n" in out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--n", 2, "--d", 2), "n: 3 to 8192 hosts are searched, not 2"),
        (
            ("--n", 16, "--d", 4, "--time", "-1s"),
            "--time: '-1s' is not a quantity; write for example",
        ),
        (("--n", 16, "--d", 4, "--time", "0s"), "--time: '0s' is not above zero"),
        (("--n", 16, "--d", 4, "--trials", 0), "trials: 1 or more are needed, not 0"),
        (("--n", 16, "--d", 4, "--group", "Q8"), "group 'Q8': expected one of Z, D, Dic, S, A"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[object, ...], line: str
) -> None:
    code, out, err = ran(capsys, "discover", *words, "--db", tmp_path / "a.db")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith(f"topofinder: {line}")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_search_that_is_stopped_keeps_what_was_finished_and_goes_on(
    tmp_path: Path, sent: signal.Signals
) -> None:
    file = tmp_path / "a.db"
    asked = ("discover", "--n", 187, "--d", 6, "--kind", "lifts", "--db", file)
    with started(*asked, "--time", "600s") as running:
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and not (file.exists() and _finds(file)):
            time.sleep(0.1)
        running.send_signal(sent)
        out, err = running.communicate(timeout=120)
    assert out == ""
    if sent is signal.SIGINT:
        assert running.returncode == 130
        assert err.endswith("topofinder: interrupted; what was finished is stored\n")
    before = _judged(file)
    assert _finds(file)
    assert before >= 36_508
    with started(*asked, "--trials", "1", "--json") as again:
        out, _ = again.communicate(timeout=240)
    told = json.loads(out)
    assert (again.returncode, told["judged_before"]) == (0, before)
    assert told["judged"] > 0


def _judged(file: Path) -> int:
    with Store(file) as store:
        return sum(store.legs(187, 6, "simplex", False, 0).values())


def _finds(file: Path) -> int:
    try:
        with Store(file, create=False) as store:
            return len(store.finds(n=187, d=6))
    except ValueError:
        return 0
