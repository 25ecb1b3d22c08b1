"""Exports of a database to a single file, and merges of one into another."""

import os
import secrets
import time as clock
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from db.merging import MergeCounts
from db.merging import merge as merge_stores
from db.offered import Checks, Wanted
from db.opening import unusable_file
from db.ordinary import MergeLimits
from db.reading import Interval
from db.store import Store
from generators.errors import InvalidInput
from generators.files import require_place
from reports.merge import merge_fields, merge_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.workloads import read_seconds
from topofinder.interrupts import end_early, is_ending

Ranges = list[Interval] | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MergeOutcome(Answer):
    """What a merge did, row by row in counts; `merged` holds them."""

    merged: MergeCounts

    @property
    def agrees(self) -> bool:
        """Whether nothing was in conflict with what is there, and nothing refused."""
        return not (self.merged.conflicts or self.merged.refused)

    def summary(self) -> dict[str, Any]:
        """Sizes that were added, conflicts, and rows that were refused."""
        told = self.merged
        counts = {"conflicts": len(told.conflicts), "refused": len(told.refused)}
        return {"added": told.added, **counts}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `merge --json` prints."""
        return merge_fields(self.merged)

    def __str__(self) -> str:
        return merge_text(self.merged)

    def complaints(self) -> str:
        """The conflicts and what was refused alone."""
        return merge_text(self.merged, brief=True)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ExportOutcome(Answer):
    """How many sizes were written to which new database."""

    sizes: int
    file: str

    def summary(self) -> dict[str, Any]:
        """The sizes and the file."""
        return {"sizes": self.sizes, "file": self.file}

    def to_dict(self) -> dict[str, Any]:
        """The same; the command has no JSON."""
        return self.summary()

    def __str__(self) -> str:
        return f"{self.sizes} sizes written to {self.file}"


def merge(
    source: str | os.PathLike[str],
    into: str | os.PathLike[str],
    *,
    prove: bool = False,
    large: bool = False,
    time: float | str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> MergeOutcome:
    """Add what one database holds to another, which is made if it is missing.

    Every row is checked against bounds and hashes, and with `prove` its cost is worked out anew;
    rows that do not pass are told and not stored. Of unequal results of the same engine the one
    that is there stays; a newer engine replaces what an older one found. `progress` hears how many
    sizes are checked, and of how many. After `time`, seconds or a text such as "60s", what was
    checked until then is merged; another merge adds the rest.

    Raises InvalidInput for files that are missing, no databases of topofinder, or the same; for
    more than 200 rows that do not pass; and, unless it is `large`, for a database beyond
    `db.ordinary.MergeLimits`.
    """
    seconds = None if time is None else read_seconds(time)
    merged = merge_checked(
        Path(source), Path(into), prove=prove, large=large, seconds=seconds, progress=progress
    )
    return MergeOutcome(merged=merged)


def export_db(
    db: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    n: Ranges = None,
    d: Ranges = None,
    links: str | None = None,
) -> ExportOutcome:
    """Write stored frontiers, or those of some sizes and links, to a new database, one file.

    `n` and `d` are lists of inclusive pairs. Raises InvalidInput for a database that is missing
    and an output that is there already.
    """
    told = export_database(Path(db), Path(output), n=n, d=d, links=links)
    return ExportOutcome(sizes=told.added, file=str(output))


def merge_checked(
    source: Path,
    into: Path,
    *,
    prove: bool = False,
    large: bool = False,
    seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> MergeCounts:
    """Merge the database at `source` into the one at `into`, which is made if it is missing.

    Every row is checked against bounds and hashes, and with `prove` its cost is worked out anew.
    Those that do not pass are told, and nothing of them is stored. A proof takes its time, and so
    does what is `large`: only else a database has limits. After so many `seconds`, and when Ctrl-C
    comes, what was checked until then is merged.

    Raises InvalidInput for files that are missing, no databases of topofinder, or the same.
    """
    if into.exists() and source.exists() and source.samefile(into):
        raise InvalidInput(f"--into: {into} is the database that is to be merged")
    if prove:
        from topofinder.api.merge_proofs import proofs as chosen
    else:
        from topofinder.api.merge_checks import checks as chosen
    with Store(source, create=False) as offered, Store(into) as target:
        limits = None if large or prove else MergeLimits()
        end = inf if seconds is None else clock.monotonic() + seconds
        with end_early():
            return merge_stores(
                offered, target, checks=chosen(), limits=limits, tell=progress,
                is_over=lambda: is_ending() or clock.monotonic() >= end,
            )  # fmt: skip


def export_database(
    db: Path, output: Path, *, n: Ranges = None, d: Ranges = None, links: str | None = None
) -> MergeCounts:
    """Write the sizes that are chosen to a new database, one file, whole or not at all.

    Raises InvalidInput for a database that is missing and an output that is there already.
    """
    if output.exists() or output.is_symlink():
        raise InvalidInput(f"{output}: is there already; topofinder merge adds to a database")
    require_place(output)
    part = output.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with Store(db, create=False) as source:
            written = _write(source, part, _size_filter(n, d, links))
        os.link(part, output)  # unlike a rename, it never replaces a file
    except FileExistsError:
        raise InvalidInput(f"{output}: is there already") from None
    except OSError as error:
        raise InvalidInput(f"{output}: cannot be written: {error.strerror}") from None
    finally:
        for name in (part.name, f"{part.name}-wal", f"{part.name}-shm"):
            with suppress(OSError):
                part.with_name(name).unlink()
    return written


def _write(source: Store, part: Path, wanted: Wanted) -> MergeCounts:
    with Store(part) as target:
        told = merge_stores(source, target, wanted, Checks(with_trainings=True))
        if told.refused:
            raise unusable_file(source.path, told.refused[0])
        with closing(target.connection.cursor()) as cursor:
            cursor.execute("PRAGMA journal_mode = DELETE")
            cursor.execute("VACUUM")
    return told


def _size_filter(n: Ranges, d: Ranges, links: str | None) -> Wanted:
    """Whether a size lies in the ranges; rows without links go with every choice."""

    def is_wanted(hosts: int, ports: int, mode: str | None) -> bool:
        kept = links is None or mode is None or mode == links
        return kept and _inside(hosts, n) and _inside(ports, d)

    return is_wanted


def _inside(number: int, ranges: Ranges) -> bool:
    return ranges is None or any(least <= number <= most for least, most in ranges)
