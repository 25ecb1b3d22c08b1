"""How long a forest takes for a collective of one size: its chunks pipelined down the trees."""

from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput
from generators.topology import Topology
from reports.forest_time import ForestTime
from topofinder.model.forest import Forest
from topofinder.model.workload import link_rate
from topofinder.simulation.chunk_count import best_chunks
from topofinder.simulation.periods import enough_chunks
from topofinder.simulation.pipeline import Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """A collective of `size` bytes in all, and what the topology does not tell itself.

    `alpha` is the latency of a link in seconds, `bandwidth` the egress of a host in bytes a second.
    """

    size: Fraction
    alpha: Fraction | None = None
    bandwidth: Fraction | None = None

    def require_fit(self, topology: Topology) -> None:
        """Raises InvalidInput for what is missing, and for what the topology tells itself."""
        link_rate(topology, self.bandwidth)
        if topology.unit_latency is not None and self.alpha is not None:
            raise InvalidInput("--alpha: the topology tells the latencies of its links itself")


def forest_time(saved: Forest, transfer: Transfer) -> ForestTime:
    """The least time of all numbers of chunks, exactly, phases one after the other; see `Pipeline`.

    For an allreduce also that with both phases at once; and the least where links are busy for
    bytes alone (`periods`), if that is less. Where no latency is known, or links have
    none, there is only the time without. Raises InvalidInput as `Transfer.require_fit`.
    """
    transfer.require_fit(saved.topology)
    unit = transfer.size / saved.total / link_rate(saved.topology, transfer.bandwidth)
    alpha = saved.topology.unit_latency or transfer.alpha
    bare = saved.inverse_rate * unit
    if alpha is None:
        return ForestTime(size=transfer.size, bare=bare)
    apart = [Pipeline.from_trees(phase.topology, phase.trees) for phase in saved.phases]
    phases = [best_chunks(pipeline, unit, alpha) for pipeline in apart]
    known = [phase for phase in phases if phase is not None]
    if len(known) < len(phases):
        return ForestTime(size=transfer.size, bare=bare)
    hidden = tuple(enough_chunks(pipeline, unit, alpha) for pipeline in apart)
    both = None
    if saved.gather is not None and saved.spread is not None:
        pipeline = Pipeline.from_phases(saved.topology, saved.gather, saved.spread)
        both = best_chunks(pipeline, unit, alpha)
        hidden = min(hidden, (enough_chunks(pipeline, unit, alpha),), key=_total)
    return ForestTime(size=transfer.size, bare=bare, phases=tuple(known), both=both, hidden=hidden)


def _total(phases: tuple[tuple[int, Fraction], ...]) -> Fraction:
    return sum((time for _, time in phases), Fraction())
