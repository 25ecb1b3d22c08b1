"""Pack the trees: the shallow ways first, the exact one last.

1. Where translations are known, the trees of one root, and their images.
2. The level forest by hop distance: as shallow as can be.
3. Tight sets packed each alone, and the rest with tight sets as single nodes.
4. Level forests with nodes at one distance in random order, completed by local moves. For small
   fabrics several seeds are tried and the lowest forest is kept.
5. The exact packer (theorem 10), which always ends with a packing.

What is not a level forest is then made lower by moves of single nodes.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import IntArray
from topofinder.forest.assemble import assemble
from topofinder.forest.decompose import by_tight_sets
from topofinder.forest.exact_packing import exactly
from topofinder.forest.flatten import flatten
from topofinder.forest.job import MAX_ENTRIES, Job, Longs, Packing
from topofinder.forest.level import hop_ranks, in_arcs, level_choices
from topofinder.forest.pools import expanded
from topofinder.forest.repair import repair
from topofinder.forest.translated import by_translation
from topofinder.forest.units import listed_trees, tree_height, unit_trees

CHEAP = 1 << 16
"""Entries of tables that are made again for other seeds, to find lower trees."""
SEEDS = 8
TRIES = 2
"""Seeds for small jobs, of which the lowest forest is kept, and for large ones, until one does."""
STEPS = 1 << 21
"""Moves that make trees lower, times nodes."""
PATIENCE = 500
"""Local moves in a row that may complete nothing."""


def packed(job: Job, seed: int = 0, time: float | None = None) -> Packing:
    """Trees for a job whose cuts allow them; `time` limits the seconds of the exact packer.

    Raises Unsupported when that is over, or there are more arcs than it has memory for.
    """
    if job.n**2 > MAX_ENTRIES:
        raise Unsupported(f"packing: {job.n} compute nodes are too many")
    found = by_translation(job, seed) or _first(job, seed, time)
    return found if found.method.startswith("level") else _lowered(job, found)


def _first(job: Job, seed: int, time: float | None) -> Packing:
    """The first packing found on the ladder; the lower one where two cost little."""
    rank = hop_ranks(job.tail, job.head, job.n)
    into = in_arcs(job.head, job.n)
    found = by_level(job, rank, into)
    if found is not None:
        return found
    apart = by_tight_sets(job, lambda part: _first(part, seed, time))
    if apart is not None and job.entries > CHEAP:
        return apart
    mended = by_repair(job, rank, into, seed)
    if apart is None or mended is None:
        return apart or mended or exactly(job, seed, time)
    return min(apart, mended, key=lambda packing: _height(job, packing))


def _lowered(job: Job, packing: Packing) -> Packing:
    """The same trees with the highest made lower, where a table of them fits."""
    if job.entries > MAX_ENTRIES:
        return packing
    enter, root = expanded(packing.root, packing.copies, packing.arc, job.head, job.n)
    room = job.capacity.copy()
    np.subtract.at(room, packing.arc, packing.copies[:, None])
    flatten(enter, root, job.tail, room, *in_arcs(job.head, job.n), STEPS // job.n)
    entries = listed_trees(enter, root, job.tail)
    return Packing(root=entries[0], copies=entries[1], arc=entries[2], method=packing.method)


def _height(job: Job, packing: Packing) -> int:
    table, root = expanded(packing.root, packing.copies, packing.arc, job.head, job.n)
    return int(tree_height(table, root, job.tail))


def by_level(job: Job, rank: IntArray, into: tuple[Longs, Longs]) -> Packing | None:
    """The level forest by these ranks, if it is complete."""
    roots, arcs, amounts, _, short = level_choices(
        job.tail, job.capacity, *into, job.supply, rank.T.copy()
    )
    if len(short):
        return None
    entries = assemble(roots, arcs, amounts, job.head, job.supply, rank, MAX_ENTRIES)
    if not len(entries[0]):
        raise Unsupported("packing: too many different trees for the memory; choose a small k")
    return Packing(root=entries[0], copies=entries[1], arc=entries[2], method="level")


def by_repair(job: Job, rank: IntArray, into: tuple[Longs, Longs], seed: int = 0) -> Packing | None:
    """The lowest of some level forests in random order that local moves complete."""
    entries = job.entries
    if entries > MAX_ENTRIES:
        return None
    best = None
    lowest = 0
    for attempt in range(SEEDS if entries <= CHEAP else TRIES):
        made = _repaired(job, rank, into, np.random.default_rng([seed, attempt]))
        if made is None:
            continue
        height = tree_height(*made, job.tail)
        if best is None or height < lowest:
            best, lowest = made, height
        if entries > CHEAP:
            break
    if best is None:
        return None
    root, copies, arc = listed_trees(*best, job.tail)
    return Packing(root=root, copies=copies, arc=arc, method="repair")


def _repaired(
    job: Job, rank: IntArray, into: tuple[Longs, Longs], generator: np.random.Generator
) -> tuple[IntArray, IntArray] | None:
    """One level forest in random order, completed: (enter, root) as in `units`."""
    shuffled = generator.random(rank.shape, dtype=np.float32).argsort(axis=1).astype(np.int32)
    mixed = np.ascontiguousarray((rank * job.n + shuffled).T)
    roots, arcs, amounts, _, _ = level_choices(job.tail, job.capacity, *into, job.supply, mixed)
    enter, root, tree, node = unit_trees(roots, arcs, amounts, job.head, job.supply)
    room = job.capacity.copy()
    np.subtract.at(room, arcs, amounts)
    kernel_seed = int(generator.integers(1 << 31))
    left = repair(enter, job.tail, room, *into, tree, node, PATIENCE, kernel_seed)
    return None if left else (enter, root)
