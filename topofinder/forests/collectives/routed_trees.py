"""From the packed forest to trees with one route an edge.

A logical arc stands for a bundle of routes through switches (ForestColl, section 5.3). The trees on
it take the routes in order, as `PackedForest` says; where a bundle's route ends among the copies of
one tree, the tree is split into two that differ in that route only.
"""

import numpy as np

from generators.topology import Int64Array
from topofinder.forests.collectives.route_kernels import assign_routes
from topofinder.forests.packed_forest import PackedForest
from topofinder.model.tree_set import TreeSet


def route_trees(forest: PackedForest) -> TreeSet:
    """The trees of a forest, each with its routes; nothing is spared yet."""
    bundle, start, copies, tree = _use_bundles(forest)
    used = np.zeros(len(forest.amount), dtype=np.bool_)
    used[bundle] = True
    route_start, node = _route_nodes(forest, np.flatnonzero(used))
    return TreeSet(
        k=forest.k,
        root=forest.root[tree],
        copies=copies,
        start=start,
        route=(np.cumsum(used) - 1)[bundle].astype(np.int32),
        route_start=route_start,
        node=node.astype(np.int32),
        optimum=forest.optimum.inverse_rate,
        time=forest.inverse_rate,
        cut=forest.optimum.cut,
    )


def _use_bundles(forest: PackedForest) -> tuple[Int64Array, Int64Array, Int64Array, Int64Array]:
    """The bundle of every use, where the uses of every piece begin, its copies, and its tree."""
    whole = np.arange(forest.trees)
    if (np.diff(forest.bundle_start) == 1).all():
        return forest.bundle_start[forest.arc], forest.start, forest.copies, whole
    ends = np.cumsum(forest.amount)
    bundle, place = assign_routes(
        forest.start, forest.arc, forest.copies, forest.bundle_start, ends
    )
    tree, begin, copies = _split_at_bundles(forest, place, bundle, ends)
    start, use = _piece_uses(forest, tree)
    skipped = np.repeat(begin, np.diff(start))
    later = np.flatnonzero(skipped)
    bundle = bundle[use]
    bundle[later] = np.searchsorted(ends, place[use[later]] + skipped[later], side="right")
    return bundle, start, copies, tree


def _piece_uses(forest: PackedForest, tree: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Where the uses of every piece begin, and which uses of its tree they are."""
    if len(tree) == forest.trees:
        return forest.start, np.arange(len(forest.arc))
    counts = np.diff(forest.start)[tree]
    start = np.concatenate([[0], np.cumsum(counts)])
    return start, np.repeat(forest.start[tree] - start[:-1], counts) + np.arange(int(start[-1]))


def _split_at_bundles(
    forest: PackedForest,
    place: Int64Array,
    bundle: Int64Array,
    ends: Int64Array,
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The pieces of the trees: the tree, the first of its copies, and how many copies."""
    use_tree = np.repeat(np.arange(forest.trees), np.diff(forest.start))
    beyond = np.flatnonzero(place + forest.copies[use_tree] > ends[bundle])
    if not len(beyond):
        whole = np.arange(forest.trees)
        return whole, np.zeros_like(whole), forest.copies
    use_tree, place, first = use_tree[beyond], place[beyond], bundle[beyond]
    last = np.searchsorted(ends, place + forest.copies[use_tree], side="left")
    count = last - first
    which = np.repeat(np.arange(len(count)), count)
    inside = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    cut = ends[first[which] + inside] - place[which]
    marks = np.stack(
        [
            np.concatenate([np.arange(forest.trees), use_tree[which]]),
            np.concatenate([np.zeros(forest.trees, dtype=np.int64), cut]),
        ]
    )
    tree, begin = np.unique(marks, axis=1)
    following = np.append(begin[1:], 0)
    same = np.append(tree[1:] == tree[:-1], False)
    end = np.where(same, following, forest.copies[tree])
    return tree, begin, end - begin


def _route_nodes(forest: PackedForest, bundles: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The nodes that each bundle's route visits."""
    tail, head = forest.network.tail, forest.network.head
    hops = np.diff(forest.route_start)[bundles]
    route_start = np.concatenate([[0], np.cumsum(hops + 1)])
    node = np.empty(int(route_start[-1]), dtype=np.int64)
    at = np.repeat(forest.route_start[bundles] - (np.cumsum(hops) - hops), hops)
    arcs = forest.route[at + np.arange(int(hops.sum()))]
    is_last = np.zeros(len(node), dtype=np.bool_)
    is_last[route_start[1:] - 1] = True
    node[~is_last] = tail[arcs]
    node[is_last] = head[arcs[np.cumsum(hops) - 1]]
    return route_start, node
