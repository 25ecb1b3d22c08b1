"""The time of a schedule in the alpha-beta model, with and without barriers between steps.

Of a compact schedule the stepped time follows from what its busiest arcs carry.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import Int64Array, Topology
from topofinder.model.host_costs import NO_HOST_COSTS, HostCosts
from topofinder.model.time_model import TimeModel
from topofinder.simulation.clock import TickClock, tick_clock
from topofinder.simulation.host_steps import HostStep, host_steps, lengthen_steps
from topofinder.simulation.message_kernels import (
    fill_message_ends,
    fill_message_ends_compiled,
    list_waits,
)
from topofinder.verification.compact_schedules import peak_loads
from topofinder.verification.replay_kernels import sort_row_numbers
from topofinder.verification.schedule_loads import WORD, Messages, contiguous_columns, step_messages
from topofinder.verification.schedules import verify_schedule

SUMMING = (Collective.REDUCE_SCATTER, Collective.REDUCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationLimits:
    """What a simulation without barriers may hold in memory, at most.

    `pieces` are (node, piece) pairs of one shard (1 GiB); `delivered` the pieces that the rows of
    one source bring, counted row by row, which are numbered in 32 bits; `waits` the pairs of a row
    and one that it waits for (4 GiB).
    """

    pieces: int = 1 << 28
    delivered: int = 1 << 28
    waits: int = 1 << 30


SIMULATION_LIMITS = SimulationLimits()
"""What fits the memory of a workstation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """Exact seconds: `step_ends` of every step with a barrier after each, `unsynchronised` without.

    The latter is None where hosts combine data in time or limit what they send: it is then not
    defined which message waits for them.

    >>> Simulation(step_ends=(Fraction(1), Fraction(3)), unsynchronised=Fraction(2)).stepped
    Fraction(3, 1)
    """

    step_ends: tuple[Fraction, ...]
    unsynchronised: Fraction | None

    @property
    def stepped(self) -> Fraction:
        """The end of the last step."""
        return self.step_ends[-1] if self.step_ends else Fraction()


def simulate(
    topology: Topology,
    schedule: Schedule,
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
    rows_apart: bool = False,
    limits: SimulationLimits = SIMULATION_LIMITS,
    model: TimeModel = TimeModel.OCCUPIED,
    hosts: HostCosts = NO_HOST_COSTS,
) -> Simulation:
    """Play a valid schedule of `size` bytes in all; `alpha` is in seconds, bandwidth in bytes/s.

    What an arc carries at a step is one message: it takes the arc's latency plus its size over
    the arc's rate. With barriers a step lasts as long as its longest message; where no latencies
    are given, all steps take exactly Cost.runtime. Without, an arc carries its messages one at
    a time in the order of steps, each as soon as the pieces it waits for (see `waits`) are there.
    By induction over steps no message then ends later than its step with barriers: its arc is
    free, and its pieces there, when the step before has ended.

    In the model `occupied` an arc is free when its message has arrived, in `pipelined` when its
    bytes have left, the latency earlier. A step with barriers takes the same in both.

    `rows_apart` sends every row as a message of its own, in the order of steps and then of rows,
    each with its own latency; a piece may then travel on earlier. In the model `occupied` the time
    without barriers may then exceed the stepped one; in `pipelined` it cannot, as the last row of
    a step arrives when the joint message would.

    `hosts` adds its overhead to all times. With an injection limit a step lasts until the busiest
    host has sent, and received, all that it has to, and then for the longest latency in use; then
    hosts combine what they got, the one with most of it the longest (C.4 of Zhao et al.).

    Times are exact: whole ticks in 64 bits, or Python ints (slowly) where those could overflow.
    Raises InvalidInput when the schedule is not valid or a parameter is out of range,
    Unsupported when a shard is cut too finely.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> simulate(ring, swap, alpha=1, size=Fraction(8), node_bandwidth=Fraction(2))
    Simulation(step_ends=(Fraction(3, 1),), unsynchronised=Fraction(3, 1))
    """
    times = tick_clock(
        topology, schedule.denominator, alpha=alpha, size=size, node_bandwidth=node_bandwidth
    )
    if (violation := verify_schedule(topology, schedule).violation) is not None:
        raise InvalidInput(f"schedule: {violation}")
    if not schedule.rows:
        return Simulation(step_ends=(), unsynchronised=Fraction())
    rows = np.arange(schedule.rows)
    joint = step_messages(schedule, rows, topology.arcs)
    lengths = [ticks * times.tick for ticks in _step_lengths(joint, times.durations(joint))]
    if hosts.lengthens_steps:
        steps = host_steps(topology, joint, _last_summing_step(schedule))
        piece = _piece_bytes(topology, schedule.denominator, size)
        lengths = lengthen_steps(lengths, steps, hosts, alpha=alpha, piece=piece)
        free = None
    else:
        apart = _rows_as_messages(schedule) if rows_apart else joint
        ended = _message_ends(topology, schedule, apart, times, model, limits)
        free = int(ended.max()) * times.tick + hosts.overhead
    return Simulation(step_ends=_ends(lengths, hosts), unsynchronised=free)


def _piece_bytes(topology: Topology, denominator: int, size: Fraction) -> Fraction:
    """Bytes of 1/denominator of a shard."""
    return Fraction(size) / (max(topology.n - len(topology.switches), 1) * denominator)


def _ends(lengths: list[Fraction], hosts: HostCosts) -> tuple[Fraction, ...]:
    """When the steps end: the overhead of the collective comes before the first."""
    return tuple(hosts.overhead + end for end in accumulate(lengths))


def _step_lengths(messages: Messages, duration: NDArray[Any]) -> list[int]:
    """Ticks of the steps, each as long as its longest message."""
    starts = np.flatnonzero(np.diff(messages.step, prepend=0))
    lengths: list[int] = np.maximum.reduceat(duration, starts).tolist()
    return lengths


def _rows_as_messages(schedule: Schedule) -> Messages:
    """Every row a message of its own; amounts are Python ints where their sum could overflow."""
    order = np.argsort(schedule.step, kind="stable")
    of = np.empty_like(order)
    of[order] = np.arange(len(order))
    # No row is longer than the denominator: the sum of all, which a clock takes, is below 2^63.
    exact = schedule.denominator * schedule.rows <= WORD
    amount = (schedule.end - schedule.begin)[order].astype(np.int64 if exact else object)
    return Messages(step=schedule.step[order], arc=schedule.arc[order], amount=amount, of=of)


def _message_ends(
    topology: Topology,
    schedule: Schedule,
    messages: Messages,
    times: TickClock,
    model: TimeModel,
    limits: SimulationLimits,
) -> NDArray[Any]:
    """The tick at which every message ends when there are no barriers."""
    duration, busy = times.durations(messages), times.busy(messages, model)
    about, arc, step, begin, end = contiguous_columns(schedule)
    by_step, _ = sort_row_numbers(np.arange(schedule.rows), step, schedule.steps + 1)
    rows, own = sort_row_numbers(by_step, about, topology.n)
    _require_memory(topology, schedule, own, limits.pieces)
    # From here on rows are numbered by source, then step: what is read together lies together.
    try:
        first, count, waited = list_waits(
            own, topology.n, topology.tail, topology.head, arc[rows], step[rows], begin[rows],
            end[rows], schedule.denominator, _last_summing_step(schedule),
            limits.delivered, limits.waits,
        )  # fmt: skip
    except OverflowError as error:
        told = f"{schedule.rows} rows: their {error} take too much memory to simulate"
        raise Unsupported(told) from None
    of = messages.of[rows]
    member, start = sort_row_numbers(np.arange(schedule.rows), of, len(messages.arc))
    ended, free = np.zeros_like(duration), np.zeros(topology.arcs, dtype=duration.dtype)
    play: Any = fill_message_ends if duration.dtype == object else fill_message_ends_compiled
    play(member, start, of, messages.arc, duration, busy, first, count, waited, ended, free)
    return ended


def _last_summing_step(schedule: Schedule) -> int:
    """The last step at which rows carry partial sums."""
    if schedule.turn is not None:
        return schedule.turn
    return schedule.steps if schedule.collective in SUMMING else 0


def _require_memory(topology: Topology, schedule: Schedule, start: Int64Array, most: int) -> None:
    pieces = min(schedule.denominator, 2 * int(np.diff(start).max()) + 1)
    if pieces * topology.n > most:
        raise Unsupported(f"{pieces} pieces of a shard at {topology.n} nodes take too much memory")


def compact_step_ends(
    topology: Topology,
    schedule: CompactSchedule,
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
    hosts: HostCosts = NO_HOST_COSTS,
) -> tuple[Fraction, ...]:
    """When the steps end, with a barrier after each: `simulate(...).step_ends` of the expansion.

    As translations carry each host to each other one, all of them do the same at a step. The
    schedule is taken as valid. Times without barriers need all rows: expand it for them.
    Raises InvalidInput when its symmetry is not one of the topology, or a parameter is out of
    range.

    >>> from expansions.schedule import Schedule
    >>> from expansions.automorphisms import automorphisms_of
    >>> from generators.arrays import jump_graph
    >>> ring = jump_graph(2, [1])
    >>> swap = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
    >>> compact = CompactSchedule(swap, automorphisms_of(ring))
    >>> compact_step_ends(ring, compact, alpha=1, size=Fraction(8), node_bandwidth=Fraction(2))
    (Fraction(3, 1),)
    """
    times = tick_clock(
        topology, schedule.denominator, alpha=alpha, size=size, node_bandwidth=node_bandwidth
    )
    found = peak_loads(topology, schedule)
    if isinstance(found, str):
        raise InvalidInput(f"schedule: {found}")
    lengths = [_longest_message(times, step, found.like) * times.tick for step in found.most]
    if hosts.lengthens_steps:
        if topology.latency is not None and hosts.injection is not None:
            told = "expand it to simulate an injection limit over unequal latencies"
            raise Unsupported(f"compact schedule: {told}")
        steps = _symmetric_host_steps(schedule)
        piece = _piece_bytes(topology, schedule.denominator, size)
        lengths = lengthen_steps(lengths, steps, hosts, alpha=alpha, piece=piece)
    return _ends(lengths, hosts)


def _symmetric_host_steps(schedule: CompactSchedule) -> list[HostStep]:
    """What every host does at each step: as much as all the rows of node 0 carry."""
    rows = schedule.origin
    moved = [0] * (rows.steps + 1)
    for step, length in zip(rows.step.tolist(), (rows.end - rows.begin).tolist(), strict=True):
        moved[step] += length
    last_sum = _last_summing_step(rows)
    return [
        HostStep(moved=amount, combined=amount if step <= last_sum else 0, latency=Fraction(1))
        for step, amount in enumerate(moved[1:], 1)
    ]


def _longest_message(times: TickClock, most: tuple[int, ...], like: tuple[int, ...]) -> int:
    """Ticks of the longest message of a step; arcs that carry nothing take none."""
    return max(
        int(times.latency[arc] + times.unit[arc] * amount) if amount else 0
        for amount, arc in zip(most, like, strict=True)
    )
