"""Ports, links and hosts that have failed, on top of what the inventory says."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Names of ports (`h0:1`, `A:17`), of circuits in place (`h0:1=h3:0`), and of hosts.

    Of a circuit that has failed both ports count as dead until it is known which end is to blame.
    """

    ports: Sequence[str] = ()
    links: Sequence[str] = ()
    hosts: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.ports or self.links or self.hosts)


def mark_failed(fabric: PortMap, wiring: Wiring, failures: Failures) -> PortMap:
    """The fabric with what has failed marked dead; what another job holds stays held.

    Raises InvalidInput for names that are unknown and links that are not in place.
    """
    dead = {_port_number(fabric, name, "--fail-port") for name in failures.ports}
    for text in failures.links:
        dead.update(_link_ports(fabric, wiring, text))
    numbers = {name: place for place, name in enumerate(fabric.hosts)}
    for name in failures.hosts:
        if name not in numbers:
            raise InvalidInput(f"--fail-host: no host is called {excerpt(name)}")
        dead.update((fabric.host == numbers[name]).nonzero()[0].tolist())
    states = tuple(_failed_state(state, port in dead) for port, state in enumerate(fabric.states))
    return replace(fabric, states=states)


def split_pairs(texts: Iterable[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Pairs of names such as h0=h1, each with the option that a message names.

    >>> list(split_pairs(["h0=h1"]))
    [('--forbid', ('h0', 'h1'))]
    """
    for text in texts:
        first, sign, second = text.partition("=")
        if not sign:
            raise InvalidInput(f"--forbid: a pair such as h0=h1 is needed, not {excerpt(text)}")
        yield "--forbid", (first.strip(), second.strip())


def _failed_state(state: State, dead: bool) -> State:
    return State.DEAD if dead and state not in (State.HELD, State.RESERVED) else state


def _port_number(fabric: PortMap, name: str, option: str) -> int:
    if name not in fabric.number:
        raise InvalidInput(f"{option}: no port is called {excerpt(name)}")
    return fabric.number[name]


def _link_ports(fabric: PortMap, wiring: Wiring, text: str) -> Iterable[int]:
    first, sign, second = text.partition("=")
    if not sign:
        raise InvalidInput(
            f"--fail-link: a circuit such as h0:1=h3:0 is needed, not {excerpt(text)}"
        )
    a, b = (_port_number(fabric, name.strip(), "--fail-link") for name in (first, second))
    if wiring.to[a] != b and wiring.to[b] != a:
        raise InvalidInput(f"--fail-link: no circuit joins {first} and {second}")
    return a, b
