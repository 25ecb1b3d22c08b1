"""The baselines of TACOS by name, and what each takes on a topology.

Source: Won et al., TACOS (MICRO 2024), section V.A. All of them do an allreduce; see the modules of
messages for the patterns, and `message_routes` for how they are mapped.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.fabrics import ring_full_switch, switch_grid
from generators.fabrics.dgx1 import dgx1
from generators.topology import Topology
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.baseline_messages import (
    direct_messages,
    halving_messages,
    ring_messages,
)
from topofinder.timetables.dimension_messages import (
    DimensionPattern,
    GridDimension,
    dimension_messages,
)
from topofinder.timetables.logical_messages import LogicalMessages, split_messages
from topofinder.timetables.message_routes import route_messages, time_messages
from topofinder.timetables.tree_messages import (
    ccube_messages,
    double_tree_messages,
    grown_tree_messages,
)

DGX1_RINGS = ((0, 3, 2, 1, 5, 6, 7, 4), (0, 3, 2, 1, 5, 6, 7, 4), (0, 1, 3, 7, 5, 4, 6, 2))
"""Three rings that together take every link of a DGX-1: the double links twice, and the others."""

_GRID = re.compile(r"(Torus|Mesh|RFS|Switch2D)\((\d{1,9}(?:,\d{1,9})*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedBaseline:
    """`make(topology, name, parts)` makes an allreduce of so many parts.

    The second argument is the canonical recipe or fabric, None where it is not known. Without
    `splits` it has one part always.
    """

    name: str
    title: str
    make: Callable[[Topology, str | None, int], LogicalMessages]
    splits: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineTime:
    """What an allreduce takes by one baseline, with the data in `parts` parts."""

    name: str
    parts: int
    seconds: Fraction


def host_count(topology: Topology) -> int:
    """Nodes that are no switches."""
    return topology.n - len(topology.switches)


def mapped_ring(topology: Topology) -> LogicalMessages:
    """Rings on all links of a DGX-1; elsewhere one, through the hosts in their order."""
    whole = not topology.switches and topology.same_arcs(dgx1())
    return ring_messages(host_count(topology), DGX1_RINGS if whole else None)


def grid_dimensions(name: str | None) -> list[GridDimension]:
    """The dimensions of a torus, mesh, RFS or Switch2D, the most significant first.

    Rings along tori and meshes, as in a full mesh where hosts are linked pairwise; on switches by
    halves where they have a power of two ports. Raises Unsupported for any other name.

    >>> [(one.size, str(one.pattern), str(one.rate)) for one in grid_dimensions("RFS(2,4,3)")]
    [(3, 'direct', '50'), (4, 'direct', '300'), (2, 'ring', '200')]
    """
    found = _GRID.fullmatch(name or "")
    if found is None:
        told = "a topology without a name" if name is None else excerpt(name)
        raise Unsupported(f"dimensions: known of Torus, Mesh, RFS and Switch2D, not of {told}")
    sizes = [int(part) for part in found[2].split(",")]
    if found[1] == "RFS":
        ring, full, boxes = sizes
        return [
            _switch_dimension(boxes, ring_full_switch.SWITCH),
            GridDimension(
                size=full,
                pattern=DimensionPattern.DIRECT,
                rate=Fraction(max(full - 1, 1) * ring_full_switch.FULL),
            ),
            _ring_dimension(ring, ring_full_switch.RING),
        ]
    if found[1] == "Switch2D":
        inside, boxes = sizes
        return [
            _switch_dimension(boxes, switch_grid.OUTSIDE),
            _switch_dimension(inside, switch_grid.INSIDE),
        ]
    return [_ring_dimension(size, 1) for size in sizes]


def _ring_dimension(size: int, rate: int) -> GridDimension:
    both = rate * (2 if size > 2 else 1)
    return GridDimension(size=size, pattern=DimensionPattern.RING, rate=Fraction(both))


def _switch_dimension(size: int, rate: int) -> GridDimension:
    halves = size & (size - 1) == 0
    pattern = DimensionPattern.HALVING if halves else DimensionPattern.DIRECT
    return GridDimension(size=size, pattern=pattern, rate=Fraction(rate))


MAPPED_BASELINES = {
    one.name: one
    for one in (
        MappedBaseline(
            name="ring",
            title="two-way ring",
            make=lambda topology, _, parts: split_messages(mapped_ring(topology), parts),
        ),
        MappedBaseline(
            name="direct",
            title="everyone to everyone",
            make=lambda topology, _, parts: split_messages(
                direct_messages(host_count(topology)), parts
            ),
        ),
        MappedBaseline(
            name="halving",
            title="recursive halving and doubling",
            make=lambda topology, _, parts: split_messages(
                halving_messages(host_count(topology)), parts
            ),
        ),
        MappedBaseline(
            name="double-tree",
            title="double binary tree",
            make=lambda topology, _, parts: split_messages(
                double_tree_messages(host_count(topology)), parts
            ),
        ),
        MappedBaseline(
            name="blueconnect",
            title="dimension by dimension",
            make=lambda _, name, parts: dimension_messages(
                grid_dimensions(name), parts, balanced=False
            ),
        ),
        MappedBaseline(
            name="themis",
            title="dimension by dimension, balanced",
            make=lambda _, name, parts: dimension_messages(grid_dimensions(name), parts),
        ),
        MappedBaseline(
            name="multitree",
            title="trees grown step by step",
            make=lambda topology, *_: grown_tree_messages(topology),
            splits=False,
        ),
        MappedBaseline(
            name="ccube",
            title="two trees on a DGX-1",
            make=lambda topology, _, parts: split_messages(ccube_messages(topology), parts),
        ),
    )
}
"""By name; those of TACOS, section V.A."""


def time_baseline(
    baseline: str,
    topology: Topology,
    size: Fraction,
    units: LinkUnits,
    *,
    name: str | None = None,
    parts: int = 1,
    model: TimeModel = TimeModel.PIPELINED,
    clock: Clock = NO_LIMIT,
) -> BaselineTime:
    """An allreduce of `size` bytes by the baseline of that name.

    Raises InvalidInput for an unknown baseline and where it does not fit the number of hosts,
    Unsupported where it is not defined.

    >>> from generators.arrays import jump_graph
    >>> units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    >>> str(time_baseline("ring", jump_graph(4, [1, 3]), Fraction(4), units).seconds)
    '3'
    """
    if baseline not in MAPPED_BASELINES:
        known = ", ".join(MAPPED_BASELINES)
        raise InvalidInput(f"baseline: {excerpt(baseline)} is none of {known}")
    found = MAPPED_BASELINES[baseline]
    parts = parts if found.splits else 1
    messages = found.make(topology, name, parts)
    routed = route_messages(messages, topology)
    seconds = time_messages(routed, size, units, model=model, clock=clock).seconds
    return BaselineTime(name=baseline, parts=parts, seconds=seconds)
