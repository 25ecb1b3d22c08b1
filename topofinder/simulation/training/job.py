"""A training job on a fabric: its collectives priced, its gradients in buckets, its best bucket.

All times are exact: compute times are whole nanoseconds, those of collectives Fractions of a
second by the alpha-beta model (appendix A.2 of Zhao et al.) and of maximum concurrent flow (A.5).
A simulation counts in ticks of which all of them are multiples. An all-to-all is known as an
interval, and so is the iteration: no time of a collective can grow and the iteration shrink, for
the order of both streams depends on no time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from expansions.cost import Cost
from generators.errors import InvalidInput, Unsupported
from topofinder.model.training_model import TICKS, TrainingModel
from topofinder.simulation.training.iteration import (
    IterationTicks,
    LayerTicks,
    StreamSpan,
    simulate_iteration,
)
from topofinder.simulation.training.roofline import ComputeRates, compute_ticks

BUCKETS = tuple(size << 20 for size in (1, 10, 100, 1000))
"""Bytes of the buckets that the paper tries; its MB are 2^20 bytes."""
MOST_MICROBATCHES = 4096

Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingJob:
    """A model on `n` hosts, `units` a host and microbatch.

    `splits` cuts gradients into buckets of exactly the capacity, as the paper counts; else a layer
    is never cut, and a bucket is full when it has at least the capacity, as in PyTorch. `sharded`
    spreads parameters (FSDP, ZeRO-3): nothing is then reduced in buckets. Raises InvalidInput
    where experts cannot be spread evenly.
    """

    model: TrainingModel
    n: int
    units: Fraction
    rates: ComputeRates
    buckets: tuple[int, ...] = BUCKETS
    splits: bool = False
    sharded: bool = False
    microbatches: int = 1
    ticks: tuple[tuple[int, int], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.buckets or min(self.buckets) < 1:
            raise InvalidInput(f"buckets: sizes of at least 1 byte, not {self.buckets}")
        if not 1 <= self.microbatches <= MOST_MICROBATCHES:
            raise InvalidInput(f"accumulate: 1 to {MOST_MICROBATCHES}, not {self.microbatches}")
        for experts in self.model.expert_counts:
            if experts % self.n:
                fitting = ", ".join(str(n) for n in range(2, experts + 1) if experts % n == 0)
                raise InvalidInput(
                    f"n: {experts} experts cannot be spread evenly over {self.n} hosts; "
                    f"the choices are {fitting}"
                )
        ticks = compute_ticks(self.model, self.rates, self.units, self.n)
        object.__setattr__(self, "ticks", tuple(ticks))

    @property
    def has_exchanges(self) -> bool:
        """Whether hosts send units to each other's experts."""
        return bool(self.model.expert_counts)

    def exchange_bytes(self, layer: int) -> Fraction:
        """What each host has to send in one all-to-all of a layer, its own part among it."""
        one = self.model.layers[layer]
        return one.activation_bytes * self.units * one.copies if one.is_expert else Fraction()


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricCosts:
    """What collectives take on a fabric of `n` hosts with `d` ports.

    Each collective has the costs of one schedule or of several to choose from; none where there is
    no schedule of it. `rate` is the interval of the uniform all-to-all's throughput, in units of
    a link, and None where it is not known.
    """

    name: str
    n: int
    d: int
    alpha: Fraction
    bandwidth: Fraction
    allreduce: tuple[Cost, ...]
    allgather: tuple[Cost, ...] = ()
    reduce_scatter: tuple[Cost, ...] = ()
    rate: Ends | None = None

    def exchange_seconds(self, size: Fraction) -> Ends:
        """Least and most seconds of an all-to-all in which each host has `size` bytes."""
        if self.rate is None:
            raise Unsupported(f"{self.name}: the throughput of its all-to-all is not known")
        lower, upper = self.rate
        unit = size / self.n / (self.bandwidth / self.d)
        return unit / upper, unit / lower


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingTimes:
    """Seconds of one iteration and of its parts, the least and the most; `bucket` in bytes.

    `bucket` is None where nothing is reduced in buckets. `by_bucket` are the most seconds of each.
    """

    fabric: str
    bucket: int | None
    seconds: Ends
    compute: Fraction
    exchange: Ends
    exposed: Ends
    by_bucket: tuple[tuple[int, Fraction], ...] = ()


def rate_job(job: TrainingJob, costs: FabricCosts) -> TrainingTimes:
    """The times of a job on a fabric, with the bucket that has the least certain time.

    Raises Unsupported where a collective has no schedule there, or no known throughput.
    """
    clock = _Clock(job, costs)
    sizes = (None,) if job.sharded else job.buckets
    found = [(size, *clock.simulate(size)) for size in sizes]
    bucket, least, most = min(found, key=lambda each: (each[2].total, each[1].total))
    return TrainingTimes(
        fabric=costs.name,
        bucket=bucket,
        seconds=clock.seconds(least.total, most.total),
        compute=Fraction(most.compute, clock.second),
        exchange=clock.seconds(least.exchange, most.exchange),
        exposed=clock.seconds(least.exposed, most.exposed),
        by_bucket=tuple(
            (size, Fraction(ends.total, clock.second)) for size, _, ends in found if size
        ),
    )


def iteration_spans(
    job: TrainingJob, costs: FabricCosts, bucket: int | None
) -> tuple[list[StreamSpan], int]:
    """The stretches of both streams at the most times, and how many ticks a second has."""
    clock, spans = _Clock(job, costs), list[StreamSpan]()
    simulate_iteration(clock.layers(bucket, 1), microbatches=job.microbatches, spans=spans)
    return spans, clock.second


def bucket_bytes(gradients: Sequence[int], capacity: int, splits: bool) -> list[tuple[int, ...]]:
    """The buckets that are full after each layer, `gradients` in the order in which they come.

    What is left is a bucket of its own at the end.

    >>> bucket_bytes([3, 4, 5, 1], 6, splits=False), bucket_bytes([13, 1], 6, splits=True)
    ([(), (7,), (), (6,)], [(6, 6), (2,)])
    """
    found, ready = [], 0
    for size in gradients:
        ready += size
        full = ready // capacity if splits else int(ready >= capacity)
        taken = (capacity,) * full if splits else (ready,) * full
        ready -= sum(taken)
        found.append(taken)
    if ready and found:
        found[-1] += (ready,)
    return found


class _Clock:
    """Ticks of a job's collectives on a fabric; `second` is how many a second has."""

    def __init__(self, job: TrainingJob, costs: FabricCosts) -> None:
        self._job = job
        self._bytes = [layer.gradient_bytes for layer in job.model.layers]
        gathers = (costs.allgather, costs.reduce_scatter) if job.sharded else ((), ())
        named = ("allreduce", "allgather", "reduce-scatter")
        wanted = (not job.sharded, job.sharded, job.sharded)
        listed = (costs.allreduce, *gathers)
        for name, is_wanted, choices in zip(named, wanted, listed, strict=True):
            if is_wanted and not choices:
                raise Unsupported(f"{costs.name}: has no schedule of its own for {name}")
        self._lines = [[_line(cost, costs) for cost in choices] for choices in listed]
        self._exchanges = _exchange_ends(job, costs)
        self.second = lcm(
            TICKS,
            *(part.denominator for lines in self._lines for line in lines for part in line),
            *(end.denominator for ends in self._exchanges for end in ends),
        )
        self._reduce, self._gather, self._scatter = map(self._tick_counter, self._lines)

    def seconds(self, least: int, most: int) -> Ends:
        return Fraction(least, self.second), Fraction(most, self.second)

    def simulate(self, bucket: int | None) -> tuple[IterationTicks, IterationTicks]:
        """The iteration with the least times of all-to-alls and with the most."""
        turns = self._job.microbatches
        most = simulate_iteration(self.layers(bucket, 1), microbatches=turns)
        if all(least == end for least, end in self._exchanges):
            return most, most
        return simulate_iteration(self.layers(bucket, 0), microbatches=turns), most

    def layers(self, bucket: int | None, end: int) -> list[LayerTicks]:
        """The ticks of every layer; `end` is 0 for the least times of all-to-alls, 1 for the most.

        All microbatches have the same computation.
        """
        scale, reduces = self.second // TICKS, self._reduces(bucket)
        found = []
        for number, (forward, backward) in enumerate(self._job.ticks):
            size = self._bytes[number] if self._job.sharded else 0
            found.append(
                LayerTicks(
                    forward=forward * scale,
                    backward=backward * scale,
                    exchange=int(self._exchanges[number][end] * self.second),
                    gather=self._gather(size),
                    scatter=self._scatter(size),
                    reduces=reduces[number],
                )
            )
        return found

    def _reduces(self, bucket: int | None) -> list[tuple[int, ...]]:
        if bucket is None:
            return [()] * len(self._bytes)
        buckets = bucket_bytes(self._bytes[::-1], bucket, self._job.splits)
        return [tuple(map(self._reduce, sizes)) for sizes in reversed(buckets)]

    def _tick_counter(self, lines: Sequence[Ends]) -> Callable[[int], int]:
        """What so many bytes take by the best of several schedules; 0 bytes take nothing."""
        whole = [(int(start * self.second), int(each * self.second)) for start, each in lines]

        def count(size: int) -> int:
            return min(start + each * size for start, each in whole) if size else 0

        return count


def _line(cost: Cost, costs: FabricCosts) -> Ends:
    """Seconds of no bytes, and of one byte more."""
    return cost.steps * costs.alpha, cost.bandwidth / costs.bandwidth


def _exchange_ends(job: TrainingJob, costs: FabricCosts) -> list[Ends]:
    known: dict[Fraction, Ends] = {Fraction(): (Fraction(), Fraction())}
    found = []
    for layer in range(len(job.model.layers)):
        size = job.exchange_bytes(layer)
        if size not in known:
            known[size] = costs.exchange_seconds(size)
        found.append(known[size])
    return found
