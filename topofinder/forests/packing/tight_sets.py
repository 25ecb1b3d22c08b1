"""Pack piece by piece: every tight set alone, and the rest with tight sets as single nodes.

That the pieces can be packed follows from tightness: a cut inside a tight set B that is too narrow
for B's own trees and those that come in would be too narrow in the whole as well.
"""

from collections.abc import Callable

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.forests.packing.problem import MAX_TREE_ENTRIES, Packing, PackingProblem, TreeTable
from topofinder.forests.packing.tight_set_kernels import (
    expand_outer_blocks,
    fill_box,
    match_blocks,
    tight_set_labels,
)
from topofinder.forests.packing.tree_table_kernels import list_trees

Packer = Callable[[PackingProblem], Packing | None]
EnteredBlocks = tuple[IntArray, IntArray, Int64Array, IntArray]
"""A table (enter, root, copies), and entry[b, t], the node of box b that block t reaches first."""


def pack_by_tight_sets(problem: PackingProblem, pack: Packer) -> Packing | None:
    """A packing by parts; None when no tight set has two nodes or some part is not packed.

    `pack` is asked once for parts that are equal.
    """
    box = _tight_boxes(problem)
    boxes = int(box.max()) + 1
    if boxes == problem.n or boxes == 1:
        return None
    outer, members, first = _contract_boxes(problem, box, boxes)
    table = _packed_table(outer, pack)
    if table is None:
        return None
    blocks: EnteredBlocks | None = expand_outer_blocks(
        *table, problem.supply, box, problem.head, members, first, MAX_TREE_ENTRIES
    )
    known: dict[bytes, TreeTable | None] = {}

    def pack_once(part: PackingProblem) -> TreeTable | None:
        if part.key not in known:
            known[part.key] = _packed_table(part, pack)
        return known[part.key]

    for b in np.flatnonzero(np.bincount(box) > 1).tolist():
        if blocks is None or not len(blocks[1]):
            return None
        blocks = _complete_box(problem, box, b, blocks, pack_once)
    if blocks is None:
        return None
    root, copies, arc = list_trees(*blocks[:3], problem.tail)
    return Packing(root=root, copies=copies, arc=arc, method="tight sets")


def _tight_boxes(problem: PackingProblem) -> Int64Array:
    """The tight set that each node is in: least ones, or the parts below the core if these are.

    Where every node is tight by itself, no least set is larger.
    """
    found: Int64Array = tight_set_labels(
        problem.tail, problem.head, problem.capacity, problem.supply
    )
    if problem.part is None or int(found.max()) + 1 < problem.n:
        return found
    box = np.unique(problem.part, return_inverse=True)[1].astype(np.int64)
    count, between = int(box.max()) + 1, box[problem.tail] != box[problem.head]
    into = _sums_by_place(box[problem.head[between]], problem.capacity[between], count)
    outside = problem.trees - _sums_by_place(box, problem.supply, count)
    return box if np.array_equal(into, outside) else found


def _complete_box(
    problem: PackingProblem,
    box: Int64Array,
    b: int,
    blocks: EnteredBlocks,
    pack: Callable[[PackingProblem], TreeTable | None],
) -> EnteredBlocks | None:
    """The blocks with the inside of one box packed; None if it is not, or there are too many."""
    enter, root, copies, entry = blocks
    nodes, arcs, inside = _box_problem(problem, box, b, entry[b], copies)
    table = pack(inside)
    if table is None:
        return None
    block, own, copies = match_blocks(entry[b], copies, *table[1:], nodes, problem.n)
    if problem.n * len(block) > MAX_TREE_ENTRIES:
        return None
    if len(block) > len(root):
        enter, root = np.take(enter, block, axis=1), root[block]
        entry = np.take(entry, block, axis=1)
    fill_box(enter, entry[b], table[0], own, nodes, arcs)
    return enter, root, copies, entry


def _contract_boxes(
    problem: PackingProblem, box: Int64Array, boxes: int
) -> tuple[PackingProblem, Int64Array, Int64Array]:
    """The problem between boxes, and the real arcs behind each of its arcs."""
    keys = box[problem.tail] * boxes + box[problem.head]
    between = np.flatnonzero(box[problem.tail] != box[problem.head])
    between = between[np.argsort(keys[between], kind="stable")]
    pairs, first = np.unique(keys[between], return_index=True)
    sums = np.add.reduceat(problem.capacity[between], first)
    outer = PackingProblem(
        tail=(pairs // boxes).astype(np.int32),
        head=(pairs % boxes).astype(np.int32),
        capacity=sums,
        supply=_sums_by_place(box, problem.supply, boxes),
    )
    members = np.stack([between, problem.capacity[between]], axis=1)
    return outer, members, np.append(first, len(between)).astype(np.int64)


def _box_problem(
    problem: PackingProblem, box: Int64Array, b: int, entry: IntArray, copies: Int64Array
) -> tuple[Int64Array, Int64Array, PackingProblem]:
    """One box as a problem of its own: trees begin where they come in."""
    nodes = np.flatnonzero(box == b)
    arcs = np.flatnonzero((box[problem.tail] == b) & (box[problem.head] == b))
    inner = PackingProblem(
        tail=np.searchsorted(nodes, problem.tail[arcs]).astype(np.int32),
        head=np.searchsorted(nodes, problem.head[arcs]).astype(np.int32),
        capacity=problem.capacity[arcs],
        supply=_sums_by_place(np.searchsorted(nodes, entry), copies, len(nodes)),
    )
    return nodes, arcs, inner


def _sums_by_place(place: Int64Array, amounts: Int64Array, count: int) -> Int64Array:
    """The sums of the amounts at each of the places 0..count; int64 throughout."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, place, amounts)
    return sums


def _packed_table(problem: PackingProblem, pack: Packer) -> TreeTable | None:
    """The table of what a packer makes of a problem."""
    packing = pack(problem)
    return None if packing is None else packing.table(problem)
