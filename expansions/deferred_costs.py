"""What deferred schedules cost on graphs of sizes that were gone through.

They stand in a file (`generators.deferred_costs`), so that a search need not work them out again.
The command that finds and proves them is `python -m tools.search_all_sizes`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from expansions.cost import Cost
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.deferred_costs import deferred_lines
from generators.searched_graphs import searched_lines

DIGEST = 8
"""Digits of what names a graph among those of its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredCost:
    """What the deferred allgather of a graph costs; `back` is that of its transpose."""

    recipe: Recipe
    forth: Cost
    back: Cost


def deferred_costs(n: int, d: int, links: str) -> tuple[DeferredCost, ...]:
    """Those that ship of a size and link mode.

    >>> deferred_costs(4, 2, "simplex")
    ()
    """
    return tuple(map(read_deferred_cost, deferred_lines(n, d, links)))


def read_deferred_cost(line: str) -> DeferredCost:
    """What a line of the file says.

    >>> read_deferred_cost("4 100 simplex 4 86/75 4 86/75 Pi(4,100)").forth
    Cost(steps=4, bandwidth=Fraction(86, 75))
    """
    d, n, links, steps, bandwidth, back_steps, back_bandwidth, name = line.split(" ", 7)
    return DeferredCost(
        recipe=parse(_recipe_text(name, int(n), int(d), links)),
        forth=Cost(int(steps), Fraction(bandwidth)),
        back=Cost(int(back_steps), Fraction(back_bandwidth)),
    )


def write_deferred_cost(
    size: tuple[int, int, str], one: DeferredCost, names: Mapping[str, str]
) -> str:
    """The line of a cost at (n, d, links); `names` are recipes of searched graphs by digest.

    >>> cost = Cost(4, Fraction(86, 75))
    >>> one = DeferredCost(recipe=parse("T(Pi(4,100))"), forth=cost, back=cost)
    >>> write_deferred_cost((100, 4, "simplex"), one, {"0123abcd": "Pi(4,100)"})
    '4 100 simplex 4 86/75 4 86/75 T(#0123abcd)'
    """
    n, d, links = size
    text = str(one.recipe)
    for digest, recipe in names.items():
        if text in (recipe, f"T({recipe})"):
            text = text.replace(recipe, f"#{digest}")
    costs = f"{one.forth.steps} {one.forth.bandwidth} {one.back.steps} {one.back.bandwidth}"
    return f"{d} {n} {links} {costs} {text}"


def _recipe_text(name: str, n: int, d: int, links: str) -> str:
    head, mark, rest = name.partition("#")
    if not mark:
        return name
    return f"{head}{_names(n, d, links)[rest[:DIGEST]]}{rest[DIGEST:]}"


def _names(n: int, d: int, links: str) -> dict[str, str]:
    """Digests and recipes of the searched graphs of a size."""
    return {line[:DIGEST]: line.split(" ", 8)[-1] for line in searched_lines(n, d, links)}
