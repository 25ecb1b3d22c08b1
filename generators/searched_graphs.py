"""The file of expanded graphs that long searches found, as text.

generators/data/searched_graphs.txt has a line each: what breadth-first broadcast costs on the graph
(`generators.cost_profile`), then its recipe. `expansions.searched_graphs` reads the recipes.
"""

from functools import cache
from importlib.resources import files

FILE = "searched_graphs.txt"


def searched_lines(n: int, d: int, links: str) -> list[str]:
    """The lines of a size and link mode, the quickest first.

    >>> searched_lines(4, 2, "simplex")
    []
    """
    return searched_lines_by_size().get((d, n, links), [])


def all_searched_lines() -> list[str]:
    """All lines, in the order of the file."""
    return [line for lines in searched_lines_by_size().values() for line in lines]


def searched_line(recipe: str) -> str | None:
    """The line of a recipe as it is printed; None if it does not ship.

    >>> searched_line("L(K(3))") is None
    True
    """
    return _by_recipe().get(recipe)


@cache
def searched_lines_by_size() -> dict[tuple[int, int, str], list[str]]:
    """All lines, by degree, nodes and link mode."""
    found: dict[tuple[int, int, str], list[str]] = {}
    text = (files("generators") / "data" / FILE).read_text(encoding="ascii")
    for line in text.splitlines():
        _, d, n, links, _ = line.split(" ", 4)
        found.setdefault((int(d), int(n), links), []).append(line)
    return found


@cache
def _by_recipe() -> dict[str, str]:
    return {line.split(" ", 8)[-1]: line for line in all_searched_lines()}
