"""The file of expanded graphs that long searches found, as text.

generators/data/searched_graphs.txt has a line each: what breadth-first broadcast costs on the graph
(`generators.cost_profile`), then its recipe. `expansions.searched_graphs` reads the recipes.
"""

from generators.sized_lines import data_text, lines_at

FILE = "searched_graphs.txt"


def searched_lines(n: int, d: int, links: str) -> list[str]:
    """The lines of a size and link mode, the quickest first.

    >>> searched_lines(4, 2, "simplex")
    []
    """
    return list(lines_at(data_text(FILE), (d, links != "simplex", n), searched_place))


def all_searched_lines() -> list[str]:
    """All lines, in the order of the file."""
    return data_text(FILE).splitlines()


def searched_place(line: str) -> tuple[int, bool, int]:
    """What the file is in order of: degree, one-way links first, nodes.

    >>> searched_place("a06710f0 2 5 simplex 2,2 = 2 2 K(5)")
    (2, False, 5)
    """
    _, d, n, links, _ = line.split(" ", 4)
    return int(d), links != "simplex", int(n)
