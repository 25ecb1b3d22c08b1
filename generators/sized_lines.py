"""Files of generators/data with a line for each graph, in order of size; searches read few lines.

Lines begin with a few fields, of which some tell the size; `Place` makes of a line what the file is
in order of. Lines of one size are found by halving the text.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files

Place = Callable[[str], tuple[object, ...]]
"""Degree, nodes and the like of a line, as the file has them in order."""


@cache
def data_text(file: str) -> str:
    """A file of generators/data.

    >>> data_text("searched_sizes.txt")[:7]
    'simplex'
    """
    return (files("generators") / "data" / file).read_text(encoding="ascii")


def lines_at(text: str, wanted: tuple[object, ...], place: Place) -> Iterator[str]:
    """The lines whose place is the one wanted, in their order.

    >>> list(lines_at("2 a\\n3 b\\n3 c\\n7 d\\n", (3,), lambda line: (int(line.split()[0]),)))
    ['3 b', '3 c']
    """
    start = find_place(text, wanted, place)
    while start < len(text):
        end = _end_of_line(text, start)
        line = text[start:end]
        if place(line) != wanted:
            return
        yield line
        start = end + 1


def find_place(text: str, wanted: tuple[object, ...], place: Place) -> int:
    """Where the first line begins whose place is not before the one wanted; the length if none.

    >>> find_place("2 a\\n3 b\\n3 c\\n", (3,), lambda line: (int(line.split()[0]),))
    4
    """
    low, high = 0, len(text)
    while low < high:
        start = text.rfind("\n", low, (low + high) // 2) + 1 or low
        end = _end_of_line(text, start)
        if place(text[start:end]) < wanted:
            low = end + 1
        else:
            high = start
    return min(low, len(text))


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
