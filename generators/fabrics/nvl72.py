"""GB200 NVL72 racks: 72 GPUs in one NVLink domain, racks joined by rails.

Sources: NVIDIA, GB200 NVL72 data sheet: 18 trays of four B200, 1.8 TB/s of NVLink a GPU both ways
together, NVSwitches that multicast and combine (NVLS); NVIDIA, DGX GB200 user guide: four
ConnectX-7 of 400 Gb/s a tray; NVIDIA, NVL72 AI factory, logical network: rail-optimized.
"""

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

GPUS, TRAY = 72, 4
INSIDE, RAIL = 900, 50


def nvl72(racks: int) -> Topology:
    """NVL72(racks): GPU 4t + j is GPU j of tray t, and on rail switch j; one rack has no rails.

    Capacities are GB/s in each direction. A rail is one switch that does not block, whatever it is
    made of.

    >>> nvl72(1).n, nvl72(2).n, nvl72(2).names[-1]
    (73, 150, 'rail3')
    """
    name = f"NVL72({racks})"
    require(racks >= 1, f"{name}: at least one rack is needed")
    require_size(name, racks * (GPUS + 1) + TRAY, 1)
    wiring = FabricBuilder(name)
    own = [[wiring.host(f"gpu{rack}.{i}") for i in range(GPUS)] for rack in range(racks)]
    for rack, gpus in enumerate(own):
        switch = wiring.switch(f"nvswitch{rack}", multicast=True, reduce=True, tier=1)
        for gpu in gpus:
            wiring.link(gpu, switch, INSIDE)
    if racks > 1:
        rails = [wiring.switch(f"rail{j}", tier=2) for j in range(TRAY)]
        for gpus in own:
            for i, gpu in enumerate(gpus):
                wiring.link(gpu, rails[i % TRAY], RAIL)
    return wiring.topology(GIGABYTE)


register_fabric(
    SwitchedFamily(
        name="NVL72",
        title="GB200 NVL72 racks on rails",
        signature="NVL72(racks)",
        source="NVIDIA, GB200 NVL72 data sheet and DGX GB200 user guide",
        build=nvl72,
        counts=(1,),
        samples=((1,), (2,)),
    )
)
