"""Expanded graphs that long searches found: grafts, and what else no family has.

They stand in generators/data/searched_graphs.txt, a line each: what breadth-first broadcast costs
on the graph (`generators.cost_profile`), and its recipe. Every search has them at their size. The
command that finds and proves them is `python -m tools.find_graphs`.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from expansions.parser import parse
from expansions.recipe import Recipe
from generators.cost_profile import CostProfile, read_profile, text_digest

FILE = "searched_graphs.txt"


def searched_graphs(n: int, d: int, links: str) -> tuple[Recipe, ...]:
    """The recipes that ship of a size and link mode, the quickest first.

    >>> searched_graphs(4, 2, "simplex")
    ()
    """
    return tuple(_read(line)[0] for line in _lines().get((d, n, links), ()))


def searched_profile(recipe: Recipe) -> CostProfile | None:
    """What breadth-first broadcast costs on a graph that ships; None for others.

    >>> searched_profile(parse("L(K(3))")) is None
    True
    """
    text = str(recipe)
    line = _by_digest().get(text_digest(text))
    if line is None or not line.endswith(f" {text}"):
        return None
    return _read(line)[1]


def all_searched_graphs() -> Iterator[tuple[Recipe, CostProfile]]:
    """All graphs of the file, in its order."""
    return (_read(line) for lines in _lines().values() for line in lines)


@cache
def _read(line: str) -> tuple[Recipe, CostProfile]:
    *profile, recipe = line.split(" ", 8)
    return parse(recipe), read_profile(" ".join(profile))


@cache
def _lines() -> dict[tuple[int, int, str], list[str]]:
    found: dict[tuple[int, int, str], list[str]] = {}
    text = (files("generators") / "data" / FILE).read_text(encoding="ascii")
    for line in text.splitlines():
        _, d, n, links, _ = line.split(" ", 4)
        found.setdefault((int(d), int(n), links), []).append(line)
    return found


@cache
def _by_digest() -> dict[str, str]:
    return {line[:8]: line for lines in _lines().values() for line in lines}
