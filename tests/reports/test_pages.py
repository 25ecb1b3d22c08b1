"""Documents as HTML, Markdown and CSV: escaped, with units, and the same bytes every time."""

import csv
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from reports.pages.document import Document, PageColumn, Plot, Section, Table, TableRow
from reports.pages.files import read_formats, write_document
from reports.pages.html import page
from reports.pages.markdown import csv_text, markdown
from reports.plots.drawing import drawing_figure
from reports.plots.figure import png, svg
from reports.plots.graphs import GraphShape
from reports.size_report import CIRCLE

NASTY = "<script>alert(1)</script> & \"quoted\" 'too' | `*_"


class Reader(HTMLParser):
    """The cells of all tables, and the names of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.names: set[str] = set()
        self.inside = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag == "td":
            self.cells.append("")
        self.inside = tag == "td"

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, text: str) -> None:
        if self.inside:
            self.cells[-1] += text


def ring(n: int) -> Plot:
    tail = np.arange(n, dtype=np.int32)
    head = ((tail + 1) % n).astype(np.int32)
    return Plot(
        name="ring",
        caption=NASTY,
        draw=lambda: drawing_figure(NASTY, GraphShape(n=n, tail=tail, head=head)),
    )


def document(cell: str = NASTY, n: int = 5) -> Document:
    columns = (PageColumn(name="recipe"), PageColumn(name="T_L", unit="alpha"))
    table = Table(name="rows", caption=NASTY, columns=columns, lines=(TableRow(cells=(cell, "3")),))
    return Document(title=NASTY, sections=(Section(title=NASTY, blocks=(NASTY, table, ring(n))),))


@given(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=30))
def test_no_cell_becomes_markup(cell: str) -> None:
    table = document(cell).sections[0].blocks[1]
    bare = Document(title="", sections=(Section(title="", blocks=(table,)),))
    reader = Reader()
    reader.feed(page(bare))
    assert reader.cells == [cell, "3"]
    assert "script" not in reader.names


def test_a_page_escapes_and_carries_units() -> None:
    text = page(document())
    reader = Reader()
    reader.feed(text)
    assert not {"script", "img", "iframe", "object"} & reader.names
    assert "T_L [alpha]" in text
    assert "default-src 'none'" in text


@pytest.mark.parametrize("n", [5, CIRCLE + 1])
def test_pictures_are_the_same_bytes_and_refer_to_nothing_outside(n: int) -> None:
    plot = ring(n)
    first, again = (svg(plot.draw(), plot.name) for _ in range(2))
    assert first == again
    assert png(plot.draw()) == png(plot.draw())
    assert "http" not in first.replace("http://www.w3.org/", "")


def test_csv_keeps_the_cells_and_defuses_formulas() -> None:
    columns = (PageColumn(name="a"), PageColumn(name="b", unit="us"))
    line = TableRow(cells=("=1+1", "-3"), key="0" * 32)
    table = Table(name="t", caption="", columns=columns, lines=(line,))
    head, row = csv.reader(StringIO(csv_text(table)))
    assert head == ["a", "b [us]", "row id"]
    assert row == ["'=1+1", "-3", "0" * 32]


def test_markdown_tables_are_not_broken_by_cells() -> None:
    rows = [line for line in markdown(document()).split("\n") if line.startswith("|")]
    assert len(rows) == 3
    assert all(row.replace("\\|", "").count("|") == 3 for row in rows)


def test_a_table_needs_a_cell_for_each_column() -> None:
    with pytest.raises(InvalidInput, match="table t: 1 cells, 2 columns"):
        Table(
            name="t",
            caption="",
            columns=(PageColumn(name="a"),) * 2,
            lines=(TableRow(cells=("1",)),),
        )


def test_a_folder_holds_every_format(tmp_path: Path) -> None:
    write_document(document(), tmp_path / "out")
    names = {"report.html", "report.md", "rows.csv", "ring.svg", "ring.png"}
    assert {file.name for file in (tmp_path / "out").iterdir()} == names


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"a report is a \.html or \.md file, or a folder"):
        write_document(document(), tmp_path / "report.pdf")
    with pytest.raises(InvalidInput, match="--format: 'pdf' is none of html, md, csv, svg, png"):
        read_formats("html,pdf")
