"""Rail-only clusters: GPU j of every box on rail switch j, and nothing above the rails.

Source: Wang, Ghobadi, Shakeri, Zhang and Hasani, "Rail-only", HOTI 2024; the bandwidths are those
of H100 boxes: 450 GB/s to the NVSwitch, 50 GB/s to the rail.
"""

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

INSIDE = 450
RAIL = 50


def rail_only(boxes: int, gpus: int = 8) -> Topology:
    """RailOnly(boxes[,gpus]): boxes of `gpus` GPUs (8), one rail for each place in a box.

    NVSwitches multicast and combine; capacities are GB/s in each direction.

    >>> rail_only(4).n, rail_only(4, 2).names[-1]
    (44, 'rail1')
    """
    name = f"RailOnly({boxes},{gpus})"
    require(boxes >= 2, f"{name}: at least two boxes are needed")
    require(gpus >= 1, f"{name}: at least one GPU a box is needed")
    require_size(name, boxes * (gpus + 1) + gpus, 1)
    wiring = FabricBuilder(name)
    own = [[wiring.host(f"gpu{box}.{i}") for i in range(gpus)] for box in range(boxes)]
    inside = [
        wiring.switch(f"nvswitch{box}", multicast=True, reduce=True, tier=1) for box in range(boxes)
    ]
    rails = [wiring.switch(f"rail{i}", tier=2) for i in range(gpus)]
    for box in range(boxes):
        for i in range(gpus):
            wiring.link(own[box][i], inside[box], INSIDE)
            wiring.link(own[box][i], rails[i], RAIL)
    return wiring.topology(GIGABYTE)


register_fabric(
    SwitchedFamily(
        name="RailOnly",
        title="boxes joined by rails only",
        signature="RailOnly(boxes,gpus)",
        source="Wang et al., Rail-only",
        build=rail_only,
        counts=(1, 2),
        samples=((2,), (4, 2), (3, 1)),
    )
)
