"""The hash of what a forest file says, whatever its container and its labels."""

import hashlib
import json
from typing import Any

import numpy as np

from expansions.schedule_files.digest import topology_digest
from topofinder.model.forest import Forest
from topofinder.model.tree_set import TreeSet

VERSION = 1
"""Version of the hashed content and of the files; it grows when their meaning changes."""

ARRAYS = ("root", "copies", "start", "route", "skip", "route_start", "node", "cut")


def forest_digest(saved: Forest) -> str:
    """SHA-256, in hexadecimal, of topology, abilities, units, collective, weights and trees.

    Names of nodes and the labels `recipe`, `damage` and `method` do not matter; the order of trees,
    edges and routes does.
    """
    graph = saved.topology
    described: dict[str, Any] = {
        "collective": str(saved.collective),
        "multicast": graph.multicast,
        "reduce": graph.reduce,
        "root": saved.root,
        "topology": topology_digest(graph),
        "units": [str(graph.unit_rate), str(graph.unit_latency)],
        "version": VERSION,
        "weight": saved.weight,
    }
    described |= {phase.name: _described(phase.trees) for phase in saved.phases}
    found = hashlib.sha256(json.dumps(described, sort_keys=True).encode("ascii"))
    for phase in saved.phases:
        for name in ARRAYS:
            found.update(np.ascontiguousarray(getattr(phase.trees, name), dtype="<i8").data)
    return found.hexdigest()


def _described(trees: TreeSet) -> dict[str, Any]:
    lengths = {name: len(getattr(trees, name)) for name in ARRAYS}
    return {"k": trees.k, "optimum": str(trees.optimum), "time": str(trees.time)} | lengths
