"""Every command as a function: its answer prints, shows and exports what the command line does."""

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import topofinder as tf
from tests.command import ran

TIMES = {"alpha": "10us", "size": "1MiB", "bandwidth": "100Gbps"}
OPTIONS = [word for name, text in TIMES.items() for word in (f"--{name}", text)]
WORKLOAD = {"workload": tf.read_workload(**TIMES)}
SIZE = ("--n", 16, "--d", 4)

CASES: dict[str, tuple[tuple[object, ...], Callable[[Any], Any]]] = {
    "search": (("search", *SIZE, "--db", "{}/a.db"), lambda at: tf.search(16, 4)),
    "search with all": (
        ("search", *SIZE, "--db", "{}/a.db", *OPTIONS, "--with-baselines", "--with-throughput"),
        lambda at: tf.search(16, 4, with_baselines=True, with_throughput=True, **WORKLOAD),
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
}
"""Words of a command, and a call of the function; what they say of files is in one folder."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("answers")
    tf.search(16, 4, db=at / "a.db")
    tf.schedule("K(4)", at / "a.npz")
    tf.schedule("K(4)", at / "f.json", method="forest")
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
    words = tuple(str(word).format(folder) for word in words)
    answer = call(folder)
    printed = json.loads(ran(capsys, *words, "--json").out)
    assert timeless(answer.to_dict()) == timeless(printed)
    assert timeless(json.loads(answer.to_json())) == timeless(printed)
    if "seconds" not in answer.to_dict():
        assert ran(capsys, *words).out == f"{answer}\n"


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
