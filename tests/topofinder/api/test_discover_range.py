"""Searches of many sizes: who gets the time, resuming, other workers, and the status page."""

import json
import pickle
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from db.discovery_rows import WorkUnitRow
from db.store import Store
from generators.errors import InvalidInput
from tests.command import ran
from topofinder.api.discover_range import discover_range
from topofinder.api.discover_status import deadline_place, recent_rates
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.rounds import WorkUnit

SIZES = [(12, 2), (16, 4), (61, 4)]


def stored(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        legs = "SELECT n, d, links, both, seed, place, judged FROM discovery_legs"
        finds = "SELECT recipe, n, d, steps, bandwidth_num, bandwidth_den, trials FROM finds"
        return [*connection.execute(legs), *sorted(connection.execute(finds))]


def test_the_same_is_stored_whatever_the_jobs_and_nothing_is_judged_again(tmp_path: Path) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    told = [
        discover_range(SIZES, trials=30_000, jobs=jobs, db=db, kind="cayley")
        for jobs, db in ((1, one), (2, two))
    ]
    assert str(told[0]) == str(told[1])
    assert stored(one) == stored(two)
    first = told[0].record
    assert {(size.n, size.d) for size in first.sizes} == set(SIZES)
    more = discover_range(SIZES, trials=30_000, db=one, kind="cayley").record
    legs = {row for row in stored(two) if len(row) == 7 and isinstance(row[5], str)}
    assert legs < set(stored(one))
    assert more.judged > first.judged


def test_units_of_work_find_the_same_in_another_process() -> None:
    goal = SearchGoal(n=16, d=3)
    unit = WorkUnit(goal=goal, group="Z16", targets=(3, 4), trials=200, seed=1, turn=0)
    assert pickle.loads(pickle.dumps(unit)).run() == unit.run()


def test_the_status_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    db, stamp = tmp_path / "a.db", "2026-01-01T00:00:{:02}Z"
    with Store(db) as store:
        store.save_finds(
            [],
            [
                _leg("0 Z12", 300),
                _leg("0 D6", 500),
                _leg("lifts 0.0", 500),
                _leg("random 0.1", 100),
                _leg(deadline_place(3601), 0),
            ],
        )
    with closing(sqlite3.connect(db)) as connection:
        for second, place in (
            (0, "0 Z12"),
            (10, "0 D6"),
            (10, "lifts%"),
            (10, "random%"),
            (10, "until%"),
        ):
            connection.execute(
                "UPDATE discovery_legs SET created = ? WHERE place LIKE ?",
                (stamp.format(second), place),
            )
        connection.commit()
    assert ran(capsys, "discover", "--status", "--db", db) == (
        0,
        "1 sizes: 1,400 graphs judged, 110 a second, 1 h 0 min left\n\n"
        "N   d  links    cayley  lifts  grafts  per second  bound        best\n"
        "--  -  -------  ------  -----  ------  ----------  -----------  -----------\n"
        "12  2  simplex     800    500     100         110  (3, 0.9167)  nothing yet\n",
        "",
    )
    _, out, _ = ran(capsys, "discover", "--status", "--n", "12", "--d", 2, "--json", "--db", db)
    found = json.loads(out)
    assert (found["judged"], found["rate"], found["sizes"][0]["n"]) == (1400, 110, 12)
    kinds = {"cayley": 800, "lifts": 500, "grafts": 100}
    assert found["sizes"][0]["judged_by_kind"] == kinds
    told = f"topofinder: database '{db}': no discovery is stored of these sizes\n"
    asked = ("discover", "--status", "--n", "13", "--d", 2, "--db", db)
    assert ran(capsys, *asked) == (2, "", told)


def _leg(place: str, judged: int) -> WorkUnitRow:
    return WorkUnitRow(n=12, d=2, links="simplex", both=False, seed=0, place=place, judged=judged)


def test_the_rate_is_that_of_the_last_minutes() -> None:
    last = datetime(2026, 1, 1, tzinfo=UTC)
    legs = [
        (_leg(str(minutes), judged), last - timedelta(minutes=minutes))
        for minutes, judged in ((60, 10**9), (9, 5), (4, 540), (0, 540))
    ]
    assert recent_rates(legs) == {(12, 2, "simplex", False, 0): 2}
    assert recent_rates(legs[:1]) == recent_rates([]) == {}


def test_what_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^sizes: one or more are needed$"):
        discover_range([])
    for words, told in (
        (("--d", 2), "--n: needed, unless --status is asked for"),
        (("--n", "8:9", "--d", 2, "--group", "Z8"), "--group: 'Z8' is of one size, not of 2"),
    ):
        asked = ("discover", *words, "--db", tmp_path / "a.db")
        assert ran(capsys, *asked) == (2, "", f"topofinder: {told}\n")
