"""The noun CircuitLosses: what light loses in the circuits that a plan makes."""

from dataclasses import dataclass

from topofinder.model.inventory.losses import PortLosses
from topofinder.model.inventory.wiring import Circuit


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitLosses:
    """The `worst` insertion loss of a circuit that is made, in thousandths of a decibel.

    `proved`: with these stages and hosts no choice of ports has a lower one. `above` are the
    circuits that lose more than the `budget`. All this follows from the losses of `ports`.
    """

    ports: PortLosses
    worst: int
    proved: bool
    budget: int | None
    above: tuple[Circuit, ...]
