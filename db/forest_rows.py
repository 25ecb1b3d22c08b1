"""Forests that were made: where each file lies, what it reaches, and the hash of its content."""

import re
import sqlite3
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.values import integer, ratio_texts, text
from generators.errors import InvalidInput
from generators.version import __version__

_TEXTS = ("path", "content", "topology", "collective", "method", "version")
_NUMBERS = ("n", "hosts", "total", "k", "trees", "height")
_OPTIONAL = ("recipe", "damage", "root", "created")
_SAME = (*_TEXTS, *_NUMBERS, *_OPTIONAL)
_RATES = ("optimum", "time")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """A forest file. `content` and `topology` are SHA-256 hashes.

    `optimum` is 1/x* and `time` what the trees take for a shard of 1, as exact fractions of any
    size. `total` is the sum of all weights, `k` counts trees a root, `trees` different ones,
    `height` edges; `damage` says what had failed. Raises InvalidInput for values that cannot be
    stored.

    >>> row = ForestRow(path="/tmp/a.npz", content="0" * 64, topology="1" * 64,
    ...     collective="allgather", method="forest", n=9, hosts=8, total=8, k=1, trees=8, height=2,
    ...     optimum=Fraction(7, 300), time=Fraction(7, 300), recipe="DGXA100(1)")
    >>> row.recipe
    'DGXA100(1)'
    """

    path: str
    content: str
    topology: str
    collective: str
    method: str
    n: int
    hosts: int
    total: int
    k: int
    trees: int
    height: int
    optimum: Fraction
    time: Fraction
    recipe: str | None = None
    damage: str | None = None
    root: int | None = None
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in (*_TEXTS, "recipe", "damage", "created"):
            self._settle(name, text)
        for name in (*_NUMBERS, "root"):
            self._settle(name, integer)
        for name in ("content", "topology"):
            if not _DIGEST.fullmatch(getattr(self, name)):
                raise InvalidInput(f"{name} must be 64 hexadecimal digits: {getattr(self, name)}")

    def _settle(self, name: str, check: Any) -> None:
        value = getattr(self, name)
        if value is not None or name not in _OPTIONAL:
            object.__setattr__(self, name, check(name, value))


def write_forest_row(connection: sqlite3.Connection, row: ForestRow, created: str) -> None:
    """Store a row in place of what was known of the file at that path."""
    record = {name: getattr(row, name) for name in _SAME}
    for name in _RATES:
        record |= ratio_texts(name, getattr(row, name))
    record["created"] = row.created or created
    names, values = ", ".join(record), ", ".join(f":{name}" for name in record)
    connection.execute(f"INSERT OR REPLACE INTO forests ({names}) VALUES ({values})", record)
