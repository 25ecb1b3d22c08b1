"""Pack piece by piece: every tight set alone, and the rest with tight sets as single nodes.

That the pieces can be packed follows from tightness: a cut inside a tight set B that is too narrow
for B's own trees and those that come in would be too narrow in the whole as well.
"""

from collections.abc import Callable

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.forests.packing.job import MAX_ENTRIES, Packing, PackingProblem, Table
from topofinder.forests.packing.pools import expand_outer_blocks, fill_box, match_blocks, tree_table
from topofinder.forests.packing.tight import tight_set_labels
from topofinder.forests.packing.tree_tables import list_trees

Packer = Callable[[PackingProblem], Packing | None]


def pack_by_tight_sets(problem: PackingProblem, pack: Packer) -> Packing | None:
    """A packing by parts; None when no tight set has two nodes or some part is not packed.

    `pack` is asked once for parts that are equal.
    """
    box = tight_set_labels(problem.tail, problem.head, problem.capacity, problem.supply)
    boxes = int(box.max()) + 1
    if boxes == problem.n or boxes == 1:
        return None
    outer, members, first = _contract_boxes(problem, box, boxes)
    table = _packed_table(outer, pack)
    if table is None:
        return None
    enter, root, copies, entry = expand_outer_blocks(
        *table, problem.supply, box, problem.head, members, first, MAX_ENTRIES
    )
    if not len(root):
        return None
    known: dict[bytes, Table | None] = {}
    for b in np.flatnonzero(np.bincount(box) > 1):
        nodes, arcs, inner = _box_problem(problem, box, int(b), entry[b], copies)
        if inner.key not in known:
            known[inner.key] = _packed_table(inner, pack)
        made = known[inner.key]
        if made is None:
            return None
        block, own, copies = match_blocks(entry[b], copies, *made[1:], nodes, problem.n)
        if problem.n * len(block) > MAX_ENTRIES:
            return None
        if len(block) > len(root):
            enter, root = np.take(enter, block, axis=1), root[block]
            entry = np.take(entry, block, axis=1)
        fill_box(enter, entry[b], made[0], own, nodes, arcs)
    entries = list_trees(enter, root, copies, problem.tail)
    return Packing(root=entries[0], copies=entries[1], arc=entries[2], method="tight sets")


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


def _packed_table(problem: PackingProblem, pack: Packer) -> Table | None:
    packing = pack(problem)
    if packing is None:
        return None
    table: Table = tree_table(packing.root, packing.copies, packing.arc, problem.head, problem.n)
    return table
