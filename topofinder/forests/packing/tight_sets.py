"""Pack a job piece by piece: every tight set alone, and the rest with tight sets as single nodes.

That the pieces can be packed follows from tightness: a cut inside a tight set B that is too narrow
for B's own trees and those that come in would be too narrow in the whole as well.
"""

from collections.abc import Callable

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.forests.packing.job import MAX_ENTRIES, Job, Packing, Table
from topofinder.forests.packing.pools import expanded, fill_box, shared_out, spread_over
from topofinder.forests.packing.tight import tight_sets
from topofinder.forests.packing.tree_tables import listed_trees

Packer = Callable[[Job], Packing | None]


def by_tight_sets(job: Job, pack: Packer) -> Packing | None:
    """A packing by parts; None when no tight set has two nodes or some part is not packed.

    `pack` is asked once for parts that are equal.
    """
    box = tight_sets(job.tail, job.head, job.capacity, job.supply)
    boxes = int(box.max()) + 1
    if boxes == job.n or boxes == 1:
        return None
    outer, members, first = _contracted(job, box, boxes)
    table = _table(outer, pack)
    if table is None:
        return None
    enter, root, copies, entry = spread_over(
        *table, job.supply, box, job.head, members, first, MAX_ENTRIES
    )
    if not len(root):
        return None
    known: dict[bytes, Table | None] = {}
    for b in np.flatnonzero(np.bincount(box) > 1):
        nodes, arcs, inner = _inside(job, box, int(b), entry[b], copies)
        if inner.key not in known:
            known[inner.key] = _table(inner, pack)
        made = known[inner.key]
        if made is None:
            return None
        block, own, copies = shared_out(entry[b], copies, *made[1:], nodes, job.n)
        if job.n * len(block) > MAX_ENTRIES:
            return None
        if len(block) > len(root):
            enter, root = np.take(enter, block, axis=1), root[block]
            entry = np.take(entry, block, axis=1)
        fill_box(enter, entry[b], made[0], own, nodes, arcs)
    entries = listed_trees(enter, root, copies, job.tail)
    return Packing(root=entries[0], copies=entries[1], arc=entries[2], method="tight sets")


def _contracted(job: Job, box: Int64Array, boxes: int) -> tuple[Job, Int64Array, Int64Array]:
    """The job between boxes, and the real arcs behind each of its arcs."""
    keys = box[job.tail] * boxes + box[job.head]
    between = np.flatnonzero(box[job.tail] != box[job.head])
    between = between[np.argsort(keys[between], kind="stable")]
    pairs, first = np.unique(keys[between], return_index=True)
    sums = np.add.reduceat(job.capacity[between], first)
    outer = Job(
        tail=(pairs // boxes).astype(np.int32),
        head=(pairs % boxes).astype(np.int32),
        capacity=sums,
        supply=_sums(box, job.supply, boxes),
    )
    members = np.stack([between, job.capacity[between]], axis=1)
    return outer, members, np.append(first, len(between)).astype(np.int64)


def _inside(
    job: Job, box: Int64Array, b: int, entry: IntArray, copies: Int64Array
) -> tuple[Int64Array, Int64Array, Job]:
    """One box as a job of its own: trees begin where they come in."""
    nodes = np.flatnonzero(box == b)
    arcs = np.flatnonzero((box[job.tail] == b) & (box[job.head] == b))
    inner = Job(
        tail=np.searchsorted(nodes, job.tail[arcs]).astype(np.int32),
        head=np.searchsorted(nodes, job.head[arcs]).astype(np.int32),
        capacity=job.capacity[arcs],
        supply=_sums(np.searchsorted(nodes, entry), copies, len(nodes)),
    )
    return nodes, arcs, inner


def _sums(place: Int64Array, amounts: Int64Array, count: int) -> Int64Array:
    """The sums of the amounts at each of the places 0..count; int64 throughout."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, place, amounts)
    return sums


def _table(job: Job, pack: Packer) -> Table | None:
    packing = pack(job)
    if packing is None:
        return None
    table: Table = expanded(packing.root, packing.copies, packing.arc, job.head, job.n)
    return table
