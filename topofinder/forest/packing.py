"""Pack the trees: the shallow ways first, the exact one last.

1. The level forest by hop distance: as shallow as can be.
2. Level forests with nodes at one distance in random order, completed by local moves. For small
   fabrics several seeds are tried and the lowest forest is kept.
3. The exact packer (theorem 10), which always ends with a packing.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import IntArray
from topofinder.forest.assemble import assemble
from topofinder.forest.decompose import by_tight_sets
from topofinder.forest.job import MAX_ENTRIES, Job, Longs, Packing
from topofinder.forest.level import hop_ranks, in_arcs, level_choices
from topofinder.forest.repair import repair
from topofinder.forest.units import listed_trees, tree_height, unit_trees

CHEAP = 1 << 18
"""Entries of tables that are made again for other seeds, to find lower trees."""
SEEDS = 8
MOVES = 20


def packed(job: Job, seed: int = 0, time: float | None = None) -> Packing:
    """Trees for a job whose cuts allow them.

    Raises Unsupported when there are more trees than fit in memory, or `time` seconds are over.
    """
    found = _shallow(job, seed)
    if found is None:
        raise Unsupported("packing: no trees found")
    return found


def _shallow(job: Job, seed: int) -> Packing | None:
    """The first packing that the quick ways find."""
    rank = hop_ranks(job.tail, job.head, job.n)
    into = in_arcs(job.head, job.n)
    return (
        by_level(job, rank, into)
        or by_tight_sets(job, lambda part: _shallow(part, seed))
        or by_repair(job, rank, into, seed)
    )


def by_level(job: Job, rank: IntArray, into: tuple[Longs, Longs]) -> Packing | None:
    """The level forest by these ranks, if it is complete."""
    roots, arcs, amounts, _, short = level_choices(job.tail, job.capacity, *into, job.supply, rank)
    if len(short):
        return None
    entries = assemble(roots, arcs, amounts, job.head, job.supply, rank)
    return Packing(root=entries[0], copies=entries[1], arc=entries[2], method="level")


def by_repair(job: Job, rank: IntArray, into: tuple[Longs, Longs], seed: int = 0) -> Packing | None:
    """The lowest of some level forests in random order that local moves complete."""
    entries = int(job.supply.sum()) * job.n
    if entries > MAX_ENTRIES:
        return None
    best = None
    lowest = 0
    for attempt in range(SEEDS):
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
    moves = MOVES * len(tree) + 20000
    kernel_seed = int(generator.integers(1 << 31))
    left = repair(enter, job.tail, room, *into, tree, node, moves, kernel_seed)
    return None if left else (enter, root)
