"""NVIDIA DGX-1: eight V100 GPUs in a hybrid cube mesh of NVLinks, no switch.

Source: the mesh as NVIDIA publishes it for the DGX-1 with V100, six links a GPU, of which two
pairs are double; links of 25 GB/s and 0.7 us as in TACOS (MICRO 2024), section VI.B.5.
"""

from fractions import Fraction

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, MICROSECOND, FabricBuilder
from generators.topology import Topology

GPUS = 8
LINK = 25
LATENCY = Fraction(7, 10) * MICROSECOND
LINKS = (
    (0, 1, 1), (0, 2, 1), (0, 3, 2), (0, 4, 2), (1, 2, 2), (1, 3, 1), (1, 5, 2), (2, 3, 2),
    (2, 6, 1), (3, 7, 1), (4, 5, 1), (4, 6, 1), (4, 7, 2), (5, 6, 2), (5, 7, 1), (6, 7, 2),
)  # fmt: skip
"""Pairs of GPUs, and the links between them."""


def dgx1() -> Topology:
    """DGX1, every link an arc of its own in either direction.

    >>> box = dgx1()
    >>> box.n, box.arcs, box.degree, box.switches
    (8, 48, 6, ())
    """
    wiring = FabricBuilder("DGX1")
    gpus = [wiring.host(f"gpu{i}") for i in range(GPUS)]
    for u, v, count in LINKS:
        wiring.link(gpus[u], gpus[v], LINK, count)
    return wiring.topology(GIGABYTE, LATENCY)


register_fabric(
    SwitchedFamily(
        name="DGX1",
        title="DGX-1 with V100, a hybrid cube mesh of 8 GPUs",
        signature="DGX1",
        source="Won et al., TACOS, section VI.B",
        build=dgx1,
        counts=(0,),
        samples=((),),
    )
)
