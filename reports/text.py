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
    lines = [columns, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(_fit(*pair) for pair in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _fit(cell: str, width: int) -> str:
    number = cell[:1].isdigit()
    return cell.rjust(width) if number else cell.ljust(width)
