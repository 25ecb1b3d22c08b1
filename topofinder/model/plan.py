"""The noun Plan: the moves from the wiring in place to a target, and what there is to say."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from generators.topology import Topology
from topofinder.model.drain import Drain
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Claim, Stage, Wiring, rollback_stages
from topofinder.model.inventory.working import WorkingHosts
from topofinder.model.lengths import CircuitLengths, LengthTrade
from topofinder.model.losses import CircuitLosses


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A proved lower bound on the moves, and the argument that gave it."""

    moves: int
    name: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Stages that turn the wiring `before` into one in which host `host[v]` plays node v.

    `topology` is what is realised, `missing` those of its circuits, as pairs of nodes, that no
    panel could take; `missing_proved` says whether it is proved that no plan leaves out fewer.
    `kept` circuits of it are in place already, `bound` is proved of plans that leave none out.
    Of plans with this placement none leaves out fewer than `placement_missing`, and none that
    leaves out as few as this one makes fewer moves than `placement_moves`;
    `found` names the method that placed the hosts, `seconds` is how long that took. `drain` is
    what was asked to stay up in the middle of stages, `losses` what light loses in new circuits,
    `lengths` how long those of the target are, and `trade` what it costs that they are short.
    """

    fabric: PortMap
    before: Wiring
    subject: str
    recipe: str | None
    topology: Topology
    duplex: bool
    host: tuple[int, ...]
    stages: tuple[Stage, ...]
    kept: int
    missing: tuple[tuple[int, int], ...]
    missing_proved: bool
    bound: Bound
    placement_missing: int
    placement_moves: int
    found: str
    seed: int
    keep_connected: bool
    seconds: float
    drain: Drain | None = None
    losses: CircuitLosses | None = None
    lengths: CircuitLengths | None = None
    trade: LengthTrade | None = None

    @property
    def moves(self) -> int:
        """Circuits that are made."""
        return sum(len(stage.connects) for stage in self.stages)

    @property
    def frees(self) -> int:
        """Circuits that are taken out."""
        return sum(len(stage.frees) for stage in self.stages)

    @property
    def seconds_estimated(self) -> Fraction:
        """How long the moves take, by the move times of the panels."""
        return sum((stage.seconds for stage in self.stages), Fraction())

    @property
    def claim(self) -> Claim:
        """What the plan says of its end."""
        return Claim(
            topology=self.topology, host=self.host, duplex=self.duplex, missing=self.missing
        )

    @property
    def dark_stages(self) -> tuple[int, ...]:
        """The stages, from 1, in which hosts that work now do not all reach one another."""
        return tuple(i for i, stage in enumerate(self.stages, 1) if stage.parts > 1)

    @cached_property
    def working(self) -> WorkingHosts:
        """Which hosts work before the plan, which join and which leave."""
        return WorkingHosts(self.fabric, self.host, self.before.to)

    @cached_property
    def rollback(self) -> tuple[Stage, ...]:
        """The stages that restore the wiring `before`."""
        return rollback_stages(self.fabric, self.stages)

    @cached_property
    def wirings(self) -> tuple[Wiring, ...]:
        """The wiring after each stage."""
        to, found = self.before.to.copy(), []
        for stage in self.stages:
            apply_stage(to, stage)
            found.append(self.before.move_fibres(to, duplex=self.duplex))
        return tuple(found)

    @property
    def after(self) -> Wiring:
        """The wiring at the end."""
        to = self.before.to.copy()
        for stage in self.stages:
            apply_stage(to, stage)
        return self.before.move_fibres(to, duplex=self.duplex)


def apply_stage(to: "np.ndarray[tuple[int], np.dtype[np.int32]]", stage: Stage) -> None:
    """Carry out a stage on `to`, the receiver of each transmitter, in place.

    >>> to = np.array([1, 0, -1], dtype=np.int32)
    >>> from topofinder.model.inventory.wiring import Circuit
    >>> apply_stage(to, Stage(frees=(Circuit(0, 1, True),), connects=(Circuit(0, 2, False),),
    ...     seconds=Fraction(), parts=1))
    >>> to.tolist()
    [2, -1, -1]
    """
    for a, b, duplex in stage.frees:
        to[[a, b] if duplex else [a]] = -1
    for a, b, duplex in stage.connects:
        to[a] = b
        if duplex:
            to[b] = a
