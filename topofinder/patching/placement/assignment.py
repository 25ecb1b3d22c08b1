"""The noun Assignment: which host plays which node, what stays, and how good that is proved.

A placement becomes one when its circuits have panels. Circuits with the same ends on the same panel
are interchangeable, so the most that can stay is, for each pair of ends and panel, the smaller of
the two numbers; ports on one host do not matter.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.split import split_over_panels


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
    `found` names the method that gave the placement, `interrupted` says that Ctrl-C ended it. The
    same input and seed give the same answer, but for `seconds`, which is measured.
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
    interrupted: bool = False

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
    def is_optimal(self) -> bool:
        """Whether the moves are proved to be the fewest."""
        return not self.unplaced and self.moves <= self.bound.moves


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
    placed: Int64Array,
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


def kept_circuits(wiring: Circuits, target: Circuits, host: IntArray, panel: IntArray) -> IntArray:
    """For each circuit of the target the circuit of the wiring that stays for it, or -1.

    `host[v]` plays node v; `panel[i]` carries circuit i, and -1 is nowhere. No assignment of
    parallel circuits keeps more. Circuits of the wiring from a host to itself never stay.

    >>> pair = Circuits(n=2, duplex=True, tail=np.array([0, 0]), head=np.array([1, 1]))
    >>> kept_circuits(pair, pair, np.array([1, 0]), np.array([0, -1])).tolist()
    [0, -1]
    """
    placed = target.on_hosts(host, wiring.n)
    keys = np.concatenate([_keys(wiring, wiring.panel), _keys(placed, panel)])
    kinds = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    there, wanted = (
        _number_parallels(kinds[: wiring.count]),
        _number_parallels(kinds[wiring.count :]),
    )
    there[wiring.tail == wiring.head] = -1
    wanted[panel < 0] = -2
    _, of, at = np.intersect1d(there, wanted, return_indices=True)
    kept = np.full(target.count, -1, dtype=np.int32)
    kept[at] = of
    return kept


def _keys(circuits: Circuits, panel: IntArray | None) -> Int64Array:
    """One number for each pair of ends and panel."""
    tail, head = circuits.tail.astype(np.int64), circuits.head.astype(np.int64)
    if circuits.duplex:
        tail, head = np.minimum(tail, head), np.maximum(tail, head)
    where = np.zeros_like(tail) if panel is None else panel.astype(np.int64)
    return np.asarray((where * circuits.n + tail) * circuits.n + head)


def _number_parallels(kinds: Int64Array) -> Int64Array:
    """Keys that tell parallel circuits apart: the first of each kind, the second, and so on."""
    order = np.argsort(kinds, kind="stable")
    ranked = kinds[order]
    rank = np.empty_like(kinds)
    rank[order] = np.arange(len(kinds)) - np.searchsorted(ranked, ranked)
    return kinds * (1 << 25) + rank
