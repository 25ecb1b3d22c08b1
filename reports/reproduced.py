"""A table or figure of the paper, worked out anew and beside what is printed: text, JSON, CSV."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from reports.pages.document import PageColumn, Table, TableRow
from reports.text import table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One figure: ours, as a certain interval or in words, beside what is printed, if anything is.

    `key` is the id of the stored candidate it is about, if it is about one. What was measured on
    its authors' hardware is not `compared`: it stands beside ours, and `note` says so.
    """

    subject: str
    quantity: str
    unit: str
    ours: Interval | str
    published: float | str | None
    note: str = ""
    key: str = ""
    compared: bool = True

    @property
    def difference(self) -> Interval | str | None:
        """Relative to the published figure, which counts as exact; in words where that is 0."""
        if self.published is None or not self.compared:
            return None
        if isinstance(self.ours, str) and not isinstance(self.published, str):
            return None  # ours is words on why there is no number
        if isinstance(self.ours, str) or isinstance(self.published, str):
            return "same" if self.ours == self.published else "differs"
        printed = Fraction(str(self.published))
        if not printed:  # nothing is relative to 0
            return "same" if self.ours == (printed, printed) else "differs"
        least, most = (end / printed - 1 for end in self.ours)
        return least, most


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproductionRecord:
    """All figures of one table or plot; `draw` makes the plot where the paper has one.

    What is `missing`, since Ctrl-C ended it, stands in the title too.
    """

    name: str
    title: str
    rows: tuple[ComparisonRow, ...]
    draw: "Callable[[], Figure] | None" = None
    missing: tuple[str, ...] = ()


def exactly(value: Fraction | int) -> Interval:
    """An interval that holds one number.

    >>> exactly(3)
    (Fraction(3, 1), Fraction(3, 1))
    """
    return Fraction(value), Fraction(value)


def interrupted_title(title: str, missing: Sequence[str]) -> str:
    """The title of what Ctrl-C ended, with what is missing: a few names, of more the number.

    >>> interrupted_title("Table 7", "abcdefg"), interrupted_title("Table 8", "")
    ('Table 7; interrupted, without a, b, c, d, e and 2 more', 'Table 8')
    """
    if not missing:
        return title
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f"{title}; interrupted, without {', '.join(missing[:MOST_NAMED])}{more}"


MOST_NAMED = 5
"""Items that are missing and named in a title."""
KEY_SHOWN = 8
"""Digits of an id in a table for people; `topofinder query --all --id` takes them."""
HEADS = ("subject", "quantity", "unit", "ours", "published", "difference", "note")


def reproduction_text(found: ReproductionRecord) -> str:
    """A table for a person; a row without an id was worked out, not read."""
    rows = [[*reproduction_cells(row)[:-1], row.key[:KEY_SHOWN], row.note] for row in found.rows]
    return f"{found.title}\n\n{table((*HEADS[:-1], 'row id', HEADS[-1]), rows)}"


def reproduction_table(found: ReproductionRecord) -> Table:
    """The same as a table of a document, for CSV."""
    return Table(
        name=found.name,
        caption=found.title,
        columns=tuple(PageColumn(name=name) for name in (*HEADS, "row id")),
        lines=tuple(TableRow(cells=(*reproduction_cells(row), row.key)) for row in found.rows),
    )


def reproduction_fields(found: ReproductionRecord) -> dict[str, Any]:
    """JSON: exact figures are strings of fractions, intervals lists of two."""
    rows = [_fields(row) for row in found.rows]
    fields = {"name": found.name, "title": found.title, "rows": rows}
    return fields | ({"missing": list(found.missing)} if found.missing else {})


def reproduction_cells(row: ComparisonRow) -> list[str]:
    """The texts of HEADS, in that order."""
    published = "" if row.published is None else str(row.published)
    return [
        *(row.subject, row.quantity, row.unit, _span(row.ours, "{:.6g}"), published),
        *("" if row.difference is None else _span(row.difference, "{:+.2%}"), row.note),
    ]


def _span(value: Interval | str, form: str) -> str:
    if isinstance(value, str):
        return value
    ends = [form.format(float(end)) for end in value]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _fields(row: ComparisonRow) -> dict[str, Any]:
    gap = row.difference
    return {
        "subject": row.subject,
        "quantity": row.quantity,
        "unit": row.unit,
        "ours": row.ours if isinstance(row.ours, str) else _ends(row.ours),
        "published": row.published,
        "difference": gap if gap is None or isinstance(gap, str) else list(map(float, gap)),
        "note": row.note,
        "id": row.key or None,
    }


def _ends(value: Interval) -> str | list[str]:
    return str(value[0]) if value[0] == value[1] else [str(end) for end in value]
