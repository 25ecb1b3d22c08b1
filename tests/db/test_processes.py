"""Several processes at one file, and processes that are killed while they write."""

import multiprocessing
import os
import signal
import sqlite3
import time
from contextlib import closing
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from db.opening import transaction
from db.store import Store
from db.writing import write_sizes
from generators.errors import InvalidInput
from tests.db.sizes import contents, size, sweep

SPAWN = multiprocessing.get_context("spawn")


def running(path: Path, least: int, most: int, batch: int) -> multiprocessing.process.BaseProcess:
    child = SPAWN.Process(target=sweep, args=(str(path), least, most, batch))
    child.start()
    return child


def check_whole(path: Path) -> set[int]:
    """The finished sizes, after checking that the file is sound and each of them complete."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    with Store(path) as store:
        found = {n for n, _ in store.finished_sizes("duplex", 1)}
        for n in found:
            assert store.frontier(n, 2, "duplex") == size(n).frontier
            assert store.pool(n, 2, "duplex") == size(n).pool
        assert len(store.candidates()) == sum(len(size(n).pool) for n in found)
    return found


def test_processes_that_create_and_write_one_file_at_once(tmp_path: Path) -> None:
    path, alone = tmp_path / "shared.db", tmp_path / "alone.db"
    children = [running(path, least, least + 60, 7) for least in (2, 30, 30)]
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    assert check_whole(path) == set(range(2, 91))
    sweep(str(alone), 2, 90, 89)
    assert list(contents(path)) == list(contents(alone))


def test_many_openings_of_a_file_that_does_not_exist(tmp_path: Path) -> None:
    with SPAWN.Pool(4) as pool:
        for attempt in range(6):
            path = tmp_path / f"{attempt}.db"
            pool.starmap(sweep, [(str(path), n, n, 1) for n in range(2, 6)], chunksize=1)
            assert check_whole(path) == {2, 3, 4, 5}
        pool.close()
        pool.join()


@pytest.mark.parametrize(("batch", "patience"), [(1, 0), (1, 5), (40, 41), (150, 1)])
def test_a_sweep_that_is_killed_goes_on_where_it_was(
    tmp_path: Path, batch: int, patience: int
) -> None:
    path, whole = tmp_path / "killed.db", tmp_path / "whole.db"
    child = running(path, 2, 10**5, batch)
    deadline = time.monotonic() + 60
    while not path.exists() or stored(path) < patience:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    kill(child)

    found = check_whole(path)
    assert len(found) >= patience
    assert len(found) % batch == 0
    assert found == set(range(2, 2 + len(found)))
    for name in (path, whole):
        sweep(str(name), 2, 2 + len(found) + 100, 70)
    assert list(contents(path)) == list(contents(whole))


def test_a_transaction_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    sweep(str(path), 2, 50, 49)
    before, written = list(contents(path)), SPAWN.Event()
    child = SPAWN.Process(target=stall, args=(str(path), written))
    child.start()
    assert written.wait(60)
    kill(child)
    assert check_whole(path) == set(range(2, 51))
    assert list(contents(path)) == before


def stall(path: str, written: Event) -> None:
    """Write many sizes, and stop before they are committed."""
    with Store(path) as store, transaction(store.connection, "IMMEDIATE"):
        write_sizes(store.connection, [size(n) for n in range(51, 1500)], "2025")
        written.set()
        time.sleep(60)


def kill(child: multiprocessing.process.BaseProcess) -> None:
    assert child.is_alive()
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    assert child.exitcode == -signal.SIGKILL


def stored(path: Path) -> int:
    """How many sizes another process has stored so far."""
    try:
        with Store(path, create=False) as store:
            return len(store.finished_sizes("duplex"))
    except InvalidInput:
        return 0
