"""`topofinder discover` as a user calls it."""

import json
import signal
import time
from pathlib import Path

import pytest

from db.store import Store
from tests.command import ran, started

TEXT = """\
N = 16, d = 4, simplex links, seed 0: 42,840 generator lists judged

T_L  T_B    T_B exact  RS T_B  RS exact  trials  recipe
---  -----  ---------  ------  --------  ------  --------------------------------------
  2  1.000          1   1.000         1    3060  Cay(Z4:Z2[3]:Z2[(3,0),(1,1)];1,2,4,11)
  3  0.938      15/16   0.938     15/16    3060  Cay(Z8:Z2[3];1,2,4,6)
  2  0.938      15/16   0.938     15/16          lower bound

Lower bounds: Moore bound; theorem 4
"""


def test_the_table_and_the_resumed_search(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ("discover", "--n", 16, "--d", 4, "--trials", 50000, "--db", tmp_path / "a.db")
    assert ran(capsys, *asked) == (0, TEXT, "")
    again = TEXT.replace("42,840 generator lists judged", "0 generator lists judged, 42,840 before")
    assert ran(capsys, *asked) == (0, again, "")


def test_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ("--n", 32, "--d", 8, "--trials", 1000, "--seed", 7, "--json", "--both-ways")
    code, out, err = ran(capsys, "discover", *asked, "--db", tmp_path / "a.db")
    assert (code, err) == (0, "")
    told = json.loads(out)
    (find,) = told.pop("finds")
    assert told == {
        **{"n": 32, "d": 8, "links": "simplex", "both_ways": True, "seed": 7},
        **{"judged": told["judged"], "judged_before": 0},
        "bound": {
            **{"steps": 2, "bandwidth": "31/32"},
            **{"steps_source": "Moore bound", "bandwidth_source": "theorem 4"},
        },
    }
    assert find["reduce_scatter"] == {"steps": 2, "bandwidth": "31/32"}
    assert (find["steps"], find["bandwidth"], find["seed"]) == (2, "31/32", 7)
    assert find["recipe"] == find["base"]


def test_nothing_found(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ("--n", 9, "--d", 3, "--links", "duplex", "--time", "1s", "--db", tmp_path / "a.db")
    line = "N = 9, d = 3, duplex links, seed 0: 0 generator lists judged; nothing is found\n"
    assert ran(capsys, "discover", *asked) == (0, line, "")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--n", 2, "--d", 2), "n: groups of 3 to 8192 elements are searched, not 2"),
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


def test_an_interrupted_search_keeps_its_finds(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with started("discover", "--n", 64, "--d", 4, "--time", "60s", "--db", file) as running:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (file.exists() and _finds(file)):
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert err == "topofinder: interrupted; what was finished is stored\n"
    assert _finds(file)


def _finds(file: Path) -> int:
    try:
        with Store(file, create=False) as store:
            return len(store.finds(n=64, d=4))
    except ValueError:
        return 0
