"""Exact time as whole ticks: the longest time of which every delay is a multiple."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.model.chunk_times import common_measure
from topofinder.model.time_model import TimeModel
from topofinder.verification.schedule_loads import WORD, Messages, arc_kinds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TickClock:
    """`tick` is in seconds; `latency` and `unit`, in ticks, are Python ints of shape (arcs,).

    A message of k/denominator of a shard takes latency + k * unit ticks on its arc.
    """

    tick: Fraction
    latency: NDArray[Any]
    unit: NDArray[Any]

    def durations(self, messages: Messages) -> NDArray[Any]:
        """Ticks of every message: int64 if even their sum is sure to fit, else Python ints."""
        # Amounts are int64 only where their sum is; times are sums of different messages' ticks.
        whole = int(self.latency.max(initial=0)) * len(messages.arc)
        whole += int(self.unit.max(initial=0)) * int(messages.amount.sum())
        kind = np.int64 if whole <= WORD else object
        latency, unit = self.latency.astype(kind), self.unit.astype(kind)
        ticks: NDArray[Any] = latency[messages.arc] + unit[messages.arc] * messages.amount
        return ticks

    def busy(self, messages: Messages, model: TimeModel) -> NDArray[Any]:
        """Ticks for which every message keeps its arc; of the same kind as its duration."""
        ticks = self.durations(messages)
        if model is TimeModel.PIPELINED:
            ticks = ticks - self.latency.astype(ticks.dtype)[messages.arc]
        return ticks


def tick_clock(
    topology: Topology,
    denominator: int,
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
) -> TickClock:
    """The clock of a fabric: `alpha` in seconds, `size` bytes in all, bytes a second of a node.

    An arc has latency alpha times its own, and the rate node_bandwidth / d times its capacity.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> quarter, size, speed = Fraction(1, 4), Fraction(4), Fraction(2)
    >>> ticks = tick_clock(ring, 1, alpha=quarter, size=size, node_bandwidth=speed)
    >>> ticks.tick, ticks.latency.tolist(), ticks.unit.tolist()
    (Fraction(1, 4), [1, 1], [4, 4])
    """
    _require(alpha >= 0, "alpha: at least 0 seconds", alpha)
    _require(size > 0, "size: more than 0 bytes", size)
    _require(node_bandwidth > 0, "node_bandwidth: more than 0 bytes a second", node_bandwidth)
    count = topology.n - len(topology.switches)
    unit = Fraction(size * topology.degree, max(count, 1) * denominator * node_bandwidth)
    late, late_kind = arc_kinds(topology.latency, topology.arcs)
    wide, wide_kind = arc_kinds(topology.capacity, topology.arcs)
    latencies, units = [alpha * value for value in late], [unit / value for value in wide]
    tick = common_measure([*latencies, *units])
    return TickClock(
        tick=tick,
        latency=_ticks(latencies, tick)[late_kind],
        unit=_ticks(units, tick)[wide_kind],
    )


def _ticks(values: list[Fraction], tick: Fraction) -> NDArray[Any]:
    return np.array([int(value / tick) for value in values], dtype=object)


def _require(condition: bool, needed: str, value: Fraction) -> None:
    if not condition:
        raise InvalidInput(f"{needed}, not {value}")
