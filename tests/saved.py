"""A small saved schedule, and its files with something changed."""

import io
import json

import numpy as np

from expansions.schedule_files import SavedSchedule
from expansions.schedule_files.binary import binary_content
from expansions.schedule_files.text import text_content
from generators.arrays import jump_graph
from generators.topology import Topology
from tests.schedules import breadth_first

RING = Topology(n=4, tail=jump_graph(4, [1]).tail, head=jump_graph(4, [1]).head)
SAVED = SavedSchedule(
    topology=RING, schedule=breadth_first(RING, pieces=2), recipe="UniRing(1,4)", method="bfb"
)


def document() -> dict:
    return json.loads(text_content(SAVED))


def members(saved: SavedSchedule = SAVED) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(binary_content(saved))) as archive:
        return dict(archive)


def packed(arrays: dict[str, np.ndarray], **changed: object) -> bytes:
    """An .npz with some header fields changed."""
    told = json.loads(arrays["header"].tobytes()) | changed
    coded = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    content = io.BytesIO()
    np.savez(content, **(arrays | {"header": coded}))
    return content.getvalue()
