"""Pack the trees of one root and translate them, where a group carries node 0 to every node.

Source: ForestColl (NSDI 2026), section 5.4, on a vertex-transitive graph. The group splits the
arcs into classes, one for each arc out of node 0, and the images of a tree load every arc as often
as the tree has arcs of its class. So trees of node 0 alone have to be packed, into classes: with a
rank of the nodes as in `level` that is one transport, and any solution makes trees. Ranked by hops
it has a solution exactly if the level forest has one, the mean of its images. Where it has none,
ranks with some noise let a node hang from others that are as far away as it is, or a little more.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from expansions.translations import Translations, translations_of
from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray, Topology
from topofinder.forests.packing.assemble import assemble
from topofinder.forests.packing.heights import heights
from topofinder.forests.packing.job import MAX_ENTRIES, Job, Packing
from topofinder.forests.packing.transport import transport

ATTEMPTS = 24
WIDEST = 3.0
"""Noisy ranks to try, and how many hops nodes may change places over in the last."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The translations of a job, where they carry its arcs, and the arcs by class.

    `maps[g, e]` is the image of arc e under generator g, int32; `of[e]` the class of arc e, int64;
    `into[v, c]` the arc of class c into node v, int64.
    """

    translations: Translations
    maps: IntArray
    of: Int64Array
    into: Int64Array

    @classmethod
    def of_job(cls, job: Job) -> "Classes | None":
        """None where no translations are known that form a group with one member a node.

        They must keep capacities, and every node must have as many trees as every other.
        """
        if job.translation is None or (job.supply != job.supply[0]).any():
            return None
        topology = Topology(n=job.n, tail=job.tail, head=job.head, translation=job.translation)
        try:
            known = translations_of(topology)
            maps = known.arc_maps(topology)
        except InvalidInput:
            return None
        out = known.carry(maps, np.flatnonzero(job.tail == 0))
        of = np.full(len(job.tail), -1, dtype=np.int64)
        of[out] = np.arange(out.shape[1])
        into = np.full(out.shape, -1, dtype=np.int64)
        into[job.head, of] = np.arange(len(of))
        alike = (job.capacity[out] == job.capacity[out[0]]).all()
        if out.size != len(of) or (of < 0).any() or (into < 0).any() or not alike:
            return None
        return cls(known, maps, of, into)


def by_translation(job: Job, seed: int = 0) -> Packing | None:
    """Trees as high as node 0 is eccentric, else the lowest that noisy ranks find, or None."""
    classes = Classes.of_job(job)
    if classes is None:
        return None
    hops = _hops(job)
    best = _of_root(job, classes, hops)
    if best is not None:
        return _translated(job, classes, best, "level, translated")
    generator = np.random.default_rng(seed)
    lowest = 0
    for attempt in range(ATTEMPTS):
        width = WIDEST * (attempt + 1) / ATTEMPTS
        noisy = hops + width * generator.random(job.n)
        noisy[0] = 0
        made = _of_root(job, classes, noisy.argsort().argsort().astype(np.int32))
        if made is None:
            continue
        height = _height(job, made)
        if best is None or height < lowest:
            best, lowest = made, height
    return None if best is None else _translated(job, classes, best, "translated")


def _hops(job: Job) -> IntArray:
    """Distances from node 0."""
    graph = coo_array((np.ones(len(job.tail)), (job.tail, job.head)), shape=(job.n, job.n)).tocsr()
    found = dijkstra(graph, indices=np.zeros(1, np.int32), unweighted=True)
    return np.array(found[0], dtype=np.int32)


def _of_root(job: Job, classes: Classes, rank: IntArray) -> tuple[IntArray, ...] | None:
    """Tree entries (root, copies, arc) of node 0, if its trees fit into the classes."""
    before = rank[job.tail[classes.into]] < rank[:, None]
    wanted = job.supply.copy()
    wanted[0] = 0
    first = np.concatenate([[0], np.cumsum(before.sum(axis=1))])
    node, suits = np.nonzero(before)
    room = job.capacity[classes.into[0]].copy()
    given, unmet = transport(wanted, room, first, suits.astype(np.int32))
    if unmet.any():
        return None
    taken = given > 0
    arcs = classes.into[node[taken], suits[taken]].astype(np.int32)
    supply = np.where(np.arange(job.n) == 0, job.supply, 0)
    roots = np.zeros(len(arcs), dtype=np.int32)
    most = MAX_ENTRIES // job.n
    made = assemble(roots, arcs, given[taken], job.head, supply, rank[None], most)
    return made if len(made[0]) else None


def _height(job: Job, made: tuple[IntArray, ...]) -> int:
    root, _, arc = made
    start = np.arange(len(root) + 1) * (job.n - 1)
    return int(heights(root, start, arc.ravel(), job.tail, job.head).max())


def _translated(job: Job, classes: Classes, made: tuple[IntArray, ...], method: str) -> Packing:
    """The images of the trees of node 0 at every node."""
    root, copies, arc = made
    images = classes.translations.carry(classes.maps, arc.ravel())
    return Packing(
        root=np.repeat(np.arange(job.n, dtype=np.int32), len(root)),
        copies=np.tile(copies, job.n),
        arc=images.reshape(-1, job.n - 1),
        method=method,
    )
