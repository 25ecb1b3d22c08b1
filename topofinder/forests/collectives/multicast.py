"""In-network multicast: hops that bring a switch what it has already carry nothing.

Source: ForestColl (NSDI 2026), section 5.6. A tree is walked from its root; where a route passes a
switch that multicasts and that an earlier route of the same tree has passed, the message is taken
from there. In-trees, which run in the turned graph, spare what combining switches make needless.
"""

from dataclasses import replace

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.forests.collectives.sparing import multicast_skips
from topofinder.model.tree_set import TreeSet


def skip_multicast_hops(trees: TreeSet, topology: Topology) -> TreeSet:
    """The same trees, sparing what the topology's switches that multicast make needless.

    For in-trees pass the transpose, whose switches multicast where the topology's combine.

    >>> from fractions import Fraction
    >>> star = Topology.from_arcs(4, [(0, 3), (3, 1), (1, 3), (3, 2)],
    ...     switches=(3,), multicast=(3,))
    >>> chain = TreeSet(k=1, root=[0], copies=[1], start=[0, 2], route=[0, 1],
    ...     route_start=[0, 3, 6], node=[0, 3, 1, 1, 3, 2], cut=[0],
    ...     optimum=Fraction(1), time=Fraction(1))
    >>> skip_multicast_hops(chain, star).spared.tolist()
    [0, 1]
    """
    if trees.uses and int(trees.node.max()) >= topology.n:
        raise InvalidInput(f"node: {trees.node.max()} is not in 0..{topology.n - 1}")
    able = np.zeros(topology.n, dtype=np.bool_)
    able[list(topology.multicast)] = True
    if not able.any():
        return replace(trees, skip=None)
    holds = np.full(topology.n, -1, dtype=np.int64)
    skip = multicast_skips(trees.start, trees.route, trees.route_start, trees.node, able, holds)
    return replace(trees, skip=skip)
