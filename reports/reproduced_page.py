"""All reproductions as one page: every printed value beside ours, the difference, and why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reports.pages.document import Document, PageColumn, Section, Table, TableRow
from reports.reproduced import (
    ComparisonRow,
    ReproductionRecord,
    interrupted_title,
    reproduction_cells,
)
from reports.text import table

EQUAL, WITHIN, DIFFERS, BESIDE = "equal", "within ours", "differs", "not compared"
VERDICTS = (EQUAL, WITHIN, DIFFERS, BESIDE)
EXACT_BELOW = 100
"""Whole numbers below this are counts, which are exact; larger ones are rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproducedItem:
    """A table or figure, the processor seconds that it took, and why it was left out, if it was."""

    found: ReproductionRecord
    seconds: float
    left_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllReproductions:
    """All that was worked out, in order; `quick` with small sizes and wide intervals."""

    items: tuple[ReproducedItem, ...]
    quick: bool


def verdict_of(row: ComparisonRow) -> str | None:
    """How ours stands to the printed value; None where nothing is printed.

    Equal means to the printed digits: within half a unit of the last one. Where ours is an
    interval that holds values that are equal and others, the printed value is within ours.

    >>> printed = {"subject": "", "quantity": "", "unit": "us", "published": 323.5}
    >>> verdict_of(ComparisonRow(ours=(Fraction("323.54"), Fraction("323.54")), **printed))
    'equal'
    >>> verdict_of(ComparisonRow(ours=(Fraction(300), Fraction(400)), **printed))
    'within ours'
    """
    if row.published is None:
        return None
    if not row.compared:
        return BESIDE
    if isinstance(row.ours, str) or isinstance(row.published, str):
        if isinstance(row.ours, str) and isinstance(row.published, str):
            return EQUAL if row.ours == row.published else DIFFERS
        return BESIDE
    printed, half = Fraction(str(row.published)), _half_digit(row.published)
    low, high = row.ours
    if printed - half <= low and high <= printed + half:
        return EQUAL
    return WITHIN if low <= printed + half and high >= printed - half else DIFFERS


def _half_digit(published: float) -> Fraction:
    """Half a unit of the last printed digit."""
    text = str(published)
    if "e" in text:
        digits, power = text.split("e")
        places = len(digits.partition(".")[2]) - int(power)
    else:
        places = len(text.partition(".")[2]) if not float(published).is_integer() else 0
    if not places:
        return Fraction(1, 2) if abs(published) >= EXACT_BELOW else Fraction()
    return Fraction(1, 2) / Fraction(10) ** places


def count_verdicts(rows: Iterable[ComparisonRow]) -> dict[str, int]:
    """How many printed values stand how."""
    found = dict.fromkeys(VERDICTS, 0)
    for row in rows:
        verdict = verdict_of(row)
        if verdict is not None:
            found[verdict] += 1
    return found


HEADS = ("item", "rows", *VERDICTS, "CPU s")


def all_text(answer: AllReproductions) -> str:
    """A line for each table and figure, then what differs and why."""
    lines = [_summary(item) for item in answer.items]
    return f"{_title(answer)}\n\n{table(HEADS, lines)}\n\n{_difference_lines(answer)}"


def all_document(answer: AllReproductions) -> Document:
    """The page: the counts, then a section for each table and figure with all its values."""
    counts = Table(
        name="counts",
        caption="Printed values by how ours stand to them",
        columns=tuple(PageColumn(name=name) for name in HEADS),
        lines=tuple(TableRow(cells=tuple(_summary(item))) for item in answer.items),
    )
    words = (
        "Equal: to the printed digits. Within ours: ours is a certified interval that holds the "
        "printed value. Not compared: measured on the authors' hardware, or of a program that is "
        "not built here."
    )
    return Document(
        title=_title(answer),
        sections=(
            Section(title="All", blocks=(words, counts)),
            *(_section(item) for item in answer.items),
        ),
    )


def _title(answer: AllReproductions) -> str:
    title = "Tables and figures of the papers, worked out anew"
    missing = [
        item.found.name if item.left_out else f"some of {item.found.name}"
        for item in answer.items
        if item.left_out or item.found.missing
    ]
    return interrupted_title(title + (", at small sizes" if answer.quick else ""), missing)


def _summary(item: ReproducedItem) -> list[str]:
    counts = count_verdicts(item.found.rows)
    numbers = [str(counts[verdict]) for verdict in VERDICTS]
    return [item.found.name, str(len(item.found.rows)), *numbers, f"{item.seconds:.1f}"]


def _difference_lines(answer: AllReproductions) -> str:
    rows = [
        [item.found.name, *_short_cells(row)]
        for item in answer.items
        for row in item.found.rows
        if verdict_of(row) == DIFFERS
    ]
    heads = ("item", "subject", "quantity", "ours", "published", "why")
    return f"What differs:\n\n{table(heads, rows)}" if rows else "Nothing differs."


def _short_cells(row: ComparisonRow) -> Sequence[str]:
    subject, quantity, _, ours, published, _, note = reproduction_cells(row)
    return subject, quantity, ours, published, note or "not explained"


def _section(item: ReproducedItem) -> Section:
    found = item.found
    if item.left_out:
        return Section(title=found.title, blocks=(f"Left out: {item.left_out}",))
    names = ("subject", "quantity", "unit", "ours", "published", "difference", "verdict", "why")
    lines = []
    for row in found.rows:
        *cells, note = reproduction_cells(row)
        lines.append(TableRow(cells=(*cells, verdict_of(row) or "", note)))
    columns = tuple(PageColumn(name=name) for name in names)
    return Section(
        title=found.title,
        blocks=(Table(name=found.name, caption=found.title, columns=columns, lines=tuple(lines)),),
    )


def all_fields(answer: AllReproductions) -> list[dict[str, object]]:
    """A row for every value, with the item and the verdict, as JSON has it."""
    names = ("subject", "quantity", "unit", "ours", "published", "difference", "why")
    return [
        {
            "item": item.found.name,
            **dict(zip(names, reproduction_cells(row), strict=True)),
            "verdict": verdict_of(row),
        }
        for item in answer.items
        for row in item.found.rows
    ]
