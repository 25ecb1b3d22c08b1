"""Allgathers of whole chunks, step by step, as integer arrays, and those that ship.

Every shard is cut into `chunks` equal chunks. A row says that at some step an arc carries one
chunk of one source: the ((v, C), (u, w), t) of Zhao et al., section 3, with C one chunk.

Those that ship are of base graphs whose best schedule is not BFB (table 9). Their files are
written by

    python -m tools.find_modified_graphs

together with the graphs themselves. Each holds an allgather on the graph and one on its
transpose, whose reversal is a reduce-scatter on the graph.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from expansions.cost import Cost
from expansions.recipe import Base
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.topology import IntArray, Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChunkSchedule:
    """The rows of an allgather on one topology, sorted by step, arc, source and chunk.

    Shapes: `source`, `arc`, `step`, `chunk` are read-only int32 arrays of shape (rows,). Arcs are
    numbered as in the topology, steps from 1 to `steps`, chunks from 0 to `chunks` - 1. `proved`
    says that no schedule with as many steps and chunks takes less bandwidth.
    """

    source: IntArray
    arc: IntArray
    step: IntArray
    chunk: IntArray
    chunks: int
    steps: int
    cost: Cost
    proved: bool

    @classmethod
    def from_rows(
        cls, topology: Topology, rows: ArrayLike, *, steps: int, chunks: int, proved: bool
    ) -> "ChunkSchedule":
        """Sort rows (source, arc, step, chunk), shape (rows, 4), and work out what they cost.

        Raises InvalidInput when a source, arc, step or chunk is out of range.

        >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
        >>> rows = [(0, 0, 1, 0), (1, 1, 1, 0)]
        >>> ChunkSchedule.from_rows(ring, rows, steps=1, chunks=1, proved=True).cost
        Cost(steps=1, bandwidth=Fraction(1, 2))
        """
        table = np.array(rows, dtype=np.int32).reshape(-1, 4)
        least, beyond = (0, 0, 1, 0), (topology.n, topology.arcs, steps + 1, chunks)
        for column, name in enumerate(("source", "arc", "step", "chunk")):
            values = table[:, column]
            wrong = values[(values < least[column]) | (values >= beyond[column])]
            if len(wrong):
                raise InvalidInput(f"{name}: {wrong[0]} is out of range")
        table = table[np.lexsort((table[:, 3], table[:, 0], table[:, 1], table[:, 2]))]
        table.setflags(write=False)
        source, arc, step, chunk = table.T
        return cls(
            source=source,
            arc=arc,
            step=step,
            chunk=chunk,
            chunks=chunks,
            steps=steps,
            cost=_cost(topology, arc, step, steps, chunks),
            proved=proved,
        )

    @property
    def rows(self) -> int:
        """How many chunks cross an arc, over all steps."""
        return len(self.source)


def busiest_total(topology: Topology, arc: IntArray, step: IntArray, steps: int) -> int:
    """The sum over steps of the most chunks that any arc carries at that step.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> busiest_total(ring, np.array([0, 0, 1]), np.array([1, 1, 2]), 2)
    3
    """
    loads = np.bincount(arc * steps + step - 1, minlength=topology.arcs * steps)
    return int(loads.reshape(topology.arcs, steps).max(axis=0).sum())


def _cost(topology: Topology, arc: IntArray, step: IntArray, steps: int, chunks: int) -> Cost:
    """T_B = (d/N) times the sum over steps of the load of the busiest arc, in shards."""
    busiest = busiest_total(topology, arc, step, steps)
    return Cost(steps, Fraction(topology.degree * busiest, topology.n * chunks))


SYNTHESISED_BASES: dict[str, Base] = {
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

CHUNK_COLUMNS = ("source", "arc", "step", "chunk")


@cache
def shipped_synthesis(recipe: str) -> tuple[ChunkSchedule, ChunkSchedule] | None:
    """The allgather on a base graph and the one on its transpose; None if none ships.

    Arcs of the transpose keep their numbers: arc e leads from `head[e]` to `tail[e]`.

    >>> allgather, transposed = shipped_synthesis("Diamond")
    >>> allgather.cost == transposed.cost, allgather.cost
    (True, Cost(steps=3, bandwidth=Fraction(7, 8)))
    >>> shipped_synthesis("K(4)") is None
    True
    """
    base = SYNTHESISED_BASES.get(recipe)
    if base is None:
        return None
    topology = FAMILIES[base.name].build(*base.arguments)
    source = files("topofinder") / "schedules" / "synthesis" / "data" / synthesis_file_name(base)
    entry = json.loads(source.read_text(encoding="utf-8"))
    return (
        _read_chunk_schedule(topology, entry["allgather"]),
        _read_chunk_schedule(topology.transpose(), entry["transpose"]),
    )


def synthesis_file_name(base: Base) -> str:
    """Where a base graph's schedules are kept.

    >>> synthesis_file_name(Base("DBJMod", (2, 3)))
    'DBJMod-2-3.json'
    """
    return "-".join([base.name, *map(str, base.arguments)]) + ".json"


def _read_chunk_schedule(topology: Topology, entry: dict[str, Any]) -> ChunkSchedule:
    rows = np.array([entry[name] for name in CHUNK_COLUMNS], dtype=np.int32).T
    return ChunkSchedule.from_rows(
        topology, rows, steps=entry["steps"], chunks=entry["chunks"], proved=entry["proved"]
    )
