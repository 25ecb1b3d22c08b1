"""Jobs: what is sent, in which buckets, at what price, against plain Fractions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.cost import Cost
from generators.errors import InvalidInput, Unsupported
from topofinder.model.training_model import TrainingModel
from topofinder.simulation.training.accelerators import ACCELERATORS
from topofinder.simulation.training.experts import read_zipf
from topofinder.simulation.training.job import (
    FabricCosts,
    TrainingJob,
    bucket_bytes,
    iteration_spans,
    rate_job,
)
from topofinder.simulation.training.models import model_named
from topofinder.simulation.training.roofline import ComputeRates

RATES = ComputeRates(accelerator=ACCELERATORS["a100"], flat=Fraction(60 * 10**12))
ALPHA, BANDWIDTH = Fraction(1, 10**5), Fraction(100 * 10**9, 8)


def fabric(**changes) -> FabricCosts:
    once = Cost(5, Fraction(1023, 1024))
    facts = {
        "name": "one",
        "n": 1024,
        "d": 4,
        "alpha": ALPHA,
        "bandwidth": BANDWIDTH,
        "allreduce": (once + once,),
        "allgather": (once,),
        "reduce_scatter": (once,),
        "rates": {"uniform": (Fraction(1, 1300), Fraction(1, 1250))},
    }
    return FabricCosts(**facts | changes)


def layers(*rows: dict) -> TrainingModel:
    named = [{"name": f"layer{place}"} | row for place, row in enumerate(rows)]
    return TrainingModel(name="test", layers=named)


def job(model: TrainingModel, **changes) -> TrainingJob:
    facts = {"model": model, "n": 1024, "units": Fraction(1), "rates": RATES}
    return TrainingJob(**facts | changes)


@given(st.lists(st.integers(0, 100)), st.integers(1, 50), st.booleans())
def test_buckets_hold_all_gradients(gradients: list[int], capacity: int, splits: bool) -> None:
    found = bucket_bytes(gradients, capacity, splits)
    assert len(found) == len(gradients)
    flat = [size for sizes in found for size in sizes]
    assert sum(flat) == sum(gradients)
    if splits:
        assert all(size == capacity for size in flat[:-1])
        assert all(size <= capacity for size in flat[-1:])
    else:
        assert all(size >= capacity for size in flat[:-1])
        assert all(len(sizes) <= 1 for sizes in found[:-1])


def test_one_bucket_costs_one_allreduce() -> None:
    times = {"forward_seconds": 0.25, "backward_seconds": 0.5, "parameters": 10**9}
    found = rate_job(job(layers(times, times), buckets=(1 << 40,)), fabric())
    reduce = 10 * ALPHA + Fraction(2046, 1024) * 4 * 10**9 / BANDWIDTH
    assert found.compute == Fraction(3, 2)
    assert found.exposed == (reduce, reduce)
    assert found.seconds == (found.compute + reduce,) * 2
    assert found.by_bucket == ((1 << 40, found.seconds[1]),)


def test_all_to_alls_are_intervals() -> None:
    expert = {"experts": 2048, "activation_bytes": 4160, "parameters": 10**9, "routed": 2}
    found = rate_job(job(layers(expert), units=Fraction(1000)), fabric())
    sent = Fraction(4160 * 1000 * 2)
    least = 4 * sent / 1024 / (BANDWIDTH / 4 / 1250)
    assert found.exchange == (least, least * 1300 / 1250)
    assert found.exposed == (0, 0)  # experts are not reduced
    assert found.seconds[0] < found.seconds[1]


def test_the_bucket_of_least_time_is_taken() -> None:
    found = rate_job(job(model_named("gpt2-small"), units=Fraction(8192)), fabric())
    assert dict(found.by_bucket)[found.bucket or 0] == min(time for _, time in found.by_bucket)
    assert found.seconds[1] == min(time for _, time in found.by_bucket)


def test_the_best_of_several_schedules_is_taken_for_each_size() -> None:
    few, much = Cost(2, Fraction(8)), Cost(200, Fraction(2))
    model = layers({"parameters": 100}, {"parameters": 10**9})
    both = rate_job(job(model, buckets=(1,)), fabric(allreduce=(few, much)))
    small = few.runtime(ALPHA, Fraction(200), BANDWIDTH)
    large = much.runtime(ALPHA, Fraction(2 * 10**9), BANDWIDTH)
    assert both.exposed == (small + large,) * 2


def test_sharded_parameters_are_gathered_and_scattered() -> None:
    times = {"forward_seconds": 0, "backward_seconds": 0, "parameters": 10**6}
    found = rate_job(job(layers(times, times), sharded=True), fabric())
    once = Cost(5, Fraction(1023, 1024)).runtime(ALPHA, Fraction(2 * 10**6), BANDWIDTH)
    # Both are gathered forward, the first one again backward, and both are scattered.
    assert found.seconds == (5 * once, 5 * once)
    assert found.bucket is None
    with pytest.raises(Unsupported, match="one: has no schedule of its own for allgather"):
        rate_job(job(layers(times), sharded=True), fabric(allgather=()))


def test_an_unknown_throughput_is_refused_where_it_matters() -> None:
    assert rate_job(job(model_named("resnet-50")), fabric(rates={})).exchange == (0, 0)
    with pytest.raises(Unsupported, match="throughput of its all-to-all is not known"):
        rate_job(job(model_named("switch-1.6t")), fabric(rates={}))


def test_gradients_are_reduced_once_for_all_microbatches() -> None:
    model = layers({"forward_seconds": 1, "backward_seconds": 2, "parameters": 10**9})
    one, many = (rate_job(job(model, microbatches=k), fabric()) for k in (1, 4))
    assert many.compute == 4 * one.compute
    assert many.exposed == one.exposed


def test_spans_end_with_the_iteration() -> None:
    asked = job(model_named("switch-1.6t"), units=Fraction(1024))
    found = rate_job(asked, fabric())
    spans, second = iteration_spans(asked, fabric(), found.bucket)
    assert max(Fraction(span.end, second) for span in spans) == found.seconds[1]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"n": 48}, "n: 2048 experts cannot be spread evenly over 48 hosts; the choices are 2, 4"),
        ({"buckets": ()}, "buckets: sizes of at least 1 byte"),
        ({"buckets": (0,)}, "buckets: sizes of at least 1 byte"),
        ({"microbatches": 0}, "accumulate: 1 to 4096, not 0"),
    ],
)
def test_impossible_jobs_are_refused(changes: dict, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        job(model_named("switch-1.6t"), **changes)


EXPERT = {"experts": 4, "activation_bytes": 100, "parameters": 4000, "dtype": "float32"}


def test_gradients_of_replicas_are_summed_by_direct_exchange() -> None:
    times = {"forward_seconds": 1, "backward_seconds": 1}
    found = rate_job(
        job(layers(EXPERT | times, EXPERT | times), n=8, buckets=(1 << 30,)),
        fabric(n=8, rates={"experts:4": (Fraction(1), Fraction(1)),
                           "replicas:4": (Fraction(1, 3), Fraction(1, 2))}),
    )  # fmt: skip
    # 100 bytes a host, of which a fourth goes to each of 4 hosts at the rate of a link.
    assert found.exchange == (Fraction(8 * 25) / (BANDWIDTH / 4),) * 2
    # Both layers' 4000 bytes of an expert, half of them to the other replica, there and back.
    halves = Fraction(2 * 2 * 2000) / (BANDWIDTH / 4)
    assert found.exposed == (2 * halves, 3 * halves)


@pytest.mark.parametrize("splits", [False, True])
def test_replicas_of_sharded_models_are_summed_layer_by_layer(splits: bool) -> None:
    rates = dict.fromkeys(("experts:4", "replicas:4"), (Fraction(1), Fraction(1)))
    times = {"forward_seconds": 0, "backward_seconds": 0}
    asked = job(layers(EXPERT | times), n=8, sharded=True, splits=splits)
    found = rate_job(asked, fabric(n=8, rates=rates))
    assert found.exposed == (Fraction(2 * 2000) / (BANDWIDTH / 4),) * 2


def test_uneven_experts_take_their_own_throughputs_both_ways() -> None:
    asked = job(layers(EXPERT), n=2, skew=read_zipf("zipf:1"))
    rates = {"zipf:1 of 4": (Fraction(1), Fraction(2)), "zipf:1 of 4, back": (Fraction(3),) * 2}
    found = rate_job(asked, fabric(n=2, rates=rates))
    whole = 1_000_000 + 500_000 + 333_333 + 250_000
    unit = Fraction(100, whole) / (BANDWIDTH / 4)
    assert found.exchange == (2 * unit * Fraction(5, 6), 2 * unit * Fraction(4, 3))
    with pytest.raises(Unsupported, match="throughput of its all-to-all is not known"):
        rate_job(asked, fabric(n=2))


def test_others_wait_for_the_busiest_host() -> None:
    model = layers(EXPERT | {"flops": 6 * 10**9})
    even, uneven = (job(model, n=2, skew=skew).ticks for skew in (None, read_zipf("zipf:1")))
    assert even == ((100_000, 200_000),)
    most = Fraction(2 * 1_500_000, 2_083_333)
    assert uneven == ((round(100_000 * most), round(200_000 * most)),)


def test_a_model_that_takes_no_time_is_refused() -> None:
    for nothing in ({}, {"experts": 4, "parameters": 8}):
        with pytest.raises(InvalidInput, match="model: test takes no time: no layer computes or"):
            job(layers(nothing), n=2)
    assert job(layers({"experts": 4, "parameters": 8}), n=8).replica_bytes(0) == 4
    job(layers({"parameters": 1}))


def test_uneven_loads_need_experts_that_take_all() -> None:
    skew = read_zipf("zipf:1")
    with pytest.raises(InvalidInput, match="experts-skew: resnet-50 has no experts"):
        job(model_named("resnet-50"), skew=skew)
    padded = layers(EXPERT | {"capacity_factor": 1.25})
    with pytest.raises(InvalidInput, match=r"capacity_factor: layer0 has 1.25; uneven loads"):
        job(padded, n=4, skew=skew)
