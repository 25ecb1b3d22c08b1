"""Plans of patch moves: what each reaches, and its moves in their order."""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.reading import Where, condition, rows
from db.values import flag, integer, ratio, text
from generators.errors import InvalidInput
from generators.version import __version__

MODES = ("duplex", "simplex")
ACTIONS = ("disconnect", "connect")

_DIGESTS = ("content", "before", "after", "topology")
_TEXTS = (*_DIGESTS, "path", "target", "mode", "bound", "found", "version")
_NUMBERS = (
    *("n", "d", "moves", "lower_bound", "kept", "disconnects", "missing", "stages"),
    *("dark_stages", "seed"),
)
_OPTIONAL = ("recipe", "created")
_SAME = (*_TEXTS, *_NUMBERS, *_OPTIONAL, "keep_connected", "seconds")
_MOVE = ("move", "stage", "panel", "action", "mode", "port_a", "port_b")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRow:
    """One move: a circuit that is taken out, or one that is made, between two named ports."""

    move: int
    stage: int
    panel: str
    action: str
    mode: str
    port_a: str
    port_b: str

    def __post_init__(self) -> None:
        for name in ("move", "stage"):
            object.__setattr__(self, name, integer(name, getattr(self, name), 1))
        for name in _MOVE[2:]:
            object.__setattr__(self, name, text(name, getattr(self, name)))
        if self.action not in ACTIONS or self.mode not in MODES:
            raise InvalidInput(f"a move is no {self.mode!r} {self.action!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """A plan. `content` is the SHA-256 of its JSON text; `before` and `after` are those of wirings.

    `estimated` is how long the moves take, in seconds, exactly; `seconds` how long it took to find
    them. `dark_stages` counts stages in which hosts that work now are parted. Raises
    InvalidInput for values that cannot be stored.

    >>> PlanRow(content="0" * 64, before="1" * 64, after="1" * 64, topology="2" * 64, path="a.json",
    ...     target="K(3)", mode="duplex", n=3, d=2, moves=0, lower_bound=0, bound="isomorphism",
    ...     kept=3, disconnects=0, missing=0, stages=0, dark_stages=0, estimated=Fraction(),
    ...     found="isomorphism", seed=0, keep_connected=False, seconds=0.1).listed
    ()
    """

    content: str
    before: str
    after: str
    topology: str
    path: str
    target: str
    mode: str
    n: int
    d: int
    moves: int
    lower_bound: int
    bound: str
    kept: int
    disconnects: int
    missing: int
    stages: int
    dark_stages: int
    estimated: Fraction
    found: str
    seed: int
    keep_connected: bool
    seconds: float
    recipe: str | None = None
    listed: tuple[MoveRow, ...] = ()
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in (*_TEXTS, *_OPTIONAL):
            if getattr(self, name) is not None or name in _TEXTS:
                object.__setattr__(self, name, text(name, getattr(self, name)))
        for name in _NUMBERS:
            object.__setattr__(self, name, integer(name, getattr(self, name)))
        object.__setattr__(self, "estimated", ratio("estimated", self.estimated))
        object.__setattr__(self, "keep_connected", flag("keep_connected", self.keep_connected))
        for name in _DIGESTS:
            if not _DIGEST.fullmatch(getattr(self, name)):
                raise InvalidInput(f"{name} must be 64 hexadecimal digits: {getattr(self, name)}")
        if self.mode not in MODES:
            raise InvalidInput(f"mode must be duplex or simplex, not {self.mode!r}")
        if not (isinstance(self.seconds, float | int) and 0 <= self.seconds < float("inf")):
            raise InvalidInput(f"seconds must be a time, not {self.seconds!r}")


def write_plan_row(connection: sqlite3.Connection, row: PlanRow, created: str) -> None:
    """Store a plan with its moves; one with the same content is replaced."""
    record: dict[str, Any] = {name: getattr(row, name) for name in _SAME}
    record |= {
        "estimated_num": row.estimated.numerator,
        "estimated_den": row.estimated.denominator,
        "created": row.created or created,
    }
    connection.execute("DELETE FROM plan_moves WHERE plan = ?", [row.content])
    _insert(connection, "plans", [record])
    _insert(
        connection,
        "plan_moves",
        [
            {"plan": row.content} | {name: getattr(move, name) for name in _MOVE}
            for move in row.listed
        ],
    )


def _insert(connection: sqlite3.Connection, table: str, records: list[dict[str, Any]]) -> None:
    if not records:
        return
    names, values = ", ".join(records[0]), ", ".join(f":{name}" for name in records[0])
    connection.executemany(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({values})", records)


def read_plan_rows(connection: sqlite3.Connection, where: Where) -> Iterator[PlanRow]:
    """The plans that agree with `where`, with their moves; by size, target, moves and content."""
    clause, values = condition("p", where)
    query = f"SELECT * FROM plans p {clause} ORDER BY p.n, p.d, p.target, p.moves, p.content"
    for record in list(rows(connection, query, values)):
        below = integer("estimated_den", record["estimated_den"], 1)
        yield PlanRow(
            estimated=Fraction(integer("estimated_num", record["estimated_num"]), below),
            listed=tuple(_moves(connection, record["content"])),
            **{name: record[name] for name in _SAME},
        )


def _moves(connection: sqlite3.Connection, plan: str) -> Iterator[MoveRow]:
    query = "SELECT * FROM plan_moves WHERE plan = ? ORDER BY move"
    for record in rows(connection, query, [plan]):
        yield MoveRow(**{name: record[name] for name in _MOVE})
