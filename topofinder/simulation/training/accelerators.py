"""What accelerators compute at most, as their makers' data sheets tell: dense, with tensor cores.

A rate of these is an estimate of no model's speed: kernels reach a part of it, `efficiency`, which
the user sets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.training_model import DataType

TERA, GIGA = 10**12, 10**9
DEFAULT_ACCELERATOR = "a100"
DEFAULT_EFFICIENCY = Fraction(1, 2)
"""The part of the peak that is taken to be reached where nobody says another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """Peak operations a second by data type, bytes a second of its memory.

    >>> ACCELERATORS["a100"].peak[DataType.BFLOAT16]
    312000000000000
    """

    name: str
    title: str
    peak: Mapping[DataType, int]
    memory_rate: int

    def rate(self, dtype: DataType) -> int:
        """Operations a second at most; Unsupported types are refused with the choices."""
        if dtype not in self.peak:
            choices = ", ".join(self.peak)
            raise InvalidInput(f"accelerator: {self.name} has no {dtype}; the choices: {choices}")
        return self.peak[dtype]


def _accelerator(
    name: str, title: str, memory: int, half: float, **others: float
) -> tuple[str, Accelerator]:
    peaks = {"bfloat16": half, "float16": half, **others}
    rates = {DataType(dtype): round(rate * TERA) for dtype, rate in peaks.items()}
    return name, Accelerator(name=name, title=title, peak=rates, memory_rate=memory * GIGA)


ACCELERATORS: dict[str, Accelerator] = dict(
    (
        # float32 of both is TF32, which is what PyTorch's convolutions use.
        _accelerator("a100", "NVIDIA A100 SXM 80 GB", 2039, 312, float32=156, float64=19.5),
        _accelerator(
            "h100", "NVIDIA H100 SXM", 3350, 989.4, float8=1978.9, float32=494.7, float64=66.9
        ),
        _accelerator("mi250x", "AMD Instinct MI250X", 3276, 383, float32=95.7, float64=95.7),
    )
)
"""By name; the MI250X with both of its dies."""


def accelerator_named(name: str) -> Accelerator:
    """The accelerator of that name; InvalidInput with the choices.

    >>> accelerator_named("H100").title
    'NVIDIA H100 SXM'
    """
    found = ACCELERATORS.get(name.lower())
    if found is None:
        choices = ", ".join(ACCELERATORS)
        raise InvalidInput(f"accelerator: {excerpt(name)} is unknown; the choices are {choices}")
    return found
