"""The tables of docs/frontiers.md: our frontier beside the published method's, at many sizes.

    python -m tools.frontier_tables

writes them, in some minutes. A test makes a sample of the rows again and compares.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from reports.text import RECIPE_SHOWN, cut_text
from topofinder.finder.published_comparison import FrontierPair, beside
from topofinder.model.candidate import Candidate, LinkMode, cost_lower_bound

PAGE = Path(__file__).resolve().parent.parent / "docs" / "frontiers.md"
POWERS = tuple(1 << k for k in range(3, 12))
HUNDREDS = tuple(range(100, 2001, 100))
DEGREES = (2, 4, 8)
HEAD = "| N | bounds | ours | published | |\n| --- | --- | --- | --- | --- |"
"""The last column says what is proved or gained."""


def row(one: FrontierPair) -> str:
    """One size as a row: costs as (T_L, T_B) with the recipe of ours.

    >>> [found] = beside([(8, 2)])
    >>> row(found).split(" | ")[0]
    '| 8'
    """
    bound = cost_lower_bound(one.n, one.d, one.links)
    ours = "; ".join(f"{_cost(point)} {_code(point)}" for point in one.ours)
    published = "; ".join(map(_cost, one.published))
    cells = (str(one.n), f"{bound.steps}, {bound.bandwidth}", ours, published, _verdict(one))
    return f"| {' | '.join(cells)} |"


def _cost(point: Candidate) -> str:
    return f"{point.allgather.steps}, {point.allgather.bandwidth}"


def _code(point: Candidate) -> str:
    return code_cell(str(point.recipe))


def code_cell(recipe: str) -> str:
    """A recipe in a cell, cut where it is long; a bar would end the cell, even among backquotes.

    >>> code_cell("K(4)"), len(code_cell("Lift(Z5;0.1,0.2|1.0)" * 9))
    ('`K(4)`', 44)
    """
    bar = "\\|"
    return f"`{cut_text(recipe, RECIPE_SHOWN).replace('|', bar)}`"


def _verdict(one: FrontierPair) -> str:
    """Optimal: no graph does better, by the Moore bound and T_B*; otherwise what is beaten."""
    if one.both_bounds:
        return "optimal"
    if one.improved:
        return "improved"
    if not one.matched:
        return "partly"
    return "wider" if len(one.ours) > len(one.published) else "equal"


def table(found: Iterable[FrontierPair]) -> str:
    """The rows of some sizes under their head."""
    return "\n".join([HEAD, *map(row, found)])


def mark(name: str) -> tuple[str, str]:
    """The comments between which a table stands."""
    return f"<!-- table {name} -->", "<!-- end -->"


def replace_table(page: str, name: str, text: str) -> str:
    """The page with a table in its place."""
    begin, end = map(re.escape, mark(name))
    opening, closing = mark(name)
    return re.sub(f"{begin}.*?{end}", f"{opening}\n{text}\n{closing}", page, flags=re.DOTALL)


def sizes(d: int) -> Sequence[tuple[int, int]]:
    """The sizes of the table of one degree."""
    return [(n, d) for n in sorted({*POWERS, *HUNDREDS}) if n > d]


def main() -> None:
    """Write every table of the page."""
    page = PAGE.read_text(encoding="utf-8")
    for links in LinkMode:
        for d in DEGREES:
            found = beside(sizes(d), links, jobs=2)
            page = replace_table(page, f"{links} {d}", table(found))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
