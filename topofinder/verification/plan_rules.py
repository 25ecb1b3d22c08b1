"""What the moves of a plan may be, beyond what the fibres allow."""

from collections.abc import Sequence

from generators.topology import IntArray
from topofinder.model.inventory.stage import Stage
from topofinder.model.inventory.wiring import Circuit
from topofinder.verification.plan_ending import Ending


class Impossible(Exception):  # noqa: N818
    """A step that cannot be carried out, or must not."""


class MoveRules:
    """What the steps of a plan may be, beyond what the fibres allow, so that its counts are true.

    Every circuit that is made is one of the target's, in the mode of the plan, and stays; every
    one that is taken out has to go.
    """

    def __init__(self, ending: Ending, stages: Sequence[Stage]) -> None:
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

    def _pair(self, circuit: Circuit) -> tuple[int, int] | None:
        """The different nodes whose hosts a circuit joins over good ports."""
        pair = int(self.ending.node[circuit.a]), int(self.ending.node[circuit.b])
        return pair if min(pair) >= 0 and pair[0] != pair[1] else None
