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
from functools import cache, lru_cache
from importlib.resources import files

from generators.cost_profile import (
    bandwidth_optimal,
    common_unit,
    join_numbers,
    read_numbers,
)
from generators.registry import Arguments, BaseProperties

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
    return map(_read, _lines()[0].get((n, d), ()))


def all_digraphs() -> Iterator[ShippedDigraph]:
    """All digraphs of the catalogue, by degree, size and cost."""
    return (_read(line) for lines in _lines()[0].values() for line in lines)


def look_up(group: str, generators: Sequence[object]) -> ShippedDigraph | None:
    """The digraph with that canonical group and those generators, None if it does not ship."""
    line = _lines()[1].get(f"{group} {join_numbers(generators)}")
    return None if line is None else _read(line)


def is_shipped(group: str, generators: Sequence[object]) -> bool:
    """Whether `look_up` finds that digraph, which takes a tenth of the time where it is asked once.

    >>> is_shipped("Z17", (1, 3)), is_shipped("Z17", (3, 1))
    (True, False)
    """
    return f" {group} {join_numbers(generators)} " in _text()


@cache
def _text() -> str:
    return (files("generators") / "data" / FILE).read_text(encoding="ascii")


@cache
def _lines() -> tuple[dict[tuple[int, int], list[str]], dict[str, str]]:
    """The file's lines by (n, d), and by group and generators."""
    by_size: dict[tuple[int, int], list[str]] = {}
    by_name: dict[str, str] = {}
    for line in _text().splitlines():
        d, n, group, generators, _ = line.split(" ", 4)
        by_size.setdefault((int(n), int(d)), []).append(line)
        by_name[f"{group} {generators}"] = line
    return by_size, by_name


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
