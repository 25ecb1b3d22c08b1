"""AMD MI250 boxes: sixteen GPUs joined by Infinity Fabric links of 50 GB/s, no switch inside.

Source: ForestColl (NSDI 2026), section 6.2.1 and figure 9: seven links a GPU to three or four
others, and 16 GB/s from every GPU to the one InfiniBand switch.
"""

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

GPUS = 16
LINK = 50
NETWORK = 16
LINKS = (
    (0, 1, 4), (0, 4, 2), (0, 8, 1), (1, 5, 1), (1, 9, 1), (1, 10, 1), (2, 3, 4), (2, 6, 1),
    (2, 9, 1), (2, 10, 1), (3, 7, 2), (3, 11, 1), (4, 5, 4), (4, 6, 1), (5, 6, 1), (5, 7, 1),
    (6, 7, 4), (8, 9, 4), (8, 12, 2), (9, 13, 1), (10, 11, 4), (10, 14, 1), (11, 15, 2),
    (12, 13, 4), (12, 14, 1), (13, 14, 1), (13, 15, 1), (14, 15, 4),
)  # fmt: skip
"""Pairs of GPUs of a box, and the links between them."""


def mi250(boxes: int) -> Topology:
    """MI250(boxes), capacities in GB/s in each direction; one box has no network.

    >>> mi250(1).n, mi250(2).n, mi250(2).names[-1]
    (16, 33, 'ib0')
    """
    name = f"MI250({boxes})"
    require(boxes >= 1, f"{name}: at least one box is needed")
    require_size(name, boxes * GPUS + 1, 1)
    wiring = FabricBuilder(name)
    gpus = [[wiring.host(f"gpu{box}.{i}") for i in range(GPUS)] for box in range(boxes)]
    for own in gpus:
        for u, v, count in LINKS:
            wiring.link(own[u], own[v], LINK, count)
    if boxes > 1:
        root = wiring.switch("ib0")
        for own in gpus:
            for gpu in own:
                wiring.link(gpu, root, NETWORK)
    return wiring.topology(GIGABYTE)


register_fabric(
    SwitchedFamily(
        name="MI250",
        title="MI250 boxes of 16 GPUs",
        signature="MI250(boxes)",
        source="Zhao et al., ForestColl, section 6.2.1",
        build=mi250,
        counts=(1,),
        samples=((1,), (2,), (3,)),
    )
)
