"""Two dimensions of switches: one in each box, one for each place in a box.

Source: the 2D switch of TACOS (MICRO 2024), section VI.B: 300 and 25 GB/s, 0.5 us (V.B).
"""

from fractions import Fraction

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE, MICROSECOND, FabricBuilder
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

INSIDE, OUTSIDE = 300, 25
LATENCY = Fraction(1, 2) * MICROSECOND
"""Of the way through a switch from host to host."""


def switch_grid(inside: int, boxes: int) -> Topology:
    """Switch2D(inside,boxes): boxes of `inside` hosts; capacities are GB/s in each direction.

    Host `npu{box}.{i}` is on `inside{box}`, and with those at place i of all boxes on
    `outside{i}`.

    >>> grid = switch_grid(8, 4)
    >>> grid.n - len(grid.switches), len(grid.switches)
    (32, 12)
    """
    name = f"Switch2D({inside},{boxes})"
    require(min(inside, boxes) >= 2, f"{name}: every number must be at least 2")
    require_size(name, inside * boxes + inside + boxes, 4)
    wiring = FabricBuilder(name)
    npus = [[wiring.host(f"npu{box}.{i}") for i in range(inside)] for box in range(boxes)]
    for box, own in enumerate(npus):
        wiring.star(own, wiring.switch(f"inside{box}"), INSIDE)
    for i in range(inside):
        wiring.star([own[i] for own in npus], wiring.switch(f"outside{i}"), OUTSIDE)
    return wiring.topology(GIGABYTE, LATENCY)


register_fabric(
    SwitchedFamily(
        name="Switch2D",
        title="two dimensions of switches",
        signature="Switch2D(inside,boxes)",
        source="Won et al., TACOS, section VI.B",
        build=switch_grid,
        counts=(2,),
        samples=((8, 4), (2, 2), (3, 5)),
    )
)
