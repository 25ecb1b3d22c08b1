"""A table for notebooks: HTML without style or script, all words escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from reports.text import plain

MOST_LINES = 100
"""Lines that are shown; of the rest the number is told."""


def html_table(caption: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a line for each mapping; a column is left empty where a line lacks it.

    >>> html_table("a < b", [{"n": 3}])
    '<table><caption>a &lt; b</caption><tr><th>n</th></tr><tr><td>3</td></tr></table>'
    """
    heads = list(dict.fromkeys(name for row in rows for name in row))
    lines = [_line("th", heads)] if heads else []
    lines += [_line("td", [row.get(head) for head in heads]) for row in rows[:MOST_LINES]]
    more = len(rows) - MOST_LINES
    told = f"{caption}; {more} more lines" if more > 0 else caption
    return f"<table><caption>{_safe(told)}</caption>{''.join(lines)}</table>"


def _line(tag: str, cells: Sequence[Any]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_safe(cell)}</{tag}>' for cell in cells)}</tr>"


def _safe(value: Any) -> str:
    """A cell's text; floats in six digits, nothing for None."""
    if value is None:
        return ""
    return escape(plain(f"{value:.6g}" if isinstance(value, float) else str(value)), quote=True)
