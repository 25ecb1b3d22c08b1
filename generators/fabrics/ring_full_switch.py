"""Systems of three dimensions: a ring inside a full mesh inside a switched network.

Source: 3D-RFS of TACOS (MICRO 2024), section VI.B: 200, 100 and 50 GB/s a link, 0.5 us (V.B).
"""

from fractions import Fraction
from itertools import combinations, product

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, MICROSECOND, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

RING, FULL, SWITCH = 200, 100, 50
LATENCY = Fraction(1, 2) * MICROSECOND
"""Of a link, and of the way through a switch from host to host."""


def ring_full_switch(ring: int, full: int, boxes: int) -> Topology:
    """RFS(ring,full,boxes), capacities in GB/s in each direction.

    Host `npu{box}.{j}.{i}` is at place i of ring j of its box. Neighbours on a ring are linked,
    two-way, once where there are two; the hosts at place i of all rings of a box are linked
    pairwise; those at place (j, i) of all boxes are on `switch{j}.{i}`.

    >>> system = ring_full_switch(2, 4, 16)
    >>> system.n - len(system.switches), len(system.switches)
    (128, 8)
    """
    name = f"RFS({ring},{full},{boxes})"
    require(min(ring, full, boxes) >= 1, f"{name}: every number must be at least 1")
    hosts = ring * full * boxes
    require(hosts >= 2, f"{name}: at least two hosts are needed")
    require_size(name, hosts + ring * full, full + 4)
    wiring = FabricBuilder(name)
    places = list(product(range(boxes), range(full), range(ring)))
    npu = {place: wiring.host("npu{}.{}.{}".format(*place)) for place in places}
    for box, j, i in places:
        if ring > 2 or i + 1 < ring:
            wiring.link(npu[box, j, i], npu[box, j, (i + 1) % ring], RING)
    for box, i in product(range(boxes), range(ring)):
        for j, k in combinations(range(full), 2):
            wiring.link(npu[box, j, i], npu[box, k, i], FULL)
    if boxes > 1:
        for j, i in product(range(full), range(ring)):
            ports = [npu[box, j, i] for box in range(boxes)]
            wiring.star(ports, wiring.switch(f"switch{j}.{i}"), SWITCH)
    return wiring.topology(GIGABYTE, LATENCY)


register_fabric(
    SwitchedFamily(
        name="RFS",
        title="rings in full meshes in switched networks",
        signature="RFS(ring,full,boxes)",
        source="Won et al., TACOS, section VI.B",
        build=ring_full_switch,
        counts=(3,),
        samples=((2, 4, 2), (2, 4, 4), (3, 2, 3), (4, 1, 1), (1, 1, 2)),
    )
)
