"""Compute times of layers: measured ones, or estimates by the roofline of an accelerator.

The roofline (Williams, Waterman and Patterson, 2009): a layer takes as long as its operations at
the peak rate or its bytes at the memory's rate, whichever is longer. The bytes are its parameters
on this host, read once, and its activations, read and written. A backward pass is twice the work.
"""

from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput
from topofinder.model.training_model import TrainingLayer, TrainingModel, ticks_of
from topofinder.simulation.training.accelerators import DEFAULT_EFFICIENCY, Accelerator

BACKWARD = 2
"""Work of a backward pass, in forward passes: gradients of inputs, and of parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeRates:
    """How fast a host computes: a part of an accelerator's peaks, or `flat` operations a second.

    A flat rate has no bound by memory.
    """

    accelerator: Accelerator
    efficiency: Fraction = DEFAULT_EFFICIENCY
    flat: Fraction | None = None

    def __post_init__(self) -> None:
        if not 0 < self.efficiency <= 1:
            raise InvalidInput(f"efficiency: above 0 and at most 1, not {self.efficiency}")
        if self.flat is not None and self.flat <= 0:
            raise InvalidInput(f"rate: above 0 is needed, not {self.flat}")

    @property
    def words(self) -> str:
        """What is assumed, in words."""
        if self.flat is not None:
            return f"{float(self.flat / 10**12):g} TFLOPS"
        return f"{float(self.efficiency):.0%} of the peak of an {self.accelerator.title}"

    def seconds(self, layer: TrainingLayer, units: Fraction, hosts: int) -> Fraction:
        """Estimated time of a layer's forward pass on one of so many hosts, `units` a host."""
        work = layer.flops * units * layer.copies
        if self.flat is not None:
            return work / self.flat
        parameters = Fraction(layer.parameters, hosts if layer.is_expert else 1)
        moved = parameters * layer.dtype.bytes + 2 * layer.activation_bytes * units * layer.copies
        peak = work / self.accelerator.rate(layer.dtype)
        return max(peak, moved / self.accelerator.memory_rate) / self.efficiency


def compute_ticks(
    model: TrainingModel, rates: ComputeRates, units: Fraction, hosts: int
) -> list[tuple[int, int]]:
    """Forward and backward time of every layer in nanoseconds, each rounded once.

    >>> from topofinder.simulation.training.accelerators import ACCELERATORS
    >>> rates = ComputeRates(accelerator=ACCELERATORS["a100"], flat=Fraction(10**9))
    >>> model = TrainingModel(name="one", layers=[{"name": "a", "flops": 7}])
    >>> compute_ticks(model, rates, Fraction(2), hosts=4)
    [(14, 28)]
    """
    found = []
    for layer in model.layers:
        measured = layer.measured_ticks
        if measured is None:
            forward = rates.seconds(layer, units, hosts)
            measured = ticks_of(forward), ticks_of(BACKWARD * forward)
        found.append(measured)
    return found
