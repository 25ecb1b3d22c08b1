"""Compact schedules in files: round trips, damage, bounds, and the page that describes them."""

import hashlib
import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from expansions.automorphisms import automorphisms_of
from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.schedule_files import header
from expansions.schedule_files.digest import COMPACT_VERSION
from expansions.schedule_files.files import SCHEDULE_FILES, most_rows, read_schedule, write_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.formats.archive import read_archive
from tests.saved import members, packed
from tests.schedules import breadth_first, from_rows, rows_of

PAGE = (Path(__file__).parents[3] / "docs" / "schedule-files.md").read_text(encoding="utf-8")
GRAPHS = [
    (name, arguments)
    for name, family in FAMILIES.items()
    for arguments in family.samples[:2]
    if family.properties(*arguments).n <= 30 and family.build(*arguments).translation is not None
]


def saved(topology, collective: str = "allgather", recipe: str | None = None) -> SavedSchedule:
    rows = list(zip(*columns(breadth_first(topology, pieces=2)), strict=True))
    origin = from_rows([row for row in rows if row[0] == 0], 2, collective=collective)
    schedule = CompactSchedule(origin, automorphisms_of(topology))
    return SavedSchedule(topology=topology, schedule=schedule, recipe=recipe, method="bfb")


def columns(schedule):
    return [getattr(schedule, name).tolist() for name in ("source", "arc", "step", "begin", "end")]


RING = saved(jump_graph(4, [1, 2]))


@pytest.mark.parametrize(("name", "arguments"), GRAPHS)
def test_round_trips(name: str, arguments: tuple) -> None:
    told = saved(FAMILIES[name].build(*arguments))
    content, document = SCHEDULE_FILES.archive(told), SCHEDULE_FILES.text(told)
    # What is asked of large ones holds of all.
    read_archive(content, SCHEDULE_FILES.lengths, SCHEDULE_FILES.ranges, free=0)
    for found in (
        SCHEDULE_FILES.decode("x.npz", content),
        SCHEDULE_FILES.decode("x.json", document.encode()),
    ):
        assert isinstance(found.schedule, CompactSchedule)
        assert found.topology.same_wiring(told.topology)
        assert found.schedule.rows == told.topology.n * told.stored_rows
        assert (found.cost, found.digest, found.method) == (told.cost, told.digest, "bfb")
        assert rows_of(found.schedule.expand(found.topology)) == rows_of(
            told.schedule.expand(told.topology)
        )
        assert SCHEDULE_FILES.archive(found) == content
        assert SCHEDULE_FILES.text(found) == document


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_files_are_written_and_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    write_schedule(RING, path)
    assert read_schedule(path).digest == RING.digest
    assert most_rows(path) == {".npz": 1 << 26, ".json": 1 << 20}[suffix]


def test_hashes_see_the_symmetry_and_the_form() -> None:
    graph = RING.topology
    schedule = RING.schedule
    words = schedule.translations
    longer = type(words)(
        images=np.vstack([words.images, words.images[:1]]), parent=words.parent, by=words.by
    )
    scatter = saved(graph, "reduce-scatter").schedule
    kinds = [schedule, CompactSchedule(schedule.origin, longer), scatter, schedule.expand(graph)]
    assert len({SavedSchedule(topology=graph, schedule=one).digest for one in kinds}) == 4
    assert RING.digest.startswith("42857ecdf119894a")


def document() -> dict:
    return json.loads(SCHEDULE_FILES.text(RING))


FIELDS = [
    ({"version": 1}, "table: |members: |step: "),
    ({"generators": 2}, "images: "),
    ({"generators": -1}, r"generators: an integer in 0\.\."),
    ({"generators": 1 << 40}, r"generators: an integer in 0\.\."),
    ({"generators": True}, "generators: an integer in"),
    ({"generators": None}, "generators: an integer in"),
    ({"stored_rows": 1 << 40}, r"stored_rows: an integer in 0\.\."),
    ({"stored_rows": None}, r"stored_rows: an integer in 0\.\."),
    ({"rows": 7}, "rows: the file says 7, but what it holds gives 24"),
    ({"bandwidth": "1/2"}, "bandwidth: the file says '1/2', but what it holds gives"),
    ({"content": "0"}, "content: the file says '0'"),
    ({"collective": "broadcast", "root": 0}, "collective: a broadcast is about one node only"),
    ({"collective": "allreduce", "turn": 9}, r"turn: 9 is not in 0\.\."),
    ({"switches": [1]}, "switches: translations are for hosts only"),
]


@pytest.mark.parametrize(("changed", "message"), FIELDS)
def test_wrong_fields(changed: dict, message: str) -> None:
    for name, content in (
        ("x.json", json.dumps(document() | changed).encode()),
        ("x.npz", packed(members(RING), **changed)),
    ):
        with pytest.raises(InvalidInput, match=f"^{name}: (.*: )?({message})") as refused:
            SCHEDULE_FILES.decode(name, content)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"images": [1, 2, 3]}, "images: a list of 4 integers is needed, not a list of 3"),
        ({"images": [1, 2, 3, 3]}, "images: generator 0 is no permutation"),
        ({"images": [1, 3, 2, 0]}, "parent, by: they do not carry node 0 to node"),
        ({"images": [1, 2, 3, 1 << 40]}, "images: nodes and generators are numbered from 0"),
        ({"parent": [0, 0, 1, 4]}, "parent: 4 of node 3 is out of range"),
        ({"by": [0, 0, 0, 1]}, "by: 1 of node 3 is out of range"),
        ({"by": [0, 0, 0]}, "by: a list of 4 integers"),
    ],
)
def test_wrong_symmetries(changed: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        SCHEDULE_FILES.decode("x.json", json.dumps(document() | changed).encode())


def test_a_permutation_that_is_no_automorphism_is_refused() -> None:
    wrong = document()
    wrong["tail"][0], wrong["tail"][2] = wrong["tail"][2], wrong["tail"][0]
    with pytest.raises(InvalidInput, match="isomorphism: it carries arc"):
        SCHEDULE_FILES.decode("x.json", json.dumps(wrong).encode())


def test_rows_about_another_node_are_refused() -> None:
    wrong = document()
    wrong["table"][0][2] = 1
    with pytest.raises(InvalidInput, match="source: row 0 is about node 1, not node 0"):
        SCHEDULE_FILES.decode("x.json", json.dumps(wrong).encode())


def test_damaged_files_are_refused_or_harmless() -> None:
    content = SCHEDULE_FILES.archive(RING)
    for end in range(0, len(content), 11):
        with pytest.raises(InvalidInput, match=r"^x.npz: no whole \.npz file"):
            SCHEDULE_FILES.decode("x.npz", content[:end])
    generator = np.random.default_rng(1)
    refused = 0
    for place in generator.integers(0, len(content), 200).tolist():
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(generator.integers(8))
        refused += is_refused(bytes(flipped))
    assert refused > 50


def is_refused(content: bytes) -> bool:
    try:
        found = SCHEDULE_FILES.decode("x.npz", content)
    except InvalidInput:
        return True
    assert found.digest == RING.digest
    return False


def test_too_much_for_a_file() -> None:
    low = replace(SCHEDULE_FILES, pack=partial(header.pack, most_images=7))
    with pytest.raises(InvalidInput, match="images: a file holds at most 7, not 8"):
        low.archive(RING)
    with pytest.raises(InvalidInput, match="rows: JSON is for at most 5, not 6"):
        replace(SCHEDULE_FILES, most_text=5).text(RING)


def test_the_page_is_right() -> None:
    assert f"{COMPACT_VERSION} for a compact one; a reader refuses" in PAGE
    assert f"{header.MAX_IMAGES:,}".replace(",", " ") in PAGE
    for name in ("stored_rows", "generators", "images", "parent", "by"):
        assert f"`{name}`" in PAGE


def test_the_hash_is_as_described() -> None:
    told = document()
    names = ("collective", "denominator", "generators", "root", "rows", "topology", "turn")
    described = {name: told[name] for name in names}
    described |= {"rows": told["stored_rows"], "version": 2}
    found = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    arrays = list(zip(zip(*told["table"], strict=True), (4, 4, 4, 8, 8), strict=True))
    arrays += [(told[name], 4) for name in ("images", "parent", "by")]
    for array, width in arrays:
        found.update(b"".join(value.to_bytes(width, "little") for value in array))
    assert told["content"] == found.hexdigest()
    assert Collective(told["collective"]) is Collective.ALLGATHER
    assert re.fullmatch("[0-9a-f]{64}", told["content"])
