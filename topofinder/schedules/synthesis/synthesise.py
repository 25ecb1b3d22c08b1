"""The allgather of least bandwidth for given steps and chunks, found and proved by HiGHS.

Automorphisms, where some are given, are used to plan few sources and to translate their rows to
all others.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from expansions.automorphisms import ArcImages
from generators.errors import InvalidInput, Unsupported
from generators.topology import BoolArray, IntArray, Topology
from topofinder.schedules.synthesis.chunk_schedules import ChunkSchedule, busiest_total
from topofinder.schedules.synthesis.milp import Broadcast, broadcast_of, load_matrix, solve_milp

MAX_SENDS = 4096
"""The most arcs times steps; the rows of one broadcast grow with their square."""
MAX_VARIABLES = 200_000
"""The most binary variables over all planned sources and chunks."""


def synthesise(
    topology: Topology,
    *,
    steps: int,
    chunks: int = 1,
    automorphisms: Sequence[ArrayLike] = (),
    seconds: float = 300.0,
) -> ChunkSchedule | None:
    """Find an allgather of least bandwidth in `steps` steps, with `chunks` chunks a shard.

    `automorphisms` are arrays `image[v]`, the identity among them, whose images of a few sources
    cover every node exactly once (all translations of a Cayley graph, say): only those sources
    are planned and their rows carried to the others, which shrinks the MILP that many times.
    The result is `proved` when it meets the bound on what a node must receive, or when HiGHS
    closed the gap without automorphisms. `None` when time ran out before any schedule was found.

    Raises InvalidInput when `steps` is below the diameter or an automorphism is none,
    Unsupported for switches, unequal arcs and graphs too large for a MILP.

    >>> from generators.families.complete import complete
    >>> found = synthesise(complete(2, 2), steps=2, chunks=2)
    >>> found.cost, found.proved
    (Cost(steps=2, bandwidth=Fraction(3, 4)), True)
    """
    images = image_table(topology.n, automorphisms)
    arc_images = np.array([arc_image(topology, image) for image in images])
    sources = planned_sources(topology.n, images)
    _check_size(topology, steps, chunks, len(sources))
    distance = _hops_within(topology, steps)
    broadcasts = [broadcast_of(topology, int(v), distance[v], steps) for v in sources]
    load, least = load_matrix(broadcasts, arc_images, steps), _least_load(topology, chunks)
    answer = solve_milp(broadcasts, load, steps=steps, chunks=chunks, least=least, seconds=seconds)
    if answer is None:
        return None
    rows = _rows_of_images(broadcasts, answer.sends, images, arc_images)
    met = busiest_total(topology, rows[:, 1], rows[:, 2], steps) == least
    proved = met or (answer.closed and len(images) == 1)
    return ChunkSchedule.from_rows(topology, rows, steps=steps, chunks=chunks, proved=proved)


def _check_size(topology: Topology, steps: int, chunks: int, sources: int) -> None:
    if topology.switches or topology.capacity is not None:
        raise Unsupported("synthesis needs hosts joined by equal arcs, without switches")
    if topology.n < 2 or chunks < 1:
        raise InvalidInput(f"n, chunks: at least 2 and 1, not {topology.n} and {chunks}")
    sends = topology.arcs * steps
    if sends > MAX_SENDS or sends * sources * chunks > MAX_VARIABLES:
        raise Unsupported(
            f"{topology.arcs} arcs x {steps} steps x {sources} sources x {chunks} chunks: at most "
            f"{MAX_SENDS} arcs x steps and {MAX_VARIABLES} in all"
        )


def _hops_within(topology: Topology, steps: int) -> IntArray:
    """Hops from every node to every other; all within `steps`."""
    ones = np.ones(topology.arcs)
    graph = sparse.csr_matrix((ones, (topology.tail, topology.head)), (topology.n, topology.n))
    hops = shortest_path(graph, unweighted=True)
    if hops.max() > steps:
        raise InvalidInput(f"steps: {steps} is below the diameter {hops.max():g}")
    return hops.astype(np.int32)


def _least_load(topology: Topology, chunks: int) -> int:
    """What some arc must carry in all: each node receives N - 1 shards on its in-arcs."""
    proper = topology.tail != topology.head
    narrowest = int(np.bincount(topology.head[proper], minlength=topology.n).min())
    return ceil(chunks * (topology.n - 1) / narrowest)


def _rows_of_images(
    broadcasts: list[Broadcast],
    sends: BoolArray,
    images: IntArray,
    arc_images: IntArray,
) -> IntArray:
    """Rows (source, arc, step, chunk) of the planned sources, carried to all their images."""
    source = np.concatenate([np.full(len(one.arc), one.source) for one in broadcasts])
    arc = np.concatenate([one.arc for one in broadcasts])
    step = np.concatenate([one.step for one in broadcasts])
    chunk, send = np.nonzero(sends)
    parts = [
        np.stack([image[source[send]], arcs[arc[send]], step[send], chunk], axis=1)
        for image, arcs in zip(images, arc_images, strict=True)
    ]
    return np.concatenate(parts).astype(np.int32)


def arc_image(topology: Topology, image: IntArray) -> IntArray:
    """Where an automorphism, `image[v]` for node v, carries each arc; shape (arcs,).

    Parallel arcs keep their order. Raises InvalidInput when `image` is no automorphism.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> arc_image(ring, np.array([1, 2, 0], dtype=np.int32)).tolist()
    [1, 2, 0]
    """
    if not np.array_equal(np.sort(image), np.arange(topology.n)):
        raise InvalidInput(f"automorphism: {image.tolist()} is no permutation of the nodes")
    try:
        carried = ArcImages(topology, np.arange(topology.arcs)).under(image)
    except InvalidInput:
        raise InvalidInput(f"automorphism: {image.tolist()} does not keep the arcs") from None
    return carried.astype(np.int32)


def planned_sources(n: int, images: IntArray) -> IntArray:
    """The sources to plan: least nodes whose images cover every node exactly once.

    `images[k, v]` is where automorphism k carries node v. Raises InvalidInput when no choice of
    sources is covered once, as when an automorphism other than the identity fixes a node.

    >>> planned_sources(4, np.array([[0, 1, 2, 3], [2, 3, 0, 1]], dtype=np.int32)).tolist()
    [0, 1]
    """
    covered = np.zeros(n, dtype=np.int64)
    chosen = []
    for node in range(n):
        if not covered[node]:
            chosen.append(node)
            np.add.at(covered, images[:, node], 1)
    if not (covered == 1).all():
        node = int(np.flatnonzero(covered != 1)[0])
        raise InvalidInput(f"automorphisms: node {node} is the image of {covered[node]} sources")
    return np.array(chosen, dtype=np.int32)


def image_table(n: int, automorphisms: Sequence[ArrayLike]) -> IntArray:
    """The automorphisms as one array of shape (automorphisms, n); none means the identity."""
    table = np.array(list(automorphisms) or [np.arange(n)], dtype=np.int32)
    if table.ndim != 2 or table.shape[1] != n:
        raise InvalidInput(f"automorphisms: shape {table.shape} for {n} nodes")
    return table
