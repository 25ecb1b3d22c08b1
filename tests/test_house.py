"""The house: levels, names and sizes of rooms, as docs/contributing.md describes them."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.levels import (
    MOST_LEVELS,
    PICTURE,
    drawing,
    import_graph,
    imports,
    levels,
    modules,
    syntax_tree,
)
from tools.unused import unused_definitions, unused_here

MODULES = modules()
LIBRARY = {name: path for name, path in MODULES.items() if not name.startswith(("tools", "bench"))}
MOST_LINES, FEW_LINES = 400, 60

PARTICIPLE = re.compile(
    r"[a-z]+(ed|ing)|told|made|known|shown|found|held|kept|left|lost|met|said|sent|built|drawn|grown"
    r"|laid|taken|given|chosen|written|broken|fallen|hidden|beaten|gone|done|seen|begun|won|bought"
    r"|brought|caught|dealt|felt|meant|sold|spent|stood|taught|thought|wound|bent|paid|led|shot|torn"
    r"|thrown|understood|rewritten|swept|sought"
)
NOUNS = {"bound", "seed", "need", "ring", "hamming", "drawing", "crossing", "packing", "meeting"}
"""One word that looks like a participle and is none."""


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in MODULES.values():
        yield path, syntax_tree(path)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def is_property(function: ast.FunctionDef) -> bool:
    names = {ast.unparse(each).split(".")[-1] for each in function.decorator_list}
    return bool(names & {"property", "cached_property"})


def test_there_are_few_levels_and_the_picture_shows_them() -> None:
    graph = import_graph()
    assert len(levels(graph)) <= MOST_LEVELS
    assert PICTURE.read_text(encoding="utf-8") == drawing(graph), "run python -m tools.levels"


def test_no_two_public_classes_share_a_name() -> None:
    homes = defaultdict(list)
    for path, tree in trees():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_what_only_tests_call_is_gone() -> None:
    assert unused_here() == [], "remove it, or give it a caller"


UNUSED = """
def run(): helper(_Reader().text())
def helper(text): return lonely_constant
def lonely(): return also_lonely()
def also_lonely(): return lonely()
class _Reader(Parser):
    def handle_data(self): return self._start_tag()
    def _start_tag(self): return self._tags(f"_end_{self}")
class Own:
    def __len__(self): return 0
    def size(self): return 1
    def _end_row(self): return Own
def register(function): return function
@MIGRATIONS()
def m001(): return Own
"""


def test_what_nothing_calls_is_found() -> None:
    idle = ["m.lonely", "m.also_lonely", "m.Own.size", "m.register"]
    assert unused_definitions({"m": ast.parse(UNUSED)}, ["run"]) == idle
    assert unused_definitions({"m": ast.parse(UNUSED)}, ["run", "size"]) == [
        idle[0],
        idle[1],
        idle[3],
    ]


def test_no_function_is_a_bare_participle() -> None:
    found = [
        f"{path}: {function.name}"
        for path, tree in trees()
        for function in functions(tree)
        if PARTICIPLE.fullmatch(word := function.name.strip("_"))
        and word not in NOUNS
        and not is_property(function)
    ]
    assert found == []


def test_no_public_class_is_a_bare_participle() -> None:
    found = [
        f"{path}: {node.name}"
        for path, tree in trees()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and re.fullmatch("[A-Z][a-z]+", node.name)
        and PARTICIPLE.fullmatch(word := node.name.lower())
        and not word.endswith("ing")
        and word not in NOUNS
        and not is_exception(node)
    ]
    assert found == []


def is_exception(node: ast.ClassDef) -> bool:
    """Whether a class is raised: its name says what is wrong, as Python's own do."""
    words = ("Exception", "Error")
    return any(ast.unparse(base).endswith(words) for base in node.bases)


@pytest.mark.parametrize("word", ["told", "made", "chosen", "settled", "naming"])
def test_participles_are_recognised(word: str) -> None:
    assert PARTICIPLE.fullmatch(word)


def test_files_are_whole_ideas_of_some_size() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in MODULES.values()}
    assert [path for path, count in lines.items() if count > MOST_LINES] == []


def test_bodies_are_short() -> None:
    counts = sorted(body_lines(function) for _, tree in trees() for function in functions(tree))
    assert counts[len(counts) // 2] < 10
    assert counts[len(counts) * 9 // 10] < 20


def body_lines(function: ast.FunctionDef) -> int:
    doc = ast.get_docstring(function, clean=False)
    last = function.end_lineno or function.lineno
    return last - function.lineno - (doc.count("\n") + 1 if doc else 0)


def test_a_small_file_has_two_importers_or_is_one_of_a_register() -> None:
    importers: Counter[str] = Counter()
    for path in MODULES.values():
        importers.update(name for name in set(imports(path)) if name in MODULES)
    small = [
        name
        for name, path in LIBRARY.items()
        if path.read_text(encoding="utf-8").count("\n") < FEW_LINES
        and path.name not in ("__init__.py", "__main__.py")
        and importers[name] < 2
        and not name.startswith(ONE_OF_MANY)
        and not path.name.endswith("_kernels.py")
        and not is_door(name)
    ]
    assert small == []


def is_door(name: str) -> bool:
    """Whether a module leads to its package: it imports three or more of its neighbours."""
    package = name.rpartition(".")[0] + "."
    return sum(other.startswith(package) for other in set(imports(MODULES[name]))) >= 3


ONE_OF_MANY = (
    "generators.families.",
    "generators.cayley.",
    "generators.fabrics.",
    "generators.formats.",
    "topofinder.cli.",
    "topofinder.api.shared.dask_backend",
    "topofinder.api.shared.ray_backend",
    "topofinder.schedules.baselines.",
    "topofinder.exporters.",
    "reports.",
)
"""Where a file is one family, group, format, command, baseline, exporter, backend or wording."""


def test_init_files_below_the_top_hold_a_docstring_only() -> None:
    for name, path in LIBRARY.items():
        if path.name == "__init__.py" and "." in name:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert len(tree.body) == 1, f"{path} holds more than a docstring"
