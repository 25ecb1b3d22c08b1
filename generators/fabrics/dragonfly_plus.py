"""Dragonfly+: groups of leaf and spine switches; spines of different groups are joined.

Source: Shpiner, Haramaty, Eliad, Zdornov, Gafni and Zahavi, "Dragonfly+: low cost topology for
scaling datacenters", HiPINEB 2017: all leaves of a group are joined to all its spines, hosts are on
leaves, global links on spines, as many on each as it has leaves; any two groups are joined by
equally many links.
"""

from itertools import combinations

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology


def dragonfly_plus(
    hosts: int, leaves: int, spines: int, groups: int, outward: int | None = None
) -> Topology:
    """DragonflyPlus(hosts,leaves,spines,groups[,outward]): `hosts` a leaf; each capacity is 1.

    Each spine has `outward` global links, as many as there are leaves unless told. Global port p of
    a group, on spine p mod `spines`, leads to the group 1 + p mod (groups - 1) places on, round the
    circle of groups.

    >>> flies = dragonfly_plus(2, 2, 2, 5)
    >>> flies.n - len(flies.switches), len(flies.switches)
    (20, 20)
    """
    four = (hosts, leaves, spines, groups)
    given = four if outward is None else (*four, outward)
    name = f"DragonflyPlus({','.join(map(str, given))})"
    require(min(given) >= 1, f"{name}: every number must be at least 1")
    require(groups >= 2, f"{name}: at least two groups are needed")
    ports = spines * (leaves if outward is None else outward)
    shared = f"{ports} global links of a group are not shared equally by {groups - 1} others"
    require(ports % (groups - 1) == 0, f"{name}: {shared}")
    require_size(name, groups * (leaves * (hosts + 1) + spines), 1)
    require_size(name, groups * leaves * spines, 1)
    return _wire(FabricBuilder(name), hosts, leaves, spines, groups, ports)


def _wire(
    wiring: FabricBuilder, hosts: int, leaves: int, spines: int, groups: int, ports: int
) -> Topology:
    circle = range(groups)
    own = [
        [[wiring.host(f"host{g}.{leaf}.{i}") for i in range(hosts)] for leaf in range(leaves)]
        for g in circle
    ]
    lower = [[wiring.switch(f"leaf{g}.{leaf}") for leaf in range(leaves)] for g in circle]
    upper = [[wiring.switch(f"spine{g}.{i}") for i in range(spines)] for g in circle]
    for g in circle:
        for leaf, switch in enumerate(lower[g]):
            for end in (*own[g][leaf], *upper[g]):
                wiring.link(end, switch, 1)
    for one, other in combinations(circle, 2):
        forth, back = other - one - 1, one - other - 1 + groups
        for turn in range(0, ports, groups - 1):
            ends = upper[one][(forth + turn) % spines], upper[other][(back + turn) % spines]
            wiring.link(*ends, 1)
    return wiring.topology()


register_fabric(
    SwitchedFamily(
        name="DragonflyPlus",
        title="groups of leaves and spines, any two joined by links of spines",
        signature="DragonflyPlus(hosts,leaves,spines,groups,outward)",
        source="Shpiner et al., Dragonfly+, HiPINEB 2017",
        build=dragonfly_plus,
        counts=(4, 5),
        samples=((2, 2, 2, 5), (2, 2, 2, 3), (1, 2, 3, 4, 2)),
    )
)
