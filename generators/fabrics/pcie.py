"""Boxes with the PCIe switches between GPUs and network adapters, which other models leave out.

Sources: ForestColl (NSDI 2026), section 6.2: on a DGX A100 "every two GPUs are connected to two IB
NICs via a PCIe switch", 25 GB/s a NIC; a box of MI250 has eight NICs of 256 GB/s together
"connected to GPUs via PCIe switches". PCIe 4.0 x16 is 32 GB/s a direction: 64 GB/s both ways
together in the data sheet of the A100.
"""

from collections.abc import Sequence

from generators.fabrics.mi250 import GPUS as MI250_GPUS
from generators.fabrics.mi250 import LINK, LINKS
from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

PCIE = 32
A100_GPUS, NVLINK, A100_NIC, A100_SPINES = 8, 300, 25, 2


def dgx_a100_pcie(boxes: int) -> Topology:
    """DGXA100PCIe(boxes): two GPUs and two adapters on each PCIe switch, four switches a box.

    Adapter b leads to InfiniBand switch b mod 2; capacities are GB/s in each direction. One box has
    no network. DGXA100 gives each GPU 25 GB/s of its own; here one of two may use both adapters, up
    to the 32 GB/s of its PCIe link.

    >>> dgx_a100_pcie(1).n, dgx_a100_pcie(2).n
    (9, 44)
    """
    name = f"DGXA100PCIe({boxes})"
    wiring, gpus = _named_gpus(name, boxes, A100_GPUS)
    for box, own in enumerate(gpus):
        switch = wiring.switch(f"nvswitch{box}")
        for gpu in own:
            wiring.link(gpu, switch, NVLINK)
    if boxes > 1:
        _join(wiring, gpus, adapters=2, rate=A100_NIC, spines=A100_SPINES)
    return wiring.topology(GIGABYTE)


def mi250_pcie(boxes: int) -> Topology:
    """MI250PCIe(boxes): the two dies of a package, and one adapter of 32 GB/s, on a PCIe switch.

    Dies 2i and 2i + 1 are a package: four links join them. Which dies share a PCIe switch is not
    printed; those of a package are assumed to. Capacities are GB/s in each direction.

    >>> mi250_pcie(1).n, mi250_pcie(2).n
    (16, 65)
    """
    name = f"MI250PCIe({boxes})"
    wiring, gpus = _named_gpus(name, boxes, MI250_GPUS)
    for own in gpus:
        for u, v, count in LINKS:
            wiring.link(own[u], own[v], LINK, count)
    if boxes > 1:
        _join(wiring, gpus, adapters=1, rate=PCIE, spines=1)
    return wiring.topology(GIGABYTE)


def _named_gpus(name: str, boxes: int, gpus: int) -> tuple[FabricBuilder, list[list[int]]]:
    require(boxes >= 1, f"{name}: at least one box is needed")
    require_size(name, boxes * (5 * gpus // 2 + 1) + 2, 1)
    wiring = FabricBuilder(name)
    return wiring, [[wiring.host(f"gpu{box}.{i}") for i in range(gpus)] for box in range(boxes)]


def _join(
    wiring: FabricBuilder, gpus: Sequence[list[int]], *, adapters: int, rate: int, spines: int
) -> None:
    """A PCIe switch for every two GPUs, its adapters, and the switches that join them."""
    roots = [wiring.switch(f"ib{j}") for j in range(spines)]
    for box, own in enumerate(gpus):
        for pair in range(len(own) // 2):
            switch = wiring.switch(f"pcie{box}.{pair}")
            for gpu in own[2 * pair : 2 * pair + 2]:
                wiring.link(gpu, switch, PCIE)
            for i in range(adapters * pair, adapters * (pair + 1)):
                adapter = wiring.switch(f"nic{box}.{i}")
                wiring.link(switch, adapter, PCIE)
                wiring.link(adapter, roots[i % spines], rate)


register_fabric(
    SwitchedFamily(
        name="DGXA100PCIe",
        title="DGX A100 boxes with their PCIe switches, two GPUs on two adapters",
        signature="DGXA100PCIe(boxes)",
        source="Zhao et al., ForestColl, section 6.2.2; NVIDIA, A100 data sheet",
        build=dgx_a100_pcie,
        counts=(1,),
        samples=((1,), (2,)),
    )
)
register_fabric(
    SwitchedFamily(
        name="MI250PCIe",
        title="MI250 boxes with their PCIe switches, a package on an adapter",
        signature="MI250PCIe(boxes)",
        source="Zhao et al., ForestColl, section 6.2.1",
        build=mi250_pcie,
        counts=(1,),
        samples=((1,), (2,)),
    )
)
