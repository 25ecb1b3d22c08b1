"""Made-up sizes, and a sweep over them that child processes run."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from db.rows import CandidateRow, FrontierRow, SizeRow
from db.store import Store

CREATED = "2025-01-31T12:00:00Z"


def candidate(n: int = 8, d: int = 2, rank: int = 0, **changes: object) -> CandidateRow:
    """A candidate of the size, the slower in steps the higher its rank."""
    values: dict[str, object] = {
        "recipe": f"Pi({d},{n})*{rank + 1}",
        "links": "duplex",
        "method": "bfb",
        "n": n,
        "d": d,
        "steps": rank + 3,
        "bandwidth": Fraction(n - 1, n) + Fraction(1, rank + 2),
        "rs_steps": rank + 3,
        "rs_bandwidth": Fraction(n, n + 1),
        "engine": 1,
        "created": CREATED,
    }
    return CandidateRow(**values | changes)


def size(n: int = 8, d: int = 2, count: int = 3, engine: int = 1, **changes: object) -> SizeRow:
    """A size of `count` frontier members, of which the pool keeps one more."""
    kept = tuple(candidate(n, d, rank, engine=engine) for rank in range(count + 1))
    values: dict[str, object] = {
        "n": n,
        "d": d,
        "links": "duplex",
        "engine": engine,
        "bound_steps": 2,
        "bound_bandwidth": Fraction(n - 1, n),
        "members": kept[:count],
        "parameters": {"seed": 0},
        "created": CREATED,
    }
    return SizeRow(frontier=FrontierRow(**values | changes), pool=kept)


def sweep(path: str, least: int, most: int, batch: int) -> None:
    """Save all sizes from n = least to most that the file lacks, `batch` at a time."""
    with Store(path) as store:
        finished = store.finished_sizes("duplex", 1, pooled=True)
        missing = [n for n in range(least, most + 1) if (n, 2) not in finished]
        for start in range(0, len(missing), batch):
            store.save_or_keep(size(n) for n in missing[start : start + batch])


def contents(path: Path | str) -> Iterator[tuple[object, ...]]:
    """Every stored value of every table and view of our own, in an order of its own."""
    with Store(path) as store:
        tables = ("candidates", "frontiers", "frontier_members", "pool_members", "sizes")
        for table in tables:
            yield from sorted(store.connection.execute(f"SELECT * FROM {table}"))
