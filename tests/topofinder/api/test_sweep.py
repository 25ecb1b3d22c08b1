"""Sweeps that are killed, repeated, run side by side or by other workers end up the same."""

import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from db.store import Store
from expansions.recipe import Base
from generators.errors import InvalidInput
from tests.command import ran_alone, started
from tests.topofinder.sweeps import SIZES, WANTED, contents, swept
from topofinder.api import sweep
from topofinder.api.shared import candidate_rows, frontiers, stored_frontiers
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.finder import parallel
from topofinder.finder.base_candidates import evaluate_both
from topofinder.finder.base_scope import base_properties
from topofinder.finder.enumeration import Pools
from topofinder.schedules.bfb.evaluation import Pair

SWEPT = """
import sys
from tests.topofinder.sweeps import swept
swept(sys.argv[1], jobs=int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a sweep that nothing disturbed, stored in one transaction."""
    path = tmp_path_factory.mktemp("sweep") / "whole.db"
    assert swept(str(path), block=1000) == len(WANTED)
    return path


def kill(child: subprocess.Popen[str]) -> None:
    """Kill a sweep, and after that send its orphans away."""
    assert child.poll() is None
    child.kill()
    assert child.wait() == -signal.SIGKILL
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
    child.communicate()


def finished(path: Path) -> set[tuple[int, int]]:
    """The sizes that another process has stored so far."""
    try:
        with Store(path, create=False) as store:
            return store.finished_sizes("simplex", pooled=True)
    except InvalidInput:
        return set()


def check_sound(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_sweep_killed_again_and_again_ends_like_one_that_was_not(
    tmp_path: Path, whole: Path
) -> None:
    path, moments = tmp_path / "killed.db", random.Random(2)
    for jobs in (1, 1, 1, 2):
        before = finished(path)
        child = started(path, jobs, program=SWEPT)
        deadline = time.monotonic() + 60
        while len(finished(path)) <= len(before):
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.001)
        time.sleep(moments.random() * 0.05)
        kill(child)
        check_sound(path)
        assert finished(path) > before
    kept = finished(path)
    assert swept(str(path)) == len(WANTED - kept)
    assert contents(path) == contents(whole)


@pytest.mark.parametrize("links", ["simplex", "duplex"])
def test_rows_are_those_of_graphs_that_are_built_and_evaluated_one_by_one(
    tmp_path: Path, links: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, slow = tmp_path / "fast.db", tmp_path / "slow.db"
    sizes = [(n, d) for n in range(2, 101) for d in (2, 4, 8, 16)]
    sweep.fill_sizes(sizes, links, fast, jobs=1)
    asked: list[Base] = []

    def evaluate_alone(bases: list[Base]) -> list[tuple[Base, Pair]]:
        asked.extend(bases)
        symmetric = [bool(base_properties(base).reverse_symmetric) for base in bases]
        return list(zip(bases, map(evaluate_both, bases, symmetric), strict=True))

    monkeypatch.setattr(parallel, "evaluate_all", evaluate_alone)
    sweep.fill_sizes(sizes, links, slow, jobs=1)
    assert {base.name for base in asked} >= ({"C", "Pi"} if links == "simplex" else {"C"})
    assert contents(fast) == contents(slow)


def test_two_sweeps_into_one_file_at_once(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "shared.db"
    children = [started(path, 1, program=SWEPT) for _ in range(2)]
    for child in children:
        out, err = child.communicate(timeout=60)
        assert (child.returncode, out, err) == (0, "", "")
    check_sound(path)
    assert contents(path) == contents(whole)


def test_workers_change_nothing(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "workers.db"
    assert ran_alone(path, 3, program=SWEPT) == (0, "", "")
    assert contents(path) == contents(whole)


def test_workers_change_nothing_of_two_way_links(tmp_path: Path) -> None:
    alone, shared = tmp_path / "alone.db", tmp_path / "shared.db"
    swept(str(alone), links="duplex")
    swept(str(shared), jobs=2, links="duplex")
    assert contents(shared) == contents(alone)


def test_workers_go_on_where_a_sweep_was(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "begun.db"
    sweep.fill_sizes(SIZES[:100], "simplex", path, jobs=1)
    assert swept(str(path), jobs=2) == len(WANTED) - 100
    assert contents(path) == contents(whole)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sweep_whose_time_is_over_keeps_a_block_and_goes_on_later(
    tmp_path: Path, whole: Path, jobs: int
) -> None:
    path, told = tmp_path / "timed.db", list[tuple[int, int]]()
    more = {"jobs": jobs, "block": 7, "alone": 0, "block_work": 10_000}
    tell = lambda done, total: told.append((done, total))  # noqa: E731
    first = sweep.fill_sizes(SIZES, "simplex", path, seconds=0, progress=tell, **more)
    assert 0 < first < len(WANTED) / 2
    assert told == [(0, len(WANTED)), (first, len(WANTED))]
    assert sweep.fill_sizes(SIZES, "simplex", path, **more) == len(WANTED) - first
    assert contents(path) == contents(whole)


def test_it_is_told_how_many_sizes_the_time_left(tmp_path: Path) -> None:
    path, sizes = tmp_path / "a.db", [(n, 2) for n in range(3, 93)]
    done = sweep.sweep(sizes, db=path, jobs=1, time=1e-9)
    assert (done.searched, done.open, done.to_dict()["open"]) == (40, 50, 50)
    assert str(done) == f"40 sizes searched and stored in {path}; 50 are left, as the time was over"
    rest = sweep.sweep(sizes, db=path, jobs=1, time="5min")
    assert (rest.searched, rest.open, "open" in rest.to_dict()) == (50, 0, False)


def refuse_work(*arguments: object) -> None:
    raise AssertionError(arguments)


@pytest.mark.parametrize(("jobs", "more"), [(2, {}), (1, {"alone": 0})])
def test_no_worker_starts_for_a_small_sweep_or_for_one_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, more: dict[str, int]
) -> None:
    monkeypatch.setattr(sweep, "blocks_by_workers", refuse_work)
    sizes = [(n, 2) for n in range(3, 90)]
    assert sweep.fill_sizes(sizes, "simplex", tmp_path / "a.db", jobs=jobs, **more) == 87
    with pytest.raises(AssertionError):
        sweep.fill_sizes(sizes, "simplex", tmp_path / "b.db", jobs=2, alone=0)


def test_where_workers_have_other_families_one_process_does_it_all(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "alone.db"
    monkeypatch.setattr(sweep, "list_registers", lambda: ("another",))
    assert swept(str(path), jobs=2) == len(WANTED)
    assert contents(path) == contents(whole)
    said = "a worker has other families or expansions than this program, which goes on by itself"
    assert caplog.messages == [said]


def test_workers_leave_what_they_cannot_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "damaged.db"
    sweep.fill_sizes([(16, 4)], "simplex", path, jobs=1)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE candidates SET recipe = 'G' || recipe WHERE n = 16 AND d = 4")
    sizes = [(n, 4) for n in range(60, 66)]
    assert sweep.fill_sizes(sizes, "simplex", path, jobs=2, alone=0, block_work=1) == 6
    assert len(caplog.messages) == 1
    assert "n 16, d 4, simplex: " in caplog.messages[0]
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT DISTINCT substr(recipe, 1, 1) FROM candidates WHERE n = 16 AND d = 4"
        assert connection.execute(query).fetchall() == [("G",)]
    assert finished(path) >= set(sizes)


def test_sizes_in_any_order_and_number_change_nothing(tmp_path: Path, whole: Path) -> None:
    path, sizes = tmp_path / "pieces.db", SIZES[:]
    random.Random(1).shuffle(sizes)
    for start in range(0, len(sizes), 60):
        piece = [*sizes[start : start + 60], (72, 4)]
        sweep.fill_sizes(piece, "simplex", path, jobs=1)
    stored = set(contents(path))
    assert stored >= {row for row in contents(whole) if row[0] != "candidates"}
    assert finished(path) >= WANTED


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The sizes that are searched from here on."""
    seen: list[tuple[object, ...]] = []
    search: Callable[..., object] = Pools._search

    def record(pools: Pools, *size: object, **how: object) -> object:
        seen.append(size)
        return search(pools, *size, **how)

    monkeypatch.setattr(Pools, "_search", record)
    return seen


def test_finished_sizes_are_not_searched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "a.db", recorded(monkeypatch)
    assert sweep.fill_sizes([(n, 2) for n in range(2, 20)], "simplex", path, jobs=1) == 18
    seen.clear()
    before = path.read_bytes()
    assert sweep.fill_sizes([(n, 2) for n in range(2, 20)], "simplex", path, jobs=1) == 0
    assert seen == []
    assert path.read_bytes() == before
    assert sweep.fill_sizes([(n, 2) for n in range(2, 22)], "simplex", path, jobs=1) == 2
    assert {(n, d) for n, d, _ in seen if n > 2 and d > 1} == {(20, 2), (21, 2)}


def test_progress_counts_what_was_there_before(tmp_path: Path) -> None:
    path, told = tmp_path / "a.db", []
    sizes = [(n, 2) for n in range(3, 93)]
    sweep.fill_sizes(sizes[:10], "simplex", path, jobs=1)
    tell = lambda done, total: told.append((done, total))  # noqa: E731
    sweep.fill_sizes(sizes, "simplex", path, jobs=1, progress=tell)
    assert told == [(10, 90), (50, 90), (90, 90)]


def test_a_search_after_a_sweep_is_a_look_up(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = frontiers.search_size(48, 4)
    monkeypatch.setattr(frontiers, "_search_size", None)
    stored = frontiers.search_size(48, 4, db=whole)
    assert stored == alone
    assert stored.frontier.created is not None


def test_stored_candidates_come_back_as_they_were(whole: Path) -> None:
    with Store(whole) as store:
        for n, d in ((64, 4), (48, 3), (72, 2)):
            stored = StoredSizes(store).pool(n, d, frontiers.check_links("simplex"))
            assert stored == Pools().pool(n, d)


def test_a_new_engine_redoes_what_an_older_one_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    sizes = [(n, 2) for n in range(3, 30)]
    sweep.fill_sizes(sizes, "simplex", path, jobs=1)
    frontiers.search_size(30, 2, db=path)
    newer = candidate_rows.ENGINE + 1
    for module in (candidate_rows, stored_frontiers, sweep):
        monkeypatch.setattr(module, "ENGINE", newer)
    assert sweep.fill_sizes(sizes, "simplex", path, jobs=1) == len(sizes)
    seen = recorded(monkeypatch)
    assert frontiers.search_size(30, 2, db=path).frontier.engine == candidate_rows.ENGINE
    assert (30, 2, "simplex") in seen
    with Store(path) as store:
        assert store.finished_sizes("simplex", candidate_rows.ENGINE) >= {*sizes, (30, 2)}
    check_sound(path)


@pytest.mark.parametrize(
    ("sizes", "links", "jobs", "line"),
    [
        ([(1, 1)], "simplex", 1, "n: a fabric has 2 to 1048576 hosts, not 1"),
        ([(4, 0)], "simplex", 1, "d: a host has 1 to 63 ports, not 0"),
        ([(4, 1)], "duplex", 1, "d: one two-way circuit a host is a matching, which connects no 4"),
        ([(4, 2)], "both", 1, "links: simplex or duplex, not 'both'"),
        ([(4, 2)], "simplex", 0, "jobs: 1 to 1024 workers, or -1 for all cores, not 0"),
    ],
)
def test_refusals(
    tmp_path: Path, sizes: list[tuple[int, int]], links: str, jobs: int, line: str
) -> None:
    with pytest.raises(InvalidInput) as error:
        sweep.fill_sizes(sizes, links, tmp_path / "a.db", jobs=jobs)
    assert str(error.value) == line
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_do(tmp_path: Path) -> None:
    assert sweep.fill_sizes([], "simplex", tmp_path / "a.db", jobs=1) == 0
