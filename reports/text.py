"""Plain text tables that are the same bytes on every terminal."""

from collections.abc import Sequence


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell; the last one, which may be long, is left as it is.

    Cells that are numbers align on the right.

    >>> print(table(["T_L", "recipe"], [["3", "L(K(4,4))"], ["10", "Diamond^2"]]))
    T_L  recipe
    ---  ---------
      3  L(K(4,4))
     10  Diamond^2
    """
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    rows = [list(map(plain, row)) for row in rows]
    lines = [columns, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(_fit(*pair) for pair in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def plain(text: str) -> str:
    """The text with a question mark for each character that a terminal would obey, not show.

    A recipe may come from a database that a stranger has written.

    >>> plain("K(4)\\x1b[2J")
    'K(4)?[2J'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _fit(cell: str, width: int) -> str:
    number = cell[:1].isdigit()
    return cell.rjust(width) if number else cell.ljust(width)
