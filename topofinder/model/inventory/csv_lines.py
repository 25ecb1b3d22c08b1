"""The lines of a CSV file with their numbers, as an editor counts them."""

import csv
import os
from collections.abc import Iterator

from generators.errors import InvalidInput
from generators.files import TextError, lines_of, read_bounded

MAX_LINE = 1 << 16
"""Characters of a line at most."""


def read_csv(path: str | os.PathLike[str], largest: int) -> Iterator[tuple[int, list[str]]]:
    """The number and fields of each line, without blanks around them.

    Empty lines and those that begin with `#` are left out. Raises InvalidInput, with file and
    line, for a file of more than `largest` bytes and for what is not CSV in UTF-8.
    """
    # Not str.splitlines, which ends lines at characters at which editors do not.
    reader = csv.reader(lines_of(read_bounded(path, largest), MAX_LINE), strict=True)
    while True:
        try:
            row = next(reader, None)
        except TextError as error:
            raise InvalidInput(f"{path}, {error}") from None
        except csv.Error as error:
            raise InvalidInput(f"{path}, line {reader.line_num}: {error}") from None
        if row is None:
            return
        fields = [field.strip() for field in row]
        if any(fields) and not fields[0].startswith("#"):
            yield reader.line_num, fields
