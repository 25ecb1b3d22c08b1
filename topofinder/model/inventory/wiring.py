"""The noun Wiring: which transmitter reaches which receiver, for all ports of a fabric.

A duplex circuit between ports a and b is both of a's fibre to b and b's fibre to a; a simplex one
is a's transmitter at b's receiver alone (appendix A.6 of Zhao et al.). Two simplex circuits that
lead there and back are the same fibres in the same holes as one duplex circuit, and are told so.
"""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from generators.errors import InvalidInput
from generators.topology import IntArray


class Circuit(NamedTuple):
    """A circuit between two ports; a simplex one leads from a's transmitter to b's receiver."""

    a: int
    b: int
    duplex: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wiring:
    """`to[p]` is the port whose receiver the transmitter of port p reaches, or -1; (ports,).

    Raises InvalidInput when a receiver is reached twice or a port is connected to itself.

    >>> Wiring(to=np.array([1, 0, 3, -1])).circuits()
    [Circuit(a=0, b=1, duplex=True), Circuit(a=2, b=3, duplex=False)]
    """

    to: IntArray

    def __post_init__(self) -> None:
        to = np.array(self.to, dtype=np.int32)
        used = to[to >= 0]
        if (to < -1).any() or (used >= len(to)).any() or len(np.unique(used)) < len(used):
            raise InvalidInput("wiring: a receiver is unknown or reached twice")
        if (to == np.arange(len(to))).any():
            raise InvalidInput("wiring: a port is connected to itself")
        to.setflags(write=False)
        object.__setattr__(self, "to", to)

    @property
    def count(self) -> int:
        """Circuits, a duplex one counted once."""
        return len(self.circuits())

    def circuits(self, *, split: bool = False) -> list[Circuit]:
        """All circuits by their first port; with `split`, duplex ones as two simplex ones."""
        ports, to = np.flatnonzero(self.to >= 0), self.to
        paired = to[to[ports]] == ports
        if split:
            pairs = zip(ports.tolist(), to[ports].tolist(), strict=True)
            return [Circuit(a, b, False) for a, b in pairs]
        rows = zip(ports.tolist(), to[ports].tolist(), paired.tolist(), strict=True)
        return [Circuit(a, b, two_way) for a, b, two_way in rows if not two_way or a < b]

    def same(self, other: "Wiring") -> bool:
        """Whether every fibre ends in the same place."""
        return np.array_equal(self.to, other.to)

    @property
    def digest(self) -> str:
        """SHA-256 of `to` as little-endian integers of 4 bytes, in hexadecimal."""
        return wiring_digest(self.to)


def wiring_digest(to: IntArray) -> str:
    """The digest of a wiring that is being changed in place."""
    return hashlib.sha256(to.astype("<i4").tobytes()).hexdigest()
