"""Dragonflies of hosts: full meshes, and one link between any two of them.

Source: Kim, Dally, Scott and Abts, ISCA 2008, for the shape; TACOS (MICRO 2024), section VI.B, for
hosts in the place of routers, 400 GB/s in a group and 200 GB/s between groups, 0.5 us (V.B).
"""

from fractions import Fraction
from itertools import combinations

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, MICROSECOND, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

INSIDE, BETWEEN = 400, 200
LATENCY = Fraction(1, 2) * MICROSECOND


def dragonfly(size: int, groups: int) -> Topology:
    """Dragonfly(size,groups): groups of `size` hosts; capacities are GB/s in each direction.

    Seen from a group, the group that comes k + 1 places after it, round the circle of groups, is
    linked to host k mod size. In Dragonfly(4,5) each host has one such link.

    >>> flies = dragonfly(4, 5)
    >>> flies.n, flies.arcs, flies.degree, flies.is_regular
    (20, 80, 4, True)
    """
    name = f"Dragonfly({size},{groups})"
    require(size >= 1, f"{name}: at least one host a group is needed")
    require(groups >= 2, f"{name}: at least two groups are needed")
    require_size(name, size * groups, size - 1)
    require_size(name, groups, groups - 1)
    wiring = FabricBuilder(name)
    npus = [[wiring.host(f"npu{group}.{i}") for i in range(size)] for group in range(groups)]
    for own in npus:
        for u, v in combinations(own, 2):
            wiring.link(u, v, INSIDE)
    for one, other in combinations(range(groups), 2):
        forth, back = other - one - 1, one - other - 1 + groups
        wiring.link(npus[one][forth % size], npus[other][back % size], BETWEEN)
    return wiring.topology(GIGABYTE, LATENCY)


register_fabric(
    SwitchedFamily(
        name="Dragonfly",
        title="full meshes, any two joined by a link",
        signature="Dragonfly(size,groups)",
        source="Kim et al., ISCA 2008; Won et al., TACOS, section VI.B",
        build=dragonfly,
        counts=(2,),
        samples=((4, 5), (5, 4), (1, 3), (2, 7)),
    )
)
