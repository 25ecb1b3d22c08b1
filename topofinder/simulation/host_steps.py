"""What hosts add to the steps of a schedule: an injection limit, and the time of combining data.

Source: Zhao et al., section 8.5.2 and appendix C.4.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.topology import Topology
from topofinder.model.host_costs import HostCosts
from topofinder.verification.schedule_loads import Messages


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStep:
    """What the busiest host has to do at a step, in 1/denominator of a shard.

    `moved` is the most that one sends or receives, `combined` the most that one receives of
    partial sums; `latency`, in units of alpha, is the longest of the arcs that are used.
    """

    moved: int
    combined: int
    latency: Fraction


def host_steps(topology: Topology, messages: Messages, last_sum: int) -> list[HostStep]:
    """What hosts do at each step; those up to `last_sum` carry partial sums.

    >>> from expansions.schedule import Schedule
    >>> from topofinder.verification.schedule_loads import step_messages
    >>> star = Topology.from_arcs(3, [(0, 1), (0, 2)])
    >>> rows = Schedule(source=[0, 0], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> host_steps(star, step_messages(rows, np.arange(2), 2), 0)
    [HostStep(moved=2, combined=0, latency=Fraction(1, 1))]
    """
    starts = np.flatnonzero(np.diff(messages.step, prepend=0))
    found = []
    for low, high in zip(starts, [*starts[1:], len(messages.step)], strict=True):
        arc, amount = messages.arc[low:high], messages.amount[low:high]
        sent, received = (
            _most_of_a_host(ends[arc], amount, topology.n)
            for ends in (topology.tail, topology.head)
        )
        late = (
            Fraction(1)
            if topology.latency is None
            else max(topology.latency[each] for each in arc.tolist())
        )
        sums = int(messages.step[low]) <= last_sum
        found.append(
            HostStep(moved=max(sent, received), combined=received if sums else 0, latency=late)
        )
    return found


def _most_of_a_host(host: NDArray[Any], amount: NDArray[Any], n: int) -> int:
    total = np.zeros(n, dtype=amount.dtype)
    np.add.at(total, host, amount)
    return int(total.max())


def lengthen_steps(
    lengths: Sequence[Fraction],
    steps: Iterable[HostStep],
    hosts: HostCosts,
    *,
    alpha: Fraction,
    piece: Fraction,
) -> list[Fraction]:
    """Seconds of each step: `lengths` as links take them, `piece` the bytes of 1/denominator.

    A step lasts until the busiest host has moved all that it has to, and the longest latency in
    use; then hosts combine what they got, the one with most of it the longest.

    >>> busy = HostStep(moved=2, combined=2, latency=Fraction(1))
    >>> costs = HostCosts(reduction=Fraction(1, 4), injection=Fraction(1))
    >>> lengthen_steps([Fraction(2)], [busy], costs, alpha=Fraction(1), piece=Fraction(1))
    [Fraction(7, 2)]
    """
    found = []
    for length, step in zip(lengths, steps, strict=True):
        if hosts.injection is not None:
            length = max(length, alpha * step.latency + step.moved * piece / hosts.injection)
        found.append(length + step.combined * piece * hosts.reduction)
    return found
