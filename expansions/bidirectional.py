"""The two-way version of a graph: G together with its transpose (appendix A.6)."""

import numpy as np

from expansions.grouping import require_equal_links, require_room
from generators.topology import Topology


def two_way(topology: Topology) -> Topology:
    """Bi(G): every arc of G, and every arc turned round; degree d becomes 2d.

    Arc e + arcs(G) is arc e turned round, so the two make one two-way circuit. Every
    automorphism of G is one of its transpose, hence of Bi(G): translation and orbits are those
    of G. Raises InvalidInput for unequal links. Source: Zhao et al., appendix A.6.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> two_way(ring).head.tolist()
    [1, 2, 0, 0, 1, 2]
    """
    require_equal_links(topology)
    require_room(topology.n, 2 * topology.arcs)
    return Topology(
        n=topology.n,
        tail=np.concatenate([topology.tail, topology.head]),
        head=np.concatenate([topology.head, topology.tail]),
        translation=topology.translation,
        orbits=topology.orbits,
    )
