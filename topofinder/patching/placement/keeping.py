"""Which circuits in place realise the target, for placed nodes and panels: exactly the most.

Circuits with the same ends on the same panel are interchangeable, so the most that can stay is,
for each pair of ends and panel, the smaller of the two numbers; ports on one host do not matter.
"""

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.patching.circuits import Circuits

Keys = Int64Array


def kept_circuits(wiring: Circuits, target: Circuits, host: IntArray, panel: IntArray) -> IntArray:
    """For each circuit of the target the circuit of the wiring that stays for it, or -1.

    `host[v]` plays node v; `panel[i]` carries circuit i, and -1 is nowhere. No assignment of
    parallel circuits keeps more. Circuits of the wiring from a host to itself never stay.

    >>> pair = Circuits(n=2, duplex=True, tail=np.array([0, 0]), head=np.array([1, 1]))
    >>> kept_circuits(pair, pair, np.array([1, 0]), np.array([0, -1])).tolist()
    [0, -1]
    """
    placed = target.on_hosts(host, wiring.n)
    keys = np.concatenate([_keys(wiring, wiring.panel), _keys(placed, panel)])
    kinds = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    there, wanted = (
        _number_parallels(kinds[: wiring.count]),
        _number_parallels(kinds[wiring.count :]),
    )
    there[wiring.tail == wiring.head] = -1
    wanted[panel < 0] = -2
    _, of, at = np.intersect1d(there, wanted, return_indices=True)
    kept = np.full(target.count, -1, dtype=np.int32)
    kept[at] = of
    return kept


def _keys(circuits: Circuits, panel: IntArray | None) -> Keys:
    """One number for each pair of ends and panel."""
    tail, head = circuits.tail.astype(np.int64), circuits.head.astype(np.int64)
    if circuits.duplex:
        tail, head = np.minimum(tail, head), np.maximum(tail, head)
    where = np.zeros_like(tail) if panel is None else panel.astype(np.int64)
    return np.asarray((where * circuits.n + tail) * circuits.n + head)


def _number_parallels(kinds: Keys) -> Keys:
    """Keys that tell parallel circuits apart: the first of each kind, the second, and so on."""
    order = np.argsort(kinds, kind="stable")
    ranked = kinds[order]
    rank = np.empty_like(kinds)
    rank[order] = np.arange(len(kinds)) - np.searchsorted(ranked, ranked)
    return kinds * (1 << 25) + rank
