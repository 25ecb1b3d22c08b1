"""The page of frontiers says what the search finds."""

import re

import pytest

from generators.cayley.catalogue import all_digraphs
from tools.frontier_tables import (
    DEGREES,
    HUNDREDS,
    PAGE,
    POWERS,
    mark,
    replace_table,
    row,
    sizes,
    table,
)
from topofinder.finder.published_comparison import beside
from topofinder.model.candidate import LinkMode

QUICK = {(8, 2), (16, 2), (32, 2), (64, 2), (16, 4), (32, 4), (64, 4), (128, 4), (16, 8), (32, 8)}


def printed(links: LinkMode, d: int) -> dict[int, str]:
    """The rows of one table of the page, by N."""
    opening, closing = map(re.escape, mark(f"{links} {d}"))
    found = re.search(f"{opening}\n(.*?)\n{closing}", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    _, _, *rows = found[1].splitlines()
    return {int(line.split("|")[1]): line for line in rows}


TABLES = [(links, d) for links in LinkMode for d in DEGREES]
VERDICTS = {"optimal", "improved", "wider", "equal"}
"""Nowhere is a published point left that ours does not match."""


@pytest.mark.parametrize(("links", "d"), TABLES)
def test_every_declared_size_has_a_row(links: LinkMode, d: int) -> None:
    there = printed(links, d)
    assert set(there) <= {n for n in {*POWERS, *HUNDREDS} if n > d}
    assert set(there) == {n for n, _ in sizes(d)}
    assert {line.split("|")[-2].strip() for line in there.values()} <= VERDICTS


@pytest.mark.parametrize(("links", "d"), TABLES)
def test_a_sample_of_the_rows_is_made_again(links: LinkMode, d: int) -> None:
    asked = [(n, degree) for n, degree in sorted(QUICK) if degree == d]
    for one in beside(asked, links):
        assert printed(links, d)[one.n] == row(one)


@pytest.mark.slow
@pytest.mark.parametrize(("links", "d"), TABLES)
def test_every_row_is_made_again(links: LinkMode, d: int) -> None:
    for one in beside(sizes(d), links, jobs=2):
        assert printed(links, d)[one.n] == row(one)


def test_a_table_goes_between_its_marks_only() -> None:
    page = (
        "a\n<!-- table simplex 2 -->\nold\n<!-- end -->\nb\n<!-- table duplex 2 -->\n<!-- end -->"
    )
    assert replace_table(page, "simplex 2", table([])).count("| N |") == 1
    assert "old" not in replace_table(page, "simplex 2", "new")
    assert replace_table(page, "none", "new") == page


def test_bars_of_a_recipe_do_not_end_its_cell() -> None:
    cells = [
        re.split(r"(?<!\\)\|", row) for d in DEGREES for row in printed(LinkMode.DUPLEX, d).values()
    ]
    assert {len(of_row) for of_row in cells} == {7}
    assert any("\\|" in cell for of_row in cells for cell in of_row)


def test_shipped_digraphs_are_on_the_page() -> None:
    """The page was made with the catalogue: at N = 1024, d = 4 the fastest is one of its graphs."""
    names = {f"Cay({one.arguments[0]};" for one in all_digraphs() if (one.n, one.d) == (1024, 4)}
    assert any(name in printed(LinkMode.SIMPLEX, 4)[1024] for name in names)
