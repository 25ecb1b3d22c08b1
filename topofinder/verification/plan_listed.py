"""The wiring after a stage beside what a plan says of it: its hash, and its circuits by name."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from generators.topology import IntArray
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Wiring, wiring_digest
from topofinder.verification.plan_violation import false_value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToldWiring:
    """What a plan says of the wiring after a stage: its hash, and its circuits where listed."""

    digest: str
    circuits: tuple[Circuit, ...] | None = None


def other_wiring(
    fabric: PortMap, to: IntArray, told: ToldWiring, field: str = "digest"
) -> str | None:
    """A line if a wiring is another than the plan tells; `to[p]` hears port p, or is -1.

    `field` is what the plan calls its hash.
    """
    if (digest := wiring_digest(to)) != told.digest:
        return false_value(field, told.digest, digest)
    return None if told.circuits is None else _other_circuits(fabric, to, told.circuits)


def circuit_name(fabric: PortMap, circuit: Circuit) -> str:
    """What a message calls a circuit."""
    names = [fabric.names[port] if 0 <= port < fabric.ports else str(port) for port in circuit[:2]]
    return (" - " if circuit.duplex else " > ").join(names)


def _other_circuits(fabric: PortMap, to: IntArray, told: Sequence[Circuit]) -> str | None:
    """A line on the first circuit of a list that is not up, or that is up and not in the list."""
    up = set(Wiring(to=to).circuits())
    listed = [Circuit(b, a, True) if duplex and a > b else Circuit(a, b, duplex)
              for a, b, duplex in told]  # fmt: skip
    for circuit, count in Counter(listed).items():
        if circuit not in up or count > 1:
            return f"wiring: {circuit_name(fabric, circuit)} is not up, or listed twice"
    for circuit in sorted(up.difference(listed)):
        return f"wiring: {circuit_name(fabric, circuit)} is up, and not in the list"
    return None
