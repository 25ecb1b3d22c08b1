"""`topofinder schedule --method forest --table` without a file: what k costs, before packing."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generators.topology import Topology
from reports.forest_counts import CountRow, ForestCounts, counts_fields, counts_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.forest_choices import LOSSES
from topofinder.api.shared.forest_times import Transfer
from topofinder.forests.collectives.any_allreduce import allreduce_limits
from topofinder.forests.collectives.make_forest import ForestOptions, phase_networks
from topofinder.forests.few_trees.pack import TreeAim, count_trees, least_height
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import TreeCount
from topofinder.model.workload import link_rate


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ForestCountsAnswer(Answer):
    """Numbers of trees a root, what each loses, and what no forest of it beats."""

    counts: ForestCounts

    def summary(self) -> dict[str, Any]:
        """What it is about, and how many numbers there are."""
        counts = self.counts
        return {
            "collective": counts.collective,
            "subject": counts.subject,
            "counts": len(counts.rows),
        }

    def to_dict(self) -> dict[str, Any]:
        """The fields that `--json` prints."""
        return counts_fields(self.counts)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each number of trees."""
        rows: list[dict[str, Any]] = self.to_dict()["counts"]
        return rows

    def __str__(self) -> str:
        return counts_text(self.counts)


def count_forests(
    topology: Topology, wish: ForestOptions, transfer: Transfer | None, subject: str
) -> ForestCountsAnswer:
    """For each of some losses the smallest k that loses no more; nothing is packed.

    With a size and a latency also what no forest of so many trees takes less than in any model: the
    busiest link's bytes, and a latency for every level of the lowest trees. Of an allreduce, what
    the slower phase takes and what no allreduce beats, since both phases may run at once.
    """
    networks = phase_networks(topology, wish)
    optima = [find_optimum(network).inverse_rate for network in networks]
    heights = [least_height(network) for network in networks]
    at_once = (
        allreduce_limits(topology, networks[0].total).least if len(networks) > 1 else Fraction()
    )
    rows: list[CountRow] = []
    for loss in LOSSES:
        counts = [count_trees(network, TreeAim(loss=loss), wish.clock) for network in networks]
        lost = _total_loss(optima, counts)
        seconds = None
        if transfer is not None:
            # Switches that multicast may leave the senders less than a count by links says.
            able = wish.able and bool(topology.multicast)
            slow = [
                best * (1 if able else 1 + count.loss)
                for best, count in zip(optima, counts, strict=True)
            ]
            bare = _bare_seconds(topology, networks[0], max(at_once, *slow), transfer)
            seconds = bare + _latency(topology, transfer) * sum(h or 1 for h in heights)
        row = CountRow(k=counts[-1].k, loss=lost, seconds=seconds)
        if not rows or row != rows[-1]:
            rows.append(row)
    known = [height for height in heights if height is not None]
    return ForestCountsAnswer(
        counts=ForestCounts(
            collective=wish.collective.value,
            subject=subject,
            optimum=sum(optima, Fraction()),
            trees=sum(sum(1 for weight in network.weight if weight) for network in networks),
            height=max(known, default=None),
            rows=tuple(rows),
        )
    )


def _total_loss(optima: list[Fraction], counts: list[TreeCount]) -> Fraction:
    taken = sum(
        (best * (1 + count.loss) for best, count in zip(optima, counts, strict=True)), Fraction()
    )
    return taken / sum(optima, Fraction()) - 1


def _bare_seconds(
    topology: Topology, network: Network, time: Fraction, transfer: Transfer
) -> Fraction:
    """The seconds of the busiest link, without latencies."""
    return time * transfer.size / network.total / link_rate(topology, transfer.bandwidth)


def _latency(topology: Topology, transfer: Transfer) -> Fraction:
    """The latency of the quickest link."""
    alpha = topology.unit_latency or transfer.alpha or Fraction(0)
    return alpha * min(topology.latency or (Fraction(1),))
