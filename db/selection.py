"""Which candidates a query is about, and the SQL that picks them: bound parameters only."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from db.reading import Interval
from db.rows import LINKS
from db.values import integer, text
from generators.errors import InvalidInput
from generators.excerpts import excerpt

MOST_INTERVALS = 200
"""Ranges of one column in a query; older SQLite takes 999 parameters in all."""

MOST_FAMILIES = 400

_ID = re.compile(r"[0-9a-f]{1,32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What must hold of a candidate; None, or False, asks for nothing.

    `n` and `d` are inclusive ranges of which one must hold. `families` are stored families, one of
    which must be the candidate's; `id` is how its identity begins. `frontier` takes only members
    of their size's frontier. Raises InvalidInput for values that no column can hold.

    >>> Selection(n=((2, 64),), links="duplex").condition()
    ('WHERE (c.n BETWEEN ? AND ?) AND c.links = ?', [2, 64, 'duplex'])
    """

    n: tuple[Interval, ...] | None = None
    d: tuple[Interval, ...] | None = None
    links: str | None = None
    method: str | None = None
    families: tuple[str, ...] | None = None
    recipe_contains: str | None = None
    id: str | None = None
    max_steps: int | None = None
    max_diameter: int | None = None
    bandwidth_optimal: bool = False
    moore_optimal: bool = False
    exact: bool = False
    frontier: bool = False

    def __post_init__(self) -> None:
        for name in ("n", "d"):
            self._check_ranges(name, getattr(self, name))
        for name in ("max_steps", "max_diameter"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, integer(name, getattr(self, name)))
        for name in ("method", "recipe_contains"):
            if getattr(self, name) is not None:
                text(name, getattr(self, name))
        if self.links is not None and self.links not in LINKS:
            raise InvalidInput(f"links: {', '.join(LINKS)} are known, not {excerpt(self.links)}")
        if self.id is not None and not _ID.fullmatch(self.id):
            raise InvalidInput(f"id: 1 to 32 hexadecimal digits are needed, not {excerpt(self.id)}")
        if self.families is not None and len(self.families) > MOST_FAMILIES:
            raise InvalidInput(f"families: at most {MOST_FAMILIES}, not {len(self.families)}")

    def _check_ranges(self, name: str, ranges: tuple[Interval, ...] | None) -> None:
        if ranges is None:
            return
        if len(ranges) > MOST_INTERVALS:
            raise InvalidInput(f"{name}: at most {MOST_INTERVALS} ranges, not {len(ranges)}")
        kept = tuple((integer(name, least), integer(name, most)) for least, most in ranges)
        object.__setattr__(self, name, kept)

    def condition(self) -> tuple[str, list[int | str]]:
        """The WHERE clause over candidates c, and the values of its parameters."""
        terms, values = [], []
        for term, bound in self._terms():
            terms.append(term)
            values.extend(bound)
        return ("WHERE " + " AND ".join(terms) if terms else ""), values

    def _terms(self) -> Iterator[tuple[str, list[int | str]]]:
        for name, ranges in (("n", self.n), ("d", self.d)):
            if ranges is not None:
                inside = " OR ".join([f"c.{name} BETWEEN ? AND ?"] * len(ranges))
                yield f"({inside or '0'})", [end for pair in ranges for end in pair]
        for name, wanted in (("links", self.links), ("method", self.method)):
            if wanted is not None:
                yield f"c.{name} = ?", [wanted]
        if self.families is not None:
            yield f"c.family IN ({', '.join('?' * len(self.families))})", [*self.families]
        if self.recipe_contains is not None:
            yield "instr(c.recipe, ?) > 0", [self.recipe_contains]
        if self.id is not None:
            yield "c.id BETWEEN ? AND ?", [self.id, self.id + "g"]
        for name, most in (("steps", self.max_steps), ("diameter", self.max_diameter)):
            if most is not None:
                yield f"c.{name} <= ?", [most]
        if self.bandwidth_optimal:
            yield "c.bandwidth_optimal = 1", []
        if self.moore_optimal:
            yield "(c.moore_optimal = 1 OR c.steps = f.bound_steps)", []
        if self.exact:
            yield "c.exact = 1", []
