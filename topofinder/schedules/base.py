"""Allgathers of the base graphs whose best schedule is not BFB: the synthesised ones that ship."""

import numpy as np

from expansions.isomorphism import reverse_isomorphism
from expansions.renaming import renamed
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.schedules.synthesis.chunk_schedules import ChunkSchedule
from topofinder.schedules.synthesis.shipped import synthesised


def shipped_allgather(recipe: str, topology: Topology, *, back: bool) -> Schedule:
    """The synthesised allgather of a base graph, or with `back` of its transpose.

    Where the graph is reverse-symmetric and both cost the same, the one on the transpose is the
    renamed first one: so they are alike step by step, as appendix A.6 asks. Raises Unsupported
    where no schedule ships.

    >>> from generators.families.diamond import diamond
    >>> shipped_allgather("Diamond", diamond(), back=False).cost(diamond())
    Cost(steps=3, bandwidth=Fraction(7, 8))
    """
    found = synthesised(recipe)
    if found is None:
        raise Unsupported(f"{recipe}: no synthesised schedule ships for it")
    forth, transposed = found
    if not back:
        return from_chunks(forth)
    image = reverse_isomorphism(topology) if forth.cost == transposed.cost else None
    if image is None:
        return from_chunks(transposed)
    return renamed(from_chunks(forth), topology, topology.transpose(), image)


def from_chunks(found: ChunkSchedule) -> Schedule:
    """A schedule of whole chunks in the general form: chunk c is the piece [c, c + 1) / chunks.

    >>> from_chunks(synthesised("Diamond")[0]).denominator
    2
    """
    begin = found.chunk.astype(np.int64)
    return Schedule(
        source=found.source,
        arc=found.arc,
        step=found.step,
        begin=begin,
        end=begin + 1,
        denominator=found.chunks,
    )
