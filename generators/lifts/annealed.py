"""Lifts that annealing found and that ship, with what breadth-first broadcast costs on them.

They stand in generators/data/annealed_lifts.txt, a line each:

    d n links steps forth back group rows

`forth` and `back` are T_B on the graph and on its transpose, `=` where it is the same. They are
members of the family `Lift`, and at sizes beside theirs bases of grafts. The command that finds and
proves them is `python -m tools.find_lifts`; `generators.lifts.profiles` tells more of each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from generators.registry import Arguments
from generators.sized_lines import data_text

FILE = "annealed_lifts.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnealedLift:
    """One line of the file; `links` is `simplex` or `duplex`."""

    n: int
    d: int
    links: str
    steps: int
    forth: Fraction
    back: Fraction
    group: str
    rows: str

    def __str__(self) -> str:
        back = "=" if self.back == self.forth else str(self.back)
        cost = f"{self.steps} {self.forth} {back}"
        return f"{self.d} {self.n} {self.links} {cost} {self.group} {self.rows}"


def annealed_lifts(n: int, d: int, links: str) -> Iterator[AnnealedLift]:
    """The lifts that ship of a size, cheapest allreduce first.

    >>> [one.group for one in annealed_lifts(1999, 2, "simplex")]
    []
    """
    return map(read_line, _lines().get((d, n, links), ()))


def annealed_members(n: int, d: int) -> Iterator[Arguments]:
    """Arguments of the lifts that ship of a size, two-way ones last.

    >>> list(annealed_members(1999, 2))
    []
    """
    for links in ("simplex", "duplex"):
        for line in _lines().get((d, n, links), ()):
            _, group, rows = line.rsplit(" ", 2)
            yield group, rows


def all_annealed_lifts() -> Iterator[AnnealedLift]:
    """All lifts of the file, in its order."""
    return (read_line(line) for lines in _lines().values() for line in lines)


def is_annealed_lift(group: str, rows: str) -> bool:
    """Whether a lift of that canonical text ships.

    >>> is_annealed_lift("Z5", "0:1,1:0|1:2")
    False
    """
    return f"{group} {rows}" in _names()


@cache
def _lines() -> dict[tuple[int, int, str], list[str]]:
    found: dict[tuple[int, int, str], list[str]] = {}
    for line in data_text(FILE).splitlines():
        d, n, links, _ = line.split(" ", 3)
        found.setdefault((int(d), int(n), links), []).append(line)
    return found


@cache
def _names() -> frozenset[str]:
    return frozenset(line.split(" ", 6)[6] for lines in _lines().values() for line in lines)


def read_line(line: str) -> AnnealedLift:
    """The lift of a line.

    >>> str(read_line("2 25 simplex 4 24/25 = Z5 1.0,2.0|1.2,2.2|3.0,4.0|0.2,0.3|3.3,4.3"))[:22]
    '2 25 simplex 4 24/25 ='
    """
    d, n, links, steps, forth, back, group, rows = line.split(" ")
    return AnnealedLift(
        n=int(n),
        d=int(d),
        links=links,
        steps=int(steps),
        forth=Fraction(forth),
        back=Fraction(forth if back == "=" else back),
        group=group,
        rows=rows,
    )
