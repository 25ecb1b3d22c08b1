"""The register of models that come with topofinder; plugins may add to it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.open_register import Register
from topofinder.model.training_model import TrainingModel
from topofinder.simulation.training.convolutions import make_alexnet, make_resnet, make_vgg_16
from topofinder.simulation.training.mixtures import (
    SWITCHES,
    make_deepseek_v3,
    make_mixtral,
    make_switch,
)
from topofinder.simulation.training.transformers import (
    BERT_LARGE,
    GPT_2_LARGE,
    GPT_2_MEDIUM,
    GPT_2_SMALL,
    GPT_3,
    make_bert,
    make_gpt,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A model by name: `published` is the total that its authors, or its weights, tell."""

    name: str
    published: str
    make: Callable[[], TrainingModel]


MODELS: Register[ModelSpec] = Register("model")


def register_model(spec: ModelSpec) -> ModelSpec:
    """Enter a model in the register; a name is taken once."""
    return MODELS.enter(spec.name, spec)


def model_named(name: str) -> TrainingModel:
    """The registered model of that name; InvalidInput with the choices.

    >>> model_named("resnet-50").parameters
    25557032
    """
    if name not in MODELS:
        choices = ", ".join(MODELS)
        raise InvalidInput(
            f"model: {excerpt(name)} is unknown; a .json or .csv file, or one of {choices}"
        )
    return MODELS[name].make()


def _enter(name: str, published: str, make: Callable[[], TrainingModel]) -> None:
    register_model(ModelSpec(name=name, published=published, make=make))


_enter("alexnet", "61,100,840", make_alexnet)
_enter("resnet-18", "11,689,512", partial(make_resnet, 18))
_enter("resnet-50", "25,557,032", partial(make_resnet, 50))
_enter("resnet-101", "44,549,160", partial(make_resnet, 101))
_enter("vgg-16", "138,357,544", make_vgg_16)
_enter("bert-large", "335,141,888", partial(make_bert, BERT_LARGE))
_enter("gpt2-small", "124,439,808", partial(make_gpt, GPT_2_SMALL))
_enter("gpt2-medium", "354,823,168", partial(make_gpt, GPT_2_MEDIUM))
_enter("gpt2-large", "774,030,080", partial(make_gpt, GPT_2_LARGE))
_enter("gpt3-175b", "175B", partial(make_gpt, GPT_3))
for _shape, _total in zip(SWITCHES, ("14.7B", "26B", "395B", "1.6T"), strict=True):
    _enter(_shape.name, _total, partial(make_switch, _shape))
_enter("mixtral-8x7b", "46.7B", make_mixtral)
_enter("deepseek-v3", "671B", make_deepseek_v3)
