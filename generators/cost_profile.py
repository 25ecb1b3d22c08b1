"""What breadth-first broadcast costs step by step on a graph that ships, as one line of text.

    digest d n links loads loads-back line cycle

`digest` names the graph in its file. Loads are those of the busiest link at each step, in units of
1/lcm(1..d) of a shard; `=` stands for loads back, on the transpose, that are the same. `line` and
`cycle` are as `line_exact` and `cycle` of an evaluation. All are graphs without loops or parallel
links. With these a search need not evaluate the graphs again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import lcm
from zlib import crc32

from generators.registry import BaseProperties


def text_digest(text: str) -> str:
    """What names a graph in a file of profiles.

    >>> text_digest("Z5 0:1,1:0|1:2")
    '05223ab1'
    """
    return f"{crc32(text.encode('ascii')):08x}"


@cache
def common_unit(d: int) -> int:
    """lcm(1..d): loads are whole numbers of this part of a shard.

    >>> common_unit(4)
    12
    """
    return lcm(*range(1, d + 1))


def read_numbers(text: str) -> tuple[int, ...]:
    """The integers between commas.

    >>> read_numbers("2,48")
    (2, 48)
    """
    return tuple(map(int, text.split(",")))


def join_numbers(numbers: Sequence[object]) -> str:
    """Integers with commas between them.

    >>> join_numbers((2, 48))
    '2,48'
    """
    return ",".join(map(str, numbers))


def bandwidth_optimal(n: int, d: int, *both: Sequence[int]) -> bool | None:
    """Whether loads on a graph and on its transpose are BW-optimal; None, not stated, if not.

    >>> bandwidth_optimal(5, 2, (2, 2), (2, 2))
    True
    """
    optimal = all(d * sum(loads) == (n - 1) * common_unit(d) for loads in both)
    return True if optimal else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CostProfile:
    """One line; `unit` is the part of a shard that loads count."""

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
        return common_unit(self.d)

    @property
    def properties(self) -> BaseProperties:
        """What is known of the graph; BW-optimal is stated where it is so both ways."""
        return BaseProperties(
            n=self.n,
            d=self.d,
            regular=True,
            diameter=len(self.forth),
            bandwidth_optimal=bandwidth_optimal(self.n, self.d, self.forth, self.back),
            reverse_symmetric=True if self.two_way else None,
            bidirectional=self.two_way,
            simple=True,
            loop_free=True,
        )

    def __str__(self) -> str:
        links = "duplex" if self.two_way else "simplex"
        back = "=" if self.back == self.forth else join_numbers(self.back)
        loads = f"{join_numbers(self.forth)} {back}"
        return f"{self.digest} {self.d} {self.n} {links} {loads} {self.line_exact} {self.cycle}"


@lru_cache(maxsize=1 << 10)
def read_profile(line: str) -> CostProfile:
    """The profile of a line.

    >>> read_profile("0123abcd 2 5 simplex 2,2 2,2 1 3").forth
    (2, 2)
    """
    digest, d, n, links, forth, back, line_exact, cycle = line.split(" ")
    return CostProfile(
        digest=digest,
        n=int(n),
        d=int(d),
        two_way=links == "duplex",
        forth=read_numbers(forth),
        back=read_numbers(forth if back == "=" else back),
        line_exact=int(line_exact),
        cycle=int(cycle),
    )
