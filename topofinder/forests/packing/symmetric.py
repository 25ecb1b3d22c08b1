"""Pack the trees of one root and translate them, where a group carries node 0 to every node.

Source: ForestColl (NSDI 2026), section 5.4, on a vertex-transitive graph. The group splits the
arcs into classes, one for each arc out of node 0, and the images of a tree load every arc as often
as the tree has arcs of its class. So trees of node 0 alone have to be packed, into classes: with a
rank of the nodes as in `level` that is one transport, and any solution makes trees. Ranked by hops
it has a solution exactly if the level forest has one, the mean of its images. Where it has none,
some nodes that are not the farthest are ranked a hop lower, other ones in each share of the trees:
they may then hang from nodes that are as far away as they are, and trees are as low as before. If
that does not do, ranks with some noise let all nodes do so, in trees that are higher.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from expansions.automorphisms import Automorphisms, automorphisms_of
from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray, Topology
from topofinder.forests.packing.level_kernels import solve_transport
from topofinder.forests.packing.problem import MAX_TREE_ENTRIES, Packing, PackingProblem
from topofinder.forests.packing.tree_table_kernels import assemble_trees

ATTEMPTS = 24
WIDEST_NOISE = 3.0
"""Noisy ranks to try, and how many hops nodes may change places over in the last."""
LOWERED_SHARES = 8
"""Shares of the trees in which other nodes are lowered."""
MOST_SHARES, ROOM_ATTEMPTS = 64, 8
"""The same where nodes are lowered as room allows, and how often that is tried."""
MOST_CHOICES = 1 << 22
"""Arcs into nodes, in all shares, up to which that is tried."""


@dataclass(frozen=True, slots=True)
class ArcClasses:
    """The translations of a problem, where they carry its arcs, and the arcs by class.

    `maps[g, e]` is the image of arc e under generator g, int32; `of[e]` the class of arc e, int64;
    `into[v, c]` the arc of class c into node v, int64.
    """

    translations: Automorphisms
    maps: IntArray
    of: Int64Array
    into: Int64Array

    @classmethod
    def of_problem(cls, problem: PackingProblem) -> "ArcClasses | None":
        """None where no translations are known that form a group with one member a node.

        They must keep capacities, and every node must have as many trees as every other.
        """
        if problem.translation is None or (problem.supply != problem.supply[0]).any():
            return None
        topology = Topology(
            n=problem.n, tail=problem.tail, head=problem.head, translation=problem.translation
        )
        try:
            known = automorphisms_of(topology)
            maps = known.arc_maps(topology)
        except InvalidInput:
            return None
        out = known.carry(maps, np.flatnonzero(problem.tail == 0))
        of = np.full(len(problem.tail), -1, dtype=np.int64)
        of[out] = np.arange(out.shape[1])
        into = np.full(out.shape, -1, dtype=np.int64)
        into[problem.head, of] = np.arange(len(of))
        alike = (problem.capacity[out] == problem.capacity[out[0]]).all()
        if out.size != len(of) or (of < 0).any() or (into < 0).any() or not alike:
            return None
        return cls(known, maps, of, into)


def pack_by_translation(problem: PackingProblem, seed: int = 0) -> Packing | None:
    """Trees as high as node 0 is eccentric, else the lowest that noisy ranks find, or None."""
    classes = ArcClasses.of_problem(problem)
    if classes is None:
        return None
    hops = _hops_from_first(problem)
    best = _pack_first_root(problem, classes, hops)
    if best is not None:
        return _translate_trees(problem, classes, best, "level, translated")
    best = _pack_with_lowered_nodes(problem, classes, hops, seed)
    if best is None:
        best = _pack_as_room_allows(problem, classes, hops, seed)
    if best is not None:
        return _translate_trees(problem, classes, best, "level, lowered, translated")
    generator = np.random.default_rng(seed)
    lowest = 0
    for attempt in range(ATTEMPTS):
        width = WIDEST_NOISE * (attempt + 1) / ATTEMPTS
        noisy = hops + width * generator.random(problem.n)
        noisy[0] = 0
        made = _pack_first_root(problem, classes, noisy.argsort().argsort().astype(np.int32))
        if made is None:
            continue
        height = made.height(problem)
        if best is None or height < lowest:
            best, lowest = made, height
    return None if best is None else _translate_trees(problem, classes, best, "translated")


def _pack_with_lowered_nodes(
    problem: PackingProblem, classes: ArcClasses, hops: IntArray, seed: int
) -> Packing | None:
    """Trees no higher than the farthest node is away: in each share of them some nodes are a hop
    lower than they need be, more and more.
    """
    generator = np.random.default_rng([seed, problem.n])
    shares = min(LOWERED_SHARES, int(problem.supply[0]))
    near = 1 if hops.max() > 2 else 0
    for attempt in range(ATTEMPTS):
        drawn = generator.random((shares, problem.n)) * ATTEMPTS < attempt + 1
        ranks = np.minimum(hops + (drawn & (hops > near)), hops.max()).astype(np.int32)
        made = _pack_first_root(problem, classes, *ranks)
        if made is not None:
            return made
    return None


def _pack_as_room_allows(
    problem: PackingProblem, classes: ArcClasses, hops: IntArray, seed: int
) -> Packing | None:
    """The same where neighbours are lowered but in as many trees as their arc from node 0 carries,
    and other nodes in more and more.

    Where links to some neighbours are narrow, as those between racks, and all room is needed, this
    uses them just up.
    """
    generator, supplied = np.random.default_rng([seed, problem.n]), int(problem.supply[0])
    shares = min(MOST_SHARES, supplied)
    kept = np.full(problem.n, shares)
    node, which = np.nonzero(problem.tail[classes.into] == 0)
    room = problem.capacity[classes.into[node, which]]
    kept[node] = np.minimum(room * shares // supplied, shares)
    if hops.max() < 2 or (kept == shares).all() or shares * classes.into.size > MOST_CHOICES:
        return None
    wide, far = kept == shares, hops.max()
    for attempt in range(ROOM_ATTEMPTS):
        place = generator.random((shares, problem.n)).argsort(axis=0)
        lowered = (place >= kept) | (wide & (place < shares * attempt // ROOM_ATTEMPTS))
        ranks = np.where(lowered & (hops > 0), np.minimum(hops + 1, far), hops).astype(np.int32)
        made = _pack_first_root(problem, classes, *ranks)
        if made is not None:
            return made
    return None


def _hops_from_first(problem: PackingProblem) -> IntArray:
    """Distances from node 0."""
    graph = coo_array(
        (np.ones(len(problem.tail)), (problem.tail, problem.head)), shape=(problem.n, problem.n)
    ).tocsr()
    found = dijkstra(graph, indices=np.zeros(1, np.int32), unweighted=True)
    return np.array(found[0], dtype=np.int32)


def _pack_first_root(
    problem: PackingProblem, classes: ArcClasses, *ranks: IntArray
) -> Packing | None:
    """The trees of node 0 alone, if they fit into the classes; ranks take them in even shares."""
    rank = np.stack(ranks)
    before = rank[:, problem.tail[classes.into]] < rank[:, :, None]
    wanted = np.zeros(rank.shape, dtype=np.int64)
    wanted[:] = np.diff(problem.supply[0] * np.arange(len(rank) + 1) // len(rank))[:, None]
    share = wanted[:, 0].tolist()
    wanted[:, 0] = 0
    first = np.concatenate([[0], np.cumsum(before.sum(axis=2))])
    which, node, suits = np.nonzero(before)
    room = problem.capacity[classes.into[0]].copy()
    given, unmet = solve_transport(wanted.ravel(), room, first, suits.astype(np.int32))
    if unmet.any():
        return None
    parts = []
    for part, supplied in enumerate(share):
        taken = (given > 0) & (which == part)
        arcs = classes.into[node[taken], suits[taken]].astype(np.int32)
        supply = np.where(np.arange(problem.n) == 0, supplied, 0)
        roots = np.zeros(len(arcs), dtype=np.int32)
        most = MAX_TREE_ENTRIES // problem.n // len(share)
        parts.append(
            assemble_trees(roots, arcs, given[taken], problem.head, supply, rank[part][None], most)
        )
    if not all(len(root) for root, _, _ in parts):
        return None
    root, copies, arc = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return Packing(root=root, copies=copies, arc=arc, method="one root")


def _translate_trees(
    problem: PackingProblem, classes: ArcClasses, trees: Packing, method: str
) -> Packing:
    """The images of the trees of node 0 at every node."""
    images = classes.translations.carry(classes.maps, trees.arc.ravel())
    return Packing(
        root=np.repeat(np.arange(problem.n, dtype=np.int32), len(trees.root)),
        copies=np.tile(trees.copies, problem.n),
        arc=images.reshape(-1, problem.n - 1),
        method=method,
    )
