"""`topofinder doctor`: what is installed is told, and what should be mended ends with code 1."""

import json
import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import topofinder
from db.store import Store
from generators.version import __version__
from tests.command import ran
from topofinder.api import doctor as use_case


def named(found: object, name: str) -> tuple[str, str]:
    record = found.record  # type: ignore[attr-defined]
    return next((each.state, each.found) for each in record.findings if each.name == name)


def test_versions_cores_and_the_database_are_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "a.db"
    missing = topofinder.doctor(db=file)
    assert named(missing, str(file)) == ("missing", "not there yet")
    assert not file.exists()
    topofinder.search(8, 2, db=file)
    ended = ran(capsys, "doctor", "--db", file)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[:2] == ["machine", f"    topofinder: {__version__}"]
    assert f"    numpy: {version('numpy')}" in lines
    with Store(file) as store:
        sizes = len(store.frontiers())
    assert lines[-2:] == [f"    {file}: frontiers of {sizes} sizes", "no problems"]
    told = json.loads(ran(capsys, "doctor", "--db", file, "--json").out)
    assert told["problems"] == 0
    cores = [each["found"] for each in told["findings"] if each["name"] == "cores"]
    assert cores == [str(len(os.sched_getaffinity(0)))]


def test_a_damaged_database_is_a_problem(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "a.db"
    file.write_text("no database")
    ended = ran(capsys, "doctor", "--db", file)
    assert ended.code == 1
    assert ended.out.splitlines()[-2].startswith(f"  ! {file}: ")
    assert ended.out.endswith("1 problem\n")


def test_a_newer_database_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with Store(file) as store:
        store.connection.execute("PRAGMA user_version = 9999")
    state, words = named(topofinder.doctor(db=file), str(file))
    assert (state, "newer" in words) == ("problem", True)


def test_packages_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["numpy>=2", "none-such>=1", 'no-extra>=1; extra == "mpi"', 'x; extra == "dev"']
    monkeypatch.setattr(use_case, "requires", lambda name: wanted)
    found = topofinder.doctor()
    assert [each[:3] for each in found.record.findings if each.group in ("packages", "extras")][
        :3
    ] == [
        ("packages", "numpy", "ok"),
        ("packages", "none-such", "problem"),
        ("extras", "no-extra", "missing"),
    ]
    assert not found.healthy


def test_a_copy_that_is_not_installed_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_such(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(use_case, "requires", none_such)
    assert named(topofinder.doctor(), "topofinder")[0] == "ok"  # its version, of the machine
    assert [each.name for each in topofinder.doctor().record.problems] == ["topofinder"]


def test_kernels_that_cannot_be_kept_are_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "kernels"
    monkeypatch.setattr(use_case, "cache_path", lambda: folder)
    found = {each.name: each for each in topofinder.doctor().record.findings}
    assert found["compiled"].state == "missing"
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    (problem,) = topofinder.doctor().record.problems
    assert problem.found == f"{folder} cannot be written"
