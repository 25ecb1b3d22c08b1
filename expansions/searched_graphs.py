"""Graphs whose costs ship: what long searches found, and what searches need not evaluate.

They stand in two files (`generators.searched_graphs`), and every search has them at their size. The
command that finds grafts, and what else no family has, and proves them is
`python -m tools.find_graphs`; `python -m tools.evaluate_all_sizes` evaluates what else is kept.
"""

from collections.abc import Callable
from functools import cache

from expansions.lower_bounds import free_ports
from expansions.parser import parse
from expansions.recipe import Recipe
from expansions.size import size
from generators.cost_profile import CostProfile, read_profile
from generators.searched_graphs import evaluated_lines, searched_lines


def searched_graphs(n: int, d: int, links: str) -> tuple[Recipe, ...]:
    """The recipes that ship of a size and link mode, the quickest first.

    >>> searched_graphs(4, 2, "simplex")
    ()
    """
    return tuple(read_searched_graph(line)[0] for line in searched_lines(n, d, links))


def searched_profile(recipe: Recipe) -> CostProfile | None:
    """What breadth-first broadcast costs on a graph that ships; None for others.

    >>> searched_profile(parse("L(K(3))")) is None
    True
    """
    line = searched_line(recipe)
    return None if line is None else read_searched_graph(line)[1]


def evaluated_graphs(n: int, d: int, links: str) -> tuple[Recipe, ...]:
    """The recipes of graphs that searches need not evaluate.

    One-way links wire two-way graphs, too, but those with a port left free.

    >>> evaluated_graphs(4, 2, "simplex")
    ()
    """
    both = dict.fromkeys((links, links if free_ports(n, d) else "duplex"))
    lines = (line for one in both for line in evaluated_lines(n, d, one))
    return tuple(read_searched_graph(line)[0] for line in lines)


def evaluated_profile(recipe: Recipe) -> CostProfile | None:
    """What breadth-first broadcast costs on a graph that need not be evaluated; None for others.

    >>> evaluated_profile(parse("L(K(3))")) is None
    True
    """
    line = _line_of(recipe, evaluated_lines)
    return None if line is None else read_searched_graph(line)[1]


def searched_line(recipe: Recipe) -> str | None:
    """The line of a graph that ships; None for others.

    >>> searched_line(parse("L(K(3))")) is None
    True
    """
    return _line_of(recipe, searched_lines)


def _line_of(recipe: Recipe, lines_of: Callable[[int, int, str], list[str]]) -> str | None:
    end = f" {recipe}"
    both = (lines_of(*size(recipe), links) for links in ("duplex", "simplex"))
    return next((line for lines in both for line in lines if line.endswith(end)), None)


@cache
def read_searched_graph(line: str) -> tuple[Recipe, CostProfile]:
    """The recipe and the profile of a line of the file.

    >>> str(read_searched_graph("a06710f0 2 5 simplex 2,2 = 2 2 K(5)")[0])
    'K(5)'
    """
    *profile, recipe = line.split(" ", 8)
    return parse(recipe), read_profile(" ".join(profile))
