"""The fabric that an inventory's circuits make of hosts with several accelerators."""

from os import PathLike

import numpy as np

from expansions.hosts import HostFabric, HostWiring, host_topology
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.hosts.notation import read_hosts
from generators.hosts.template import HostTemplate, port_names
from generators.topology import Int64Array, Topology
from topofinder.model.inventory.cross_connects import read_wiring
from topofinder.model.inventory.ports import PortMap, read_port_map
from topofinder.model.inventory.wiring import Wiring


def build_wired(
    host: str, inventory: str | PathLike[str], current: str | PathLike[str]
) -> tuple[str, Topology]:
    """The fabric of all hosts of an inventory, each of the kind that `host` names, as wired.

    Ports have the names that `topofinder inventory` gives those of accelerators: `gpu3`, or
    `gpu3.0` where one has several. Raises InvalidInput for a host with other ports, and for one
    that another is not joined to.
    """
    template, sizes = read_hosts(host)
    if sizes:
        raise InvalidInput("--inventory: hosts are of one size")
    ports = read_port_map(inventory)
    return f"{template} by {current}", wired_topology(template, ports, read_wiring(current, ports))


def wired_topology(template: HostTemplate, ports: PortMap, wiring: Wiring) -> Topology:
    """The fabric as a graph, its circuits in the order of the ports that send.

    >>> from generators.hosts.notation import read_hosts
    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> host = read_hosts("Host(2;mesh@64GB/s;1@50GB/s)")[0]
    >>> three = port_map(inventory_for(hosts=3, ports=2, names=port_names(host)))
    >>> wired_topology(host, three, Wiring(to=np.array([2, 5, 4, 1, 0, 3]))).arcs
    12
    """
    n, g = len(ports.hosts), template.accelerators
    owner = _owners(template, ports)
    out = np.flatnonzero(wiring.to >= 0)
    into = wiring.to[out]
    tail, head = ports.host[out].astype(np.int32), ports.host[into].astype(np.int32)
    graph = Topology(n=n, tail=tail, head=head)
    fabric = HostFabric(template=template, graph=parse(f"UniRing({template.ports},{n})"))
    joined = HostWiring(
        graph=graph,
        first=np.arange(n + 1) * g,
        node_host=np.arange(n),
        tail=(tail * g + owner[out]).astype(np.int32),
        head=(head * g + owner[into]).astype(np.int32),
        rail=ports.within[out],
        rail_into=ports.within[into],
        even=False,
    )
    return host_topology(fabric, joined)


def _owners(template: HostTemplate, ports: PortMap) -> Int64Array:
    """The accelerator of every port in its host."""
    owner = dict(zip(port_names(template), template.owners, strict=True))
    own: list[set[str]] = [set() for _ in ports.hosts]
    names = [name.partition(":")[2] for name in ports.names]
    for host, name in zip(ports.host.tolist(), names, strict=True):
        own[host].add(name)
    for host, found in enumerate(own):
        if found != set(owner):
            lacks = ", ".join(sorted(set(owner) ^ found)[:3])
            raise InvalidInput(f"{ports.where(host)}: ports {lacks} are not those of the host")
    return np.array([owner[name] for name in names], dtype=np.int64)
