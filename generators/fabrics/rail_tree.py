"""Rail-optimized fat trees: a leaf switch for each place in a box, spines above, oversubscribed.

Source: NVIDIA, DGX SuperPOD reference architecture of H100: in a scalable unit GPU j of every box
is on leaf switch j, and leaves are joined by spines; 450 GB/s to the NVSwitch, 50 GB/s to the rail.
Oversubscription r:1 leaves a leaf 1/r of its hosts' bandwidth upwards.
"""

from fractions import Fraction

from generators.fabrics.rail_only import INSIDE, RAIL
from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology


def rail_tree(pods: int, boxes: int, gpus: int, spines: int, over: int = 1) -> Topology:
    """RailTree(pods,boxes,gpus,spines[,over]): `boxes` boxes a pod, uplinks oversubscribed over:1.

    Each leaf has a link to every spine, of boxes * 50 / (spines * over) GB/s. NVSwitches multicast
    and combine.

    >>> tree = rail_tree(2, 4, 8, 4, 2)
    >>> tree.n - len(tree.switches), len(tree.switches), tree.capacity[-1]
    (64, 28, Fraction(25, 1))
    """
    given = (pods, boxes, gpus, spines, over)
    name = f"RailTree({','.join(map(str, given))})"
    require(min(given) >= 1, f"{name}: every number must be at least 1")
    require(pods * boxes >= 2, f"{name}: at least two boxes are needed")
    require_size(name, pods * (boxes * (gpus + 1) + gpus) + spines, 1)
    require_size(name, pods * gpus, spines)
    wiring = FabricBuilder(name)
    places = [(pod, box) for pod in range(pods) for box in range(boxes)]
    own = {at: [wiring.host(f"gpu{at[0]}.{at[1]}.{i}") for i in range(gpus)] for at in places}
    for at, hosts in own.items():
        switch = wiring.switch(f"nvswitch{at[0]}.{at[1]}", multicast=True, reduce=True, tier=1)
        for gpu in hosts:
            wiring.link(gpu, switch, INSIDE)
    leaves = [[wiring.switch(f"leaf{pod}.{i}", tier=2) for i in range(gpus)] for pod in range(pods)]
    upper = [wiring.switch(f"spine{i}", tier=3) for i in range(spines)]
    for (pod, _), hosts in own.items():
        for gpu, leaf in zip(hosts, leaves[pod], strict=True):
            wiring.link(gpu, leaf, RAIL)
    for leaf in (leaf for rails in leaves for leaf in rails):
        for spine in upper:
            wiring.link(leaf, spine, Fraction(boxes * RAIL, spines * over))
    return wiring.topology(GIGABYTE)


register_fabric(
    SwitchedFamily(
        name="RailTree",
        title="rail-optimized fat tree of H100 boxes, oversubscribed over:1",
        signature="RailTree(pods,boxes,gpus,spines,over)",
        source="NVIDIA, DGX SuperPOD reference architecture of H100",
        build=rail_tree,
        counts=(4, 5),
        samples=((2, 2, 2, 2), (2, 4, 8, 4, 2), (3, 1, 4, 2, 3)),
    )
)
