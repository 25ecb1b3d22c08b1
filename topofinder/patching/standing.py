"""What is in place as a planner sees it: what may stay for the target, what may be taken out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topofinder.inventory.fabric import Fabric
from topofinder.inventory.model import State
from topofinder.inventory.wiring import Circuit, Wiring
from topofinder.planning.circuits import Circuits

_UNTOUCHED = (State.HELD, State.RESERVED, State.PINNED)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """The circuits in place, in the mode of a plan; the `pinned` first ones stay whatever comes.

    Shapes: `movable` and `countable` (circuits,): it may be taken out; it may stay for a circuit
    of the target, its ports being good and on hosts of the plan. `usable` (ports,): a new circuit
    may be plugged in here, once what is there is taken out. Circuits with an end at a port that
    is held, reserved or pinned are not movable, and their ports not usable, neither fibre.
    """

    fabric: Fabric
    duplex: bool
    circuits: tuple[Circuit, ...]
    pinned: int
    movable: NDArray[np.bool_]
    countable: NDArray[np.bool_]
    usable: NDArray[np.bool_]

    @property
    def engine_circuits(self) -> tuple[Circuits, NDArray[np.int64]]:
        """The countable circuits between hosts, and which circuit each of them is."""
        chosen = np.flatnonzero(self.countable)
        rows = np.array([self.circuits[i][:2] for i in chosen.tolist()], dtype=np.int64)
        ports = rows.reshape(-1, 2)
        fabric = self.fabric
        made = Circuits(
            n=len(fabric.hosts),
            duplex=self.duplex,
            tail=fabric.host[ports[:, 0]],
            head=fabric.host[ports[:, 1]],
            panel=fabric.panel[ports[:, 0]],
        )
        return made, chosen

    def room(self, pinned: Sequence[int]) -> NDArray[np.int64]:
        """Ports that the target may occupy, new or kept: shape (hosts, panels).

        Those of the `pinned` circuits given are counted, for both of their fibres.
        """
        good = self.usable.copy()
        for number in pinned:
            good[list(self.circuits[number][:2])] = True
        return self._counts(good)

    def _counts(self, good: NDArray[np.bool_]) -> NDArray[np.int64]:
        counts = np.zeros((len(self.fabric.hosts), len(self.fabric.panels)), dtype=np.int64)
        np.add.at(counts, (self.fabric.host[good], self.fabric.panel[good]), 1)
        return counts


def standing(
    fabric: Fabric, wiring: Wiring, *, duplex: bool, allowed: NDArray[np.bool_]
) -> Standing:
    """What is in place; `allowed[h]` says whether host h may take part; shape (hosts,).

    In a simplex plan a duplex circuit counts as two simplex ones; in a duplex plan a simplex
    circuit is never of use.
    """
    state = np.array(fabric.states)
    kept_back = np.isin(state, _UNTOUCHED)
    circuits = wiring.circuits(split=not duplex)
    ends = np.array([circuit[:2] for circuit in circuits], dtype=np.int64).reshape(-1, 2)
    movable = np.logical_not(kept_back[ends].any(axis=1))
    usable = np.array([kind is State.LIVE for kind in fabric.states]) & allowed[fabric.host]
    usable[ends[~movable]] = False
    of_mode = np.array([circuit.duplex == duplex for circuit in circuits], dtype=np.bool_)
    good = np.isin(state, (State.LIVE, State.PINNED)) & allowed[fabric.host]
    pinned = ~movable & good[ends].all(axis=1) & of_mode
    countable = pinned | (usable[ends].all(axis=1) & of_mode & movable)
    order = np.argsort(~pinned, kind="stable")
    return Standing(
        fabric=fabric,
        duplex=duplex,
        circuits=tuple(circuits[i] for i in order.tolist()),
        pinned=int(pinned.sum()),
        movable=movable[order],
        countable=countable[order],
        usable=usable,
    )
