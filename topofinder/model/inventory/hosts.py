"""Hosts of an inventory by names and patterns."""

from fnmatch import fnmatchcase

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.inventory.ports import PortMap


def named_hosts(fabric: PortMap, text: str, option: str = "--hosts") -> tuple[int, ...]:
    """The hosts that names and patterns, with commas between them, mean, in ascending order.

    Raises InvalidInput, naming the `option`, for one that fits no host.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> named_hosts(port_map(inventory_for(hosts=12, ports=1)), "h1*,h0")
    (0, 1, 10, 11)
    """
    found: set[int] = set()
    for part in map(str.strip, text.split(",")):
        fits = [place for place, name in enumerate(fabric.hosts) if fnmatchcase(name, part)]
        if not fits:
            raise InvalidInput(f"{option}: no host is called {excerpt(part)}")
        found.update(fits)
    return tuple(sorted(found))
