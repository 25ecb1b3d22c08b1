"""Documents as HTML, Markdown and CSV: escaped, with units, and the same bytes every time."""

import csv
import re
from base64 import b64encode
from fractions import Fraction
from hashlib import sha256
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.rows import CandidateRow
from generators.errors import InvalidInput
from reports.pages.document import Document, PageColumn, Plot, Section, Table, TableRow
from reports.pages.files import read_formats, write_document
from reports.pages.html import page
from reports.pages.markdown import csv_text, markdown
from reports.pages.style import HEAT, STYLE
from reports.pages.table_script import TABLE_SCRIPT
from reports.plots.drawing import drawing_figure
from reports.plots.figure import png, svg
from reports.plots.graphs import GraphShape
from reports.range_page import range_document
from reports.range_report import Degreewise, RangeReport, Ratio, Winner
from reports.size_report import CIRCLE, WorkloadSummary

NASTY = "<script>alert(1)</script> & \"quoted\" 'too' | `*_"


class Reader(HTMLParser):
    """The cells of all tables, the names of all elements, and what scripts say."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.names: set[str] = set()
        self.scripts: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag == "td":
            self.cells.append("")
        if tag == "script":
            self.scripts.append("")
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, text: str) -> None:
        if self.inside == "td":
            self.cells[-1] += text
        elif self.inside == "script":
            self.scripts[-1] += text


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
    assert reader.scripts == [TABLE_SCRIPT]


def test_a_page_escapes_and_carries_units() -> None:
    text = page(document())
    reader = Reader()
    reader.feed(text)
    assert not {"img", "iframe", "object"} & reader.names
    assert "T_L [alpha]" in text
    assert "default-src 'none'" in text


def test_a_page_runs_what_sorts_its_tables_and_its_policy_nothing_else() -> None:
    text = page(document())
    reader = Reader()
    reader.feed(text)
    assert reader.scripts == [TABLE_SCRIPT]
    digest = b64encode(sha256(TABLE_SCRIPT.encode()).digest()).decode()
    assert re.findall(r"script-src ([^\";]*)", text) == [f"'sha256-{digest}'"]
    assert not re.search(r"innerHTML|eval|document\.write|fetch|XMLHttp|src=", TABLE_SCRIPT)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * one for one in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_letters_and_marks_are_told_from_what_is_below_them_by_day_and_night() -> None:
    day, night = (
        dict(re.findall(r"--(\w+): (#\w+);", part)) for part in (STYLE.split("@media")[:2])
    )
    assert set(day) == set(night)
    for colours in (day, night):
        for letters in ("ink", "soft", "link"):
            assert contrast(colours[letters], colours["paper"]) >= 4.5
            assert contrast(colours[letters], colours["head"]) >= 4.5
        for mark in ("c0", "c1", "c2", "c3"):
            assert contrast(colours[mark], colours["paper"]) >= 3
    assert all(contrast(shade, "#111") >= 4.5 for shade in HEAT)


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


def range_of(most: int, degrees: tuple[int, ...]) -> RangeReport:
    """A report with a made-up quickest candidate at every size."""
    work = WorkloadSummary(
        collective="allreduce",
        alpha=Fraction(1, 10**5),
        bandwidth=Fraction(10**10),
        sizes=((Fraction(2**20), 1),),
    )

    def part(d: int) -> Degreewise:
        rows = [
            CandidateRow(
                recipe=f"Cay(Z{n}:Z4[{n // 2}];38,43,46,{n})", links="simplex", method="bfb", n=n,
                d=d, steps=9, bandwidth=Fraction(n - 1, n), rs_steps=9,
                rs_bandwidth=Fraction(n - 1, n), engine=1, family=f"F{n % 7}",
            )
            for n in range(2, most + 1)
        ]  # fmt: skip
        wins = [
            Winner(row=row, kind=str(row.family), seconds=Fraction(row.n), least=Fraction(1))
            for row in rows
        ]
        ratios = [Ratio(row=row, kind=str(row.family), ratio=Fraction(row.n)) for row in rows]
        return Degreewise(d=d, winners=(tuple(wins),), ratios=tuple(ratios))

    hosts = tuple(range(2, most + 1))
    return RangeReport(hosts=hosts, links="simplex", asked=(work,), parts=tuple(map(part, degrees)))


@pytest.mark.parametrize(("most", "degrees"), [(1001, (4,)), (2000, (4, 8))])
def test_a_page_of_a_range_stays_below_a_megabyte(most: int, degrees: tuple[int, ...]) -> None:
    document = range_document(range_of(most, degrees))
    assert len(page(document).encode()) < 10**6
    listed = [table for table in document.tables() if table.name.startswith("winners")]
    assert [len(table.lines) for table in listed] == [most - 1] * len(degrees)
    assert all(table.apart == (most > 1001) for table in listed)
