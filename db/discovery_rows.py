"""What discoveries have found, and which legs of them are done."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.reading import Where, condition, rows
from db.rows import LINKS
from db.values import flag, integer, ratio, text
from expansions.collective_costs import CountedCosts
from generators.errors import InvalidInput
from generators.version import __version__

_TEXTS = ("recipe", "base", "links", "version")
_NUMBERS = ("n", "d", "steps", "seed", "trials")
_RATIOS = ("bandwidth", "rs_bandwidth")
_LEG = ("n", "d", "links", "both", "seed", "place", "judged")


@dataclass(frozen=True, slots=True, kw_only=True)
class FindRow(CountedCosts):
    """A graph that a search found, its cost proved anew before it was stored.

    Steps count alpha, bandwidths M/B. `base` is the Cayley digraph, lift or graft: the recipe
    itself, or what it is the line graph of; `trials`, how many graphs of its group or kind were
    judged up to it; `seed`, the search's. Raises InvalidInput for values that cannot be stored.

    >>> row = FindRow(recipe="Cay(Z3;1,1)", base="Cay(Z3;1,1)", links="simplex", n=3, d=2, steps=2,
    ...     bandwidth=Fraction(2, 3), rs_bandwidth=Fraction(2, 3), seed=0, trials=1)
    >>> row.allgather
    Cost(steps=2, bandwidth=Fraction(2, 3))
    """

    recipe: str
    base: str
    links: str
    n: int
    d: int
    steps: int
    bandwidth: Fraction
    rs_bandwidth: Fraction
    seed: int
    trials: int
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for names, check in ((_TEXTS, text), (_NUMBERS, integer), (_RATIOS, ratio)):
            for name in names:
                object.__setattr__(self, name, check(name, getattr(self, name)))
        if self.created is not None:
            text("created", self.created)
        _require_links(self.links)

    @property
    def rs_steps(self) -> int:
        """Steps of a reduce-scatter: an allgather on the transpose, which has as many."""
        return self.steps


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkUnitRow:
    """One leg of a search that is done: its `place` in it, and how many graphs it judged."""

    n: int
    d: int
    links: str
    both: bool
    seed: int
    place: str
    judged: int

    def __post_init__(self) -> None:
        for name in ("n", "d", "seed", "judged"):
            object.__setattr__(self, name, integer(name, getattr(self, name)))
        for name, check in (("place", text), ("links", text), ("both", flag)):
            object.__setattr__(self, name, check(name, getattr(self, name)))
        _require_links(self.links)


def write_find_rows(
    connection: sqlite3.Connection,
    finds: Iterable[FindRow],
    legs: Iterable[WorkUnitRow],
    created: str,
) -> None:
    """Store finds and finished legs; what is stored already stays as it is."""
    for find in finds:
        record = {name: getattr(find, name) for name in (*_TEXTS, *_NUMBERS)}
        for name in _RATIOS:
            value = getattr(find, name)
            record |= {f"{name}_num": value.numerator, f"{name}_den": value.denominator}
        _insert(connection, "finds", record | {"created": find.created or created})
    for leg in legs:
        record = {name: getattr(leg, name) for name in _LEG}
        _insert(connection, "discovery_legs", record | {"created": created})


def _insert(connection: sqlite3.Connection, table: str, record: dict[str, Any]) -> None:
    names, values = ", ".join(record), ", ".join(f":{name}" for name in record)
    connection.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({values})", record)


def read_find_rows(connection: sqlite3.Connection, where: Where) -> Iterator[FindRow]:
    """The finds that agree with `where`, by size, steps, bandwidth and recipe."""
    clause, values = condition("f", where)
    found = map(find_row_of, rows(connection, f"SELECT * FROM finds f {clause}", values))
    yield from sorted(found, key=lambda row: (row.n, row.d, row.links, row.allgather, row.recipe))


def find_row_of(record: sqlite3.Row) -> FindRow:
    """The row that a record of `finds` holds; InvalidInput if the record is damaged."""
    return FindRow(
        bandwidth=_ratio("bandwidth", record),
        rs_bandwidth=_ratio("rs_bandwidth", record),
        created=record["created"],
        **{name: record[name] for name in (*_TEXTS, *_NUMBERS)},
    )


def _ratio(name: str, record: sqlite3.Row) -> Fraction:
    below = integer(f"{name}_den", record[f"{name}_den"], 1)
    return Fraction(integer(f"{name}_num", record[f"{name}_num"]), below)


def read_leg_times(connection: sqlite3.Connection) -> list[tuple[WorkUnitRow, str]]:
    """All finished legs, by size, each with when it was stored."""
    query = "SELECT * FROM discovery_legs ORDER BY n, d, links, both, seed, place"
    return [
        (
            WorkUnitRow(**{name: record[name] for name in _LEG}),
            text("created", record["created"]),
        )
        for record in rows(connection, query, [])
    ]


def read_legs(connection: sqlite3.Connection, where: Where) -> dict[str, int]:
    """The graphs judged by each finished leg that agrees with `where`, by its place."""
    clause, values = condition("l", where)
    query = f"SELECT place, judged FROM discovery_legs l {clause}"
    return {
        row["place"]: integer("judged", row["judged"]) for row in rows(connection, query, values)
    }


def _require_links(links: str) -> None:
    if links not in LINKS:
        raise InvalidInput(f"links must be one of {', '.join(LINKS)}, not {links!r}")
