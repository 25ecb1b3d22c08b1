"""The file of what deferred schedules cost, as text.

generators/data/deferred_costs.txt has a line each for sizes that were gone through
(`generators.searched_sizes`): degree, nodes, link mode; steps and bandwidth time of an allgather,
then on the transpose; and the recipe. `#` with eight digits is the graph of that digest among the
size's `generators.searched_graphs`, in T(...) too. `expansions.deferred_costs` reads the recipes.
"""

from generators.sized_lines import data_text, lines_at

FILE = "deferred_costs.txt"


def deferred_lines(n: int, d: int, links: str) -> list[str]:
    """The lines of a size and link mode.

    >>> deferred_lines(4, 2, "simplex")
    []
    """
    return list(lines_at(data_text(FILE), (d, links != "simplex", n), deferred_place))


def all_deferred_lines() -> list[str]:
    """All lines, in the order of the file."""
    return data_text(FILE).splitlines()


def deferred_place(line: str) -> tuple[int, bool, int]:
    """What the file is in order of: degree, one-way links first, nodes.

    >>> deferred_place("4 100 simplex 4 86/75 4 86/75 Pi(4,100)")
    (4, False, 100)
    """
    d, n, links, _ = line.split(" ", 3)
    return int(d), links != "simplex", int(n)
