"""Schedules that ship with topofinder: base graphs whose best schedule is not BFB (table 9).

The files are written by

    python tools/find_modified_graphs.py

together with the graphs themselves. Each holds an allgather on the graph and one on its
transpose, whose reversal is a reduce-scatter on the graph.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from expansions.recipe import Base
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from topofinder.schedules.synthesis.chunk_schedules import ChunkSchedule

SHIPPED: dict[str, Base] = {
    str(base): base
    for base in (
        Base("Diamond"),
        Base("DBJMod", (2, 3)),
        Base("DBJMod", (2, 4)),
        Base("DBJMod", (3, 2)),
        Base("DBJMod", (4, 2)),
    )
}
"""The recipes that have a schedule here, by their canonical text."""

COLUMNS = ("source", "arc", "step", "chunk")


@cache
def synthesised(recipe: str) -> tuple[ChunkSchedule, ChunkSchedule] | None:
    """The allgather on a base graph and the one on its transpose; None if none ships.

    Arcs of the transpose keep their numbers: arc e leads from `head[e]` to `tail[e]`.

    >>> allgather, transposed = synthesised("Diamond")
    >>> allgather.cost == transposed.cost, allgather.cost
    (True, Cost(steps=3, bandwidth=Fraction(7, 8)))
    >>> synthesised("K(4)") is None
    True
    """
    base = SHIPPED.get(recipe)
    if base is None:
        return None
    topology = FAMILIES[base.name].build(*base.arguments)
    source = files("topofinder") / "schedules" / "synthesis" / "data" / file_name(base)
    entry = json.loads(source.read_text(encoding="utf-8"))
    return (
        _schedule(topology, entry["allgather"]),
        _schedule(topology.transpose(), entry["transpose"]),
    )


def file_name(base: Base) -> str:
    """Where a base graph's schedules are kept.

    >>> file_name(Base("DBJMod", (2, 3)))
    'DBJMod-2-3.json'
    """
    return "-".join([base.name, *map(str, base.arguments)]) + ".json"


def _schedule(topology: Topology, entry: dict[str, Any]) -> ChunkSchedule:
    rows = np.array([entry[name] for name in COLUMNS], dtype=np.int32).T
    return ChunkSchedule.from_rows(
        topology, rows, steps=entry["steps"], chunks=entry["chunks"], proved=entry["proved"]
    )
