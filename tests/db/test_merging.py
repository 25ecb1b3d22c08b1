"""Merges: what is new comes over, what contradicts is told and changes nothing."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.discovery_rows import FindRow
from db.merging import MergeCounts, merge
from db.offered import Checks
from db.rows import SizeRow
from db.store import Store
from db.throughput_rows import ThroughputRow
from generators.errors import InvalidInput
from reports.merge import merge_text
from tests.command import ran
from tests.db.sizes import contents, size
from topofinder.api.merge import export_database
from topofinder.api.sweep import fill_sizes
from topofinder.api.throughput import throughput


def rate(lower: str, upper: str, **changes: object) -> ThroughputRow:
    values: dict[str, object] = {
        "recipe": "Pi(2,8)*1",
        "demand": "uniform",
        "topology": "0" * 64,
        "n": 8,
        "d": 2,
        "method": "test",
        "seconds": 0.0,
    }
    return ThroughputRow(lower=Fraction(lower), upper=Fraction(upper), **values | changes)


def find(steps: int = 2) -> FindRow:
    return FindRow(
        recipe="Cay(Z3;1,1)", base="Cay(Z3;1,1)", links="simplex", n=3, d=2, steps=steps, seed=0,
        bandwidth=Fraction(2, 3), rs_bandwidth=Fraction(2, 3), trials=1,
    )  # fmt: skip


def test_what_was_checked_in_time_is_merged_and_the_rest_by_another_merge(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as source, Store(tmp_path / "b.db") as target:
        source.save_or_keep(size(n, 4) for n in (8, 9, 10))
        source.save_throughput(rate("1/4", "1/3"))
        source.save_finds([find()])
        looks = iter([False, False, True, True, True])
        told = merge(source, target, is_over=lambda: next(looks))
        assert told == MergeCounts(added=2, left=3)
        assert "\nleft: 3 sizes and rows, for want of time" in merge_text(told)
        assert merge(source, target) == MergeCounts(added=1, same=2, throughputs=1, finds=1)


def test_what_is_new_is_added_and_nothing_is_written_twice(tmp_path: Path) -> None:
    a, b = tmp_path / "a.db", tmp_path / "b.db"
    with Store(a) as source, Store(b) as target:
        source.save_or_keep(size(n, d) for n in (8, 9, 10) for d in (2, 4))
        source.save_throughput(rate("1/4", "1/3"))
        source.save_finds([find()])
        source.save_reversal("0" * 64, "Pi(2,8)*1", [1, 0])
        target.save_or_keep([size(9, 2), size(64, 2)])
        assert merge(source, target) == MergeCounts(
            added=5, same=1, throughputs=1, finds=1, reversals=1
        )
        assert len(target.frontiers()) == 7
        for n in (8, 9, 10):
            assert target.frontier(n, 4, "duplex") == source.frontier(n, 4, "duplex")
            assert target.pool(n, 4, "duplex") == source.pool(n, 4, "duplex")
        assert target.throughputs() == source.throughputs()
        assert target.finds() == source.finds()
        assert target.reversal("0" * 64) == [1, 0]
    before = list(contents(b))
    with Store(a) as source, Store(b) as target:
        assert merge(source, target) == MergeCounts(same=6)
    assert list(contents(b)) == before


def test_unequal_results_are_told_and_stay() -> None:
    with Store(":memory:") as source, Store(":memory:") as target:
        theirs = [size(n, 2) for n in range(2, 300)]
        source.save_or_keep([*theirs, size(400, 2, bound_steps=3)])
        source.save_or_keep([size(500, 2, count=2), size(600, 2)])
        ours = size(77, 2)
        members = (replace(ours.frontier.members[0], steps=99), *ours.frontier.members[1:])
        ours = replace(ours, frontier=replace(ours.frontier, members=members), pool=members)
        target.save_or_keep([ours, size(400, 2), size(500, 2, count=3), size(600, 2)])
        told = merge(source, target)
        assert (told.added, told.same, told.replaced, told.older) == (297, 1, 0, 0)
        assert told.conflicts == [
            "Pi(2,77)*1 by bfb at n 77, d 2, duplex: steps is stored as 99, offered as 3",
            "n 400, d 2, duplex is stored with another bound_steps",
            "n 500, d 2, duplex is stored with another members",
        ]
        assert target.frontier(77, 2, "duplex") == ours.frontier
        assert target.pool(500, 2, "duplex") == size(500, 2).pool


def test_the_newer_engine_wins() -> None:
    with Store(":memory:") as source, Store(":memory:") as target:
        source.save_or_keep([size(8, 2, engine=2), size(9, 2, engine=1)])
        target.save_or_keep([size(8, 2, engine=1, count=2), size(9, 2, engine=3)])
        assert merge(source, target) == MergeCounts(replaced=1, older=1)
        assert [row.engine for row in target.frontiers()] == [2, 3]


def test_throughputs_narrow_or_contradict() -> None:
    with Store(":memory:") as source, Store(":memory:") as target:
        source.save_throughput(rate("1/4", "1/3"))
        target.save_throughput(rate("1/5", "2/7"))
        assert merge(source, target).throughputs == 1
        (row,) = target.throughputs()
        assert (row.lower, row.upper) == (Fraction(1, 4), Fraction(2, 7))
        assert merge(source, target) == MergeCounts()
    for stored in (rate("1/2", "2/3"), rate("1/4", "1/3", topology="1" * 64)):
        with Store(":memory:") as source, Store(":memory:") as target:
            source.save_throughput(rate("1/4", "1/3"))
            target.save_throughput(stored)
            told = merge(source, target)
            assert (len(told.conflicts), told.throughputs) == (1, 0)
            assert target.throughputs() == [stored]


def test_finds_contradict() -> None:
    with Store(":memory:") as source, Store(":memory:") as target:
        source.save_finds([find(2)])
        target.save_finds([find(1)])
        told = merge(source, target)
        assert told == MergeCounts(conflicts=["find Cay(Z3;1,1), simplex: another cost is stored"])
        assert target.finds() == [find(1)]


def test_a_damaged_row_is_left_out_and_told(tmp_path: Path) -> None:
    a = tmp_path / "a.db"
    with Store(a) as source, Store(":memory:") as target:
        source.save_or_keep([size(8), size(9)])
        source.save_throughput(rate("1/4", "1/3"))
        source.connection.execute("UPDATE candidates SET bandwidth_num = 'x' WHERE n = 9")
        source.connection.execute("UPDATE throughputs SET d = 'x'")
        told = merge(source, target)
        assert (told.added, len(told.refused)) == (1, 2)
        assert told.refused[0].startswith("n 9, d 2, duplex: bandwidth is stored as 'x'/")
        assert told.refused[1].startswith("throughput of Pi(2,8)*1 for uniform: d must be an int")
        assert [row.n for row in target.frontiers()] == [8]
        assert {row.n for row in target.candidates()} == {8}
        assert target.throughputs() == []


def test_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b, c = (tmp_path / name for name in ("a.db", "b.db", "c.db"))
    fill_sizes([(n, d) for n in (8, 9, 10) for d in (2, 4)], "simplex", a, jobs=1)
    with Store(a) as source:
        source.save_throughput(throughput("Pi(2,8)").row())
        whole = len(source.frontiers())
    told = ran(capsys, "export-db", "--db", a, "-o", b, "--n", "8:9", "--d", "2")
    assert told == (0, "", f"2 sizes written to {b}\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.db", "b.db"]
    again = ran(capsys, "export-db", "--db", a, "-o", b)
    assert again.code == 2
    assert again.err == f"topofinder: {b}: is there already; topofinder merge adds to a database\n"
    told = ran(capsys, "merge", b, "--into", c)
    assert told == (0, "sizes: 2 added, 0 the same\nadded or narrowed: throughputs 1\n", "")
    assert ran(capsys, "merge", b, "--into", c, "--quiet") == (0, "", "")
    with Store(c) as target:
        assert [(row.n, row.d) for row in target.frontiers()] == [(8, 2), (9, 2)]
        recipe = target.frontier(8, 2, "simplex").members[0].recipe
        target.connection.execute("UPDATE candidates SET steps = 9 WHERE n = 8")
    told = ran(capsys, "merge", a, "--into", c)
    conflict = f"{recipe} by synthesis at n 8, d 2, simplex: steps is stored as 9, offered as 3"
    assert told == (1, f"sizes: {whole - 2} added, 1 the same\nconflict: {conflict}\n", "")
    assert f'"{conflict}"' in ran(capsys, "merge", a, "--into", c, "--json").out


def test_refusals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, none = tmp_path / "a.db", tmp_path / "none.db"
    with Store(a):
        pass
    told = ran(capsys, "merge", a, "--into", a)
    assert told.err == f"topofinder: --into: {a} is the database that is to be merged\n"
    assert ran(capsys, "merge", none, "--into", a).err.endswith("does not exist\n")
    assert ran(capsys, "export-db", "--db", none, "-o", tmp_path / "b.db").code == 2
    told = ran(capsys, "export-db", "--db", a, "-o", tmp_path / "no" / "b.db")
    assert told.err == f"topofinder: {tmp_path}/no/b.db: there is no folder {tmp_path}/no\n"
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]


def test_an_export_that_fails_leaves_nothing(tmp_path: Path) -> None:
    a = tmp_path / "a.db"
    with Store(a) as source:
        source.save_or_keep([size()])
        source.connection.execute("DELETE FROM frontier_members")
    with pytest.raises(InvalidInput, match="has 0 of its 3 members"):
        export_database(a, tmp_path / "b.db")
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]


def test_a_file_of_wrong_identities_is_refused_before_sizes_are_checked() -> None:
    def check(row: SizeRow) -> None:
        raise AssertionError("the last candidates are looked at before the first size is")

    with Store(":memory:") as source, Store(":memory:") as target:
        source.save_or_keep(size(n, 2) for n in range(8, 90))
        source.connection.execute("PRAGMA foreign_keys = OFF")
        source.connection.execute("UPDATE candidates SET id = 'x' || id WHERE n > 20")
        with pytest.raises(InvalidInput, match="more than 200 wrong rows, such as candidate"):
            merge(source, target, checks=Checks(size=check))


def test_progress_counts_the_sizes_that_are_checked() -> None:
    told: list[tuple[int, int]] = []
    with Store(":memory:") as source, Store(":memory:") as target:
        source.save_or_keep(size(n, 2) for n in (8, 9, 10))
        merge(source, target, tell=lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (1, 3), (2, 3)]
