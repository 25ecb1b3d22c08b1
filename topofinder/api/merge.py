"""Exports of a database to a single file, and merges of one into another."""

import os
import secrets
from contextlib import closing, suppress
from pathlib import Path

from db.merging import Merged, merge
from db.offered import Wanted
from db.opening import unusable_file
from db.reading import Interval
from db.store import Store
from generators.errors import InvalidInput
from generators.files import require_place

Ranges = list[Interval] | None


def merge_databases(source: Path, into: Path, *, prove: bool = False) -> Merged:
    """Merge the database at `source` into the one at `into`, which is made if it is missing.

    Every row is checked against bounds and hashes, and with `prove` its cost is worked out anew.
    Those that do not pass are told, and nothing of them is stored.

    Raises InvalidInput for files that are missing, no databases of topofinder, or the same.
    """
    if into.exists() and source.exists() and source.samefile(into):
        raise InvalidInput(f"--into: {into} is the database that is to be merged")
    if prove:
        from topofinder.api.merge_proofs import proofs as chosen
    else:
        from topofinder.api.merge_checks import checks as chosen
    with Store(source, create=False) as offered, Store(into) as target:
        return merge(offered, target, checks=chosen())


def export_database(
    db: Path, output: Path, *, n: Ranges = None, d: Ranges = None, links: str | None = None
) -> Merged:
    """Write the sizes that are chosen to a new database, one file, whole or not at all.

    Raises InvalidInput for a database that is missing and an output that is there already.
    """
    if output.exists() or output.is_symlink():
        raise InvalidInput(f"{output}: is there already; topofinder merge adds to a database")
    require_place(output)
    part = output.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with Store(db, create=False) as source:
            written = _write(source, part, _chosen(n, d, links))
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


def _write(source: Store, part: Path, wanted: Wanted) -> Merged:
    with Store(part) as target:
        told = merge(source, target, wanted)
        if told.refused:
            raise unusable_file(source.path, told.refused[0])
        with closing(target.connection.cursor()) as cursor:
            cursor.execute("PRAGMA journal_mode = DELETE")
            cursor.execute("VACUUM")
    return told


def _chosen(n: Ranges, d: Ranges, links: str | None) -> Wanted:
    """Whether a size lies in the ranges; rows without links go with every choice."""

    def wanted(hosts: int, ports: int, mode: str | None) -> bool:
        kept = links is None or mode is None or mode == links
        return kept and _inside(hosts, n) and _inside(ports, d)

    return wanted


def _inside(number: int, ranges: Ranges) -> bool:
    return ranges is None or any(least <= number <= most for least, most in ranges)
