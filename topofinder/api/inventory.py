"""`topofinder inventory`: an inventory of equal hosts, and the circuits that wire it to a graph."""

from collections import Counter
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from expansions.hosts import HostFabric, is_host_fabric, parse_host_fabric
from generators.errors import InvalidInput
from generators.files import require_new, write_whole
from generators.hosts.template import port_names
from reports.bill import BillRow, bill_fields, bill_text
from topofinder.api.plan_methods import target_of
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.bills import inventory_bill
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.places import check_places
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.model.candidate import LinkMode
from topofinder.model.file_register import TOPOLOGY
from topofinder.model.inventory.cross_connects import wiring_text
from topofinder.model.inventory.document import (
    Inventory,
    PanelKind,
    Side,
    inventory_for,
    inventory_of,
)
from topofinder.model.inventory.ports import inventory_schema as inventory_schema
from topofinder.model.inventory.ports import inventory_text, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.orientation import turned_circuits
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, make_plan, require_replay
from topofinder.patching.trunk_targets import trunk_target


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NewInventory(Answer):
    """An inventory of equal hosts, the plan that wires it, and the files they were written to."""

    inventory: Inventory
    plan: Plan
    file: str | None = None
    current: str | None = None
    bill: tuple[BillRow, ...] = ()

    def summary(self) -> dict[str, Any]:
        """Hosts, ports, panels and circuits."""
        fabric = self.plan.fabric
        sizes = {"hosts": len(fabric.hosts), "ports": fabric.by_fibre.ports}
        circuits = {
            "circuits": self.plan.after.count * fabric.links,
            "missing": len(self.plan.missing),
        }
        return {**sizes, "panels": len(self.inventory.panels), **circuits}

    def to_dict(self) -> dict[str, Any]:
        """The same, with the files; the command has no JSON."""
        priced = bill_fields(self.bill) if self.bill else {}
        return {**self.summary(), "file": self.file, "current": self.current, **priced}

    def __str__(self) -> str:
        told, panels = self.summary(), len(self.inventory.panels)
        panes = f"{panels} panel{'s' * (panels != 1)}"
        many = f"{told['hosts']} hosts, {told['ports']} ports, {panes}"
        short = f"; {told['missing']} more found no panel" if told["missing"] else ""
        written = [f" written to {name}" if name else "" for name in (self.file, self.current)]
        whole = f"{many}{written[0]}; {told['circuits']} circuits{written[1]}{short}"
        return f"{whole}\n\n{bill_text(self.bill)}" if self.bill else whole


def inventory(
    subject: str,
    output: str | PathLike[str] | None = None,
    current: str | PathLike[str] | None = None,
    *,
    hosts: int | None = None,
    ports: int | None = None,
    panels: int = 1,
    kind: str = PanelKind.PATCH_PANEL,
    mode: LinkMode | None = None,
    circulators: bool = False,
    trunk: int = 1,
    prices: str | PathLike[str] | None = None,
    force: bool = False,
    db: str | PathLike[str] | None = None,
) -> NewInventory:
    """An inventory of equal hosts, wired to a graph: something to edit and to try out.

    Hosts like `Host(4*8.8*12;switch@450GB/s;1@50GB/s)[G]` have the ports of their sizes. The
    inventory is written to `output`, its cross-connects to `current`, where these are given; files
    that are there already are replaced with `force` alone. A file of `prices` makes a bill of its
    ports and panels. Raises InvalidInput for fewer hosts or ports than the graph has, and for an
    unknown kind of panel. In place of a recipe "#" and the id of a candidate in `db` will do. With
    `circulators`, of duplex circuits on optical switches alone, each port is on side A or B. With
    a `trunk` of more than one port each so many ports of a host are plugged in at once.

    >>> inventory("BiRing(2,4)", panels=2)
    NewInventory(hosts=4, ports=8, panels=2, circuits=4, missing=0)
    """
    subject = whole_recipe(subject, db)
    files = {"--output": output, "--current": current}
    paths = {name: Path(file) for name, file in files.items() if file is not None}
    if len(paths) == 2 and paths["--output"].resolve() == paths["--current"].resolve():
        raise InvalidInput(f"--current: {current} is the file of --output")
    check_places(None, *paths.values())
    if not force:
        for name, path in paths.items():
            require_new(path, name)
    with explain_wrong_file("inventory", subject, TOPOLOGY):
        made, plan = new_inventory(
            subject, hosts=hosts, ports=ports, panels=panels, kind=kind, mode=mode, trunk=trunk
        )
        if circulators:
            made, plan = with_circulators(made, plan)
    if "--output" in paths:
        write_whole(paths["--output"], inventory_text(made))
    if "--current" in paths:
        write_whole(paths["--current"], wiring_text(plan.fabric, plan.after))
    names = [None if file is None else str(file) for file in files.values()]
    bill = inventory_bill(plan.fabric, prices)
    return NewInventory(inventory=made, plan=plan, file=names[0], current=names[1], bill=bill)


def new_inventory(
    subject: str,
    *,
    hosts: int | None = None,
    ports: int | None = None,
    panels: int = 1,
    kind: str = PanelKind.PATCH_PANEL,
    mode: LinkMode | None = None,
    trunk: int = 1,
) -> tuple[Inventory, Plan]:
    """Hosts with the ports that a topology needs, or more, and its plan: host v plays node v.

    The ports of hosts with accelerators, as in `HostH100[K(8,8)]`, have the names of those, and
    are as many as those of their size. Where the panels cannot take all its circuits, some are
    missing.

    Raises InvalidInput for fewer hosts or ports than that, for ports that are no whole number of
    trunks, and for an unknown kind of panel.

    >>> inventory, plan = new_inventory("BiRing(2,4)", panels=2)
    >>> len(inventory.panels), plan.fabric.ports, plan.after.count
    (2, 8, 4)
    """
    if kind not in list(PanelKind):
        raise InvalidInput(f"--kind: one of {', '.join(PanelKind)}, not {kind}")
    target = target_of(subject, mode)
    topology = target.topology
    own = parse_host_fabric(subject) if is_host_fabric(subject) else None
    many = topology.degree if ports is None else ports
    if trunk < 1 or many % trunk or (trunk > 1 and own is not None):
        what = f"hosts with {many} ports" if own is None else "hosts with accelerators"
        raise InvalidInput(f"--trunk: {what} are not in trunks of {trunk}")
    if own is not None and own.sizes:
        made = _unlike_hosts(own, hosts, ports, panels, PanelKind(kind))
    else:
        made = inventory_for(
            hosts=topology.n if hosts is None else hosts,
            ports=many,
            panels=panels,
            kind=PanelKind(kind),
            names=() if own is None else port_names(own.template),
            trunk=trunk,
        )
    fabric = port_map(made)
    if len(fabric.hosts) < topology.n:
        raise InvalidInput(f"--hosts: {target.subject} has {topology.n} nodes, not {hosts}")
    nothing = Wiring(to=np.full(fabric.ports, -1))
    target = trunk_target(target, fabric.links)
    placement = PlacementOptions(fixed=np.arange(topology.n, dtype=np.int32), time=5.0)
    return made, make_plan(fabric, nothing, target, PlanOptions(placement=placement))


def with_circulators(inventory: Inventory, plan: Plan) -> tuple[Inventory, Plan]:
    """The same where ports have circulators: every circuit joins side A of a switch and side B.

    On each panel a host has as many ports of A as of B, or one more or less; positions are counted
    on each side. Raises InvalidInput for patch panels and for circuits that are not duplex.

    >>> made, plan = with_circulators(*new_inventory("BiRing(2,3)", kind="ocs"))
    >>> [f"{port.position}{port.side}" for host in made.hosts for port in host.ports]
    ['1A', '1B', '2B', '2A', '3A', '3B']
    """
    fabric = plan.fabric
    for panel in inventory.panels:
        if panel.kind is not PanelKind.OCS:
            raise InvalidInput(f"--circulators: --kind ocs is needed, not {panel.kind}")
    if not plan.duplex:
        raise InvalidInput("--circulators: duplex circuits are needed")
    used = [dict.fromkeys(Side, 0) for _ in inventory.panels]
    listed, sides = [list(host.ports) for host in inventory.hosts], _port_sides(plan)
    whole = fabric.by_fibre
    for port in range(whole.ports):
        side = sides[port if fabric.bundles is None else fabric.bundles.of[port]]
        used[whole.panel[port]][side] += 1
        place = {"side": side, "position": used[whole.panel[port]][side]}
        row, column = whole.host[port], whole.within[port]
        listed[row][column] = listed[row][column].model_copy(update=place)
    hosts = [
        host.model_copy(update={"ports": ports})
        for host, ports in zip(inventory.hosts, listed, strict=True)
    ]
    made = inventory.model_copy(update={"hosts": hosts})
    sided = replace(plan, fabric=port_map(made))
    require_replay(sided)
    return made, sided


def _port_sides(plan: Plan) -> list[Side]:
    """The side of each port: that of its end of its circuit, else what its host has fewer of."""
    fabric, circuits = plan.fabric, plan.after.circuits()
    ends = np.array([circuit[:2] for circuit in circuits], dtype=np.int64).reshape(-1, 2)
    slot = fabric.host * len(fabric.panels) + fabric.panel  # a host on a panel
    turned = turned_circuits(len(fabric.hosts) * len(fabric.panels), *slot[ends].T)
    sides = dict[int, Side]()
    for (a, b), back in zip(ends.tolist(), turned.tolist(), strict=True):
        sides[a], sides[b] = (Side.B, Side.A) if back else (Side.A, Side.B)
    counts = Counter((slot[port], side) for port, side in sides.items())
    for port in range(fabric.ports):
        if port not in sides:
            more_on_a = counts[slot[port], Side.A] > counts[slot[port], Side.B]
            sides[port] = Side.B if more_on_a else Side.A
            counts[slot[port], sides[port]] += 1
    return [sides[port] for port in range(fabric.ports)]


def _unlike_hosts(
    own: HostFabric, hosts: int | None, ports: int | None, panels: int, kind: PanelKind
) -> Inventory:
    """An inventory of hosts of unlike size, each with the ports of its accelerators."""
    if hosts not in (None, own.hosts) or ports is not None:
        raise InvalidInput(f"--hosts, --ports: {own} says how many of each size, with their ports")
    names = [port_names(own.each_size[size]) for size in own.sizes]
    return inventory_of(names, panels=panels, kind=kind)
