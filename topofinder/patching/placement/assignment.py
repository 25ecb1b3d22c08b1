"""The noun Assignment: which host plays which node, what stays, and how good that is proved."""

from dataclasses import dataclass

import numpy as np

from generators.topology import IntArray
from topofinder.model.plan import Bound


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assignment:
    """An answer of `assign`.

    `host[v]` plays node v of the target; shape (nodes,). For each circuit i of the target, shape
    (circuits,): `panel[i]` is the panel that carries it, -1 where no panel has room at both ends
    (the closest plan leaves it out); `kept[i]` is the circuit of the wiring that stays and
    realises it, -1 where it must be made. No circuit of the wiring is kept twice, and one that
    is kept joins the right hosts on the right panel.

    `bound` holds for every assignment that the constraints allow and that leaves no circuit out;
    none of those that they allow leaves out fewer circuits than `least_unplaced`. With the same
    placement none leaves out fewer than `least_out_here`, and none that leaves out as few as this
    one makes fewer than `least_made_here`.
    `found` names the method that gave the placement. The same input and seed give the same
    answer, but for `seconds`, which is measured.
    """

    host: IntArray
    panel: IntArray
    kept: IntArray
    bound: Bound
    found: str
    seed: int
    seconds: float
    least_unplaced: int = 0
    least_out_here: int = 0
    least_made_here: int = 0

    @property
    def moves(self) -> int:
        """Circuits to make: those of the target that have a panel and are not in place."""
        return int(np.count_nonzero((self.kept < 0) & (self.panel >= 0)))

    @property
    def unplaced(self) -> int:
        """Circuits of the target that no panel carries."""
        return int(np.count_nonzero(self.panel < 0))

    @property
    def leaves_out_least(self) -> bool:
        """Whether the circuits left out are proved to be the fewest."""
        return self.unplaced <= self.least_unplaced

    @property
    def price(self) -> tuple[int, int]:
        """Circuits left out and circuits to make: less is better, in this order."""
        return self.unplaced, self.moves

    @property
    def is_minimal_here(self) -> bool:
        """Whether it is proved that no other panels for the same placement are better."""
        return self.unplaced <= self.least_out_here and self.moves <= self.least_made_here

    @property
    def is_optimal(self) -> bool:
        """Whether the moves are proved to be the fewest."""
        return not self.unplaced and self.moves <= self.bound.moves
