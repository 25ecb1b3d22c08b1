"""Mixtures of experts as tables of layers: Switch Transformers, Mixtral 8x7B and DeepSeek-V3.

Fedus, Zoph and Shazeer (2021), table 9: encoders and decoders of the T5 kind, every `step`-th
feed-forward layer with experts, one a token; norms and biases, below 0.1 %, are left out. Jiang et
al. (2024), table 1. DeepSeek-AI (2024), section 4.2. A weight takes two operations a token that
meets it, attention 2 s operations more for each of its numbers of a key and of a value.
"""

from dataclasses import dataclass

from topofinder.model.training_model import TrainingLayer, TrainingModel, TrainingUnit

HALF = 2
SWITCH_WORDS, SWITCH_SEQUENCE = 32128, 512
SWITCH_BATCH = 1 << 20
"""Tokens of all hosts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchShape:
    """`inner` are heads times their width, `matrices` 2 or, gated, 3; `blocks` in each half."""

    name: str
    width: int
    feeding: int
    matrices: int
    blocks: int
    inner: int
    experts: int
    step: int


SWITCHES = (
    SwitchShape(
        name="switch-base", width=768, feeding=3072, matrices=2, blocks=12, inner=768, experts=256,
        step=2,
    ),
    SwitchShape(
        name="switch-large", width=1024, feeding=4096, matrices=2, blocks=24, inner=1024,
        experts=128, step=2,
    ),
    SwitchShape(
        name="switch-xxl", width=4096, feeding=10240, matrices=3, blocks=24, inner=4096,
        experts=128, step=2,
    ),
    SwitchShape(
        name="switch-1.6t", width=2080, feeding=6144, matrices=2, blocks=15, inner=2048,
        experts=2048, step=1,
    ),
)  # fmt: skip


def make_switch(shape: SwitchShape) -> TrainingModel:
    """A Switch Transformer; a decoder's block has two attentions.

    >>> round(make_switch(SWITCHES[0]).parameters / 10**9, 1)
    14.7
    """
    d = shape.width
    layers = [_layer("embedding", SWITCH_WORDS * d, 0, d)]
    for half, attentions in (("encoder", 1), ("decoder", 2)):
        for block in range(shape.blocks):
            name = f"{half}{block}"
            weights = 4 * d * shape.inner
            flops = 2 * weights + 4 * SWITCH_SEQUENCE * shape.inner
            layers += [
                _layer(f"{name}.attention{number}", weights, flops, d)
                for number in range(attentions)
            ]
            layers += _switch_feeding(shape, name, block)
    layers.append(_layer("head", 0, 2 * SWITCH_WORDS * d, SWITCH_WORDS))
    return TrainingModel(
        name=shape.name,
        unit=TrainingUnit.TOKEN,
        global_batch=SWITCH_BATCH,
        source="Fedus, Zoph and Shazeer 2021, table 9",
        layers=tuple(layers),
    )


def _switch_feeding(shape: SwitchShape, name: str, block: int) -> list[TrainingLayer]:
    """A feed-forward layer, or a router and its experts."""
    weights = shape.matrices * shape.width * shape.feeding
    if block % shape.step != shape.step - 1:
        return [_layer(f"{name}.ffn", weights, 2 * weights, shape.width)]
    return _expert_layers(name, shape.width, weights, shape.experts, 1)


def make_mixtral() -> TrainingModel:
    """Mixtral 8x7B: 46.7 billion parameters, two experts a token, 4096 tokens a host.

    >>> make_mixtral().parameters
    46702792704
    """
    d, inner, keys, feeding, words, sequence = 4096, 4096, 1024, 14336, 32000, 4096
    layers = [_layer("embedding", words * d, 0, d)]
    weights = 2 * d * inner + 2 * d * keys
    for block in range(32):
        name = f"block{block}"
        scores = 4 * sequence * inner
        layers.append(_layer(f"{name}.attention", weights + 2 * d, 2 * weights + scores, d))
        layers += _expert_layers(name, d, 3 * d * feeding, 8, 2)
    layers.append(_layer("head", words * d + d, 2 * words * d, words))
    return TrainingModel(
        name="mixtral-8x7b",
        unit=TrainingUnit.TOKEN,
        batch=4096,
        source="Jiang et al. 2024, table 1; 4096 tokens a host are our choice",
        layers=tuple(layers),
    )


def make_deepseek_v3() -> TrainingModel:
    """DeepSeek-V3 without its module that predicts two tokens: 671 billion parameters.

    >>> make_deepseek_v3().parameters
    671026419200
    """
    d, words, first = 7168, 129280, 3
    layers = [_layer("embedding", words * d, 0, d)]
    for block in range(61):
        name = f"block{block}"
        layers.append(_latent_attention(name, d))
        if block < first:
            weights = 3 * d * 18432
            layers.append(_layer(f"{name}.ffn", weights, 2 * weights, d))
            continue
        weights = 3 * d * 2048
        bias = 256  # one an expert, which balances their loads
        layers.append(_layer(f"{name}.shared", weights + bias, 2 * weights, d))
        layers += _expert_layers(name, d, weights, 256, 8)
    layers.append(_layer("head", words * d + d, 2 * words * d, words))
    return TrainingModel(
        name="deepseek-v3",
        unit=TrainingUnit.TOKEN,
        global_batch=15360 * 4096,
        source="DeepSeek-AI 2024, section 4.2",
        layers=tuple(layers),
    )


def _latent_attention(name: str, d: int) -> TrainingLayer:
    """Multi-head latent attention: 128 heads, keys of 128 + 64 numbers, values of 128."""
    heads, plain, turned, value, queries, latent = 128, 128, 64, 128, 1536, 512
    weights = (
        d * queries
        + queries * heads * (plain + turned)
        + d * (latent + turned)
        + latent * heads * (plain + value)
        + heads * value * d
    )
    scores = 2 * 4096 * heads * (plain + turned + value)
    return _layer(f"{name}.attention", weights + queries + latent + 2 * d, 2 * weights + scores, d)


def _expert_layers(
    name: str, width: int, weights: int, experts: int, routed: int
) -> list[TrainingLayer]:
    """A router, which all hosts have, and experts of so many weights each."""
    router = _layer(f"{name}.router", width * experts, 2 * width * experts, experts)
    spread = TrainingLayer(
        name=f"{name}.experts",
        parameters=experts * weights,
        flops=2 * weights,
        activation_bytes=HALF * width,
        experts=experts,
        routed=routed,
    )
    return [router, spread]


def _layer(name: str, parameters: int, flops: int, outputs: int) -> TrainingLayer:
    return TrainingLayer(
        name=name, parameters=parameters, flops=flops, activation_bytes=HALF * outputs
    )
