"""What an ordinary database holds that is merged: counted before any of its rows is read.

Every row of a stranger's is checked, which takes time: a graph is built for the throughput of a
recipe, and the amounts of a pattern are added up. Whoever trusts a larger file asks for that.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from db.named_graphs import GRAPHS
from generators.errors import InvalidInput
from generators.formats.container import LIFTS

_NAMED = "FROM throughputs WHERE recipe IS NOT NULL"
_DIGITS = " + ".join(f"length({side}_{part})" for side in ("lower", "upper")
                     for part in ("num", "den"))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeLimits:
    """The most of each that an ordinary database holds.

    `sizes`, `members` of their frontiers and pools and so many candidates; `rows` of each other
    table; `digits` of all throughputs, bytes of all `images`, `arcs` of the graphs that throughputs
    are of, `pairs` of hosts with a demand pattern; `finds`, and `hosts` of all of them, whose
    groups are made, and so many sizes with graphs by name, which are costed.
    """

    file_bytes: int = 128 << 20
    sizes: int = 1 << 14
    rows: int = 1 << 12
    members: int = 1 << 17
    digits: int = 1 << 22
    images: int = 1 << 24
    arcs: int = 1 << 23
    pairs: int = 1 << 24
    finds: int = 1 << 8
    hosts: int = 1 << 15


def require_ordinary(connection: sqlite3.Connection, path: str, limits: MergeLimits) -> None:
    """Refuse a database beyond the limits, by its size and by counts. Raises InvalidInput."""
    if Path(path).is_file() and (found := Path(path).stat().st_size) > limits.file_bytes:
        raise InvalidInput(f"has {found} bytes, more than {limits.file_bytes}; {LIFTS}")
    for words, query, most in _counts(limits):
        (found,) = connection.execute(query).fetchone()
        if found > most:
            raise InvalidInput(f"has {int(found)} {words}, more than {most}; {LIFTS}")


def _counts(limits: MergeLimits) -> Iterator[tuple[str, str, int]]:
    """What is counted, how, and the most of it."""
    yield "sizes", "SELECT count(*) FROM frontiers", limits.sizes
    named = f"SELECT count(*) FROM frontiers WHERE instr(parameters, '\"{GRAPHS}\"')"
    yield "sizes with graphs by name", named, limits.finds
    for table in ("throughputs", "reversals"):
        yield f"rows of {table}", f"SELECT count(*) FROM {table}", limits.rows
    for table in ("candidates", "frontier_members", "pool_members"):
        yield f"rows of {table}", f"SELECT count(*) FROM {table}", limits.members
    yield "digits of throughputs", f"SELECT total({_DIGITS}) FROM throughputs", limits.digits
    yield "bytes of reversals", "SELECT total(length(image)) FROM reversals", limits.images
    graphs = f"SELECT DISTINCT recipe, n, d {_NAMED}"
    yield "arcs of graphs", f"SELECT total(n * d) FROM ({graphs})", limits.arcs
    patterns = f"{_NAMED} AND demand != 'uniform' AND demand NOT LIKE 'matrix %'"
    yield "pairs of hosts", f"SELECT total(n * n) {patterns}", limits.pairs
    yield "rows of finds", "SELECT count(*) FROM finds", limits.finds
    yield "hosts of finds", "SELECT total(abs(n)) FROM finds", limits.hosts
