"""The noun TrainingModel: what is trained, as a table of layers; `model_json_schema()` tells it.

A layer tells its parameters, its work and what it sends. Its times are measured ones, or follow
from its work and the rates of an accelerator (`topofinder.simulation.training.roofline`).
"""

from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_LAYERS = 20_000
MOST_COUNT = 10**18
"""Parameters, operations and bytes of one layer at most."""
MOST_SECONDS = 1e6
TICKS = 10**9
"""Ticks of a second: compute times are whole ones of a nanosecond."""

_STRICT = ConfigDict(extra="forbid", frozen=True)

Count = Annotated[int, Field(ge=0, le=MOST_COUNT)]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]


class DataType(StrEnum):
    """What a number is kept in.

    >>> DataType.BFLOAT16.bytes
    2
    """

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"
    FLOAT8 = "float8"

    @property
    def bytes(self) -> int:
        """Bytes of one number."""
        return {"float64": 8, "float32": 4, "float8": 1}.get(self.value, 2)


class TrainingUnit(StrEnum):
    """What work and activations are told of."""

    SAMPLE = "sample"
    TOKEN = "token"


class TrainingLayer(BaseModel):
    """A layer: `flops` and `activation_bytes` are those of one unit's forward pass.

    `parameters` are all that it has; gradients are of the same `dtype`. With `experts` it is an
    expert layer: they are spread over all hosts, and each unit is sent to `routed` of them, which
    take up to `capacity_factor` of their even share; `flops` are then those of a unit at one
    expert, `activation_bytes` what a unit is when it is sent. Both seconds are those of a host's
    batch, measured; without them they follow from the work.
    """

    model_config = _STRICT

    name: str = Field(min_length=1, max_length=200)
    parameters: Count = 0
    dtype: DataType = DataType.BFLOAT16
    flops: Count = 0
    activation_bytes: Count = 0
    experts: int = Field(default=0, ge=0, le=1 << 20)
    routed: int = Field(default=1, ge=1, le=1 << 20)
    capacity_factor: float = Field(default=1, gt=0, le=1000, allow_inf_nan=False)
    forward_seconds: Seconds | None = None
    backward_seconds: Seconds | None = None

    @model_validator(mode="after")
    def _require_agreement(self) -> Self:
        if self.experts and self.routed > self.experts:
            raise ValueError(f"a unit is routed to {self.routed} of {self.experts} experts")
        if (self.forward_seconds is None) != (self.backward_seconds is None):
            raise ValueError("forward_seconds and backward_seconds are given both or neither")
        return self

    @property
    def is_expert(self) -> bool:
        """Whether its parameters are spread over the hosts, and its units sent to them."""
        return self.experts > 0

    @property
    def gradient_bytes(self) -> int:
        """Bytes that hosts add up: none of an expert layer, which no two hosts share."""
        return 0 if self.is_expert else self.parameters * self.dtype.bytes

    @property
    def copies(self) -> Fraction:
        """Units that a host's experts take for each unit of its batch.

        >>> TrainingLayer(name="ffn", experts=8, routed=2, capacity_factor=1.25).copies
        Fraction(5, 2)
        """
        return self.routed * Fraction(str(self.capacity_factor)) if self.is_expert else Fraction(1)

    @property
    def measured_ticks(self) -> tuple[int, int] | None:
        """Measured times forward and backward in nanoseconds, rounded; None where there are none.

        >>> TrainingLayer(name="a", forward_seconds=0.5, backward_seconds=1e-9).measured_ticks
        (500000000, 1)
        """
        if self.forward_seconds is None or self.backward_seconds is None:
            return None
        return ticks_of(self.forward_seconds), ticks_of(self.backward_seconds)


class TrainingModel(BaseModel):
    """Layers in the order of the forward pass, and how much one iteration trains.

    `batch` are units of one host, `global_batch` those of all hosts together. Only what is
    simulated can be told: parallelism of tensors and pipelines is refused by its name.
    """

    model_config = _STRICT

    name: str = Field(min_length=1, max_length=100)
    unit: TrainingUnit = TrainingUnit.SAMPLE
    batch: int | None = Field(default=None, ge=1, le=1 << 40)
    global_batch: int | None = Field(default=None, ge=1, le=1 << 50)
    source: str = Field(default="", max_length=1000)
    tensor_parallel: int = Field(default=1, ge=1)
    pipeline_parallel: int = Field(default=1, ge=1)
    layers: tuple[TrainingLayer, ...] = Field(min_length=1, max_length=MOST_LAYERS)

    @model_validator(mode="after")
    def _require_simulated(self) -> Self:
        for name in ("tensor_parallel", "pipeline_parallel"):
            if getattr(self, name) != 1:
                kinds = "data and expert parallelism and sharded parameters are"
                raise ValueError(f"{name}: {getattr(self, name)} is not simulated; {kinds}")
        if self.batch is not None and self.global_batch is not None:
            raise ValueError("batch and global_batch exclude each other")
        return self

    @property
    def parameters(self) -> int:
        """Parameters of all layers."""
        return sum(layer.parameters for layer in self.layers)

    @property
    def expert_counts(self) -> list[int]:
        """The different numbers of experts of its layers."""
        return sorted({layer.experts for layer in self.layers if layer.is_expert})

    def with_dtype(self, dtype: DataType) -> "TrainingModel":
        """The same with all parameters, gradients and activations of another type.

        >>> model = TrainingModel(name="one", layers=[{"name": "a", "activation_bytes": 8}])
        >>> model.with_dtype(DataType.FLOAT32).layers[0].activation_bytes
        16
        """
        layers = tuple(
            layer.model_copy(
                update={
                    "dtype": dtype,
                    "activation_bytes": layer.activation_bytes * dtype.bytes // layer.dtype.bytes,
                }
            )
            for layer in self.layers
        )
        return self.model_copy(update={"layers": layers})


def ticks_of(seconds: float | Fraction) -> int:
    """The nearest whole number of nanoseconds; a float is what its shortest decimal text says.

    >>> ticks_of(1.5e-6), ticks_of(Fraction(1, 3))
    (1500, 333333333)
    """
    exact = seconds if isinstance(seconds, Fraction) else Fraction(str(seconds))
    return round(exact * TICKS)
