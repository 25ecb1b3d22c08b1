"""What each lane of a collective runs over: the latency and rate of its link, in seconds and bytes.

Simulators of other programs know links, not lanes: in a fabric with switches a lane is a way over
several links, which it shares with others (`topofinder.exporters.lane_paths`).
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from generators import quantities
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.lowering.lower import Lowerable
from topofinder.lowering.lower_schedule import number_parallel
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.forest import Forest, pair_bandwidths
from topofinder.model.transfers import Transfers
from topofinder.model.workload import link_rate

Lane = tuple[int, int, int]
LaneLinks = Mapping[Lane, tuple[Fraction, Fraction]]


def read_size_and_units(graph: Topology, options: Mapping[str, Any]) -> tuple[int, LinkUnits]:
    """Whole bytes of a collective, and what latency 1 and capacity 1 of a topology stand for.

    `options` are texts `size`, `alpha` and `bandwidth`. Raises InvalidInput where one is missing,
    or given although the topology tells it itself.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> read_size_and_units(ring, {"size": "1KiB", "alpha": "1s", "bandwidth": "8bps"})
    (1024, LinkUnits(latency=Fraction(1, 1), rate=Fraction(1, 1)))
    """
    if "size" not in options:
        raise InvalidInput("--size is missing: such files are for one size of the data")
    size = quantities.size(options["size"], "--size")
    if size.denominator != 1:
        raise InvalidInput(f"--size: whole bytes are needed, not {options['size']}")
    late, wide = options.get("alpha"), options.get("bandwidth")
    if (graph.unit_latency is None) == (late is None):
        told = "is missing" if late is None else "is not for a topology that tells it itself"
        raise InvalidInput(f"--alpha {told}")
    latency = graph.unit_latency or quantities.seconds(late or "", "--alpha")
    bandwidth = None if wide is None else quantities.rate(wide, "--bandwidth")
    return int(size), LinkUnits(latency=latency, rate=link_rate(graph, bandwidth))


def lane_links(content: Lowerable, transfers: Transfers, units: LinkUnits) -> LaneLinks:
    """(latency, rate) of every lane that is used, by sender, receiver and lane.

    Trees of a forest take all parallel links of a pair as one. The fabric has no switches.

    >>> from expansions.schedule import Schedule
    >>> from expansions.schedule_files.saved import SavedSchedule
    >>> from topofinder.lowering.lower import lower
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 2))
    >>> rows = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> saved = SavedSchedule(topology=pair, schedule=rows)
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(3))
    >>> lane_links(saved, lower(saved), units)[1, 0, 0]
    (Fraction(1, 1), Fraction(6, 1))
    """
    graph = content.topology
    known = pair_links(graph, units) if isinstance(content, Forest) else _arc_links(graph, units)
    rows = zip(
        *(each.tolist() for each in (transfers.sender, transfers.receiver, transfers.lane)),
        strict=True,
    )
    return {lane: known[lane] for lane in sorted(set(rows))}


def _arc_links(graph: Topology, units: LinkUnits) -> LaneLinks:
    ends = zip(
        *(each.tolist() for each in (graph.tail, graph.head)),
        number_parallel(graph.tail, graph.head).tolist(),
        strict=True,
    )
    capacity = graph.capacity or (Fraction(1),) * graph.arcs
    latency = graph.latency or (Fraction(1),) * graph.arcs
    values = zip(ends, latency, capacity, strict=True)
    return {lane: (late * units.latency, wide * units.rate) for lane, late, wide in values}


def pair_links(graph: Topology, units: LinkUnits) -> LaneLinks:
    """All parallel links of a pair as one, of the longest latency, by tail, head and lane 0."""
    late: dict[tuple[int, int], Fraction] = {}
    latency = graph.latency or (Fraction(1),) * graph.arcs
    for u, v, value in zip(graph.tail.tolist(), graph.head.tolist(), latency, strict=True):
        late[u, v] = max(value, late.get((u, v), value))
    return {
        (u, v, 0): (late[u, v] * units.latency, wide * units.rate)
        for (u, v), wide in pair_bandwidths(graph).items()
    }
