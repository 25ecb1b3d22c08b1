"""Kinds of ports that are not joined to others: by pairs of fibres, rate, or side of a switch.

`at` tells where a value stands in the inventory, for a message.
"""

from collections.abc import Callable
from fractions import Fraction

from generators import quantities
from generators.errors import InvalidInput
from topofinder.model.inventory.document import Inventory, PanelKind


def unlike_fibres(inventory: Inventory) -> tuple[int, ...]:
    """The pairs of fibres of each port, nothing where all have as many."""
    fibres = tuple(port.pairs for host in inventory.hosts for port in host.ports)
    return fibres if len(set(fibres)) > 1 else ()


def unlike_rates(inventory: Inventory, at: Callable[..., str]) -> tuple[Fraction, ...]:
    """The rate of each port in bytes a second, nothing where all have one, or none has any."""
    whole = {panel.name: panel.rate for panel in inventory.panels}
    found = [
        (h, place, port.rate or whole[port.panel])
        for h, host in enumerate(inventory.hosts)
        for place, port in enumerate(host.ports)
    ]
    if not any(rate for _, _, rate in found):
        return ()
    for h, place, rate in found:
        if rate is None:
            where = at("hosts", h, "ports", place)
            raise InvalidInput(f"{where}: the port has no rate, and other ports have")
    read = {rate: quantities.rate(rate, "rate") for _, _, rate in found if rate}
    rates = tuple(read[rate] for _, _, rate in found if rate)
    return rates if len(set(rates)) > 1 else ()


def port_sides(inventory: Inventory, at: Callable[..., str]) -> tuple[str, ...]:
    """The side of each port, "" for none; nothing where no port has one.

    All ports of a panel have one, or none has, and patch panels have no sides.
    """
    found = [
        (h, place, port)
        for h, host in enumerate(inventory.hosts)
        for place, port in enumerate(host.ports)
    ]
    kinds = {panel.name: panel.kind for panel in inventory.panels}
    sided = {port.panel for _, _, port in found if port.side}
    for h, place, port in found:
        where = "hosts", h, "ports", place
        if port.side and kinds[port.panel] is not PanelKind.OCS:
            line = f"side: {port.panel} is no ocs, which has sides A and B"
            raise InvalidInput(f"{at(*where)}: {line}")
        if port.panel in sided and not port.side:
            line = f"the port has no side, and others of {port.panel} have"
            raise InvalidInput(f"{at(*where)}: {line}")
    return tuple(port.side or "" for _, _, port in found) if sided else ()
