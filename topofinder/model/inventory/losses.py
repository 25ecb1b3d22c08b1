"""Insertion losses of switches: what light loses at ports, and between two of them."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.inventory.cross_connects import LARGEST, read_csv
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit

HEAD = ["port_a", "port_b", "loss"]
_LOSS = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,3}))?(?:\s?dB)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class PortLosses:
    """Losses in thousandths of a decibel: at a `port`, and from one port to another, by number.

    What is not told is 0. A circuit loses what its two ports do, and what that pair does. Where
    `trunks` tells the fibres of each port, losses are by fibre: a circuit joins first to first, and
    loses what the worst of its fibres does.

    >>> losses = PortLosses(port={0: 500}, pair={(1, 0): 1250})
    >>> losses.of(0, 1), losses.of_circuit(Circuit(0, 1, True))
    (500, 1750)
    """

    port: Mapping[int, int] = field(default_factory=dict)
    pair: Mapping[tuple[int, int], int] = field(default_factory=dict)
    trunks: tuple[tuple[int, ...], ...] = ()

    def of(self, a: int, b: int) -> int:
        """The loss from the transmitter of a port to the receiver of another."""
        if self.trunks:
            fibres = zip(self.trunks[a], self.trunks[b], strict=True)
            return max(self._of_fibre(one, two) for one, two in fibres)
        return self._of_fibre(a, b)

    def _of_fibre(self, a: int, b: int) -> int:
        return self.port.get(a, 0) + self.port.get(b, 0) + self.pair.get((a, b), 0)

    def of_circuit(self, circuit: Circuit) -> int:
        """The loss of a circuit: of a duplex one, the worse of there and back."""
        a, b, duplex = circuit
        return max(self.of(a, b), self.of(b, a)) if duplex else self.of(a, b)


def read_losses(path: str | os.PathLike[str], fabric: PortMap) -> PortLosses:
    """The losses in a CSV file: port_a, port_b and loss, in dB with at most three decimals.

    Without a port_b the loss is that of the port, whatever it is connected to. A trunk stands for
    each of its fibres, two trunks for these first to first. Raises InvalidInput with file and line
    for ports that are unknown, on two panels or told twice, and other losses.
    """
    port, pair = dict[int, int](), dict[tuple[int, int], int]()
    panel, head = fabric.by_fibre.panel, True
    for number, fields in read_csv(path, LARGEST):
        where = f"{path}, line {number}"
        if head:
            head = False
            if [name.lower() for name in fields] != HEAD:
                raise InvalidInput(f"{where}: {','.join(HEAD)} is needed, not {excerpt(fields)}")
            continue
        if len(fields) != len(HEAD):
            raise InvalidInput(f"{where}: {len(fields)} fields, where the head has {len(HEAD)}")
        ends, loss = _fibres(fabric, fields[0], where), _loss(fields[2], where)
        if not fields[1]:
            if any(port.setdefault(a, loss) != loss for a in ends):
                raise InvalidInput(f"{where}: loss: {fields[0]} has another one already")
            continue
        others = _fibres(fabric, fields[1], where)
        if len(ends) != len(others):
            raise InvalidInput(f"{where}: {fields[0]} and {fields[1]} have not as many ports")
        for a, b in zip(ends, others, strict=True):
            if a == b or panel[a] != panel[b]:
                raise InvalidInput(f"{where}: port_b: another port of the panel of {fields[0]}")
            if pair.setdefault((a, b), loss) != loss:
                told = f"{fields[0]} to {fields[1]}"
                raise InvalidInput(f"{where}: loss: {told} has another one already")
    if head:
        raise InvalidInput(f"{path}: {','.join(HEAD)} is needed")
    trunks = () if fabric.bundles is None else fabric.bundles.ports
    return PortLosses(port=port, pair=pair, trunks=trunks)


def losses_from_rows(
    fabric: PortMap,
    ports: Sequence[tuple[str, str]],
    pairs: Sequence[tuple[str, Sequence[str], Sequence[str]]],
) -> PortLosses:
    """The losses that `loss_rows` lists. Raises InvalidInput naming what is wrong with them.

    Ports are called one by one, also where trunks bundle them.
    """
    number, panel = fabric.by_fibre.number, fabric.by_fibre.panel
    port, pair = dict[int, int](), dict[tuple[int, int], int]()
    for name, loss in ports:
        port[_port_number(number, name)] = _loss(loss, "losses")
    for name, receivers, told in pairs:
        if len(receivers) != len(told):
            raise InvalidInput(f"losses: {name}: {len(told)} for {len(receivers)} receivers")
        a = _port_number(number, name)
        for other, loss in zip(receivers, told, strict=True):
            b = _port_number(number, other)
            if a == b or panel[a] != panel[b]:
                raise InvalidInput(f"losses: {excerpt(other)} is no other port of that panel")
            pair[a, b] = _loss(loss, "losses")
    trunks = () if fabric.bundles is None else fabric.bundles.ports
    return PortLosses(port=port, pair=pair, trunks=trunks)


def loss_rows(
    losses: PortLosses, fabric: PortMap
) -> tuple[list[list[str]], list[tuple[str, list[str], list[str]]]]:
    """Losses by name: of each port, and of each transmitter those to its receivers.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> pair = port_map(inventory_for(hosts=2, ports=1))
    >>> loss_rows(PortLosses(port={0: 500}, pair={(1, 0): 1250}), pair)
    ([['h0:0', '0.5']], [('h1:0', ['h0:0'], ['1.25'])])
    """
    names = fabric.by_fibre.names
    rows = dict[int, tuple[str, list[str], list[str]]]()
    for (a, b), loss in sorted(losses.pair.items()):
        _, receivers, told = rows.setdefault(a, (names[a], [], []))
        receivers.append(names[b])
        told.append(decibel_text(loss))
    ports = [[names[a], decibel_text(loss)] for a, loss in sorted(losses.port.items())]
    return ports, list(rows.values())


def decibel_text(loss: int) -> str:
    """Thousandths of a decibel in decibels, without needless zeros.

    >>> decibel_text(3000), decibel_text(1250)
    ('3', '1.25')
    """
    return f"{loss / 1000:.3f}".rstrip("0").rstrip(".")


def read_decibels(text: str | float, where: str) -> int:
    """A loss such as 3.5 or 3.5dB, in thousandths of a decibel.

    >>> read_decibels("3.5dB", "--loss-budget")
    3500
    """
    return _loss(str(text).strip(), where)


def _loss(text: str, where: str) -> int:
    found = _LOSS.fullmatch(text)
    if found is None:
        raise InvalidInput(f"{where}: loss: decibels such as 1.25 are needed, not {excerpt(text)}")
    return int(found[1]) * 1000 + int((found[2] or "0").ljust(3, "0"))


def _port_number(number: Mapping[str, int], name: str) -> int:
    if name not in number:
        raise InvalidInput(f"losses: the inventory has no port {excerpt(name)}")
    return number[name]


def _fibres(fabric: PortMap, name: str, where: str) -> tuple[int, ...]:
    """The port of that name, one by one; of a trunk all."""
    found = fabric.ports_called(name)
    if not found:
        raise InvalidInput(f"{where}: no port is called {excerpt(name)}")
    return found
