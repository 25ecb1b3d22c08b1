"""Whether a plan can be carried out: every fibre move by move, then the topology at the end.

Nothing of the planner is used: the state is the receiver of each transmitter, changed as a
technician would change it; connections are counted by scipy, and the arcs at the end one by one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generators.topology import IntArray
from topofinder.model.inventory.document import State
from topofinder.model.inventory.forbidden import Forbidden, forbidding_rule
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Claim, Stage, Wiring, stage_seconds
from topofinder.model.inventory.working import WorkingHosts
from topofinder.verification.plan_wirings import (
    ClaimedEnd,
    ClaimedWiring,
    NodePair,
    circuit_name,
    false_value,
    wiring_difference,
)

_UNTOUCHED = (State.HELD, State.RESERVED, State.PINNED)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StageReplay:
    """The wiring after the last step that could be carried out, and what was wrong, if anything."""

    after: Wiring
    violation: str | None


def replay_stages(
    fabric: PortMap,
    before: Wiring,
    stages: Sequence[Stage],
    claim: Claim | None = None,
    *,
    undoing: bool = False,
    told: Sequence[ClaimedWiring] = (),
    until: int | None = None,
    working: WorkingHosts | None = None,
) -> StageReplay:
    """Carry out all stages, or the first `until`, and compare the end of all with the claim.

    A circuit may only be taken out that is there, and only be made where both fibres are free, on
    ports that are live and of one panel, which nothing forbids to join. Ports that are held,
    reserved or pinned are not touched. Only what is `undoing` a plan may put a circuit back into a
    dead port that it was taken from, or one that is forbidden.
    A stage takes the time that it says.

    Where there is a claim, a stage makes circuits of the target alone, no more on a panel than that
    has robots, and leaves the hosts that work in as many parts as it says; what it takes out joins
    hosts of the plan, or is in the way of a circuit to make. A rollback has none, and its stages
    may take several rounds; its parts are compared where it is known who is `working`. `told` are
    the wirings after each stage.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> fabric = port_map(inventory_for(hosts=2, ports=1))
    >>> stage = Stage(frees=(), connects=(Circuit(0, 1, True),), seconds=120, parts=2)
    >>> replay_stages(fabric, Wiring(to=np.array([-1, -1])), [stage, stage]).violation
    'stage 2: connect h0:0 - h1:0: the transmitter of h0:0 is in use'
    """
    ending = None if claim is None else ClaimedEnd(fabric, claim)
    if claim is not None:
        working = WorkingHosts(fabric, claim.host, before.to)
    rules = None if ending is None else MoveRules(ending, stages)
    fibres = _Fibres(fabric, before, undoing, working, rules)
    violation = None
    for number, stage in enumerate(stages[:until], 1):
        violation = fibres.carry_out(stage)
        if violation is None and told:
            violation = wiring_difference(fabric, fibres.to, told[number - 1])
        if violation is not None:
            violation = f"stage {number}: {violation}"
            break
    whole = until is None or until >= len(stages)
    if violation is None and ending is not None and whole:
        violation = ending.difference(fibres.to)
    after = before.move_fibres(fibres.to, duplex=claim is None or claim.duplex)
    return StageReplay(after=after, violation=violation)


class Impossible(Exception):  # noqa: N818
    """A step that cannot be carried out, or must not."""


class MoveRules:
    """What the steps of a plan may be, beyond what the fibres allow, so that its counts are true.

    Every circuit that is made is one of the target's, in the mode of the plan, and stays; every
    one that is taken out has to go.
    """

    def __init__(self, ending: ClaimedEnd, stages: Sequence[Stage]) -> None:
        self.ending = ending
        self._duplex = ending.claim.duplex
        self._needed = {port for stage in stages for circuit in stage.connects
                        for port in circuit[:2]}  # fmt: skip
        self._made: set[int] = set()

    def require_free(self, circuit: Circuit, to: IntArray) -> None:
        """Raise Impossible for a circuit that a plan has no business to take out."""
        a, b, duplex = circuit
        self._require_mode(circuit)
        if self._duplex and not duplex and to[b] == a:
            raise Impossible("one half of a duplex circuit")
        if a in self._made:
            raise Impossible("the plan made it itself")
        if self._pair(circuit) is None and not self._needed & {a, b}:
            raise Impossible("it is not in the way of anything")

    def require_connect(self, circuit: Circuit) -> None:
        """Raise Impossible for a circuit that is none of the target."""
        a, b, duplex = circuit
        self._require_mode(circuit)
        if self._duplex and not duplex:
            raise Impossible("a simplex circuit in a duplex plan")
        pair = self._pair(circuit)
        if pair is None or not self.ending.wanted[pair]:
            raise Impossible("the target has no such circuit")
        self._made |= {a, b} if duplex else {a}

    def _require_mode(self, circuit: Circuit) -> None:
        if circuit.duplex and not self._duplex:
            raise Impossible("a duplex circuit in a simplex plan")

    def _pair(self, circuit: Circuit) -> NodePair | None:
        """The different nodes whose hosts a circuit joins over good ports, and its rate."""
        pair = int(self.ending.node[circuit.a]), int(self.ending.node[circuit.b])
        rate = min(self.ending.rates[circuit.a], self.ending.rates[circuit.b])
        return (*pair, rate) if min(pair) >= 0 and pair[0] != pair[1] else None


class _Fibres:
    """`to[p]` is the port that hears the transmitter of port p, `heard[p]` the one it hears."""

    def __init__(
        self,
        fabric: PortMap,
        before: Wiring,
        undoing: bool,
        working: WorkingHosts | None,
        rules: MoveRules | None,
    ) -> None:
        self.fabric, self.working, self.rules = fabric, working, rules
        self.closed = set(_UNTOUCHED) if undoing else {*_UNTOUCHED, State.DEAD}
        self.forbidden = Forbidden() if undoing else fabric.forbidden
        self.to = before.to.copy()
        self.heard = np.full(fabric.ports, -1, dtype=np.int32)
        senders = np.flatnonzero(self.to >= 0)
        self.heard[self.to[senders]] = senders

    def carry_out(self, stage: Stage) -> str | None:
        """Change the state by a stage; a line if that cannot be done or is not what it says."""
        if not stage.frees and not stage.connects:
            return "nothing is moved"
        for step, circuits in (("disconnect", stage.frees), ("connect", stage.connects)):
            for circuit in circuits:
                try:
                    self._step(step, circuit)
                except Impossible as error:
                    return f"{step} {circuit_name(self.fabric, circuit)}: {error}"
            if self.working is not None and step == "disconnect":
                parts = self.working.parts(self.to)
                if parts != stage.parts:
                    return false_value("parts", stage.parts, parts)
        return self._stage_fault(stage)

    def _stage_fault(self, stage: Stage) -> str | None:
        made = Counter(int(self.fabric.panel[circuit.a]) for circuit in stage.connects)
        for panel, count in made.items() if self.rules else ():
            kind = self.fabric.panels[panel]
            if kind.at_once is not None and count > kind.at_once:
                return f"{count} circuits at once on panel {kind.name}, which makes {kind.at_once}"
        seconds = stage_seconds(self.fabric, stage.frees, stage.connects)
        return None if seconds == stage.seconds else false_value("seconds", stage.seconds, seconds)

    def _step(self, step: str, circuit: Circuit) -> None:
        self._require_ports(step, circuit)
        a, b, duplex = circuit
        for sender, receiver in [(a, b), (b, a)] if duplex else [(a, b)]:
            if step == "connect":
                self._connect(sender, receiver)
            else:
                self._disconnect(sender, receiver)
        if self.rules is not None and step == "connect":
            self.rules.require_connect(circuit)
        elif self.rules is not None:
            self.rules.require_free(circuit, self.to)

    def _require_ports(self, step: str, circuit: Circuit) -> None:
        fabric, ports = self.fabric, circuit[:2]
        for port in ports:
            if not 0 <= port < fabric.ports:
                raise Impossible("a port is unknown")
            state = fabric.states[port]
            if state in (self.closed if step == "connect" else _UNTOUCHED):
                raise Impossible(f"{fabric.names[port]} is {state}")
        if ports[0] == ports[1]:
            raise Impossible("a port is connected to itself")
        if fabric.panel[ports[0]] != fabric.panel[ports[1]]:
            raise Impossible("the ports are on different panels")
        if step == "connect" and self.forbidden:
            why = forbidding_rule(self.forbidden, fabric.host, fabric.panel, ports)
            if why is not None:
                raise Impossible(why)

    def _disconnect(self, sender: int, receiver: int) -> None:
        if self.to[sender] != receiver:
            names = self.fabric.names
            raise Impossible(f"{names[sender]} does not send to {names[receiver]}")
        self.to[sender] = self.heard[receiver] = -1

    def _connect(self, sender: int, receiver: int) -> None:
        if self.to[sender] >= 0:
            raise Impossible(f"the transmitter of {self.fabric.names[sender]} is in use")
        if self.heard[receiver] >= 0:
            raise Impossible(f"the receiver of {self.fabric.names[receiver]} is in use")
        self.to[sender], self.heard[receiver] = receiver, sender
