"""A user's own `db.py` or `reports` in the working folder is named, or passed over."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT, Ended

SAID = """
try:
    import topofinder
except ImportError as error:
    print(error)
else:
    print(topofinder.parse("K(4)"))
"""
EDITABLE = f"""
import importlib.machinery, sys
sys.path.insert(0, "")
class Last:
    def find_spec(self, name, path=None, target=None):
        if path is None:
            return importlib.machinery.PathFinder.find_spec(name, [{str(ROOT)!r}])
sys.meta_path.append(Last())
"""
"""As an editable installation finds packages: after all folders of the path."""

ADVICE = (
    ": rename it, or start Python in another folder, or run `python -m topofinder`, which leaves "
    "the working folder out of the path"
)
SEARCH = ("search", "--n", 8, "--d", 2, "--db", "a.db")


def python(folder: Path, *words: object, path: str = str(ROOT)) -> Ended:
    """What Python says in a folder, with the project on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment | {"PYTHONPATH": path},
        timeout=120,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def line(name: str, place: Path) -> str:
    return f"{place} is in the way of topofinder's own package {name!r}{ADVICE}\n"


HIDING = ("db.py", "generators.py", "expansions/__init__.py", "reports/__init__.py")
"""Files of a user, each of which would be imported in place of a package of ours."""


def write_own(folder: Path, name: str) -> Path:
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("OWN = True\n", encoding="utf-8")
    return file


@pytest.fixture(params=HIDING)
def hidden(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A package's name and what hides it."""
    file = write_own(tmp_path, request.param)
    return (file.stem, file) if file.parent == tmp_path else (file.parent.name, file.parent)


def test_an_import_names_what_is_in_the_way(hidden: tuple[str, Path], tmp_path: Path) -> None:
    name, place = hidden
    assert python(tmp_path, "-c", SAID) == (0, line(name, place), "")
    assert python(tmp_path, "-c", SAID + SAID).out == 2 * line(name, place)
    assert python(tmp_path, "-c", f"import {name}\n{SAID}").out == line(name, place)
    failed = python(tmp_path, "-c", "from topofinder.api.shared.frontiers import search")
    assert failed.err.endswith(f"ImportError: {line(name, place)}")


def test_a_script_beside_it_is_told_as_well(tmp_path: Path) -> None:
    (tmp_path / "db.py").touch()
    (tmp_path / "own.py").write_text(SAID, encoding="utf-8")
    assert python(Path.cwd(), tmp_path / "own.py").out == line("db", tmp_path / "db.py")


def test_a_folder_that_hides_nothing_is_no_obstacle(tmp_path: Path) -> None:
    """A regular package wins over a folder without __init__.py, but not over a folder alone."""
    (tmp_path / "reports").mkdir()
    assert python(tmp_path, "-c", SAID) == (0, "K(4)\n", "")
    found = python(tmp_path, "-I", "-S", "-c", EDITABLE + SAID)
    assert found == (0, line("reports", tmp_path / "reports"), "")


def test_python_dash_m_passes_over_the_working_folder(tmp_path: Path) -> None:
    """All that hides something at once: any one of them, once imported, would end the search."""
    for name in HIDING:
        write_own(tmp_path, name)
    for path in (str(ROOT), f"{ROOT}{os.pathsep}.", f".{os.pathsep}{ROOT}"):
        found = python(tmp_path, "-m", "topofinder", *SEARCH, path=path)
        assert (found.code, found.err) == (0, "")
    assert python(tmp_path, "-P", "-m", "topofinder", *SEARCH).code == 0


def test_workers_pass_over_it_as_well(tmp_path: Path) -> None:
    for name in ("db", "generators", "expansions", "reports", "numba", "typer"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('mine')", encoding="utf-8")
    words = ("sweep", "--n", "2:24", "--d", "2,3", "--jobs", 2, "--db", "a.db")
    told = "46 sizes searched and stored in a.db\n"
    assert python(tmp_path, "-m", "topofinder", *words) == (0, "", told)


def test_the_program_names_what_is_in_the_way(hidden: tuple[str, Path], tmp_path: Path) -> None:
    name, place = hidden
    program = tmp_path / "bin" / "topofinder"
    program.parent.mkdir()
    program.write_text("from topofinder.__main__ import main\nmain()\n", encoding="utf-8")
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    assert python(ROOT, program, "show", "K(4)", path=path) == (
        2,
        "",
        f"topofinder: {line(name, place)}",
    )
    assert python(tmp_path, program, "--version").code == 0


def test_the_project_itself_may_be_the_working_folder() -> None:
    found = python(ROOT, "-m", "topofinder", "show", "K(4)", "--json", path="")
    assert (found.code, found.err) == (0, "")
