"""How long a forest takes for a collective of one size: its chunks pipelined down the trees."""

from dataclasses import dataclass, replace
from fractions import Fraction

from generators.errors import InvalidInput
from generators.host_limits import binding_injection
from generators.topology import Topology
from reports.forest_time import ForestTime
from topofinder.model.forest import Forest, inverse_rate, link_loads
from topofinder.model.host_costs import NO_HOST_COSTS, HostCosts, host_costs_of
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import link_rate
from topofinder.simulation.forest_times import forest_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """A collective of `size` bytes in all, and what the topology does not tell itself.

    `alpha` is the latency of a link in seconds, `bandwidth` the egress of a host in bytes a second,
    `hosts` what hosts add. Times of forests are compared in the `model`.
    """

    size: Fraction
    alpha: Fraction | None = None
    bandwidth: Fraction | None = None
    hosts: HostCosts = NO_HOST_COSTS
    model: TimeModel = TimeModel.PIPELINED

    def require_fit(self, topology: Topology) -> None:
        """Raises InvalidInput for what is missing, and for what the topology tells itself."""
        link_rate(topology, self.bandwidth)
        if topology.unit_latency is not None and self.alpha is not None:
            raise InvalidInput("--alpha: the topology tells the latencies of its links itself")
        self.host_costs(topology)

    def host_costs(self, topology: Topology) -> HostCosts:
        """What hosts add, by these options or by the topology; raises as `require_fit`."""
        return host_costs_of(topology, link_rate(topology, self.bandwidth), self.hosts)

    def limit_hosts(self, topology: Topology) -> Topology:
        """The topology with the injection limit of these options, if they tell one that binds."""
        if self.hosts.injection is None:
            return topology
        limit = self.hosts.injection / link_rate(topology, self.bandwidth)
        if binding_injection(topology, limit) is None:
            return topology
        return replace(topology, injection=limit)


def forest_time(saved: Forest, transfer: Transfer) -> ForestTime:
    """The least time of all numbers of chunks, exactly, in rounds and by periods: one formula
    (`forest_seconds`), which everything that weighs forests takes its `best` from.

    For an allreduce also that with both phases at once. Where no latency is known, or links have
    none, there is only the time without. Hosts add to each of these times, at most, what they take
    to combine all they receive to combine. Raises InvalidInput as `Transfer.require_fit`.
    """
    transfer.require_fit(saved.topology)
    costs = transfer.host_costs(saved.topology)
    rate = link_rate(saved.topology, transfer.bandwidth)
    if saved.topology.injection is None and transfer.hosts.injection is not None:
        saved = _limit_saved(saved, transfer)
    combined = costs.reduction * combined_bytes(saved, transfer.size)
    return _link_time(saved, transfer, transfer.size / saved.total / rate).later(
        costs.overhead + combined
    )


def combined_bytes(saved: Forest, size: Fraction) -> Fraction:
    """Bytes of partial sums that the host receives that receives most, of `size` bytes in all.

    >>> from topofinder.api.schedule_forest import ForestRequest, schedule_forest
    >>> from expansions.collective import Collective
    >>> asked = ForestRequest(subject="K(4)", collective=Collective.ALLREDUCE)
    >>> combined_bytes(schedule_forest(asked), Fraction(8))
    Fraction(6, 1)
    """
    if saved.gather is None:
        return Fraction()
    received = [0] * saved.topology.n
    for (parent, _), load in link_loads(saved.gather).items():
        received[parent] += load
    for switch in saved.topology.switches:
        received[switch] = 0
    return Fraction(max(received), saved.gather.k) * size / saved.total


def _limit_saved(saved: Forest, transfer: Transfer) -> Forest:
    """The same trees where hosts have a limit that the file does not tell."""
    limited = transfer.limit_hosts(saved.topology)
    turned, spread, gather = limited.transpose(), saved.spread, saved.gather
    return replace(
        saved,
        topology=limited,
        spread=spread and spread.with_time(inverse_rate(limited, spread)),
        gather=gather and gather.with_time(inverse_rate(turned, gather)),
    )


def _link_time(saved: Forest, transfer: Transfer, unit: Fraction) -> ForestTime:
    """What links, and limits of hosts, take; `unit` is the time of a unit of weight."""
    alpha = saved.topology.unit_latency or transfer.alpha
    found = None if alpha is None else forest_seconds(saved, unit, alpha)
    bare = ForestTime(
        size=transfer.size,
        bare=saved.inverse_rate * unit,
        together=saved.together * unit if len(saved.phases) > 1 else None,
        model=transfer.model.value,
    )
    if found is None:
        return bare
    return replace(
        bare,
        best=found.least(transfer.model),
        phases=found.phases,
        both=found.both,
        hidden=found.hidden,
    )
