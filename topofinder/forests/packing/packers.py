"""Pack the trees: the shallow ways first, the exact one last.

1. Where translations are known, the trees of one root, and their images.
2. The level forest by hop distance: as shallow as can be.
3. Tight sets packed each alone, and the rest with tight sets as single nodes.
4. Level forests with nodes at one distance in random order, completed by local moves. For small
   fabrics several seeds are tried and the lowest forest is kept.
5. The exact packer (theorem 10), which always ends with a packing.

What is not a level forest is then made lower by moves of single nodes. Where there are many trees,
equal ones stand together in blocks, and the lowest of all these packings is taken.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import Int64Array, IntArray
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.packing.assemble import assemble
from topofinder.forests.packing.blocks import UNITS, Blocks
from topofinder.forests.packing.exact_packing import exactly
from topofinder.forests.packing.heights import heights
from topofinder.forests.packing.job import MAX_ENTRIES, Job, Packing
from topofinder.forests.packing.level import hop_ranks, in_arcs, level_choices
from topofinder.forests.packing.pools import expanded
from topofinder.forests.packing.symmetric import by_translation
from topofinder.forests.packing.tight_sets import by_tight_sets
from topofinder.forests.packing.tree_tables import choice_blocks

CHEAP = 1 << 16
"""Entries of tables that are made again for other seeds, to find lower trees."""
SEEDS = 8
TRIES = 2
"""Seeds for small jobs, of which the lowest forest is kept, and for large ones, until one does."""
EASY = 1 << 13
"""Nodes times arcs up to which all of that is done for any number of trees."""


def packed(job: Job, seed: int = 0, clock: Clock = NO_LIMIT) -> Packing:
    """Trees for a job whose cuts allow them. When the time is over, the best so far.

    Raises Unsupported when there are none yet, or more arcs than the exact packer has memory for.
    """
    if job.n**2 > MAX_ENTRIES:
        raise Unsupported(f"packing: {job.n} compute nodes are too many")
    found = by_translation(job, seed) or _first(job, seed, clock)
    return found if found.method.startswith("level") else _lowered(job, found, clock)


def _first(job: Job, seed: int, clock: Clock) -> Packing:
    """The first packing found on the ladder; the lowest one where others cost little."""
    rank = hop_ranks(job.tail, job.head, job.n)
    into = in_arcs(job.head, job.n)
    found = by_level(job, rank, into)
    if found is not None:
        return found
    apart = by_tight_sets(job, lambda part: _first(part, seed, clock))
    many = job.trees > UNITS
    if apart is not None and job.entries > CHEAP and not many:
        return apart
    offered = [each for each in (apart, by_repair(job, rank, into, seed, clock)) if each]
    if not offered or (many and _is_easy(job) and not clock.is_over):
        offered.append(exactly(job, seed, clock))
    if many and len(offered) > 1:
        offered = [_lowered(job, each, clock) for each in offered]
    return min(offered, key=lambda packing: _height(job, packing))


def _is_easy(job: Job) -> bool:
    """Whether every packer is fast, however many trees there are."""
    return job.n * len(job.tail) <= EASY


def _lowered(job: Job, packing: Packing, clock: Clock = NO_LIMIT) -> Packing:
    """The same trees with the highest made lower, where a table of them fits."""
    if job.n * max(len(packing.root), min(job.trees, UNITS)) > MAX_ENTRIES:
        return packing
    blocks = Blocks.of(expanded(packing.root, packing.copies, packing.arc, job.head, job.n), job)
    blocks.lower(job, in_arcs(job.head, job.n), clock)
    return blocks.packing(job, packing.method)


def _height(job: Job, packing: Packing) -> int:
    start = np.arange(len(packing.root) + 1) * (job.n - 1)
    found = heights(packing.root, start, packing.arc.ravel(), job.tail, job.head)
    return int(found.max())


def by_level(job: Job, rank: IntArray, into: tuple[Int64Array, Int64Array]) -> Packing | None:
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


def by_repair(
    job: Job,
    rank: IntArray,
    into: tuple[Int64Array, Int64Array],
    seed: int = 0,
    clock: Clock = NO_LIMIT,
) -> Packing | None:
    """The lowest of some level forests in random order that local moves complete."""
    best = None
    lowest = 0
    cheap = _is_easy(job) if job.trees > UNITS else job.entries <= CHEAP
    for attempt in range(SEEDS if cheap else TRIES):
        made = _repaired(job, rank, into, np.random.default_rng([seed, attempt]), clock)
        if made is not None:
            height = made.height(job)
            if best is None or height < lowest:
                best, lowest = made, height
            if not cheap:
                break
        if clock.is_over:
            break
    return None if best is None else best.packing(job, "repair")


def _repaired(
    job: Job,
    rank: IntArray,
    into: tuple[Int64Array, Int64Array],
    generator: np.random.Generator,
    clock: Clock,
) -> Blocks | None:
    """One level forest in random order, completed."""
    shuffled = generator.random(rank.shape, dtype=np.float32).argsort(axis=1).astype(np.int32)
    mixed = np.ascontiguousarray((rank * job.n + shuffled).T)
    roots, arcs, amounts, _, _ = level_choices(job.tail, job.capacity, *into, job.supply, mixed)
    table = choice_blocks(roots, arcs, amounts, job.head, job.supply, MAX_ENTRIES)
    if not len(table[1]):
        return None
    blocks = Blocks.of(table, job)
    kernel_seed = int(generator.integers(1 << 31))
    if not blocks.complete(job, into, kernel_seed, clock):
        return None
    if job.trees > UNITS:
        blocks.lower(job, into, clock)
    return blocks
