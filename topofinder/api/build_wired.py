"""The fabric that an inventory's circuits make of hosts with several accelerators."""

from os import PathLike

import numpy as np

from expansions.host_recognition import unjoined_hosts
from expansions.hosts import HostFabric, HostWiring, host_topology
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.notation import read_hosts
from generators.hosts.template import HostTemplate, port_names, run_lengths
from generators.topology import Int64Array, Topology
from topofinder.model.inventory.cross_connects import read_wiring
from topofinder.model.inventory.ports import PortMap, read_port_map
from topofinder.model.inventory.wiring import Wiring


def build_wired(
    host: str, inventory: str | PathLike[str], current: str | PathLike[str]
) -> tuple[str, Topology]:
    """The fabric of all hosts of an inventory, each of the kind that `host` names, as wired.

    Hosts of unlike size are told one after the other, as in `Host(4*8.8*12;...)`.

    Ports have the names that `topofinder inventory` gives those of accelerators: `gpu3`, or
    `gpu3.0` where one has several. Raises InvalidInput for a host with other ports, and for one
    that another is not joined to.
    """
    template, sizes = read_hosts(host)
    ports = read_port_map(inventory).by_fibre
    if sizes and len(sizes) != len(ports.hosts):
        raise InvalidInput(
            f"--inventory: {len(ports.hosts)} hosts, {len(sizes)} in {excerpt(host)}"
        )
    graph = wired_topology(template, ports, read_wiring(current, ports), sizes)
    named = template.text(run_lengths(sizes)) if sizes else str(template)
    return f"{named} by {current}", graph


def wired_topology(
    template: HostTemplate, ports: PortMap, wiring: Wiring, sizes: tuple[int, ...] = ()
) -> Topology:
    """The fabric as a graph, its circuits in the order of the ports that send.

    `sizes` are the accelerators of each host, where they differ.

    >>> from generators.hosts.notation import read_hosts
    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> host = read_hosts("Host(2;mesh@64GB/s;1@50GB/s)")[0]
    >>> three = port_map(inventory_for(hosts=3, ports=2, names=port_names(host)))
    >>> wired_topology(host, three, Wiring(to=np.array([2, 5, 4, 1, 0, 3]))).arcs
    12
    """
    n = len(ports.hosts)
    fabric = unjoined_hosts(template, sizes, n)
    first = np.concatenate([[0], np.cumsum(fabric.host_sizes)]).astype(np.int64)
    owner = first[ports.host] + _owners(fabric, ports)
    out = np.flatnonzero(wiring.to >= 0)
    into = wiring.to[out]
    tail, head = ports.host[out].astype(np.int32), ports.host[into].astype(np.int32)
    joined = HostWiring(
        graph=Topology(n=n, tail=tail, head=head),
        first=first,
        node_host=np.arange(n),
        tail=owner[out].astype(np.int32),
        head=owner[into].astype(np.int32),
        rail=ports.within[out],
        rail_into=ports.within[into],
        even=False,
    )
    return host_topology(fabric, joined)


def _owners(fabric: HostFabric, ports: PortMap) -> Int64Array:
    """The accelerator of every port in its host."""
    owner = {
        size: dict(zip(port_names(host), host.owners, strict=True))
        for size, host in fabric.each_size.items()
    }
    own: list[set[str]] = [set() for _ in ports.hosts]
    names = [name.partition(":")[2] for name in ports.names]
    for host, name in zip(ports.host.tolist(), names, strict=True):
        own[host].add(name)
    for host, (found, size) in enumerate(zip(own, fabric.host_sizes, strict=True)):
        if found != set(owner[size]):
            lacks = ", ".join(sorted(set(owner[size]) ^ found)[:3])
            raise InvalidInput(f"{ports.where(host)}: ports {lacks} are not those of the host")
    rows = zip(ports.host.tolist(), names, strict=True)
    return np.array([owner[fabric.host_sizes[host]][name] for host, name in rows], dtype=np.int64)
