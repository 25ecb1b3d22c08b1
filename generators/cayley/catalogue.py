"""Cayley digraphs that were found by search, with what breadth-first broadcast costs on them.

They ship as generators/data/cayley_digraphs.txt, a line each:

    d n group generators loads loads-back line cycle kind seed trials

Loads are those of the busiest link at each step, in units of 1/lcm(1..d) of a shard; `=` stands
for loads back, on the transpose, that are the same. `line` and `cycle` are as `line_exact` and
`cycle` of an evaluation; `kind` is two-way, abelian, both (`2a`) or `-`. The command that finds and
proves them is `python -m tools.find_cayley_digraphs`; docs/discovery.md tells more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from generators.cost_profile import (
    bandwidth_optimal,
    common_unit,
    join_numbers,
    read_numbers,
)
from generators.registry import Arguments, BaseProperties
from generators.sized_lines import data_text, find_place, lines_at

FILE = "cayley_digraphs.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedDigraph:
    """One line of the catalogue; `unit` is the part of a shard that loads count."""

    n: int
    group: str
    generators: tuple[int, ...]
    forth: tuple[int, ...]
    back: tuple[int, ...]
    line_exact: int
    cycle: int
    kind: str
    seed: int
    trials: int

    @property
    def d(self) -> int:
        """Ports of a node."""
        return len(self.generators)

    @property
    def unit(self) -> int:
        """lcm(1..d).

        >>> next(shipped_digraphs(64, 4)).unit
        12
        """
        return common_unit(self.d)

    @property
    def arguments(self) -> Arguments:
        """The recipe's arguments."""
        return (self.group, *self.generators)

    @property
    def two_way(self) -> bool:
        """Whether the generators are closed under inverses."""
        return "2" in self.kind

    @property
    def properties(self) -> BaseProperties:
        """What is known of the graph; BW-optimal is stated where it is so both ways."""
        return BaseProperties(
            n=self.n,
            d=self.d,
            regular=True,
            diameter=len(self.forth),
            bandwidth_optimal=bandwidth_optimal(self.n, self.d, self.forth, self.back),
            reverse_symmetric=True if self.kind != "-" else None,
            bidirectional=self.two_way,
            simple=len(set(self.generators)) == self.d,
            loop_free=True,
            transitive=True,
        )

    def __str__(self) -> str:
        back = "=" if self.back == self.forth else join_numbers(self.back)
        loads = f"{join_numbers(self.generators)} {join_numbers(self.forth)} {back}"
        rest = f"{self.line_exact} {self.cycle} {self.kind} {self.seed} {self.trials}"
        return f"{self.d} {self.n} {self.group} {loads} {rest}"


def shipped_digraphs(n: int, d: int) -> Iterator[ShippedDigraph]:
    """The digraphs of that size and degree, cheapest steps first.

    >>> [str(one.group) for one in shipped_digraphs(7, 6)]
    []
    """
    return map(_read, lines_at(data_text(FILE), (d, n), digraph_place))


def all_digraphs() -> Iterator[ShippedDigraph]:
    """All digraphs of the catalogue, by degree, size and cost."""
    return map(_read, data_text(FILE).splitlines())


def look_up(group: str, generators: Sequence[object]) -> ShippedDigraph | None:
    """The digraph with that canonical group and those generators, None if it does not ship.

    >>> look_up("Z17", (1, 3)).n, look_up("Z17", (3, 1)) is None
    (17, True)
    """
    text, d = data_text(FILE), len(generators)
    first, last = (find_place(text, (degree,), digraph_place) for degree in (d, d + 1))
    found = text.find(f" {group} {join_numbers(generators)} ", first, last)
    if found < 0:
        return None
    return _read(text[text.rfind("\n", 0, found) + 1 : text.find("\n", found)])


def is_shipped(group: str, generators: Sequence[object]) -> bool:
    """Whether `look_up` finds that digraph.

    >>> is_shipped("Z17", (1, 3)), is_shipped("Z17", (3, 1))
    (True, False)
    """
    return look_up(group, generators) is not None


def digraph_place(line: str) -> tuple[int, int]:
    """What the file is in order of: degree and nodes.

    >>> digraph_place("2 17 Z17 1,3 2,3,3,3,3,2 = 0 7 a 1 136")
    (2, 17)
    """
    d, n, _ = line.split(" ", 2)
    return int(d), int(n)


@lru_cache(maxsize=1 << 10)
def _read(line: str) -> ShippedDigraph:
    _, n, group, generators, forth, back, line_exact, cycle, kind, seed, trials = line.split(" ")
    return ShippedDigraph(
        n=int(n),
        group=group,
        generators=read_numbers(generators),
        forth=read_numbers(forth),
        back=read_numbers(forth if back == "=" else back),
        line_exact=int(line_exact),
        cycle=int(cycle),
        kind=kind,
        seed=int(seed),
        trials=int(trials),
    )
