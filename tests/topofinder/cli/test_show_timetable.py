"""`topofinder show` of timetable files: what it prints, its JSON, and rows of the database."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from db.store import Store
from db.timetable_rows import TimetableRow
from generators.formats.archive import archive_content
from tests.command import ran
from tests.db.stored import stored_rows
from tests.known_timetables import compact_ring, ring_timetable, star_timetable
from tests.memory import measured
from topofinder.api.timetable_records import describe_timetable, timetable_row
from topofinder.model.timetable import Timetable
from topofinder.model.timetable_files import TIMETABLE_FILES, timetable_digest, write_timetable
from topofinder.simulation.timetable_use import busy_shares


def test_lines_of_a_timetable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, saved = tmp_path / "t.npz", ring_timetable(4)
    write_timetable(saved, path)
    assert ran(capsys, "show", path).out.splitlines() == [
        "allgather on UniRing(1,4) by rounds: 6.0 us, bound 3.0 us, gap 100 %",
        "  3.906 KiB in all, alpha 1.0 us, links of 8 Gbps, pipelined",
        "  4 chunks of 1000 B, 12 sends",
        "  links busy 50 %; over 20 equal spans of time: "
        "100 100 100 33 0 0 33 100 100 100 0 0 0 67 100 100 67 0 0 0 %",
        f"  content {timetable_digest(saved)}",
    ]


def test_lines_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for saved, lines in (
        (compact_ring(4), ["allgather on UniRing(1,4)", "4 chunks of 1000 B, 12 sends (the 3 of"]),
        (star_timetable(), ["by an unknown method: 5.0 us", "6 sends over 6 routes"]),
        (ring_timetable(4, "broadcast", root=2, bound=Fraction(6, 10**6), damage="--degrade 1"),
         ["broadcast, root 2, on UniRing(1,4) --degrade 1 by rounds: 6.0 us, which nothing"]),
    ):  # fmt: skip
        write_timetable(saved, tmp_path / "t.json")
        told = ran(capsys, "show", tmp_path / "t.json").out
        assert all(line in told for line in lines), told


def test_fields_of_a_timetable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, saved = tmp_path / "t.npz", star_timetable(bound=Fraction(4, 10**6))
    write_timetable(saved, path)
    assert json.loads(ran(capsys, "show", path, "--json").out) == {
        "recipe": None,
        "damage": None,
        "collective": "allgather",
        "root": None,
        "method": None,
        "model": "pipelined",
        "n": 3,
        "nodes": 4,
        "chunks": 3,
        "chunk_bytes": "1000",
        "sends": 6,
        "stored_sends": 6,
        "routes": 6,
        "alpha": "1/1000000",
        "rate": "1000000000",
        "size": "3000",
        "tick": "1/1000000",
        "makespan": 5,
        "runtime": 5e-6,
        "runtime_exact": "1/200000",
        "bound_seconds": 4e-6,
        "bound_exact": "1/250000",
        "gap": 0.25,
        "optimal": False,
        "utilisation": 0.4,
        "utilisation_over_time": [float(share) for share in busy_shares(saved)],
        "seed": None,
        "digest": timetable_digest(saved),
        "file": str(path),
    }
    assert len(busy_shares(saved)) == 20


def test_options_that_are_for_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_timetable(ring_timetable(3), tmp_path / "t.npz")
    for words, line in (
        (("--with-baselines",), "--with-baselines is for recipes, not for schedule files"),
        (("--alpha", "1us", "--size", "1MiB", "--bandwidth", "1Gbps"), "--alpha, --size and --"),
    ):
        ended = ran(capsys, "show", tmp_path / "t.npz", *words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"topofinder: {line}")


@pytest.mark.parametrize("saved", [ring_timetable(4), compact_ring(5), star_timetable()])
def test_rows_tell_what_the_record_tells(saved: Timetable, tmp_path: Path) -> None:
    row, told = timetable_row(saved, tmp_path / "t.npz"), describe_timetable(saved, "x")
    with Store(":memory:") as store:
        store.save_timetable(row)
        assert stored_rows(store, "timetables", TimetableRow) == [row]
    for name in ("collective", "hosts", "chunks", "sends", "size", "alpha", "rate", "bound"):
        assert getattr(row, name) == getattr(told, name)
    assert (row.seconds, row.content, row.n) == (told.time, told.digest, told.nodes)
    assert row.method == (saved.method or "timed")


def test_a_made_one_tells_where_it_was_written() -> None:
    told = describe_timetable(replace(ring_timetable(3), bound=None), "x", seconds=0.25, file="t")
    assert told.making == 0.25
    assert told.gap is None


def test_hostile_files_take_little_memory(tmp_path: Path) -> None:
    """4 million sends in 60 kB: looked at, refused in one line, within 300 MB; more by a count."""
    header, arrays = TIMETABLE_FILES.parts(ring_timetable(3))
    count = 4_190_000
    zeros = dict.fromkeys(("chunk", "channel", "begin"), np.zeros(count, dtype=np.int64))
    header |= {"sends": count, "all_sends": count}
    (tmp_path / "t.npz").write_bytes(archive_content(header, arrays | zeros))
    ended = measured("show", "t.npz", folder=tmp_path)
    assert ended.code == 2
    assert ended.err.startswith("topofinder: t.npz: makespan: the file says 4, but what it holds")
    assert "\n" not in ended.err
    assert ended.memory < 300e6
