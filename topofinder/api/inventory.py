"""An inventory of equal hosts, and the circuits that wire it to a topology."""

import numpy as np

from generators.errors import InvalidInput
from topofinder.api.plan import target_of
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.document import Inventory, PanelKind, inventory_for
from topofinder.model.inventory.ports import port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.pinned_placement import Wish
from topofinder.patching.planner import Asked, make_plan


def new_inventory(
    subject: str,
    *,
    hosts: int | None = None,
    ports: int | None = None,
    panels: int = 1,
    kind: str = PanelKind.PATCH_PANEL,
    mode: LinkMode | None = None,
) -> tuple[Inventory, Plan]:
    """Hosts with the ports that a topology needs, or more, and its plan: host v plays node v.

    Where the panels cannot take all its circuits, some are missing.

    Raises InvalidInput for fewer hosts or ports than that, and for an unknown kind of panel.

    >>> inventory, plan = new_inventory("BiRing(2,4)", panels=2)
    >>> len(inventory.panels), plan.fabric.ports, plan.after.count
    (2, 8, 4)
    """
    if kind not in list(PanelKind):
        raise InvalidInput(f"--kind: one of {', '.join(PanelKind)}, not {kind}")
    target = target_of(subject, mode)
    topology = target.topology
    made = inventory_for(
        hosts=topology.n if hosts is None else hosts,
        ports=topology.degree if ports is None else ports,
        panels=panels,
        kind=PanelKind(kind),
    )
    fabric = port_map(made)
    if len(fabric.hosts) < topology.n:
        raise InvalidInput(f"--hosts: {target.subject} has {topology.n} nodes, not {hosts}")
    nothing = Wiring(to=np.full(fabric.ports, -1))
    wish = Wish(fixed=np.arange(topology.n, dtype=np.int32), time=5.0)
    return made, make_plan(fabric, nothing, target, Asked(wish=wish))
