"""Lengths of circuits between all hosts on all panels, and what those of a target come to."""

from functools import cache

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.model.inventory.ports import PortMap
from topofinder.model.lengths import CircuitLengths
from topofinder.patching.circuits import Circuits


def measure_circuits(
    fabric: PortMap, target: Circuits, host: IntArray, panel: IntArray, reach: int | None
) -> CircuitLengths | None:
    """What the circuits that have a panel come to; None where the inventory has no trays."""
    lengths = fabric.lengths
    if lengths is None:
        return None
    ends = np.stack([host[target.tail], host[target.head]], axis=1)[panel >= 0].tolist()
    each = [
        lengths.circuit(fabric.racks[a], fabric.panels[p].rack or "", fabric.racks[b])
        for (a, b), p in zip(ends, panel[panel >= 0].tolist(), strict=True)
    ]
    above = () if reach is None else tuple(
        (a, b) for (a, b), length in zip(ends, each, strict=True) if length > reach
    )  # fmt: skip
    return CircuitLengths(total=sum(each), longest=max(each, default=0), reach=reach, above=above)


def length_table(fabric: PortMap) -> Int64Array:
    """Millimetres of a circuit between two hosts on a panel; shape (panels, hosts, hosts).

    The fabric has lengths.
    """
    lengths = fabric.lengths
    if lengths is None:
        raise ValueError("lengths: the inventory has no trays")
    racks, place = np.unique(np.array(fabric.racks), return_inverse=True)
    names = racks.tolist()

    @cache
    def between(panel: str) -> Int64Array:
        if panel:
            own = np.array([lengths.cable(panel, rack) for rack in names], dtype=np.int64)
            return own[:, None] + own
        return np.array([[lengths.cable(a, b) for b in names] for a in names], dtype=np.int64)

    return np.stack([between(one.rack or "")[place][:, place] for one in fabric.panels])
