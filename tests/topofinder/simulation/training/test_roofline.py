"""Compute times: measured ones as they are, others as the roofline's definition says."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from topofinder.model.training_model import DataType, TrainingLayer, TrainingModel
from topofinder.simulation.training.accelerators import ACCELERATORS, accelerator_named
from topofinder.simulation.training.roofline import ComputeRates, compute_ticks

COUNTS = st.integers(0, 10**15)


@given(flops=COUNTS, parameters=COUNTS, sent=st.integers(0, 10**9), units=st.integers(1, 10**4))
def test_a_layer_takes_the_longer_of_its_work_and_its_bytes(
    flops: int, parameters: int, sent: int, units: int
) -> None:
    layer = TrainingLayer(name="a", flops=flops, parameters=parameters, activation_bytes=sent)
    rates = ComputeRates(accelerator=ACCELERATORS["h100"], efficiency=Fraction(1, 4))
    work = flops * units / (989.4e12 / 4)
    memory = (2 * parameters + 2 * sent * units) / (3350e9 / 4)
    found = rates.seconds(layer, Fraction(units), 16)
    assert float(found) == pytest.approx(max(work, memory))


def test_a_host_reads_its_own_experts_and_takes_copies_of_units() -> None:
    layer = TrainingLayer(
        name="a", parameters=64 * 10**9, experts=64, routed=2, capacity_factor=1.5, flops=10**9
    )
    rates = ComputeRates(accelerator=ACCELERATORS["a100"], efficiency=Fraction(1))
    assert rates.seconds(layer, Fraction(1), 16) == Fraction(8 * 10**9, 2039 * 10**9)
    assert rates.seconds(layer, Fraction(10**6), 16) == Fraction(3 * 10**15, 312 * 10**12)


def test_a_flat_rate_knows_no_memory() -> None:
    layer = TrainingLayer(name="a", parameters=10**15, flops=60 * 10**12)
    rates = ComputeRates(accelerator=ACCELERATORS["a100"], flat=Fraction(60 * 10**12))
    assert rates.seconds(layer, Fraction(1), 1) == 1
    assert rates.words == "60 TFLOPS"


def test_measured_times_come_before_estimates_and_are_rounded_once() -> None:
    model = TrainingModel(
        name="two",
        layers=[
            {"name": "a", "flops": 10**12, "forward_seconds": 1.4e-9, "backward_seconds": 2.6e-9},
            {"name": "b", "flops": 3},
        ],
    )
    rates = ComputeRates(accelerator=ACCELERATORS["a100"], flat=Fraction(10**9, 4))
    assert compute_ticks(model, rates, Fraction(1), 1) == [(1, 3), (12, 24)]


@pytest.mark.parametrize("wrong", [Fraction(0), Fraction(-1), Fraction(3, 2)])
def test_impossible_efficiencies_are_refused(wrong: Fraction) -> None:
    with pytest.raises(InvalidInput, match="efficiency: above 0 and at most 1"):
        ComputeRates(accelerator=ACCELERATORS["a100"], efficiency=wrong)


def test_unknown_accelerators_and_types_are_refused_with_the_choices() -> None:
    with pytest.raises(InvalidInput, match="'tpu' is unknown; the choices are a100, h100, mi250x"):
        accelerator_named("tpu")
    with pytest.raises(InvalidInput, match="a100 has no float8; the choices: bfloat16"):
        accelerator_named("a100").rate(DataType.FLOAT8)
    with pytest.raises(InvalidInput, match="rate: above 0"):
        ComputeRates(accelerator=ACCELERATORS["a100"], flat=Fraction(0))
