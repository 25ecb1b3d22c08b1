"""Shipped models against the totals that their authors, or their published weights, tell."""

from fractions import Fraction

import pytest

from generators.errors import InvalidInput
from topofinder.simulation.training.models import MODELS, model_named

EXACT = {
    "alexnet": 61_100_840,
    "resnet-18": 11_689_512,
    "resnet-50": 25_557_032,
    "resnet-101": 44_549_160,
    "vgg-16": 138_357_544,
    "bert-large": 335_141_888,
    "gpt2-small": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "mixtral-8x7b": 46_702_792_704,
    "deepseek-v3": 671_026_419_200,
}
ROUNDED = {"B": 10**9, "T": 10**12}
BLOCK = 12 * 12288**2


@pytest.mark.parametrize("name", list(MODELS))
def test_parameters_are_those_published(name: str) -> None:
    published, total = MODELS[name].published, model_named(name).parameters
    if published[-1] not in ROUNDED:
        assert total == int(published.replace(",", "")) == EXACT[name]
        return
    number, unit = published[:-1], ROUNDED[published[-1]]
    digits = len(number.partition(".")[2])
    half = Fraction(unit, 2 * 10**digits)
    assert abs(total - Fraction(number) * unit) <= half
    assert EXACT.get(name, total) == total


@pytest.mark.parametrize("name", list(MODELS))
def test_layers_have_names_of_their_own(name: str) -> None:
    names = [layer.name for layer in model_named(name).layers]
    assert len(set(names)) == len(names)
    assert model_named(name).name == name


@pytest.mark.parametrize(
    ("name", "multiply_adds"),
    [
        ("alexnet", "0.71"),
        ("resnet-18", "1.81"),
        ("resnet-50", "4.09"),
        ("resnet-101", "7.80"),
        ("vgg-16", "15.47"),
    ],
)
def test_convolutions_take_the_operations_that_are_known_of_them(
    name: str, multiply_adds: str
) -> None:
    flops = sum(layer.flops for layer in model_named(name).layers)
    assert f"{flops / 2e9:.2f}" == multiply_adds


def test_a_token_meets_the_active_parameters() -> None:
    # 12.9 billion of Mixtral and 37 of DeepSeek-V3 are active, with both embeddings.
    for name, active in (("mixtral-8x7b", "12.9"), ("deepseek-v3", "37.6")):
        met = Fraction()
        for layer in model_named(name).layers:
            share = Fraction(layer.routed, layer.experts) if layer.is_expert else 1
            met += layer.parameters * share
        assert f"{float(met) / 1e9:.1f}" == active


def test_gpt_3_is_mostly_its_blocks() -> None:
    blocks = [layer for layer in model_named("gpt3-175b").layers if "block" in layer.name]
    assert sum(layer.parameters for layer in blocks) == 96 * (BLOCK + 13 * 12288)


def test_expert_layers_of_the_switches() -> None:
    counts = {"switch-base": 12, "switch-large": 24, "switch-xxl": 24, "switch-1.6t": 30}
    for name, count in counts.items():
        model = model_named(name)
        assert sum(layer.is_expert for layer in model.layers) == count
        assert model.global_batch == 1 << 20


def test_an_unknown_model_is_refused_with_the_choices() -> None:
    with pytest.raises(InvalidInput, match=r"model: 'switch' is unknown.*bert-large.*vgg-16"):
        model_named("switch")
