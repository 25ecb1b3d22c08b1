"""Low trees of an allreduce with both phases at once: level forests that share the links.

With hop distances as ranks of the nodes, trees are as low as can be, whatever links their nodes are
entered by; so the least load of the busiest link is a transport, solved exactly
(`shared_level_kernels`). No trees of these weights take less than all that has to enter nodes over
all bandwidth there is, or some nodes over the links that they have (`SharedLinks.bound`); where
that is reached, nothing is better. Where it is not, nodes are
ranked anew by distances on which the links that cannot be relieved together are longer, ties by
chance (multiplicative weights): such trees are higher and fill links better.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.topology import BoolArray, FloatArray, Int64Array, IntArray, Topology
from topofinder.forests.collectives.shared_links import SharedLinks
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import least_inverse_tree
from topofinder.forests.packing.problem import MAX_TREE_ENTRIES
from topofinder.forests.packing.shared_level_kernels import (
    fill_links,
    level_height,
    link_distances,
    relieve_links,
)
from topofinder.forests.packing.tree_table_kernels import assemble_trees
from topofinder.kernels import hop_table
from topofinder.model.tree_set import TreeSet

MOST_TREES = 64
"""Trees a root at most where no number is asked for: the fewest that come as close as ..."""
LEAST_LOSS = Fraction(1, 1000)
"""... this part to the bound, as far as whole numbers go; the bound itself is reached with ..."""
EXACT_TREES = 32
"""... no more trees a root than that, where it can be."""
ZERO = Fraction(0)
TRIES = 12
"""Other ranks that are tried where hop distances do not reach the bound."""
LONGER = 1.2
"""What a link's length is multiplied by where it could not be relieved."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedLevels:
    """Who enters where: `given[i, u]` trees of root u by option i; `rank[x, u]` ranks the places.

    `time` is what a unit of weight takes with both phases at once, never below `links.bound`.
    `by_hops` says whether ranks are hop distances.
    """

    links: SharedLinks
    k: int
    rank: IntArray
    given: Int64Array
    time: Fraction
    by_hops: bool

    @property
    def loss(self) -> Fraction:
        """How much longer than the bound it takes, relatively."""
        return self.time / self.links.bound - 1

    @property
    def height(self) -> int:
        """No tree that these choices make is higher, in hops: by hop ranks, the highest is."""
        if self.by_hops:
            return int(self.rank.max())
        return int(level_height(self.links.start, self.links.above, self.given))

    @property
    def is_near(self) -> bool:
        """Whether it comes as close to the bound as whole numbers of so many trees can be asked."""
        return self.time <= max(self.links.least_time(self.k), self.links.bound * (1 + LEAST_LOSS))


def share_levels(
    topology: Topology,
    weights: Sequence[Fraction | int] | None = None,
    k: int | None = None,
    seed: int = 0,
    tries: int = TRIES,
    loss: Fraction = LEAST_LOSS,
    enough: Fraction = ZERO,
) -> SharedLevels:
    """The level forest of an allreduce that takes the least time with both phases at once.

    `k` trees a root; None: as few as can come so close to the bound, or a few more. Up to `tries`
    other ranks are tried, until one takes at most `enough` longer than the bound. Raises
    InvalidInput for a topology that is not strongly connected, Unsupported for one with switches or
    too many links.

    >>> from generators.families.circulant import circulant
    >>> found = share_levels(circulant(16, (3, 4)))
    >>> found.time, found.loss, found.k, int(found.rank.max())
    (Fraction(15, 2), Fraction(0, 1), 2, 3)
    """
    links = SharedLinks.of(Network.of(topology, weights))
    k = k or _few_trees(links, loss)
    rank = _hop_ranks(links)
    best, full = _solve_levels(links, k, rank, by_hops=True)
    random = np.random.default_rng(seed)
    length = np.ones(len(links.capacity))
    for attempt in range(tries):
        if best.is_near or (attempt and best.loss <= enough):
            break
        length[full] *= LONGER
        found, full = _solve_levels(links, k, _ranks_by(links, length, random))
        if found.time < best.time:
            best = found
    return best


def pack_shared_levels(found: SharedLevels) -> tuple[TreeSet, TreeSet]:
    """The out-trees, and the in-trees as out-trees of the transpose; parents before children.

    Raises Unsupported where they are too many for the memory.
    """
    n, arcs = found.links.network.n, len(found.links.network.tail)
    spread = _tree_set(found, slice(0, arcs), found.rank[:n], turned=False)
    if found.links.two_way:
        return spread, spread
    return spread, _tree_set(found, slice(arcs, 2 * arcs), found.rank[n:], turned=True)


def _few_trees(links: SharedLinks, loss: Fraction) -> int:
    """The fewest trees a root that whole numbers let come close to the bound."""
    width = links.bound * links.network.unit
    exact = lcm(*((c * width).denominator for c in set(links.capacity)))
    if exact <= EXACT_TREES and loss <= LEAST_LOSS:
        return exact
    near, found = links.bound * (1 + max(loss, LEAST_LOSS)), []
    for k in range(1, MOST_TREES + 1):
        found.append((links.least_time(k), k))
        if found[-1][0] <= near:
            return k
    return min(found)[1]


def _hop_ranks(links: SharedLinks) -> IntArray:
    """Hops from the root of out-trees, then those to the root of in-trees; [place, root]."""
    network = links.network
    start, arc = csr_by_node(network.tail, network.n)
    hops: IntArray = hop_table(start, network.head[arc])
    far = np.argwhere(hops < 0)
    if len(far):
        u, v = (network.name(node) for node in far[0].tolist())
        raise InvalidInput(f"node {v} cannot be reached from node {u}")
    return np.ascontiguousarray(hops.T if links.two_way else np.concatenate([hops.T, hops]))


def _ranks_by(links: SharedLinks, length: FloatArray, random: np.random.Generator) -> IntArray:
    """The places of each root in the order of distances on links of this length, [place, root]."""
    n = links.network.n
    far: FloatArray = link_distances(links.start, links.above, links.link, length, n)
    # Less than any difference of lengths that matters, and nothing at the root.
    far += 1e-3 * random.random(far.shape) * (far > 0)
    rank = np.empty(far.shape, dtype=np.int32)
    for first in range(0, links.places, n):
        order = far[first : first + n].argsort(axis=0)
        np.put_along_axis(rank[first : first + n], order, np.arange(n, dtype=np.int32)[:, None], 0)
    return rank


def _solve_levels(
    links: SharedLinks, k: int, rank: IntArray, *, by_hops: bool = False
) -> tuple[SharedLevels, BoolArray]:
    """The choices whose busiest link takes the least time by these ranks, exactly.

    Also the links that could not be relieved together before they were given more room.
    """
    need = np.tile(k * np.array(links.network.weight, dtype=np.int64), (links.places, 1))
    need[np.arange(links.places), np.arange(links.places) % links.network.n] = 0
    room = links.rooms(links.least_width(k))
    table = links.start, links.above, links.link, rank
    given, load = fill_links(*table, need, room)
    tight = np.zeros(len(room), dtype=np.bool_)
    while True:
        full: BoolArray = relieve_links(*table, room, given, load)
        if not full.any():
            break
        tight = full
        exits = [links.capacity[e] for e in np.flatnonzero(full)]
        room = np.maximum(room, links.rooms(least_inverse_tree(exits, int(load[full].sum()))))
    time = _busiest_time(load, links.capacity) / links.network.unit / k
    found = SharedLevels(links=links, k=k, rank=rank, given=given, time=time, by_hops=by_hops)
    return found, tight


def _busiest_time(load: Int64Array, capacity: tuple[int, ...]) -> Fraction:
    """The largest load over capacity; of links of one capacity only the largest is divided."""
    widths = set(capacity)
    if len(widths) == 1:
        return Fraction(int(load.max()), *widths)
    most = dict.fromkeys(widths, 0)
    for trees, width in zip(load.tolist(), capacity, strict=True):
        most[width] = max(trees, most[width])
    return max(Fraction(trees, width) for width, trees in most.items())


def _transpose_network(network: Network) -> Network:
    """The network with every arc the other way."""
    order = np.lexsort((network.tail, network.head))
    return replace(
        network,
        tail=network.head[order],
        head=network.tail[order],
        capacity=tuple(network.capacity[e] for e in order.tolist()),
        translation=None,
    )


def _tree_set(found: SharedLevels, options: slice, rank: IntArray, *, turned: bool) -> TreeSet:
    """The trees of one phase; every arc that is used is a route of one hop."""
    network = found.links.network
    tail, head = (network.head, network.tail) if turned else (network.tail, network.head)
    which, roots = np.nonzero(found.given[options])
    root, copies, chosen = assemble_trees(
        roots.astype(np.int32),
        found.links.arc[options][which].astype(np.int32),
        found.given[options][which, roots],
        head,
        found.k * np.array(network.weight, dtype=np.int64),
        np.ascontiguousarray(rank.T),
        MAX_TREE_ENTRIES,
    )
    if not len(root):
        raise Unsupported("--overlap: too many different trees for the memory; choose a small --k")
    used, route = np.unique(chosen, return_inverse=True)
    best = find_optimum(_transpose_network(network) if turned else network)
    return TreeSet(
        k=found.k,
        root=root,
        copies=copies,
        start=np.arange(len(root) + 1) * (network.n - 1),
        route=route.ravel().astype(np.int32),
        route_start=2 * np.arange(len(used) + 1),
        node=np.stack([tail[used], head[used]], axis=1).ravel(),
        optimum=best.inverse_rate,
        time=found.time,
        cut=best.cut,
    )
