"""Fat trees: hosts under leaf switches under spines, in two or three levels.

Source: Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, for three levels; the two-level tree is the
usual leaf-spine network, where uplinks may be oversubscribed.
"""

from fractions import Fraction

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology


def fat_tree(*arguments: int) -> Topology:
    """FatTree(k) of three levels, or FatTree(leaves,hosts,spines[,uplink]) of two.

    A host's link has capacity 1.

    >>> fat_tree(4).n, fat_tree(4, 2, 2).n
    (36, 14)
    """
    if len(arguments) == 1:
        return three_level(*arguments)
    return two_level(*arguments)


def two_level(leaves: int, hosts: int, spines: int, uplink: int | None = None) -> Topology:
    """`hosts` hosts a leaf; each leaf has one link of capacity `uplink` to each spine.

    Without `uplink` it is hosts/spines: what the hosts of a leaf send can all go up.

    >>> two_level(4, 2, 4).capacity[-1], two_level(4, 2, 4, 2).capacity[-1]
    (Fraction(1, 2), Fraction(2, 1))
    """
    given = (leaves, hosts, spines) if uplink is None else (leaves, hosts, spines, uplink)
    name = f"FatTree({','.join(map(str, given))})"
    require(min(given) >= 1, f"{name}: every number must be at least 1")
    require(leaves * hosts >= 2, f"{name}: at least two hosts are needed")
    require_size(name, leaves * (hosts + 1) + spines, 1)
    require_size(name, leaves * spines, 1)
    wiring = FabricBuilder(name)
    own = [[wiring.host(f"host{leaf}.{i}") for i in range(hosts)] for leaf in range(leaves)]
    lower = [wiring.switch(f"leaf{leaf}", tier=1) for leaf in range(leaves)]
    upper = [wiring.switch(f"spine{i}", tier=2) for i in range(spines)]
    for leaf, switch in enumerate(lower):
        for host in own[leaf]:
            wiring.link(host, switch, 1)
        for spine in upper:
            wiring.link(switch, spine, Fraction(hosts, spines) if uplink is None else uplink)
    return wiring.topology()


def three_level(k: int) -> Topology:
    """k pods of k/2 edge and k/2 aggregation switches, k/2 hosts an edge, (k/2)^2 cores.

    Every link has capacity 1; core switches j*k/2 .. (j+1)*k/2 - 1 are on aggregation switch j
    of every pod.

    >>> tree = three_level(4)
    >>> tree.n - len(tree.switches), len(tree.switches)
    (16, 20)
    """
    name = f"FatTree({k})"
    require(k >= 2 and k % 2 == 0, f"{name}: k must be even and at least 2")
    half = k // 2
    require_size(name, half * half * (k + 1) + k * k, 1)
    wiring = FabricBuilder(name)
    pods = range(k)
    hosts = [[wiring.host(f"host{p}.{i}") for i in range(half * half)] for p in pods]
    edges = [[wiring.switch(f"edge{p}.{i}", tier=1) for i in range(half)] for p in pods]
    middle = [[wiring.switch(f"agg{p}.{i}", tier=2) for i in range(half)] for p in pods]
    cores = [wiring.switch(f"core{i}", tier=3) for i in range(half * half)]
    for pod in pods:
        for i, host in enumerate(hosts[pod]):
            wiring.link(host, edges[pod][i // half], 1)
        for edge in edges[pod]:
            for switch in middle[pod]:
                wiring.link(edge, switch, 1)
        for i, core in enumerate(cores):
            wiring.link(middle[pod][i // half], core, 1)
    return wiring.topology()


register_fabric(
    SwitchedFamily(
        name="FatTree",
        title="fat tree of three levels, or of two",
        signature="FatTree(k), FatTree(leaves,hosts,spines,uplink)",
        source="Al-Fares et al., SIGCOMM 2008",
        build=fat_tree,
        counts=(1, 3, 4),
        samples=((2,), (4,), (4, 2, 2), (4, 4, 2, 1)),
    )
)
