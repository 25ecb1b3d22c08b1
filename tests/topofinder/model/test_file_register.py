"""The register of file kinds: each is recognised, read and written, and others may enter."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from expansions.schedule_files.files import SCHEDULE_FILES
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.certificates import tree_certificate
from tests.fabrics import fabric_for
from tests.known_forests import ring_forest
from tests.known_timetables import ring_timetable
from tests.saved import SAVED
from topofinder.lowering.lower import lower, rank_programs
from topofinder.model.certificate_files import CERTIFICATE_FILES
from topofinder.model.file_register import (
    FILE_KINDS,
    FileKind,
    declared_kind,
    kind_of_content,
    recognise_file,
    register_file_kind,
)
from topofinder.model.forest_files import FOREST_FILES
from topofinder.model.inventory.document import inventory_for
from topofinder.model.inventory.wiring import Circuit, Stage, Wiring
from topofinder.model.plan import Bound, Plan
from topofinder.model.program import ProgramSet
from topofinder.model.timetable_files import TIMETABLE_FILES

PAIR = jump_graph(2, [1])
PORTS = fabric_for(hosts=2, ports=1)


def pair_plan() -> Plan:
    """Two hosts that are connected by one circuit, in one stage."""
    return Plan(
        fabric=PORTS,
        before=Wiring(to=np.array([-1, -1])),
        subject="K(2)",
        recipe="K(2)",
        topology=PAIR,
        duplex=True,
        host=(0, 1),
        stages=(Stage(frees=(), connects=(Circuit(0, 1, True),), seconds=Fraction(120), parts=1),),
        kept=0,
        missing=(),
        missing_proved=True,
        bound=Bound(moves=1, name="circuits"),
        placement_missing=0,
        placement_moves=1,
        found="by hand",
        seed=0,
        keep_connected=False,
        seconds=0.0,
    )


RING = lower(SAVED)
HELD: dict[str, Any] = {
    "topology": PAIR,
    "schedule": SAVED,
    "forest": ring_forest(3),
    "timetable": ring_timetable(3),
    "programs": ProgramSet(RING, tuple(rank_programs(RING)), RING.digest),
    "certificate": tree_certificate(PAIR),
    "plan": pair_plan(),
    "inventory": inventory_for(hosts=2, ports=2),
}


@pytest.mark.parametrize("name", [name for name, kind in FILE_KINDS.items() if kind.write])
def test_every_kind_is_written_recognised_and_read(name: str, tmp_path: Path) -> None:
    kind, content = FILE_KINDS[name], HELD[name]
    assert kind_of_content(content) is kind
    for suffix in kind.suffixes:
        path, again = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
        kind.write(content, path)
        assert recognise_file(path) is kind
        held = kind.read(path, *([PORTS] if kind.names_ports else []))
        if kind_of_content(held) is kind:
            kind.write(held, again)
            assert again.read_bytes() == path.read_bytes()


def test_formats_are_those_that_are_written() -> None:
    """The register imports none of the modules that read and write."""
    for name, files in (
        ("schedule", SCHEDULE_FILES),
        ("forest", FOREST_FILES),
        ("timetable", TIMETABLE_FILES),
        ("certificate", CERTIFICATE_FILES),
    ):
        assert FILE_KINDS[name].formats == (files.format,)


def test_kinds_by_suffix_alone() -> None:
    known = {"a.db": "database", "a.csv": "table", "a.GV": "drawing", "a.txt": "topology"}
    assert {path: recognise_file(path).name for path in known} == known
    assert recognise_file("a") is None
    assert recognise_file("missing.json") is None
    assert kind_of_content("text") is None


def test_kinds_by_the_fields_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text, name in (
        ('{"jobs": []}', "jobs"),
        ('{"nodes": []}', "topology"),
        ('{"by": 1, "format": "topofinder-plan"}', "plan"),
    ):
        path.write_text(text)
        assert recognise_file(path).name == name
    path.write_text('{"format": "topofinder-other", "nodes": []}')
    assert recognise_file(path) is None
    assert declared_kind(path) is None


@pytest.fixture
def kinds() -> Iterator[None]:
    before = set(FILE_KINDS)
    yield
    for name in set(FILE_KINDS) - before:
        del FILE_KINDS[name]


def timetable(**changes: Any) -> FileKind:
    fields = {"name": "toy", "noun": "a toy", "taken_by": "no command", "suffixes": (".toy",)}
    return FileKind(**(fields | changes))


@pytest.mark.usefixtures("kinds")
def test_another_kind_may_enter(tmp_path: Path) -> None:
    kind = register_file_kind(timetable(suffixes=(".toy", ".json"), formats=("acme-toy",)))
    assert recognise_file("a.toy") is kind
    (tmp_path / "a.json").write_text('{"format": "acme-toy"}')
    assert recognise_file(tmp_path / "a.json") is declared_kind(tmp_path / "a.json") is kind


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "forest"}, "file kind 'forest' is registered already"),
        ({"suffixes": (".csv",)}, r"file kind 'toy': \.csv is a table"),
        ({"formats": ("topofinder-plan",)}, "file kind 'toy': topofinder-plan is a plan"),
    ],
)
@pytest.mark.usefixtures("kinds")
def test_names_suffixes_and_formats_are_taken_once(changes: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        register_file_kind(timetable(**changes))


def test_what_is_held_is_found_by_its_class() -> None:
    class Ring(Topology):
        pass

    assert kind_of_content(Ring(n=2, tail=PAIR.tail, head=PAIR.head)).name == "topology"
