"""A complaint about a text, with the text and a caret under the offending character."""

from generators.errors import InvalidInput

SHOWN = 100
"""A longer text is cut to about this many characters around the caret."""


def complaint(what: str, text: str, position: int) -> InvalidInput:
    """An InvalidInput of three lines: `what` and the column (from 1), the text, the caret.

    Characters that would move or hide the caret (tabs, line ends, control characters) are
    shown as one blank each.

    >>> print(complaint("expected ')'", "L(K(3)", 6))
    expected ')' (column 7)
      L(K(3)
            ^
    """
    line = "".join(one if one.isprintable() else " " for one in text)
    start = max(0, position - SHOWN // 2) if len(line) > SHOWN else 0
    end = start + SHOWN
    before = "..." if start else ""
    after = "..." if end < len(line) else ""
    caret = " " * (len(before) + position - start) + "^"
    return InvalidInput(
        f"{what} (column {position + 1})\n  {before}{line[start:end]}{after}\n  {caret}"
    )
