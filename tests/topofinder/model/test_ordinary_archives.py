"""Limits of ordinary archives: one above is refused in a line that names what lifts it."""

import logging
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from expansions.automorphisms import automorphisms_of
from expansions.compact_schedule import CompactSchedule
from expansions.schedule import Schedule
from expansions.schedule_files import header
from expansions.schedule_files.files import SCHEDULE_FILES
from expansions.schedule_files.graph import require_ordinary_graph
from expansions.schedule_files.saved import SavedSchedule
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.formats.container import Container
from generators.topology import Topology
from tests.certificates import tree_certificate
from tests.known_forests import ring_forest
from tests.known_timetables import ring_timetable
from topofinder.api.load_save import load, save
from topofinder.model.certificate_files import CERTIFICATE_FILES
from topofinder.model.file_register import FILE_KINDS
from topofinder.model.forest_files import FOREST_FILES
from topofinder.model.timetable_digest import require_ordinary
from topofinder.model.timetable_files import (
    TIMETABLE_FILES,
    canonical_timetable,
)

RING = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)], capacity=(1, 2, Fraction(1, 7)))
ROWS = Schedule(source=[1, 0], arc=[1, 0], step=[1, 1], begin=[0, 0], end=[1, 1])
SCHEDULE = SavedSchedule(topology=RING, schedule=ROWS)
KINDS = [
    (SCHEDULE_FILES, SCHEDULE),
    (TIMETABLE_FILES, ring_timetable(3)),
    (FOREST_FILES, ring_forest(3)),
    (CERTIFICATE_FILES, tree_certificate(Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)]))),
]


def values_of(kind: Container[Any], content: Any) -> int:
    said, arrays = kind.parts(content)
    return kind.values(said, {name: len(array) for name, array in arrays.items()})


@pytest.mark.parametrize(("kind", "content"), KINDS)
def test_values_of_an_archive(
    kind: Container[Any], content: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, count = tmp_path / "a.npz", values_of(kind, content)
    enough, few = replace(kind, most_values=count), replace(kind, most_values=count - 1)
    with caplog.at_level(logging.WARNING):
        enough.write(content, path)
        assert not caplog.messages
        few.write(content, path)
    lifts = f"values: {count}, more than {count - 1}; --large, in Python large=True, lifts that"
    assert caplog.messages == [f"{path}: written, but to be read only so: {lifts}"]
    assert kind.text(enough.read(path)) == kind.text(content)
    assert kind.text(few.read(path, large=True)) == kind.text(content)
    with pytest.raises(InvalidInput) as refused:
        few.read(path)
    assert str(refused.value) == f"{path}: {lifts}"


@pytest.mark.parametrize(("kind", "content"), KINDS)
def test_large_files_are_loaded_where_they_are_asked_for(
    kind: Container[Any], content: Any, tmp_path: Path
) -> None:
    path = save(content, tmp_path / "a.npz")
    for loaded in (load(path), load(path, large=True)):
        assert kind.text(loaded) == kind.text(content)


def test_what_is_counted_as_values() -> None:
    assert values_of(SCHEDULE_FILES, SCHEDULE) == 2 * 5 + 3 * 3 + 3 * 256 + 3 * 3
    ring = jump_graph(4, [1, 2])
    rows = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
    compact = SavedSchedule(topology=ring, schedule=CompactSchedule(rows, automorphisms_of(ring)))
    words = compact.schedule.translations  # type: ignore[union-attr]
    arrays = 5 + 2 * 8 + words.images.size + 2 * 4
    assert values_of(SCHEDULE_FILES, compact) == arrays + 8 * len(words.images)


def test_rows_of_an_ordinary_schedule_are_in_order() -> None:
    header.require_ordinary(SCHEDULE, most_unsorted=2)
    with pytest.raises(InvalidInput, match="rows: more than 1 that are not in order; --large"):
        header.require_ordinary(SCHEDULE, most_unsorted=1)
    order = {name: getattr(ROWS, name)[::-1] for name in ("source", "arc", "step", "begin", "end")}
    header.require_ordinary(replace(SCHEDULE, schedule=Schedule(**order)), most_unsorted=1)


def test_sends_of_an_ordinary_timetable_are_in_order() -> None:
    table = canonical_timetable(ring_timetable(3))
    require_ordinary(table, most_unsorted=1)
    turned = {name: getattr(table, name)[::-1] for name in ("chunk", "channel", "begin")}
    require_ordinary(replace(table, **turned), most_unsorted=table.sends)
    with pytest.raises(InvalidInput, match="sends: more than 1 that are not in order; --large"):
        require_ordinary(replace(table, **turned), most_unsorted=1)


def test_loads_of_an_ordinary_schedule() -> None:
    header.require_ordinary(SCHEDULE, most_loads=3)
    with pytest.raises(InvalidInput, match="steps: 1 times 3 different capacities, more than 2"):
        header.require_ordinary(SCHEDULE, most_loads=2)


def test_symmetry_of_an_ordinary_schedule() -> None:
    ring = jump_graph(4, [1])
    rows = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
    plain = SavedSchedule(topology=ring, schedule=CompactSchedule(rows, automorphisms_of(ring)))
    header.require_ordinary(plain, most_summed=0)
    unequal = replace(plain, topology=replace(ring, capacity=(1, 2, 1, 2), translation=None))
    header.require_ordinary(unequal, most_summed=4)
    with pytest.raises(InvalidInput, match="rows: 4 to be added up, more than 3; --large"):
        header.require_ordinary(unequal, most_summed=3)
    depth = len(plain.schedule.translations.levels)  # type: ignore[union-attr]
    header.require_ordinary(plain, most_levels=depth)
    with pytest.raises(InvalidInput, match=f"parent: paths of more than {depth - 1} nodes"):
        header.require_ordinary(plain, most_levels=depth - 1)


def test_digits_of_an_ordinary_graph() -> None:
    require_ordinary_graph(RING, most_digits=5)
    with pytest.raises(InvalidInput, match="capacity: 5 characters for all arcs, more than 4"):
        require_ordinary_graph(RING, most_digits=4)


def test_every_kind_of_file_that_is_read_has_a_stated_limit() -> None:
    for kind in FILE_KINDS.values():
        assert kind.limit or kind.taken_by == "no command", kind.name
    large = {kind.name for kind in FILE_KINDS.values() if kind.large}
    archives = {"schedule", "forest", "timetable", "rounds", "certificate", "database"}
    assert large == archives | {"programs"}


def test_a_long_text_is_hashed_as_json_writes_it() -> None:
    from hashlib import sha256
    from json import dumps

    from generators.formats.container import content_hash

    for described in (
        {},
        {"b": list(range(10_000)), "a": None, "c": ["x"] * 4096, "d": ["\u20ac"] * 4097},
        {"one": {"b": 1, "a": [1, 2]}},
    ):
        wanted = sha256(dumps(described, sort_keys=True).encode("ascii")).hexdigest()
        assert content_hash(described, []) == wanted
