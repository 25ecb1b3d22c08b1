"""Pack the trees: packers in the order in which they are tried, shallow ones first, exact last.

0. A single root with a tree for all that leads out of it leaves a forest of the others.
1. Where translations are known, the trees of one root, and their images.
2. The level forest by hop distance: as shallow as can be.
3. Tight sets packed each alone, and the rest with tight sets as single nodes.
4. Level forests with nodes at one distance in random order, completed by local moves. For small
   networks several seeds are tried and the lowest forest is kept.
5. The exact packer (theorem 10), which always ends with a packing. For small networks its trees
   are made lower and compared with the others.

What is not a level forest is then made lower by moves of single nodes, and, where trees are few, by
an integer program or by exchanges at random. Where there are many trees, equal ones stand together
in blocks, and the lowest of all these packings is taken.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import IntArray
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.packing.blocks import MAX_SINGLE_TREES, Blocks
from topofinder.forests.packing.exact import pack_exactly
from topofinder.forests.packing.level_kernels import level_choices
from topofinder.forests.packing.level_program import pack_below_height
from topofinder.forests.packing.problem import MAX_TREE_ENTRIES, Packing, PackingProblem
from topofinder.forests.packing.single_root import pack_below_root, root_to_leave
from topofinder.forests.packing.symmetric import pack_by_translation
from topofinder.forests.packing.tight_sets import pack_by_tight_sets
from topofinder.forests.packing.tree_table_kernels import assemble_trees, choice_blocks

SMALL_TABLE = 1 << 16
"""Entries of tables that are made again for other seeds, to find lower trees."""
SEEDS = 8
LARGE_SEEDS = 2
"""Seeds for small problems, which keep the lowest forest, and for large ones, until one does."""
FEW_TREES_A_NODE = 8
"""Trees, a node, up to which they exchange arcs: equal ones no longer are equal then."""
SMALL_PROBLEM = 1 << 13
"""Nodes times arcs up to which all of that is done, for any number of trees."""


def pack_trees(problem: PackingProblem, seed: int = 0, clock: Clock = NO_LIMIT) -> Packing:
    """Trees for a problem whose cuts allow them. When the time is over, the best so far.

    Raises Unsupported when there are none yet, or more arcs than the exact packer has memory for.
    """
    if problem.n**2 > MAX_TREE_ENTRIES:
        raise Unsupported(f"packing: {problem.n} compute nodes are too many")
    root = root_to_leave(problem)
    if root is not None:
        return pack_below_root(problem, root, lambda below: _pack_low_trees(below, seed, clock))
    return _pack_low_trees(problem, seed, clock)


def pack_without_repair(
    problem: PackingProblem, seed: int = 0, clock: Clock = NO_LIMIT
) -> Packing | None:
    """The same for a large problem; None where local moves and the exact packer are left alone."""
    if root_to_leave(problem) is not None:
        return pack_trees(problem, seed, clock)
    found = pack_by_translation(problem, seed) or pack_by_levels(problem, problem.hop_ranks())
    if found is None:
        found = pack_by_tight_sets(problem, lambda part: _first_packing(part, seed, clock))
        if found is None:
            return None
        if problem.trees > MAX_SINGLE_TREES:  # equal trees stand together: all packings are weighed
            return pack_trees(problem, seed, clock)
    return _finish_packing(problem, found, seed, clock)


def _pack_low_trees(problem: PackingProblem, seed: int, clock: Clock) -> Packing:
    """The trees, made lower where they are no level forest."""
    found = pack_by_translation(problem, seed)
    offered = [found] if found else _offer_packings(problem, seed, clock, whole=True)
    made = [_finish_packing(problem, each, seed, clock) for each in offered]
    return min(made, key=lambda packing: _height_rank(problem, packing))


def _finish_packing(problem: PackingProblem, found: Packing, seed: int, clock: Clock) -> Packing:
    """The same made lower where it is no level forest."""
    if found.method.startswith("level"):
        return found
    return _exchange_arcs(problem, _lower_trees(problem, found, clock), seed, clock)


def pack_by_levels(problem: PackingProblem, rank: IntArray) -> Packing | None:
    """The level forest by these ranks, if it is complete."""
    roots, arcs, amounts, _, short = level_choices(
        problem.tail, problem.capacity, *problem.in_arcs(), problem.supply, rank.T.copy()
    )
    if len(short):
        return None
    entries = assemble_trees(
        roots, arcs, amounts, problem.head, problem.supply, rank, MAX_TREE_ENTRIES
    )
    if not len(entries[0]):
        raise Unsupported("packing: too many different trees for the memory; choose a small k")
    return Packing(root=entries[0], copies=entries[1], arc=entries[2], method="level")


def pack_by_repair(
    problem: PackingProblem,
    rank: IntArray,
    seed: int = 0,
    clock: Clock = NO_LIMIT,
) -> Packing | None:
    """The lowest of some level forests in random order that local moves complete."""
    best = None
    lowest = 0
    cheap = (
        _is_easy(problem) if problem.trees > MAX_SINGLE_TREES else problem.entries <= SMALL_TABLE
    )
    for attempt in range(SEEDS if cheap else LARGE_SEEDS):
        made = _complete_random_levels(problem, rank, np.random.default_rng([seed, attempt]), clock)
        if made is not None:
            height = made.height(problem)
            if best is None or height < lowest:
                best, lowest = made, height
            if not cheap:
                break
        if clock.is_over:
            break
    return None if best is None else best.packing(problem, "repair")


def _first_packing(problem: PackingProblem, seed: int, clock: Clock) -> Packing:
    """The first packing found in that order; the lowest one where others cost little."""
    offered = _offer_packings(problem, seed, clock)
    if problem.trees > MAX_SINGLE_TREES and len(offered) > 1:
        offered = [_lower_trees(problem, each, clock) for each in offered]
    return min(offered, key=lambda packing: packing.height(problem))


def _offer_packings(
    problem: PackingProblem, seed: int, clock: Clock, *, whole: bool = False
) -> list[Packing]:
    """The first packing found in that order, and others where they cost little.

    The exact packer's are beside others of few trees where the problem is a `whole` one: how high
    parts are says little of the trees that they are put together to.
    """
    rank = problem.hop_ranks()
    found = pack_by_levels(problem, rank)
    if found is not None:
        return [found]
    apart = pack_by_tight_sets(problem, lambda part: _first_packing(part, seed, clock))
    many = problem.trees > MAX_SINGLE_TREES
    if apart is not None and problem.entries > SMALL_TABLE and not many:
        return [apart]
    offered = [each for each in (apart, pack_by_repair(problem, rank, seed, clock)) if each]
    beside = (many or whole) and _is_easy(problem) and not clock.is_over
    if not offered or beside:
        offered.append(pack_exactly(problem, seed, clock))
    return offered


def _height_rank(problem: PackingProblem, packing: Packing) -> tuple[int, int]:
    """The height of the highest tree, then that of all: less is better."""
    heights = packing.heights(problem)
    return int(heights.max()), int((heights * packing.copies).sum())


def _is_easy(problem: PackingProblem) -> bool:
    """Whether every packer is fast, however many trees there are."""
    return problem.n * len(problem.tail) <= SMALL_PROBLEM


def _lower_trees(problem: PackingProblem, packing: Packing, clock: Clock = NO_LIMIT) -> Packing:
    """The same trees with the highest made lower, where a table of them fits."""
    if problem.n * max(len(packing.root), min(problem.trees, MAX_SINGLE_TREES)) > MAX_TREE_ENTRIES:
        return packing
    blocks = Blocks.of(packing.table(problem), problem)
    blocks.lower(problem, clock)
    return blocks.packing(problem, packing.method)


def _exchange_arcs(problem: PackingProblem, packing: Packing, seed: int, clock: Clock) -> Packing:
    """The trees made lower by an integer program, or else by exchanges at random, where they are
    few and could be lower.
    """
    if problem.trees > FEW_TREES_A_NODE * problem.n or clock.is_over:
        return packing
    height = packing.height(problem)
    if height <= problem.hop_ranks()[problem.supply > 0].max():
        return packing
    found = pack_below_height(problem, height, clock)
    if found is not None:
        return found
    blocks = Blocks.of(packing.table(problem), problem)
    lower = blocks.exchange(problem, seed, clock) < height
    return blocks.packing(problem, packing.method) if lower else packing


def _complete_random_levels(
    problem: PackingProblem,
    rank: IntArray,
    generator: np.random.Generator,
    clock: Clock,
) -> Blocks | None:
    """One level forest in random order, completed."""
    shuffled = generator.random(rank.shape, dtype=np.float32).argsort(axis=1).astype(np.int32)
    mixed = np.ascontiguousarray((rank * problem.n + shuffled).T)
    roots, arcs, amounts, _, _ = level_choices(
        problem.tail, problem.capacity, *problem.in_arcs(), problem.supply, mixed
    )
    table = choice_blocks(roots, arcs, amounts, problem.head, problem.supply, MAX_TREE_ENTRIES)
    if not len(table[1]):
        return None
    blocks = Blocks.of(table, problem)
    kernel_seed = int(generator.integers(1 << 31))
    if not blocks.complete(problem, kernel_seed, clock):
        return None
    if problem.trees > MAX_SINGLE_TREES:
        blocks.lower(problem, clock)
    return blocks
