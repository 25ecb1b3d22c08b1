"""From the packed forest to trees with one route an edge.

A logical arc stands for a bundle of routes through switches (ForestColl, section 5.3). The trees on
it take the routes in order, as `Forest` says; where a bundle's route ends among the copies of one
tree, the tree is split into two that differ in that route only.
"""

import numpy as np
from numpy.typing import NDArray

from topofinder.forest.answer import Forest
from topofinder.trees.tree_set import TreeSet

Long = NDArray[np.int64]


def routed(forest: Forest) -> TreeSet:
    """The trees of a forest, each with its routes; nothing is spared yet."""
    use_tree = np.repeat(np.arange(forest.trees), np.diff(forest.start))
    place = _places(forest, use_tree)
    ends = np.cumsum(forest.amount)
    tree, begin, copies = _split(forest, use_tree, place, ends)
    counts = np.diff(forest.start)[tree]
    start = np.concatenate([[0], np.cumsum(counts)])
    use = np.repeat(forest.start[tree] - start[:-1], counts) + np.arange(int(start[-1]))
    bundle = np.searchsorted(ends, place[use] + np.repeat(begin, counts), side="right")
    kept, route = np.unique(bundle, return_inverse=True)
    route_start, node = _nodes(forest, kept)
    return TreeSet(
        k=forest.k,
        root=forest.root[tree],
        copies=copies,
        start=start,
        route=route.astype(np.int32),
        route_start=route_start,
        node=node.astype(np.int32),
        optimum=forest.optimum.inverse_rate,
        time=forest.inverse_rate,
        cut=forest.optimum.cut,
    )


def _places(forest: Forest, use_tree: Long) -> Long:
    """Where each use begins in the concatenated amounts of all bundles."""
    order = np.argsort(forest.arc, kind="stable")
    copies = forest.copies[use_tree][order]
    before = np.cumsum(copies) - copies
    arc = forest.arc[order]
    first = np.searchsorted(arc, arc)
    amounts = np.concatenate([[0], np.cumsum(forest.amount)])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = amounts[forest.bundle_start[arc]] + before - before[first]
    return place


def _split(forest: Forest, use_tree: Long, place: Long, ends: Long) -> tuple[Long, Long, Long]:
    """The pieces of the trees: the tree, the first of its copies, and how many copies."""
    copies = forest.copies[use_tree]
    first = np.searchsorted(ends, place, side="right")
    last = np.searchsorted(ends, place + copies, side="left")
    count = np.maximum(last - first, 0)
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


def _nodes(forest: Forest, bundles: Long) -> tuple[Long, Long]:
    """The nodes that each bundle's route visits."""
    tail, head = forest.fabric.tail, forest.fabric.head
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
