"""Forests on hosts that send, and receive, less than their links carry together.

Every tree but its root's own enters a host once, so that a limit I on what hosts receive is a bound
(W - w) / I on 1/x*, and costs nothing more; a limit on what they send decides who may branch. Trees
are packed twice: into the links as they are, where hosts may then wait for their own limit, and
into links narrowed so that no host's are above it. The better ones are kept. The bound is the
greatest of cuts, of which hosts' limits are part: exact where the graph is small, by way of a graph
in which each limit is a link (`generators.host_limits`).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from generators.arrays import column
from generators.errors import InvalidInput, Unsupported
from generators.host_limits import leaving_rate, limited_hosts, narrow_links, split_hosts
from generators.topology import BoolArray, IntArray, Topology
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.forest import Forest, inverse_rate
from topofinder.model.tree_set import TreeSet

MOST_SPLIT = 256
"""Hosts up to which the best cut of the graph with hosts' limits as links is worked out."""


def limit_forest(topology: Topology, pack: Callable[[Topology], Forest]) -> Forest:
    """The better forest of the two that `pack` makes without limits; it obeys the topology's.

    Raises as `pack` does.
    """
    whole = replace(topology, injection=None)
    if not limited_hosts(topology):
        return _with_limit(pack(whole), topology)
    found: list[Forest] = []
    refused: list[InvalidInput | Unsupported] = []
    for links in (whole, narrow_links(topology)):
        try:
            found.append(_with_limit(pack(links), topology))
        except (InvalidInput, Unsupported) as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return min(found, key=lambda forest: forest.inverse_rate)


def limited_optimum(
    topology: Topology, weight: tuple[int, ...], known: IntArray
) -> tuple[Fraction, IntArray]:
    """The greatest bound on 1/x* of some cuts, and its cut: among them the `known` one.

    >>> star = Topology.from_arcs(3, [(0, 1), (0, 2), (1, 0), (2, 0)], injection=1)
    >>> str(limited_optimum(star, (1, 1, 1), np.array([0, 1]))[0])
    '2'
    """
    best, where = Fraction(), known
    for inside in _cuts(topology, weight, known):
        held = sum(w for w, isin in zip(weight, inside.tolist(), strict=True) if isin)
        bound = held / leaving_rate(topology, inside)
        if bound > best:
            best, where = bound, column(np.flatnonzero(inside), np.int32)
    return best, where


def _cuts(topology: Topology, weight: tuple[int, ...], known: IntArray) -> Iterator[BoolArray]:
    """Sets that leave out some host: the known one, all but one host, and the best by flows."""
    inside = np.zeros(topology.n, np.bool_)
    inside[known] = True
    yield inside
    hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
    if len(hosts) <= MOST_SPLIT:
        apart = split_hosts(topology)
        network = Network.of(apart, [*weight, *[0] * (apart.n - topology.n)])
        best = np.zeros(apart.n, np.bool_)
        best[find_optimum(network).cut] = True
        yield best[: topology.n]
    least = min(weight[host] for host in hosts.tolist())
    for host in [v for v in limited_hosts(topology) if weight[v] == least][:1]:
        inside = np.ones(topology.n, np.bool_)
        inside[host] = False
        yield inside


def _with_limit(forest: Forest, topology: Topology) -> Forest:
    """The same trees on the topology with its limit: their time, and the bound on it."""
    turned, spread, gather = topology.transpose(), forest.spread, forest.gather
    return replace(
        forest,
        topology=topology,
        spread=spread and _limited_trees(topology, spread, forest.weight),
        gather=gather and _limited_trees(turned, gather, forest.weight),
    )


def _limited_trees(topology: Topology, trees: TreeSet, weight: tuple[int, ...]) -> TreeSet:
    optimum, cut = limited_optimum(topology, weight, trees.cut)
    return replace(trees, optimum=optimum, cut=cut, time=inverse_rate(topology, trees))
