"""A document as Markdown, and its tables as CSV."""

import csv
from io import StringIO

from reports.pages.document import Block, Document, Table
from reports.text import plain

_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|#"})


def markdown(document: Document, pictures: bool = False) -> str:
    """The text; with `pictures` it refers to the files NAME.svg beside it.

    >>> print(markdown(Document(title="N = 4", sections=())))
    # N = 4
    <BLANKLINE>
    """
    told = [f"# {_safe(document.title)}\n"]
    for section in document.sections:
        told.append(f"## {_safe(section.title)}\n")
        told += filter(None, (_block(block, pictures) for block in section.blocks))
    return "\n".join(told)


def _block(block: Block, pictures: bool) -> str:
    if isinstance(block, str):
        return f"{_safe(block)}\n"
    if isinstance(block, Table):
        return _table(block)
    return f"![{_safe(block.caption)}]({block.name}.svg)\n" if pictures else ""


def _table(table: Table) -> str:
    if table.apart:
        lines = f"{len(table.lines)} lines, in {table.name}.csv of a report folder"
        return f"{_safe(table.caption)}: {lines}.\n"
    keyed = any(line.key for line in table.lines)
    heads = [column.title for column in table.columns] + ["row id"] * keyed
    rows = [[*line.cells, *[line.key] * keyed] for line in table.lines]
    drawn = [heads, ["---"] * len(heads), *rows]
    text = "\n".join(
        "| " + " | ".join(cell if cell == "---" else _safe(cell) for cell in row) + " |"
        for row in drawn
    )
    return f"{_safe(table.caption)}\n\n{text}\n"


def _safe(text: str) -> str:
    """Text in which Markdown sees no marks of its own."""
    return plain(text).translate(_MARKS)


def csv_text(table: Table) -> str:
    """A table as CSV, with the whole id of every row in the last column.

    A cell that a spreadsheet would take for a formula begins with an apostrophe.
    """
    keyed = any(line.key for line in table.lines)
    told = StringIO()
    writer = csv.writer(told, lineterminator="\n")
    writer.writerow([column.title for column in table.columns] + ["row id"] * keyed)
    for line in table.lines:
        writer.writerow([_cell(cell) for cell in [*line.cells, *[line.key] * keyed]])
    return told.getvalue()


def _cell(text: str) -> str:
    shown = plain(text)
    formula = shown[:1] in "=@" or (shown[:1] in "+-" and not shown[1:2].isdigit())
    return f"'{shown}" if shown and formula else shown
