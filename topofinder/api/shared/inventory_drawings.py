"""What pictures show of inventories: positions of panels by host, ports of hosts by panel."""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from generators.errors import Unsupported
from topofinder.model.inventory.document import Inventory
from topofinder.model.inventory.ports import PortMap, port_map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reports.plots.panels import Cells

MOST_POSITIONS, MOST_PANELS, MOST_HOSTS = 1 << 16, 48, 1024
"""Positions of the panels that are drawn, panels beside one another, and hosts."""


def panels_drawing(inventory: Inventory) -> "tuple[Figure, str]":
    """A table for each panel: a cell for each position, in the colour of the host it leads to.

    Where ports have circulators each side of a switch has a table.
    """
    from reports.plots.panels import cells_figure

    fabric = port_map(inventory).by_fibre
    tables = [
        (place, side) for place in range(len(fabric.panels)) for side in _sides(fabric, place)
    ]
    positions = sum(fabric.panels[place].limit for place, _ in tables)
    if positions > MOST_POSITIONS or len(tables) > MOST_PANELS:
        raise Unsupported(
            f"plot: {len(fabric.panels)} panels with {positions} positions are too many to draw"
        )
    drawn = [_panel_cells(fabric, place, side) for place, side in tables]
    words = f"{inventory_words(fabric)}; {positions - fabric.ports} positions are free"
    return cells_figure("Positions of the panels, by host", drawn, fabric.hosts, "host"), words


def hosts_drawing(inventory: Inventory) -> "tuple[Figure, str]":
    """A row for each host: a cell for each of its ports, in the colour of the panel it leads to."""
    from reports.plots.panels import Cells, cells_figure

    fabric = port_map(inventory).by_fibre
    hosts, columns = len(fabric.hosts), int(fabric.within.max()) + 1
    if hosts > MOST_HOSTS:
        raise Unsupported(f"plot: {hosts} hosts are too many to draw")
    cells = Cells(
        name="ports of each host, a host a row",
        names=fabric.hosts,
        columns=columns,
        last=columns,
        row=fabric.host.astype(np.int64),
        column=fabric.within.astype(np.int64),
        owner=fabric.panel.astype(np.int64),
        state=[state.value for state in fabric.states],
    )
    panels = [panel.name for panel in fabric.panels]
    figure = cells_figure("Ports of the hosts, by panel", [cells], panels, "panel")
    return figure, inventory_words(fabric)


def inventory_words(fabric: PortMap) -> str:
    """Hosts, ports and panels, and how many ports are in what state."""
    states = Counter(state.value for state in fabric.states)
    told = ", ".join(f"{count} {name}" for name, count in sorted(states.items()))
    panels = ", ".join(f"{panel.name} of {panel.limit} positions" for panel in fabric.panels)
    return f"{fabric.ports} ports of {len(fabric.hosts)} hosts ({told}) on {panels}"


def _sides(fabric: PortMap, place: int) -> tuple[str, ...]:
    """The sides of a panel that has some, else one without a name."""
    known = fabric.forbidden.sides
    sided = known and any(known[port] for port in np.flatnonzero(fabric.panel == place).tolist())
    return ("A", "B") if sided else ("",)


def _panel_cells(fabric: PortMap, place: int, side: str) -> "Cells":
    from reports.plots.panels import ROW, Cells

    panel, names = fabric.panels[place], [name.rpartition(":")[2] for name in fabric.positions]
    on_side = np.array([name.endswith(side) for name in names])
    own = np.flatnonzero((fabric.panel == place) & on_side)
    numbers = [int(names[port].removesuffix(side)) - 1 for port in own.tolist()]
    at = np.array(numbers, dtype=np.int64)
    columns = min(ROW, panel.limit)
    rows = -(-panel.limit // columns)
    return Cells(
        name=f"{panel.name}, {panel.kind}{f', side {side}' if side else ''}",
        names=[str(columns * row + 1) for row in range(rows)],
        columns=columns,
        last=panel.limit - (rows - 1) * columns,
        row=at // columns,
        column=at % columns,
        owner=fabric.host[own].astype(np.int64),
        state=[fabric.states[port].value for port in own.tolist()],
    )
