"""The files of graphs whose costs ship, as text: what long searches found, and what was evaluated.

generators/data/searched_graphs.txt has a line for each expanded graph that long searches found:
what breadth-first broadcast costs on it (`generators.cost_profile`), then its recipe.
evaluated_graphs.txt has the same of what else searches keep of the graphs that they evaluate: of
generalized Kautz graphs, rings with chords, products of any two graphs, and expanded graphs that
cost less than their theorem says. `expansions.searched_graphs` reads the recipes.
"""

from generators.sized_lines import data_text, lines_at

FILE = "searched_graphs.txt"
EVALUATED = "evaluated_graphs.txt"


def searched_lines(n: int, d: int, links: str) -> list[str]:
    """The lines of a size and link mode, the quickest first.

    >>> searched_lines(4, 2, "simplex")
    []
    """
    return list(lines_at(data_text(FILE), (d, links != "simplex", n), searched_place))


def all_searched_lines() -> list[str]:
    """All lines, in the order of the file."""
    return data_text(FILE).splitlines()


def evaluated_lines(n: int, d: int, links: str) -> list[str]:
    """The same of the graphs that were evaluated.

    >>> evaluated_lines(4, 2, "simplex")
    []
    """
    return list(lines_at(data_text(EVALUATED), (d, links != "simplex", n), searched_place))


def searched_place(line: str) -> tuple[int, bool, int]:
    """What the file is in order of: degree, one-way links first, nodes.

    >>> searched_place("a06710f0 2 5 simplex 2,2 = 2 2 K(5)")
    (2, False, 5)
    """
    _, d, n, links, _ = line.split(" ", 4)
    return int(d), links != "simplex", int(n)
