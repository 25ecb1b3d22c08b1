"""Plain text tables that are the same bytes on every terminal."""

from collections.abc import Sequence


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], units: Sequence[str] | None = None
) -> str:
    """Columns padded to their widest cell; the last one, which may be long, is left as it is.

    Cells that are numbers align on the right, but names in the first column are all on the left,
    as "4-cube". `units`, if given, stand under the columns' names.

    >>> print(table(["T_L", "recipe"], [["3", "L(K(4,4))"], ["10", "Diamond^2"]], ["alpha", ""]))
    T_L    recipe
    alpha
    -----  ---------
        3  L(K(4,4))
       10  Diamond^2
    """
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    return column_table(columns, cells, units)


def column_table(
    columns: Sequence[str], cells: Sequence[Sequence[str]], units: Sequence[str] | None = None
) -> str:
    """The same from the cells of each column.

    >>> print(column_table(["n"], [["9", "10"]]))
    n
    --
     9
    10
    """
    heads = [columns] if units is None else [columns, units]
    parts = zip(zip(*heads, strict=True), map(_printable_cells, cells), strict=True)
    padded = [_pad_column(*pair, named=place == 0) for place, pair in enumerate(parts)]
    return "\n".join(map(str.rstrip, map("  ".join, zip(*padded, strict=True))))


def _printable_cells(cells: Sequence[str]) -> Sequence[str]:
    return cells if "".join(cells).isprintable() else list(map(plain, cells))


def _pad_column(head: Sequence[str], cells: Sequence[str], *, named: bool = False) -> list[str]:
    """One column: its head, a line under it, and its cells, all of one width."""
    width = max(map(len, (*head, *cells)))
    above = [*(cell.ljust(width) for cell in head), "-" * width]
    if named and not all(cell[:1].isdigit() for cell in cells):
        return above + [cell.ljust(width) for cell in cells]
    fitted = [
        cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)  # numbers on the right
        for cell in cells
    ]
    return above + fitted


def plain(text: str) -> str:
    """The text with a question mark for each character that a terminal would obey, not show.

    A recipe may come from a database that a stranger has written.

    >>> plain("K(4)\\x1b[2J")
    'K(4)?[2J'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)


ID_SHOWN = 8
"""Digits of an identity in a table; `--id` and `#` take them."""
RECIPE_SHOWN = 40
"""Characters of a recipe in a table."""


def cut_recipe(recipe: str, identity: str) -> str:
    """The recipe; where it is long its beginning, and the first digits of its candidate's identity.

    >>> cut_recipe("K(4)", "f9f6309c2ac68f9c")
    'K(4)'
    >>> cut_recipe("C(1000,{1,2,3,4,5,6,7,8,9,10,11,12,13})", "f9f6309c2ac68f9c")
    'C(1000,{1,2,3,4,5,6,7,8,9,10,11,12,13})'
    >>> cut_recipe("C(1000,{1,2,3,4,5,6,7,8,9,10,11,12,13,14})", "f9f6309c2ac68f9c")
    'C(1000,{1,2,3,4,5,6,7,8,9,1... #f9f6309c'
    """
    if len(recipe) <= RECIPE_SHOWN:
        return recipe
    return f"{cut_text(recipe, RECIPE_SHOWN - ID_SHOWN - 2)} #{identity[:ID_SHOWN]}"


def cut_text(text: str, most: int) -> str:
    """The text, cut with three dots where it has more than `most` letters.

    >>> cut_text("Cay(Z5;1,2)", 9), cut_text("K(5)", 9)
    ('Cay(Z5...', 'K(5)')
    """
    return text if len(text) <= most else text[: most - 3] + "..."
