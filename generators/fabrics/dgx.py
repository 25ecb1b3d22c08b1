"""NVIDIA boxes of eight GPUs: an NVSwitch in each box, a network adapter beside every GPU.

Source: ForestColl (NSDI 2026), section 6: A100 boxes with 300 GB/s to the NVSwitch and 25 GB/s to
the network; H100 boxes with 450 and 50 GB/s, whose NVSwitches multicast and combine. H200 boxes:
NVIDIA, DGX H200 data sheet: 900 GB/s of NVLink a GPU both ways together, an adapter of 400 Gb/s.
"""

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

GPUS = 8


def dgx_a100(boxes: int) -> Topology:
    """DGXA100(boxes): adapter b of a box leads to InfiniBand switch b mod 2.

    Capacities are GB/s in each direction. One box has no network.

    >>> dgx_a100(1).n, dgx_a100(2).n
    (9, 36)
    """
    return _boxes("DGXA100", boxes, inside=300, outside=25, spines=2, able=False)


def dgx_h100(boxes: int) -> Topology:
    """DGXH100(boxes): NVSwitches multicast and combine; one network joins all adapters.

    >>> box = dgx_h100(1)
    >>> box.multicast == box.reduce == box.switches == (8,)
    True
    """
    return _boxes("DGXH100", boxes, inside=450, outside=50, spines=1, able=True)


def dgx_h200(boxes: int) -> Topology:
    """DGXH200(boxes): the links of DGXH100; the memory that differs is no part of a fabric.

    >>> dgx_h200(2).same_wiring(dgx_h100(2))
    True
    """
    return _boxes("DGXH200", boxes, inside=450, outside=50, spines=1, able=True)


def _boxes(
    family: str, boxes: int, *, inside: int, outside: int, spines: int, able: bool
) -> Topology:
    name = f"{family}({boxes})"
    require(boxes >= 1, f"{name}: at least one box is needed")
    require_size(name, boxes * (2 * GPUS + 1) + spines, 1)
    wiring = FabricBuilder(name)
    gpus = [[wiring.host(f"gpu{box}.{i}") for i in range(GPUS)] for box in range(boxes)]
    for box, own in enumerate(gpus):
        switch = wiring.switch(f"nvswitch{box}", multicast=able, reduce=able)
        for gpu in own:
            wiring.link(gpu, switch, inside)
    if boxes > 1:
        _network(wiring, gpus, outside, spines)
    return wiring.topology(GIGABYTE)


def _network(wiring: FabricBuilder, gpus: list[list[int]], capacity: int, spines: int) -> None:
    """An adapter beside every GPU, and the switches that join them."""
    roots = [wiring.switch(f"ib{j}") for j in range(spines)]
    for box, own in enumerate(gpus):
        for i, gpu in enumerate(own):
            adapter = wiring.switch(f"nic{box}.{i}")
            wiring.link(gpu, adapter, capacity)
            wiring.link(adapter, roots[i % spines], capacity)


SOURCE = "Zhao et al., ForestColl, section 6"

register_fabric(
    SwitchedFamily(
        name="DGXA100",
        title="DGX A100 boxes of 8 GPUs",
        signature="DGXA100(boxes)",
        source=SOURCE,
        build=dgx_a100,
        counts=(1,),
        samples=((1,), (2,), (4,)),
    )
)
register_fabric(
    SwitchedFamily(
        name="DGXH100",
        title="DGX H100 boxes of 8 GPUs, NVSwitches that multicast and combine",
        signature="DGXH100(boxes)",
        source=SOURCE,
        build=dgx_h100,
        counts=(1,),
        samples=((1,), (2,), (3,)),
    )
)
register_fabric(
    SwitchedFamily(
        name="DGXH200",
        title="DGX H200 boxes of 8 GPUs, NVSwitches that multicast and combine",
        signature="DGXH200(boxes)",
        source="NVIDIA, DGX H200 data sheet",
        build=dgx_h200,
        counts=(1,),
        samples=((1,), (2,)),
    )
)
