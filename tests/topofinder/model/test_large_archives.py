"""Archives of some kB that announce large arrays are refused before any of them is made."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from expansions.schedule import Schedule
from expansions.schedule_files.files import SCHEDULE_FILES
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.formats.archive import archive_content
from generators.formats.container import Container
from generators.topology import Topology
from tests.certificates import tree_certificate
from tests.known_forests import ring_forest
from tests.known_timetables import ring_timetable
from topofinder.model.certificate_files import CERTIFICATE_FILES
from topofinder.model.forest_files import FOREST_FILES
from topofinder.model.timetable_files import TIMETABLE_FILES

MANY = 1 << 23
"""Entries of an array: with a few of them more than is read without a look."""
RING = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
SWAP = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
SCHEDULE = SavedSchedule(topology=RING, schedule=SWAP)


def columns(names: str, value: int, last: int | None = None) -> dict[str, Any]:
    """Arrays of one value, with another one at the very end."""
    array = np.full(MANY, value, dtype=np.int64)
    array[-1] = value if last is None else last
    return dict.fromkeys(names.split(), array)


def phase(**counts: int) -> dict[str, Any]:
    """The header of a forest that announces such counts."""
    header, _ = FOREST_FILES.parts(ring_forest(3))
    return {"spread": {**header["spread"], **counts}}


def forest_arrays() -> dict[str, Any]:
    """Routes of two nodes, but trees that do not take them."""
    arrays = columns("spread_route spread_skip spread_node", 0)
    return arrays | {"spread_route_start": np.arange(0, MANY + 2, 2)}


@pytest.mark.parametrize(
    ("kind", "saved", "header", "arrays", "line"),
    [
        (SCHEDULE_FILES, SCHEDULE, {"rows": MANY},
         lambda: columns("source arc step begin end", 0), "step: 0 is not in 1..1"),
        (SCHEDULE_FILES, SCHEDULE, {"rows": MANY},
         lambda: columns("source arc begin", 0) | columns("step end", 1, last=2),
         "step: 2 is not in 1..1"),
        (SCHEDULE_FILES, SCHEDULE, {"rows": MANY, "steps": 2},
         lambda: columns("source arc begin", 0) | columns("step end", 1),
         "step: up to 1, but the header says 2"),
        (SCHEDULE_FILES, SCHEDULE, {"rows": MANY},
         lambda: columns("source arc begin", 0, last=3) | columns("step end", 1),
         "begin: 3 is not in 0..0"),
        (TIMETABLE_FILES, ring_timetable(3), {"sends": MANY, "all_sends": MANY},
         lambda: columns("chunk channel begin", 0, last=1 << 40), "is not in 0.."),
        (TIMETABLE_FILES, ring_timetable(3), {"sends": MANY, "all_sends": MANY},
         lambda: columns("chunk begin", 0) | columns("channel", 0, last=3),
         "channel: 3 is not in 0..2"),
        (FOREST_FILES, ring_forest(3), phase(edges=MANY, route_nodes=MANY, routes=MANY // 2),
         forest_arrays, "spread_start: up to 12, but the header says 8388608"),
        (CERTIFICATE_FILES, tree_certificate(RING), {"rows": MANY // 8},
         lambda: {"sources": np.full(MANY // 8, 3), "flow": np.full(3 * (MANY // 8), 1 << 40)},
         "sources: 3 is not in 0..2"),
        (CERTIFICATE_FILES, tree_certificate(RING), {"rows": MANY // 8},
         lambda: {"sources": np.zeros(MANY // 8, int), "flow": np.full(3 * (MANY // 8), 1 << 53)},
         "flow: 9007199254740992 is not in 0..4503599627370496"),
    ],
)  # fmt: skip
def test_entries_out_of_range(
    kind: Container[Any],
    saved: Any,
    header: dict[str, Any],
    arrays: Callable[[], dict[str, Any]],
    line: str,
    tmp_path: Path,
) -> None:
    said, held = kind.parts(saved)
    path = tmp_path / "large.npz"
    path.write_bytes(archive_content({**said, **header}, {**held, **arrays()}))
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput) as refused:
            kind.read(path, large=True)
        assert tracemalloc.get_traced_memory()[1] < 6 << 20
    finally:
        tracemalloc.stop()
    assert line in str(refused.value)
    assert str(refused.value).startswith(f"{path}: ")
    assert "\n" not in str(refused.value)
