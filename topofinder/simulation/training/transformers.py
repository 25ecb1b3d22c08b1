"""BERT-large, GPT-2 and GPT-3 as tables of layers, from their definitions.

Devlin et al. (2018); Radford et al. (2019), table 2; Brown et al. (2020), table 2.1. A block is
attention (4 d^2 weights) and a feed-forward layer (8 d^2), each with biases and a layer norm. A
weight takes two operations a token; attention scores and their sums take 4 s d more at sequences
of s tokens, none spared for the causal half.
"""

from dataclasses import dataclass

from topofinder.model.training_model import TrainingLayer, TrainingModel, TrainingUnit

HALF = 2
"""Bytes of an activation, bfloat16."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerShape:
    """Width, blocks, vocabulary and positions; `sequence` is the tokens of one sequence."""

    name: str
    source: str
    width: int
    blocks: int
    vocabulary: int
    sequence: int
    batch: int | None = None
    global_batch: int | None = None


def make_gpt(shape: TransformerShape) -> TrainingModel:
    """A GPT: norms before each half of a block and at the end, the output tied to the embedding.

    >>> make_gpt(GPT_2_SMALL).parameters, make_gpt(GPT_3).parameters
    (124439808, 174604259328)
    """
    d, words = shape.width, shape.vocabulary
    embedding = _layer("embedding", (words + shape.sequence) * d, 0, d)
    head = _layer("head", 2 * d, 2 * words * d, words)
    return _model(shape, [embedding, *_blocks(shape), head])


def make_bert(shape: TransformerShape) -> TrainingModel:
    """BERT without its training heads: norms after each half, two segments, a pooler.

    >>> make_bert(BERT_LARGE).parameters
    335141888
    """
    d = shape.width
    embedding = _layer("embedding", (shape.vocabulary + shape.sequence + 2 + 2) * d, 0, d)
    pooler = _layer("pooler", (d + 1) * d, 2 * d * d // shape.sequence, 1)
    return _model(shape, [embedding, *_blocks(shape), pooler])


def _blocks(shape: TransformerShape) -> list[TrainingLayer]:
    d, scores = shape.width, 4 * shape.sequence * shape.width
    found = []
    for block in range(shape.blocks):
        attention, feeding = 4 * d * d, 8 * d * d
        found += [
            _layer(f"block{block}.attention", attention + 6 * d, 2 * attention + scores, d),
            _layer(f"block{block}.ffn", feeding + 7 * d, 2 * feeding, d),
        ]
    return found


def _layer(name: str, parameters: int, flops: int, outputs: int) -> TrainingLayer:
    return TrainingLayer(
        name=name, parameters=parameters, flops=flops, activation_bytes=HALF * outputs
    )


def _model(shape: TransformerShape, layers: list[TrainingLayer]) -> TrainingModel:
    return TrainingModel(
        name=shape.name,
        unit=TrainingUnit.TOKEN,
        batch=shape.batch,
        global_batch=shape.global_batch,
        source=shape.source,
        layers=tuple(layers),
    )


def _gpt_2(size: str, width: int, blocks: int, sequences: int) -> TransformerShape:
    """Sequences of a host as in figure 8 of Zhao et al., of 1024 tokens."""
    return TransformerShape(
        name=f"gpt2-{size}",
        source="Radford et al. 2019, table 2",
        width=width,
        blocks=blocks,
        vocabulary=50257,
        sequence=1024,
        batch=sequences * 1024,
    )


GPT_2_SMALL = _gpt_2("small", 768, 12, 8)
GPT_2_MEDIUM = _gpt_2("medium", 1024, 24, 4)
GPT_2_LARGE = _gpt_2("large", 1280, 36, 1)
GPT_3 = TransformerShape(
    name="gpt3-175b",
    source="Brown et al. 2020, table 2.1",
    width=12288,
    blocks=96,
    vocabulary=50257,
    sequence=2048,
    global_batch=3_200_000,
)
BERT_LARGE = TransformerShape(
    name="bert-large",
    source="Devlin et al. 2018; 8 sequences of 512 tokens a host are our choice",
    width=1024,
    blocks=24,
    vocabulary=30522,
    sequence=512,
    batch=8 * 512,
)
