"""An inventory to begin with: hosts of so many ports each, spread over panels."""

from generators.errors import InvalidInput
from topofinder.model.inventory.document import (
    MOVE_TIMES,
    PORTS,
    ROBOTS,
    Host,
    Inventory,
    Panel,
    PanelKind,
    Port,
)


def inventory_for(
    *, hosts: int, ports: int, panels: int = 1, kind: PanelKind = PanelKind.PATCH_PANEL
) -> Inventory:
    """Hosts h0, h1, ... of so many ports each; port j of every host is on panel j mod `panels`.

    Panels P0, P1, ... have the ports that they need, if that is more than is usual for their kind.

    >>> inventory_for(hosts=2, ports=2, panels=2).hosts[1].ports[1].panel
    'P1'
    """
    if min(hosts, ports, panels) < 1 or panels > ports:
        raise InvalidInput(f"panels: from 1 to {ports} (ports of a host), not {panels}")
    names = [f"P{place}" for place in range(panels)]
    used = [0] * panels
    listed = []
    for h in range(hosts):
        own = []
        for j in range(ports):
            used[j % panels] += 1
            own.append(Port(panel=names[j % panels], position=used[j % panels]))
        listed.append(Host(name=f"h{h}", ports=own))
    made = [_panel(name, kind, count) for name, count in zip(names, used, strict=True)]
    return Inventory(panels=made, hosts=listed)


def _panel(name: str, kind: PanelKind, ports: int) -> Panel:
    return Panel(
        name=name,
        kind=kind,
        ports=max(ports, PORTS[kind]),
        move_time=MOVE_TIMES[kind],
        robots=ROBOTS[kind],
    )
