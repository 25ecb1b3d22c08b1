"""A training job on a fabric: its collectives priced, its gradients in buckets, its best bucket.

All times are exact: compute times are whole nanoseconds, those of collectives Fractions of a
second by the alpha-beta model (appendix A.2 of Zhao et al.) and of maximum concurrent flow (A.5).
A simulation counts in ticks of which all of them are multiples. An all-to-all is known as an
interval, and so is the iteration: no time of a collective can grow and the iteration shrink, for
the order of both streams depends on no time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import lcm
from operator import mul

from expansions.cost import Cost
from generators.errors import InvalidInput, Unsupported
from topofinder.model.training_model import TICKS, TrainingModel
from topofinder.simulation.training.experts import (
    ExchangeDemand,
    ExpertSkew,
    exchange_demands,
    replica_demand,
    require_even_spread,
)
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
Exchanges = tuple[ExchangeDemand, ExchangeDemand]
NOTHING = Fraction(), Fraction()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingJob:
    """A model on `n` hosts, `units` a host and microbatch.

    `splits` cuts gradients into buckets of exactly the capacity, as the paper counts; else a layer
    is never cut, and a bucket is full when it has at least the capacity, as in PyTorch. `sharded`
    spreads parameters (FSDP, ZeRO-3): nothing is then reduced in buckets. `exchanges` are the
    all-to-alls before and after layers by their number of experts, `replicas` those among the
    replicas of experts, where there are some. Raises InvalidInput where experts cannot be spread
    evenly, and for a `skew` that nothing follows from.
    """

    model: TrainingModel
    n: int
    units: Fraction
    rates: ComputeRates
    buckets: tuple[int, ...] = BUCKETS
    splits: bool = False
    sharded: bool = False
    microbatches: int = 1
    skew: ExpertSkew | None = None
    exchanges: Mapping[int, Exchanges] = field(init=False, repr=False)
    replicas: Mapping[int, ExchangeDemand] = field(init=False, repr=False)
    ticks: tuple[tuple[int, int], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.buckets or min(self.buckets) < 1:
            raise InvalidInput(f"buckets: sizes of at least 1 byte, not {self.buckets}")
        if not 1 <= self.microbatches <= MOST_MICROBATCHES:
            raise InvalidInput(f"accumulate: 1 to {MOST_MICROBATCHES}, not {self.microbatches}")
        counts = self.model.expert_counts
        require_even_spread(counts, self.n)
        if self.skew is not None:
            _require_skew_matters(self.model)
        exchanges = {count: exchange_demands(count, self.n, self.skew) for count in counts}
        replicas = {count: replica_demand(count, self.n) for count in counts}
        busiest = {count: forth.busiest for count, (forth, _) in exchanges.items()}
        ticks = compute_ticks(self.model, self.rates, self.units, self.n, busiest)
        object.__setattr__(self, "exchanges", exchanges)
        object.__setattr__(self, "replicas", {key: one for key, one in replicas.items() if one})
        object.__setattr__(self, "ticks", tuple(ticks))
        if not any(map(any, ticks)) and not any(map(self._sends, range(len(ticks)))):
            raise InvalidInput(
                f"model: {self.model.name} takes no time: no layer computes or sends anything"
            )

    def _sends(self, layer: int) -> bool:
        one = self.model.layers[layer]
        return bool(one.gradient_bytes or self.exchange_bytes(layer) or self.replica_bytes(layer))

    @property
    def demands(self) -> list[ExchangeDemand]:
        """The different all-to-alls whose throughputs its time depends on."""
        listed = [one for both in self.exchanges.values() for one in both]
        return list({one.label: one for one in (*listed, *self.replicas.values())}.values())

    def replica_bytes(self, layer: int) -> int:
        """Gradients of a layer that a host adds up with the replicas of its expert."""
        one = self.model.layers[layer]
        if one.experts not in self.replicas:
            return 0
        return -(-one.parameters // one.experts) * one.dtype.bytes

    def exchange_bytes(self, layer: int) -> Fraction:
        """What each host has to send in one all-to-all of a layer, its own part among it."""
        one = self.model.layers[layer]
        return one.activation_bytes * self.units * one.copies if one.is_expert else Fraction()


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricCosts:
    """What collectives take on a fabric of `n` hosts with `d` ports.

    Each collective has the costs of one schedule or of several to choose from; none where there is
    no schedule of it, each `overhead` seconds more than its steps and bytes take. `rates` are
    intervals of throughputs, in units of a link, by the label of the all-to-all.
    """

    name: str
    n: int
    d: int
    alpha: Fraction
    bandwidth: Fraction
    allreduce: tuple[Cost, ...]
    allgather: tuple[Cost, ...] = ()
    reduce_scatter: tuple[Cost, ...] = ()
    rates: Mapping[str, Ends] = field(default_factory=dict)
    overhead: Fraction = Fraction()

    def exchange_seconds(self, demand: ExchangeDemand, size: Fraction) -> Ends:
        """Least and most seconds of an all-to-all of which hosts have `size` bytes in the mean."""
        if demand.label not in self.rates:
            raise Unsupported(f"{self.name}: the throughput of its all-to-all is not known")
        lower, upper = self.rates[demand.label]
        unit = size * demand.share / (self.bandwidth / self.d)
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
        self._replicas = {
            experts: costs.exchange_seconds(demand, Fraction(2))
            for experts, demand in job.replicas.items()
        }
        self.second = lcm(
            TICKS,
            *(part.denominator for lines in self._lines for line in lines for part in line),
            *(end.denominator for both in self._exchanges for ends in both for end in ends),
            *(end.denominator for ends in self._replicas.values() for end in ends),
        )
        self._reduce, self._gather, self._scatter = map(self._tick_counter, self._lines)

    def seconds(self, least: int, most: int) -> Ends:
        return Fraction(least, self.second), Fraction(most, self.second)

    def simulate(self, bucket: int | None) -> tuple[IterationTicks, IterationTicks]:
        """The iteration with the least times of all-to-alls and with the most."""
        turns = self._job.microbatches
        most = simulate_iteration(self.layers(bucket, 1), microbatches=turns)
        intervals = (*(ends for both in self._exchanges for ends in both), *self._replicas.values())
        if all(least == end for least, end in intervals):
            return most, most
        return simulate_iteration(self.layers(bucket, 0), microbatches=turns), most

    def layers(self, bucket: int | None, end: int) -> list[LayerTicks]:
        """The ticks of every layer; `end` is 0 for the least times of all-to-alls, 1 for the most.

        All microbatches have the same computation.
        """
        scale, reduces = self.second // TICKS, self._reduces(bucket, end)
        found = []
        for number, (forward, backward) in enumerate(self._job.ticks):
            size = self._bytes[number] if self._job.sharded else 0
            dispatch, combine = self._exchanges[number]
            found.append(
                LayerTicks(
                    forward=forward * scale,
                    backward=backward * scale,
                    dispatch=int(dispatch[end] * self.second),
                    combine=int(combine[end] * self.second),
                    gather=self._gather(size),
                    scatter=self._scatter(size),
                    reduces=reduces[number],
                )
            )
        return found

    def _reduces(self, bucket: int | None, end: int) -> list[tuple[int, ...]]:
        """Allreduces after each layer: of all hosts, and among replicas, in buckets of their own.

        Without buckets only gradients of replicas are reduced, those of each layer at once.
        """
        none: list[int] = [0] * len(self._bytes)
        found = self._full_buckets(none if bucket is None else self._bytes, bucket, self._reduce)
        for experts, ends in self._replicas.items():
            each = int(ends[end] * self.second)
            own = [
                self._job.replica_bytes(number) if layer.experts == experts else 0
                for number, layer in enumerate(self._job.model.layers)
            ]
            added = self._full_buckets(own, bucket, partial(mul, each))
            found = [one + more for one, more in zip(found, added, strict=True)]
        return found

    def _full_buckets(
        self, sizes: Sequence[int], bucket: int | None, ticks: Callable[[int], int]
    ) -> list[tuple[int, ...]]:
        if bucket is None:
            return [(ticks(size),) if size else () for size in sizes]
        buckets = bucket_bytes(sizes[::-1], bucket, self._job.splits)
        return [tuple(map(ticks, full)) for full in reversed(buckets)]

    def _tick_counter(self, lines: Sequence[Ends]) -> Callable[[int], int]:
        """What so many bytes take by the best of several schedules; 0 bytes take nothing."""
        whole = [(int(start * self.second), int(each * self.second)) for start, each in lines]

        def count(size: int) -> int:
            return min(start + each * size for start, each in whole) if size else 0

        return count


def _line(cost: Cost, costs: FabricCosts) -> Ends:
    """Seconds of no bytes, and of one byte more."""
    return cost.steps * costs.alpha + costs.overhead, cost.bandwidth / costs.bandwidth


def _exchange_ends(job: TrainingJob, costs: FabricCosts) -> list[tuple[Ends, Ends]]:
    """Seconds of the all-to-alls before and after each layer, at least and at most."""
    known: dict[tuple[int, Fraction], tuple[Ends, Ends]] = {}
    found = []
    for number, layer in enumerate(job.model.layers):
        key = layer.experts, job.exchange_bytes(number)
        if not layer.is_expert or not key[1]:
            found.append((NOTHING, NOTHING))
            continue
        if key not in known:
            forth, back = (
                costs.exchange_seconds(demand, key[1]) for demand in job.exchanges[layer.experts]
            )
            known[key] = forth, back
        found.append(known[key])
    return found


def _require_skew_matters(model: TrainingModel) -> None:
    """Refuse models without experts, and experts that pad or drop what is not even."""
    if not model.expert_counts:
        raise InvalidInput(f"experts-skew: {model.name} has no experts")
    for layer in model.layers:
        if layer.is_expert and layer.capacity_factor != 1:
            raise InvalidInput(
                f"capacity_factor: {layer.name} has {layer.capacity_factor}; uneven loads are "
                "simulated with 1 alone, where nothing is padded and nothing dropped"
            )
