"""Compute times of layers: measured ones, or estimates by the roofline of an accelerator.

The roofline (Williams, Waterman and Patterson, 2009): a layer takes as long as its operations at
the peak rate or its bytes at the memory's rate, whichever is longer. The bytes are its parameters
on this host, read once, and its activations, read and written. A backward pass is twice the work.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput
from topofinder.model.training_model import TrainingLayer, TrainingModel, ticks_of
from topofinder.simulation.training.accelerators import DEFAULT_EFFICIENCY, Accelerator

EVEN = Fraction(1)
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

    def seconds(
        self, layer: TrainingLayer, units: Fraction, hosts: int, busiest: Fraction = EVEN
    ) -> Fraction:
        """Estimated time of a layer's forward pass on one of so many hosts, `units` a host.

        The `busiest` host takes so many times the mean of units: the others wait for it.
        """
        taken = units * layer.copies * busiest
        work = layer.flops * taken
        if self.flat is not None:
            return work / self.flat
        parameters = Fraction(layer.parameters, min(layer.experts, hosts) or 1)
        moved = parameters * layer.dtype.bytes + 2 * layer.activation_bytes * taken
        peak = work / self.accelerator.rate(layer.dtype)
        return max(peak, moved / self.accelerator.memory_rate) / self.efficiency


def compute_ticks(
    model: TrainingModel,
    rates: ComputeRates,
    units: Fraction,
    hosts: int,
    busiest: Mapping[int, Fraction] | None = None,
) -> list[tuple[int, int]]:
    """Forward and backward time of every layer in nanoseconds, each rounded once.

    `busiest` tells by number of experts what the busiest host takes over the mean; measured times
    are those of it already.

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
            most = (busiest or {}).get(layer.experts, EVEN)
            forward = rates.seconds(layer, units, hosts, most)
            measured = ticks_of(forward), ticks_of(BACKWARD * forward)
        found.append(measured)
    return found
