"""What comes to each receiver at each BFB step, for methods that look at single links."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.kernels import hop_table
from topofinder.schedules.bfb.evaluation import kernel_input, unreachable
from topofinder.schedules.bfb.parametric_flow import Shards


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The shards that one receiver gets at one step, sorted by the links they can come over.

    Links are the receiver's in-arcs counted from 0, `arcs` their numbers in the topology;
    sources[c] are the nodes whose shards make up classes[c].
    """

    arcs: list[int]
    sources: tuple[list[int], ...]
    classes: tuple[Shards, ...]


def arrivals(topology: Topology) -> Iterator[list[Arrivals]]:
    """For each step, from 1, the arrivals at all receivers that get something then.

    A shard comes over an in-arc [w, u] at step t when its source is t hops from u and t - 1 from
    w. Raises InvalidInput when some node cannot reach another.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> [[one.arcs + one.sources[0] for one in step] for step in arrivals(ring)]
    [[[2, 2], [0, 0], [1, 1]], [[2, 1], [0, 2], [1, 0]]]
    """
    hops = hop_table(*kernel_input(topology)[:2])
    if (hops < 0).any():
        raise InvalidInput(unreachable(topology))
    proper = np.flatnonzero(topology.tail != topology.head)
    bounds, order = csr_by_node(topology.head[proper], topology.n)
    order = proper[order]
    for step in range(1, int(hops.max()) + 1):
        yield [
            _arrivals(hops, topology, order[bounds[u] : bounds[u + 1]], fresh, step)
            for u in range(topology.n)
            if len(fresh := np.flatnonzero(hops[u] == step))
        ]


def _arrivals(
    hops: NDArray[Any], topology: Topology, arcs: NDArray[Any], fresh: NDArray[Any], step: int
) -> Arrivals:
    eligible = hops[topology.tail[arcs]][:, fresh] == step - 1
    patterns, kinds = np.unique(eligible, axis=1, return_inverse=True)
    sources = tuple(fresh[kinds.ravel() == c].tolist() for c in range(patterns.shape[1]))
    links = (tuple(np.flatnonzero(pattern).tolist()) for pattern in patterns.T)
    classes = tuple(Shards(len(own), over) for own, over in zip(sources, links, strict=True))
    return Arrivals(arcs.tolist(), sources, classes)
