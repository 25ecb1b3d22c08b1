"""A placement with its panels: what is left out, what moves, and which of several is the best."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from generators.topology import IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.split import split_over_panels
from topofinder.patching.placement.keeping import kept_circuits
from topofinder.patching.placement.problem import Hosts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CarriedPlacement:
    """`host` (nodes,), `panel` and `kept` (circuits,) as in Assignment, and how it was found."""

    host: IntArray
    panel: IntArray
    kept: IntArray
    found: str

    @property
    def price(self) -> tuple[int, int]:
        """Circuits left out and circuits to make: less is better, in this order."""
        out = np.count_nonzero(self.panel < 0)
        return int(out), int(np.count_nonzero((self.kept < 0) & (self.panel >= 0)))


def carry_placement(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    placed: Hosts,
    found: str,
    seed: int,
) -> CarriedPlacement:
    """The panels for a placement (hosts,), which may go on to padding nodes."""
    host = placed[: target.n].astype(np.int32)
    panel = np.zeros(target.count, dtype=np.int32)
    if constraints.ports is not None and constraints.panels > 1:
        placed_target = target.on_hosts(host, wiring.n)
        ports, receivers = constraints.ports, constraints.receivers
        panel = split_over_panels(wiring, placed_target, ports, seed, receivers=receivers)
    return CarriedPlacement(
        host=host, panel=panel, kept=kept_circuits(wiring, target, host, panel), found=found
    )


def best_offer(offers: Iterable[CarriedPlacement]) -> CarriedPlacement:
    """The offer with the lowest price, the first of equals."""
    return min(offers, key=lambda offer: offer.price)
