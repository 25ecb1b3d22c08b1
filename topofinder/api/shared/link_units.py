"""Seconds and bytes a second of a topology's links, from options or from the topology itself."""

from generators.errors import InvalidInput
from generators.topology import HOST_COSTS, Topology
from topofinder.api.shared.forest_times import Transfer
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.host_costs import NO_HOST_COSTS
from topofinder.model.workload import link_rate


def link_units(topology: Topology, transfer: Transfer | None) -> LinkUnits:
    """What latency 1 and capacity 1 of a topology stand for.

    Raises InvalidInput for what is missing, and for what the topology tells itself.

    >>> from fractions import Fraction
    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> sent = Transfer(size=Fraction(8), alpha=Fraction(1), bandwidth=Fraction(4))
    >>> link_units(ring, sent)
    LinkUnits(latency=Fraction(1, 1), rate=Fraction(4, 1))
    """
    if transfer is None:
        raise InvalidInput("--method timed needs --size")
    transfer.require_fit(topology)
    if transfer.hosts != NO_HOST_COSTS or any(getattr(topology, each) for each in HOST_COSTS):
        raise InvalidInput("--method timed knows no costs and limits of hosts")
    latency = topology.unit_latency if transfer.alpha is None else transfer.alpha
    if latency is None:
        raise InvalidInput("--method timed needs --alpha: the topology tells no latency of links")
    return LinkUnits(latency=latency, rate=link_rate(topology, transfer.bandwidth))
