"""Tables that fit a terminal: columns are left out from the right, the first and last one stay."""

import re
from collections.abc import Sequence
from itertools import pairwise

RULE = re.compile(r"-+(  -+)+")
"""The line under the heads of a table; see `reports.text`."""

Span = tuple[int, int]


def fit_tables(text: str, width: int) -> tuple[str, list[str]]:
    """The text with its tables narrowed to a width, and the heads of what was left out.

    The last column, which may be a recipe of any length, is shown in full. Text outside of tables
    stays as it is.

    >>> told = "a    b   recipe\\n---  --  ------\\n111  22  K(4)"
    >>> fit_tables(told, 12)
    ('a    recipe\\n---  ------\\n111  K(4)', ['b'])
    >>> fit_tables(told, 15)[1]
    []
    """
    lines, left = text.split("\n"), dict[str, None]()
    for at, line in enumerate(lines):
        if RULE.fullmatch(line) and len(line) > width:
            spans = [found.span() for found in re.finditer("-+", line)]
            first, last = _extent(lines, at, spans)
            kept = _fitting_columns(spans, width)
            heads = lines[first:at]
            left |= dict.fromkeys(
                " ".join(head[slice(*span)].strip() for head in heads).strip()
                for place, span in enumerate(spans)
                if place not in kept
            )
            chosen = [spans[place] for place in kept]
            for row in range(first, last):
                lines[row] = _cells(lines[row], chosen, spans[-1])
    return "\n".join(lines), [*filter(None, left)]


def _fitting_columns(spans: Sequence[Span], width: int) -> list[int]:
    """The columns that stay: all but as many before the last one as must go."""
    kept = list(range(len(spans)))
    while len(kept) > 2 and sum(2 + end - begin for begin, end in map(spans.__getitem__, kept)) > (
        width + 2
    ):
        del kept[-2]
    return kept


def _extent(lines: Sequence[str], at: int, spans: Sequence[Span]) -> Span:
    """The first line of the table whose rule is line `at`, and the one behind its last."""
    first, last = at, at + 1
    while first > 0 and _is_row(lines[first - 1], spans):
        first -= 1
    while last < len(lines) and _is_row(lines[last], spans):
        last += 1
    return first, last


def _is_row(line: str, spans: Sequence[Span]) -> bool:
    """Whether a line has nothing between the columns."""
    gaps = [(end, begin) for (_, end), (begin, _) in pairwise(spans)]
    return bool(line.strip()) and not any(line[slice(*gap)].strip() for gap in gaps)


def _cells(line: str, chosen: Sequence[Span], last: Span) -> str:
    """The chosen columns of a line; the last one of all as long as it is."""
    cells = [line[begin:].rstrip() if (begin, end) == last else line[begin:end].ljust(end - begin)
             for begin, end in chosen]  # fmt: skip
    return "  ".join(cells).rstrip()
