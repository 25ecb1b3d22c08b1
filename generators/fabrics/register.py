"""What a family of switched fabrics is, and the register of all of them."""

from collections.abc import Callable
from dataclasses import dataclass

from generators.open_register import Register
from generators.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchedFamily:
    """One family: `build` makes the topology of as many integers as `counts` allows.

    `samples` are arguments that the tests build.
    """

    name: str
    title: str
    signature: str
    source: str
    build: Callable[..., Topology]
    counts: tuple[int, ...]
    samples: tuple[tuple[int, ...], ...]


FABRICS: Register[SwitchedFamily] = Register("fabric", ("generators.fabrics.register_all",))


def register_fabric(fabric: SwitchedFamily) -> SwitchedFamily:
    """Enter a family in the register; a name is taken once."""
    return FABRICS.enter(fabric.name, fabric)
