"""Registers: a name is taken once, and what comes with topofinder is entered when it is asked."""

import random
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


def test_specs_are_listed_as_a_mapping_lists_them() -> None:
    script = (
        "from generators.families.register_all import FAMILIES as families\n"
        "from topofinder.exporters.register import EXPORTERS as exporters\n"
        "assert list(exporters.values()) == [exporters[name] for name in exporters] != []\n"
        "assert list(families.items()) == [(name, families[name]) for name in families] != []\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


def test_specs_stand_by_place_and_name() -> None:
    words = ["d", "ccc", "b", "aaa", "cc", "a"]
    lists = set()
    for seed in range(20):
        register: Register[str] = Register("word", place=len)
        for word in random.Random(seed).sample(words, len(words)):
            register.enter(word, word)
        lists.add(tuple(register))
    assert lists == {("a", "b", "d", "cc", "aaa", "ccc")}


LIST_ALL = """
import importlib, pkgutil, sys
import expansions, generators, topofinder

names = [
    info.name
    for package in (generators, expansions, topofinder)
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if ".kernels" not in info.name and not info.name.endswith(("__main__", ".mpi", ".torch"))
]
if sys.argv[1] == "all":
    for name in reversed(names):
        if any(part in name for part in PARTS):
            importlib.import_module(name)
from expansions.register import EXPANSIONS
from generators.fabrics.register import FABRICS
from generators.registry import FAMILIES
from topofinder.alltoall.demand.patterns import PATTERNS
from topofinder.alltoall.register import THROUGHPUT_METHODS
from topofinder.exporters.register import EXPORTERS
from topofinder.schedules.baselines.register import BASELINES
from topofinder.schedules.register import SCHEDULE_METHODS

for one in (EXPANSIONS, FABRICS, FAMILIES, PATTERNS, THROUGHPUT_METHODS, EXPORTERS, BASELINES,
            SCHEDULE_METHODS):
    print(list(one))
""".replace("PARTS", "('families', 'fabrics', 'expansions', 'exporters', 'schedules', 'alltoall')")


def test_the_order_of_imports_leaves_no_trace() -> None:
    lists = {
        subprocess.run(
            [sys.executable, "-c", LIST_ALL, order],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout
        for order in ("first asked", "all")
    }  # fmt: skip
    (only,) = lists
    assert "'ring', 'shifted-ring'" in only


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
