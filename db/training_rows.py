"""Trainings: one iteration of a model on every wiring of a size, as it was rated.

A training is named by a hash of its question: the table of layers, the size of the fabric, the
links' times and all options. `inputs` is a hash of what else it was worked out from (candidates and
throughputs), so that an answer is known to be out of date when these have changed.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.reading import Where, condition, rows
from db.values import canonical_json, integer, read_fraction, require_fraction, text
from generators.errors import InvalidInput
from generators.version import __version__

BOUND, CANDIDATE, BASELINE = "bound", "candidate", "baseline"
KINDS = (BOUND, CANDIDATE, BASELINE)
DIGITS = 4000
"""A stored numerator or denominator has at most so many."""
LENGTH = 32
"""Hexadecimal digits kept of a question's SHA-256."""

Ends = tuple[Fraction, Fraction]

_ASKED = ("model", "layers", "n", "d", "links", "options")
_HEAD = ("inputs", "unit", "parameters", "estimate", "considered", "excluded", "timeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingQuestion:
    """What is asked: a model's table, by its hash `layers`, on n hosts with d ports.

    `alpha` is in seconds, `bandwidth` in bytes a second of a host. `options` is the canonical JSON
    of all that decides the answer besides. Raises InvalidInput for values that cannot be stored.
    """

    model: str
    layers: str
    n: int
    d: int
    links: str
    alpha: Fraction
    bandwidth: Fraction
    options: str

    def __post_init__(self) -> None:
        for name in ("model", "layers", "links", "options"):
            object.__setattr__(self, name, text(name, getattr(self, name)))
        for name in ("n", "d"):
            object.__setattr__(self, name, integer(name, getattr(self, name), 1))
        for name in ("alpha", "bandwidth"):
            require_fraction(name, getattr(self, name), DIGITS)

    @property
    def id(self) -> str:
        """The first 32 hexadecimal digits of the SHA-256 of the question as canonical JSON."""
        asked = {name: getattr(self, name) for name in (*_ASKED, "alpha", "bandwidth")}
        return hashlib.sha256(canonical_json(asked).encode("ascii")).hexdigest()[:LENGTH]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRow:
    """One iteration on one wiring, in exact seconds, the least and the most.

    `exposed` is what of allreduces (or of gathers and scatters) no computation hides. `schedule`
    names a baseline's own, and is empty for a candidate, whose id is `candidate`. `bucket` is in
    bytes; `by_bucket` are the most seconds with each.
    """

    kind: str
    recipe: str
    schedule: str
    seconds: Ends
    compute: Fraction
    exchange: Ends
    exposed: Ends
    bucket: int | None
    by_bucket: tuple[tuple[int, Fraction], ...] = ()
    candidate: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTraining:
    """A question and its answer: the rows of all wirings, the quickest first.

    `unit` is a sample or a token, `units` those of one host an iteration. `estimate` tells what
    compute times are estimates by. Of `considered` candidates bounds `excluded` some; what cannot
    run the model is `left_out`, with the reason. `timeline` is JSON, None where it is too long.
    """

    question: TrainingQuestion
    engine: int
    inputs: str
    unit: str
    units: Fraction
    parameters: int
    estimate: str | None
    considered: int
    excluded: int
    rows: tuple[TrainingRow, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    timeline: str | None = None
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in ("inputs", "unit", "version"):
            object.__setattr__(self, name, text(name, getattr(self, name)))
        for name in ("estimate", "timeline"):
            if getattr(self, name) is not None:
                text(name, getattr(self, name))
        for name, least in (("engine", 1), ("parameters", 0), ("considered", 0), ("excluded", 0)):
            object.__setattr__(self, name, integer(name, getattr(self, name), least))
        require_fraction("units", self.units, DIGITS)
        for row in self.rows:
            _require_row(row)
        if not any(row.kind != BOUND for row in self.rows):
            raise InvalidInput("rows: there is no wiring among them")

    @property
    def best(self) -> TrainingRow:
        """The quickest wiring that there is; the bound is none."""
        return next(row for row in self.rows if row.kind != BOUND)


def write_training(connection: sqlite3.Connection, found: StoredTraining, created: str) -> bool:
    """Store a training in the place of an older answer; False where a newer engine's is kept."""
    asked = found.question
    query = "SELECT engine FROM trainings WHERE id = ?"
    for (engine,) in connection.execute(query, [asked.id]):
        if integer("engine", engine) > found.engine:
            return False
    connection.execute("DELETE FROM iterations WHERE training = ?", [asked.id])
    head = {name: getattr(asked, name) for name in _ASKED}
    head |= {name: getattr(found, name) for name in (*_HEAD, "engine", "version")}
    head |= {"id": asked.id, "alpha": str(asked.alpha), "bandwidth": str(asked.bandwidth)}
    head |= {"units": str(found.units), "left_out": json.dumps(found.left_out)}
    _insert(connection, "trainings", [head | {"created": found.created or created}])
    records = [_iteration(row) for row in found.rows]
    named = [{"training": asked.id, "rank": rank} | row for rank, row in enumerate(records)]
    _insert(connection, "iterations", named)
    return True


def read_trainings(
    connection: sqlite3.Connection,
    where: Where,
    left_out: Callable[[sqlite3.Row, str], None] | None = None,
) -> Iterator[StoredTraining]:
    """The trainings that agree with `where`, by model, size and id.

    One that cannot be read is left out where `left_out` takes its record and the reason.
    """
    clause, values = condition("t", where)
    order = "t.model, t.n, t.d, t.links, t.id"
    for record in list(
        rows(connection, f"SELECT * FROM trainings t {clause} ORDER BY {order}", values)
    ):
        try:
            yield training_of(connection, record)
        except InvalidInput as error:
            if left_out is None:
                raise
            left_out(record, str(error))


def training_of(connection: sqlite3.Connection, record: sqlite3.Row) -> StoredTraining:
    """The training that a record of `trainings` heads; InvalidInput where it is damaged."""
    question = TrainingQuestion(
        alpha=read_fraction("alpha", record["alpha"], DIGITS),
        bandwidth=read_fraction("bandwidth", record["bandwidth"], DIGITS),
        **{name: record[name] for name in _ASKED},
    )
    if record["id"] != question.id:
        raise InvalidInput("its id is not the hash of what was asked")
    query = "SELECT * FROM iterations WHERE training = ? ORDER BY rank"
    return StoredTraining(
        question=question,
        units=read_fraction("units", record["units"], DIGITS),
        left_out=tuple(_read_pairs("left_out", record["left_out"])),
        rows=tuple(_row_of(each) for each in rows(connection, query, [question.id])),
        **{name: record[name] for name in (*_HEAD, "engine", "version", "created")},
    )


def _iteration(row: TrainingRow) -> dict[str, Any]:
    ends = {"exchange": row.exchange, "exposed": row.exposed}
    return {
        **{name: getattr(row, name) for name in ("kind", "recipe", "schedule", "candidate")},
        "least": str(row.seconds[0]),
        "most": str(row.seconds[1]),
        "compute": str(row.compute),
        **{f"{name}_least": str(pair[0]) for name, pair in ends.items()},
        **{f"{name}_most": str(pair[1]) for name, pair in ends.items()},
        "bucket": row.bucket,
        "buckets": json.dumps([[size, str(most)] for size, most in row.by_bucket]),
    }


def _row_of(record: sqlite3.Row) -> TrainingRow:
    def exact(name: str) -> Fraction:
        return read_fraction(name, record[name], DIGITS)

    pairs = _read_pairs("buckets", record["buckets"])
    return TrainingRow(
        seconds=(exact("least"), exact("most")),
        compute=exact("compute"),
        exchange=(exact("exchange_least"), exact("exchange_most")),
        exposed=(exact("exposed_least"), exact("exposed_most")),
        by_bucket=tuple(
            (integer("bucket", size, 1), read_fraction("bucket", most, DIGITS))
            for size, most in pairs
        ),
        **{name: record[name] for name in ("kind", "recipe", "schedule", "candidate", "bucket")},
    )


def _require_row(row: TrainingRow) -> None:
    """Refuse a row that cannot be stored, or whose ends are in the wrong order."""
    if row.kind not in KINDS:
        raise InvalidInput(f"kind: one of {', '.join(KINDS)}, not {str(row.kind)[:40]!r}")
    for name in ("recipe", "schedule", *(["candidate"] if row.candidate is not None else [])):
        text(name, getattr(row, name))
    if row.bucket is not None:
        integer("bucket", row.bucket, 1)
    for name in ("seconds", "exchange", "exposed"):
        for end in getattr(row, name):
            require_fraction(name, end, DIGITS)
    require_fraction("compute", row.compute, DIGITS)
    for size, most in row.by_bucket:
        integer("bucket", size, 1)
        require_fraction("by_bucket", most, DIGITS)
    if row.seconds[0] > row.seconds[1] or row.exchange[0] > row.exchange[1]:
        raise InvalidInput(f"seconds: {row.recipe} takes more at least than at most")


def _read_pairs(name: str, value: object) -> list[tuple[Any, Any]]:
    try:
        pairs: list[Any] = json.loads(value)  # type: ignore[arg-type]
        return [(one, other) for one, other in pairs]
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(f"{name} is stored as {str(value)[:60]}, no list of pairs") from None


def _insert(connection: sqlite3.Connection, table: str, records: Sequence[dict[str, Any]]) -> None:
    names, values = ", ".join(records[0]), ", ".join(f":{name}" for name in records[0])
    connection.executemany(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({values})", records)
