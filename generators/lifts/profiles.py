"""What breadth-first broadcast costs step by step on the annealed lifts that ship.

It stands in generators/data/lift_profiles.txt, a line each:

    digest d n links loads loads-back line cycle

`digest` names the lift (`profile_digest`). Loads are those of the busiest link at each step, in
units of 1/lcm(1..d) of a shard; `=` stands for loads back, on the transpose, that are the same.
`line` and `cycle` are as `line_exact` and `cycle` of an evaluation. All are graphs without loops or
parallel links. With these a search need not evaluate the lifts again; `python -m
tools.profile_lifts` writes the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import lcm
from zlib import crc32

from generators.lifts.annealed import is_annealed_lift
from generators.registry import BaseProperties

FILE = "lift_profiles.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftProfile:
    """One line of the file; `unit` is the part of a shard that loads count."""

    digest: str
    n: int
    d: int
    two_way: bool
    forth: tuple[int, ...]
    back: tuple[int, ...]
    line_exact: int
    cycle: int

    @property
    def unit(self) -> int:
        """lcm(1..d)."""
        return _common_unit(self.d)

    @property
    def properties(self) -> BaseProperties:
        """What is known of the graph; BW-optimal is stated where it is so both ways."""
        optimal = all(self.d * sum(s) == (self.n - 1) * self.unit for s in (self.forth, self.back))
        return BaseProperties(
            n=self.n,
            d=self.d,
            regular=True,
            diameter=len(self.forth),
            bandwidth_optimal=True if optimal else None,
            reverse_symmetric=True if self.two_way else None,
            bidirectional=self.two_way,
            simple=True,
            loop_free=True,
        )

    def __str__(self) -> str:
        links = "duplex" if self.two_way else "simplex"
        back = "=" if self.back == self.forth else _join_numbers(self.back)
        loads = f"{_join_numbers(self.forth)} {back}"
        return f"{self.digest} {self.d} {self.n} {links} {loads} {self.line_exact} {self.cycle}"


def profile_digest(group: str, rows: str) -> str:
    """What names a lift in the file.

    >>> profile_digest("Z5", "0:1,1:0|1:2")
    '05223ab1'
    """
    return f"{crc32(f'{group} {rows}'.encode('ascii')):08x}"


def lift_profile(group: str, rows: str) -> LiftProfile | None:
    """The profile of the lift of that canonical text, None if it does not ship.

    >>> lift_profile("Z5", "0:1,1:0|1:2") is None
    True
    """
    if not is_annealed_lift(group, rows):
        return None
    line = _lines().get(profile_digest(group, rows))
    return None if line is None else read_profile(line)


@cache
def _common_unit(d: int) -> int:
    return lcm(*range(1, d + 1))


@lru_cache(maxsize=1 << 10)
def read_profile(line: str) -> LiftProfile:
    """The profile of a line.

    >>> read_profile("0123abcd 2 5 simplex 2,2 2,2 1 3").forth
    (2, 2)
    """
    digest, d, n, links, forth, back, line_exact, cycle = line.split(" ")
    return LiftProfile(
        digest=digest,
        n=int(n),
        d=int(d),
        two_way=links == "duplex",
        forth=_numbers(forth),
        back=_numbers(forth if back == "=" else back),
        line_exact=int(line_exact),
        cycle=int(cycle),
    )


@cache
def _lines() -> dict[str, str]:
    text = (files("generators") / "data" / FILE).read_text(encoding="ascii")
    return {line[:8]: line for line in text.splitlines()}


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _join_numbers(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
