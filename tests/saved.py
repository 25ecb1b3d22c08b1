"""A small saved schedule, and its files with something changed."""

import io
import json

import numpy as np

from expansions.schedule_files.files import SCHEDULE_FILES
from expansions.schedule_files.saved import SavedSchedule
from generators.arrays import jump_graph
from generators.topology import Topology
from tests.schedules import breadth_first

RING = Topology(n=4, tail=jump_graph(4, [1]).tail, head=jump_graph(4, [1]).head)
SAVED = SavedSchedule(
    topology=RING, schedule=breadth_first(RING, pieces=2), recipe="UniRing(1,4)", method="bfb"
)


def document() -> dict:
    return json.loads(SCHEDULE_FILES.text(SAVED))


def members(saved: SavedSchedule = SAVED) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(SCHEDULE_FILES.archive(saved))) as archive:
        return dict(archive)


def packed(arrays: dict[str, np.ndarray], **changed: object) -> bytes:
    """An .npz with some header fields changed."""
    told = json.loads(arrays["header"].tobytes()) | changed
    coded = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    content = io.BytesIO()
    np.savez(content, **(arrays | {"header": coded}))
    return content.getvalue()
