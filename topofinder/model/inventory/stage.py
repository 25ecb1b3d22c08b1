"""The noun Stage: circuits that are taken out together, and circuits that are then made."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """First `frees` are taken out, then `connects` are made; each in any order or at once.

    `parts` tells of the moment in between, when the frees are out and nothing is made yet: 1, and
    one more for each piece that hosts of the plan which reach one another before it fall into.
    `seconds` is an estimate from the move times of the panels.
    """

    frees: tuple[Circuit, ...]
    connects: tuple[Circuit, ...]
    seconds: Fraction
    parts: int


def stage_seconds(
    fabric: PortMap, frees: Iterable[Circuit], connects: Iterable[Circuit]
) -> Fraction:
    """How long a stage takes: panels work side by side, each in rounds of as many as it can.

    >>> from topofinder.model.inventory.example import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> fabric = port_map(inventory_for(hosts=4, ports=1))
    >>> stage_seconds(fabric, [], [Circuit(0, 1, True), Circuit(2, 3, True)])
    Fraction(240, 1)
    """
    counts = [[0, 0] for _ in fabric.panels]
    for kind, circuits in enumerate((frees, connects)):
        for circuit in circuits:
            counts[fabric.panel[circuit.a]][kind] += 1
    times = [
        _rounds(freed, panel.hands) * panel.free_seconds
        + _rounds(made, panel.hands) * panel.move_seconds
        for panel, (freed, made) in zip(fabric.panels, counts, strict=True)
        if freed or made
    ]
    return max(times, default=Fraction())


def _rounds(count: int, hands: int | None) -> int:
    return -(-count // hands) if hands else min(count, 1)


def rollback_stages(fabric: PortMap, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages that undo a plan: last stage first, and in each what was made is taken out.

    What is up in the middle of a stage is the same either way, and so is `parts`.
    """
    return tuple(
        Stage(
            frees=stage.connects,
            connects=stage.frees,
            seconds=stage_seconds(fabric, stage.connects, stage.frees),
            parts=stage.parts,
        )
        for stage in reversed(stages)
    )
