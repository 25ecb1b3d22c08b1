"""Whether a plan can be carried out: every fibre move by move, then the topology at the end.

Nothing of the planner is used: the state is the receiver of each transmitter, changed as a
technician would change it; connections are counted by scipy, and the arcs at the end one by one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topofinder.inventory.fabric import Fabric
from topofinder.inventory.model import State
from topofinder.inventory.stage import Stage, stage_seconds
from topofinder.inventory.wiring import Circuit, Wiring, wiring_digest
from topofinder.replay.claim import Claim
from topofinder.replay.ending import Ending

_UNTOUCHED = (State.HELD, State.RESERVED, State.PINNED)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replayed:
    """The wiring after the last step that could be carried out, and what was wrong, if anything."""

    after: Wiring
    violation: str | None


class _Impossible(Exception):  # noqa: N818
    """A step that cannot be carried out."""


def replay(
    fabric: Fabric,
    before: Wiring,
    stages: Sequence[Stage],
    claim: Claim | None = None,
    *,
    undoing: bool = False,
    digests: Sequence[str] | None = None,
) -> Replayed:
    """Carry out all stages, and compare the end with the claim.

    A circuit may only be taken out that is there, and only be made where both fibres are free, on
    ports that are live and of one panel. Ports that are held, reserved or pinned are not touched.
    Only what is `undoing` a plan may put a circuit back into a dead port that it was taken from.
    A stage takes the time that it says. Where there is a claim, it makes no more circuits on a
    panel than that has robots, and leaves the hosts in as many strongly connected parts as it
    says; a rollback has none, and its stages may take several rounds. `digests` are those of the
    wirings after each stage.

    >>> from topofinder.inventory.example import inventory_for
    >>> from topofinder.inventory.fabric import fabric_of
    >>> fabric = fabric_of(inventory_for(hosts=2, ports=1))
    >>> stage = Stage(frees=(), connects=(Circuit(0, 1, True),), seconds=120, parts=2)
    >>> replay(fabric, Wiring(to=np.array([-1, -1])), [stage, stage]).violation
    'stage 2: connect h0:0 - h1:0: the transmitter of h0:0 is in use'
    """
    ending = None if claim is None else Ending(fabric, claim)
    site = _Site(fabric, before, ending, undoing)
    violation = None
    for number, stage in enumerate(stages, 1):
        violation = site.carried_out(stage)
        if violation is None and digests and wiring_digest(site.to) != digests[number - 1]:
            violation = "the wiring after it is not the one that the plan tells"
        if violation is not None:
            violation = f"stage {number}: {violation}"
            break
    if violation is None and ending is not None:
        violation = ending.difference(site.to)
    return Replayed(after=Wiring(to=site.to), violation=violation)


class _Site:
    """`to[p]` is the port that hears the transmitter of port p, `heard[p]` the one it hears."""

    def __init__(
        self, fabric: Fabric, before: Wiring, ending: Ending | None, undoing: bool
    ) -> None:
        self.fabric, self.ending = fabric, ending
        self.closed = set(_UNTOUCHED) if undoing else {*_UNTOUCHED, State.DEAD}
        self.to = before.to.copy()
        self.heard = np.full(fabric.ports, -1, dtype=np.int32)
        senders = np.flatnonzero(self.to >= 0)
        self.heard[self.to[senders]] = senders

    def carried_out(self, stage: Stage) -> str | None:
        """Change the state by a stage; a line if that cannot be done or is not what it says."""
        for step, circuits in (("disconnect", stage.frees), ("connect", stage.connects)):
            for circuit in circuits:
                try:
                    self._step(step, circuit)
                except _Impossible as error:
                    return f"{step} {self._named(circuit)}: {error}"
            if self.ending is not None and step == "disconnect":
                there = self.ending.parts(self.to)
                if there != stage.parts:
                    return f"the hosts are in {there} parts, not {stage.parts}"
        return self._too_much(stage)

    def _too_much(self, stage: Stage) -> str | None:
        made = Counter(int(self.fabric.panel[circuit.a]) for circuit in stage.connects)
        for panel, count in made.items() if self.ending else ():
            kind = self.fabric.panels[panel]
            if kind.hands is not None and count > kind.hands:
                return f"{count} circuits at once on panel {kind.name}, which makes {kind.hands}"
        seconds = stage_seconds(self.fabric, stage.frees, stage.connects)
        return None if seconds == stage.seconds else f"takes {seconds} s, not {stage.seconds}"

    def _step(self, step: str, circuit: Circuit) -> None:
        self._require_ports(step, circuit)
        a, b, duplex = circuit
        for sender, receiver in [(a, b), (b, a)] if duplex else [(a, b)]:
            if step == "connect":
                self._connect(sender, receiver)
            else:
                self._disconnect(sender, receiver)

    def _require_ports(self, step: str, circuit: Circuit) -> None:
        fabric, ports = self.fabric, circuit[:2]
        for port in ports:
            if not 0 <= port < fabric.ports:
                raise _Impossible("a port is unknown")
            state = fabric.states[port]
            if state in (self.closed if step == "connect" else _UNTOUCHED):
                raise _Impossible(f"{fabric.names[port]} is {state}")
        if ports[0] == ports[1]:
            raise _Impossible("a port is connected to itself")
        if fabric.panel[ports[0]] != fabric.panel[ports[1]]:
            raise _Impossible("the ports are on different panels")

    def _disconnect(self, sender: int, receiver: int) -> None:
        if self.to[sender] != receiver:
            names = self.fabric.names
            raise _Impossible(f"{names[sender]} does not send to {names[receiver]}")
        self.to[sender] = self.heard[receiver] = -1

    def _connect(self, sender: int, receiver: int) -> None:
        if self.to[sender] >= 0:
            raise _Impossible(f"the transmitter of {self.fabric.names[sender]} is in use")
        if self.heard[receiver] >= 0:
            raise _Impossible(f"the receiver of {self.fabric.names[receiver]} is in use")
        self.to[sender], self.heard[receiver] = receiver, sender

    def _named(self, circuit: Circuit) -> str:
        names = [
            self.fabric.names[port] if 0 <= port < self.fabric.ports else str(port)
            for port in circuit[:2]
        ]
        return (" - " if circuit.duplex else " > ").join(names)
