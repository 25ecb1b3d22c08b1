"""Limits of databases that are merged: at the limit one is read, one above is refused."""

import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest

from db.merging import merge
from db.offered import Checks, Offer
from db.ordinary import MergeLimits, require_ordinary
from db.store import Store
from generators.errors import InvalidInput
from tests.db.sizes import size
from tests.db.test_merging import find, rate

COUNTS = {
    "sizes": (2, "2 sizes"),
    "rows": (3, "3 rows of throughputs"),
    "members": (4, "4 rows of candidates"),
    "digits": (12, "12 digits of throughputs"),
    "images": (8, "8 bytes of reversals"),
    "arcs": (25, "25 arcs of graphs"),
    "pairs": (64, "64 pairs of hosts"),
    "finds": (1, "1 rows of finds"),
    "hosts": (3, "3 hosts of finds"),
}


def fill(store: Store) -> None:
    store.save_or_keep([size(8, 2, count=1), size(9, 2, count=1)])
    store.save_throughput(rate("1/4", "1/3"))
    store.save_throughput(rate("1/4", "1/3", demand="ring"))
    store.save_throughput(rate("1/4", "1/3", recipe="K(3)", n=3, d=3))
    store.save_finds([find()])
    store.save_reversal("0" * 64, "Pi(2,8)*1", [1, 0])


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_a_database(name: str) -> None:
    most, told = COUNTS[name]
    with Store(":memory:") as source:
        fill(source)
        require_ordinary(source.connection, "", MergeLimits(**{name: most}))
        with pytest.raises(InvalidInput) as refused:
            require_ordinary(source.connection, "", MergeLimits(**{name: most - 1}))
    line = f"has {told}, more than {most - 1}; --large, in Python large=True, lifts that"
    assert str(refused.value) == line
    assert set(COUNTS) | {"file_bytes"} == {field.name for field in fields(MergeLimits)}


def test_bytes_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path) as source:
        fill(source)
    most = path.stat().st_size
    with Store(path) as source, Store(":memory:") as target:
        with pytest.raises(InvalidInput, match=f"a.db.: has {most} bytes, more than {most - 1}; "):
            merge(source, target, limits=MergeLimits(file_bytes=most - 1))
        assert merge(source, target, limits=MergeLimits(file_bytes=most)).throughputs == 3


def test_wrong_rows_end_a_merge() -> None:
    def refuse(row: object) -> None:
        raise InvalidInput("wrong")

    checks = Checks(throughput=refuse)
    with Store(":memory:") as source:
        fill(source)
        connection: sqlite3.Connection = source.connection
        wanted = lambda n, d, links: True  # noqa: E731
        assert len(Offer(connection, wanted, checks, most_refused=3).refused) == 3
        with pytest.raises(InvalidInput, match="has more than 2 wrong rows, such as throughput of"):
            Offer(connection, wanted, checks, most_refused=2)
