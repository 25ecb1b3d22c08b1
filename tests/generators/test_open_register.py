"""Registers: a name is taken once, and what comes with topofinder is entered when it is asked."""

import subprocess
import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from generators.open_register import Register
from tests.command import ROOT


def test_a_name_is_taken_once() -> None:
    colours: Register[int] = Register("colour")
    assert colours.enter("red", 1) == 1
    with pytest.raises(InvalidInput, match="colour 'red' is registered already"):
        colours.enter("red", 2)
    assert dict(colours) == {"red": 1}


def test_modules_are_imported_when_the_register_is_first_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "red_colour.py").write_text(
        "from colour_register import COLOURS\nCOLOURS.enter('red', len(COLOURS))\n"
    )
    (tmp_path / "colour_register.py").write_text(
        "from generators.open_register import Register\n"
        "COLOURS = Register('colour', ('red_colour',))\n"
    )
    from colour_register import COLOURS  # type: ignore[import-not-found]

    assert "red_colour" not in sys.modules
    assert list(COLOURS.items()) == [("red", 0)]
    assert "red_colour" in sys.modules


def test_an_import_that_fails_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    sizes: Register[int] = Register("size", ("late_size",))
    with pytest.raises(ModuleNotFoundError):
        len(sizes)
    (tmp_path / "late_size.py").write_text("")
    invalidate_caches()
    assert len(sizes) == 0


IMPORT_ALL = """
import importlib, pkgutil
from generators import plugins

def refuse(loader):
    raise AssertionError("a register is asked while modules are imported")

plugins.PluginLoader.load = refuse
for name in ("generators", "expansions", "db", "reports", "topofinder"):
    package = importlib.import_module(name)
    for found in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
"""


def test_no_module_asks_a_register_while_it_is_imported() -> None:
    """Else plugins, which may import any module, would be loaded while some are half imported."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
