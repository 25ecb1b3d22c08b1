"""Hosts found again in a topology, against the wiring that it was made of."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from expansions.collective import Collective
from expansions.host_recognition import recognised_hosts
from expansions.hosts import host_graph, host_topology, host_wiring, parse_host_fabric
from generators.formats.by_suffix import read_topology, write_topology
from generators.topology import Topology
from topofinder.forests.collectives.host_forest import compose_forest

NAMES = [
    "HostH100[C(12,{1,5})||2]",
    "Host(8;switch@450GB/s~500ns;1@50GB/s~1us)[K(8,8)]",
    "Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]",
    "Host(2.1*2;switch@450GB/s;2@50GB/s)[UniRing(2,4)]",
    "Host(4;mesh@64GB/s~1us;1@50GB/s)[K(4,4)]",
    "Host(3;links:0-1*2.1-2@90GB/s;ports:0.0.2@50/3GB/s)[Kautz(3,1)]",
    "HostMI250[K(17)]",
    "TrayTPUv4[K(16,16)]",
    "Workstation[Pi(2,7)]",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", [".json", ".graphml", None])
def test_hosts_are_found_again(name: str, suffix: str | None, tmp_path: Path) -> None:
    fabric = parse_host_fabric(name)
    wiring = host_wiring(fabric)
    topology = host_topology(fabric, wiring)
    if suffix is not None:
        write_topology(topology, tmp_path / f"a{suffix}")
        topology = read_topology(tmp_path / f"a{suffix}", directed=True)
    found = recognised_hosts(topology)
    assert found is not None
    again, circuits = found
    assert again.host_sizes == fabric.host_sizes
    assert (again.template.rate, again.template.inner) == (
        fabric.template.rate,
        fabric.template.inner,
    )
    for mine, its in (
        (circuits.tail, wiring.tail),
        (circuits.head, wiring.head),
        (circuits.graph.tail, host_graph(fabric, wiring).tail),
        (circuits.graph.head, host_graph(fabric, wiring).head),
    ):
        assert np.array_equal(mine, its)


def test_what_differs_anywhere_is_not_of_hosts() -> None:
    whole = host_topology(parse_host_fabric("HostH100[K(4,4)||2]"))
    assert recognised_hosts(whole) is not None
    assert whole.names is not None
    assert whole.capacity is not None
    swapped = (whole.names[1], whole.names[0], *whole.names[2:])
    slower = tuple(value / 2 if arc == 70 else value for arc, value in enumerate(whole.capacity))
    order = np.roll(np.arange(whole.arcs), 1)
    others = [
        replace(whole, names=swapped),
        replace(whole, names=None),
        replace(whole, capacity=slower),
        replace(whole, multicast=whole.multicast[1:]),
        replace(whole, unit_rate=None),
        replace(whole, injection=whole.capacity[0]),
        replace(whole, tail=whole.head, head=whole.tail),
        replace(whole, tail=whole.tail[order], head=whole.head[order]),
        replace(whole, tail=whole.tail[1:], head=whole.head[1:], capacity=None),
        replace(whole, switches=(), multicast=(), reduce=()),
        Topology.from_arcs(2, [(0, 1), (1, 0)]),
    ]
    assert [recognised_hosts(other) for other in others] == [None] * len(others)


def test_forests_are_those_of_the_fabric() -> None:
    fabric = parse_host_fabric("Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]")
    found = recognised_hosts(host_topology(fabric))
    assert found is not None
    mine, its = (
        compose_forest(fabric, Collective.ALLREDUCE).spread,
        compose_forest(found[0], Collective.ALLREDUCE, found[1]).spread,
    )
    assert mine is not None
    assert its is not None
    assert (mine.time, mine.k, mine.heights().max()) == (its.time, its.k, its.heights().max())
