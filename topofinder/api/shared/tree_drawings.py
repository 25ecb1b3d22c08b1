"""What pictures show of forests: trees of a root side by side, and what trees put on the links."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from generators.topology import FloatArray
from reports.drawn_schedules import DrawnTree
from topofinder.model.forest import Forest, Phase, link_loads
from topofinder.model.tree_set import TreeSet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_TREES = 6
"""Trees that are drawn."""


def forest_title(forest: Forest) -> str:
    """What it carries out on what."""
    return f"{forest.collective} on {forest.recipe or f'{forest.topology.n} nodes'}"


def trees_drawing(forest: Forest) -> "tuple[Figure, str]":
    """The different trees of the first root in the last phase, and what they are in words."""
    from reports.plots.trees import trees_figure

    drawn, words = first_trees(forest, MOST_TREES)
    told = f"{forest_title(forest)}: {words}"
    return trees_figure(told, drawn), told


def first_trees(forest: Forest, most: int) -> tuple[list[DrawnTree], str]:
    """So many of the different trees of the first root in the last phase; and that in words."""
    phase = forest.phases[-1]
    trees = phase.trees
    root = int(trees.root[0])
    own = np.flatnonzero(trees.root == root)
    drawn = [_drawn_tree(trees, int(entry)) for entry in own[:most]]
    turned = ", in-trees drawn root first" if phase.name == "gather" else ""
    return drawn, f"{len(drawn)} of {len(own)} trees of root {root}, k = {trees.k}{turned}"


def _drawn_tree(trees: TreeSet, entry: int) -> DrawnTree:
    edges = list(_edges(trees, entry))
    tree = DrawnTree(name="", root=int(trees.root[entry]), edges=edges)
    copies = int(trees.copies[entry])
    name = f"{copies} of {trees.k} parts of the shard, height {max(tree.depths().values())}"
    return DrawnTree(name=name, root=tree.root, edges=edges)


def _edges(trees: TreeSet, entry: int) -> Iterator[tuple[int, int, int]]:
    tails, heads, links = trees.tails(), trees.heads(), np.diff(trees.route_start) - 1
    for route in trees.route[trees.start[entry] : trees.start[entry + 1]].tolist():
        yield int(tails[route]), int(heads[route]), int(links[route])


def tree_loads(forest: Forest) -> FloatArray:
    """Shards that cross every arc, over all phases, parallel arcs alike; float64 (arcs,)."""
    graph = forest.topology
    carried: dict[tuple[int, int], float] = {}
    for phase in forest.phases:
        for pair, load in _loads_as_drawn(phase):
            carried[pair] = carried.get(pair, 0.0) + load
    capacity = graph.capacity or (Fraction(1),) * graph.arcs
    ends = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    whole: dict[tuple[int, int], float] = {}
    for pair, one in zip(ends, capacity, strict=True):
        whole[pair] = whole.get(pair, 0.0) + float(one)
    return np.array(
        [
            carried.get(pair, 0.0) * float(one) / whole[pair]
            for pair, one in zip(ends, capacity, strict=True)
        ]
    )


def _loads_as_drawn(phase: Phase) -> Iterator[tuple[tuple[int, int], float]]:
    """Loads by the direction in which messages run: those of in-trees against their edges."""
    for (u, v), load in link_loads(phase.trees).items():
        yield (u, v) if phase.name == "spread" else (v, u), load / phase.trees.k
