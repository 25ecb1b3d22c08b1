"""Injection limits of hosts: what a host sends, and receives, at most over all its links together.

Source: Zhao et al., section 8.5.2, where PCIe carries 100 Gbps and twelve links 25 Gbps each. A
host that passes data on sends and receives it too. So a limited host is as three nodes: its links
leave from one switch, to which it is linked at its limit, and arrive at another, which leads to it.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from generators.topology import BoolArray, Topology


def limited_hosts(topology: Topology) -> list[int]:
    """The hosts whose links carry more than the limit, one way or the other, ascending.

    >>> star = Topology.from_arcs(3, [(0, 1), (0, 2), (1, 0), (2, 0)], injection=1)
    >>> limited_hosts(star)
    [0]
    """
    limit = topology.injection
    return [] if limit is None else _hosts_above(topology, limit)


def binding_injection(topology: Topology, limit: Fraction | None) -> Fraction | None:
    """An injection limit, in links of capacity 1; None where no host's links carry more.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> binding_injection(pair, Fraction(1)), binding_injection(pair, Fraction(1, 2))
    (None, Fraction(1, 2))
    """
    return None if limit is None or not _hosts_above(topology, limit) else limit


def _hosts_above(topology: Topology, limit: Fraction) -> list[int]:
    out, into = node_rates(topology)
    switches = set(topology.switches)
    return [v for v in range(topology.n) if v not in switches and max(out[v], into[v]) > limit]


def node_rates(topology: Topology) -> tuple[list[Fraction], list[Fraction]]:
    """What the links out of, and into, each node carry together; self-loops carry nothing."""
    out, into = [Fraction()] * topology.n, [Fraction()] * topology.n
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    for arc, (u, v) in enumerate(ends):
        if u != v:
            rate = Fraction(1) if topology.capacity is None else topology.capacity[arc]
            out[u] += rate
            into[v] += rate
    return out, into


def split_hosts(topology: Topology) -> Topology:
    """The topology in which the limit of each limited host is that of two links of its own.

    Arc e stays arc e. Node `n + 2 i` is the switch that the i-th limited host sends by, and the
    next one that by which it receives. Its links there have no latency. Where nothing is limited
    the same topology is returned.

    >>> star = Topology.from_arcs(3, [(0, 1), (0, 2), (1, 0), (2, 0)], injection=1)
    >>> found = split_hosts(star)
    >>> found.n, found.tail.tolist(), found.head.tolist(), found.injection
    (5, [3, 3, 1, 2, 0, 4], [1, 2, 4, 4, 3, 0], None)
    """
    hosts = limited_hosts(topology)
    if not hosts:
        return topology if topology.injection is None else replace(topology, injection=None)
    n, count = topology.n, len(hosts)
    sends, receives = np.arange(n), np.arange(n)
    sends[hosts], receives[hosts] = n + 2 * np.arange(count), n + 2 * np.arange(count) + 1
    assert topology.injection is not None, "hosts are limited"
    one = (Fraction(1),) * topology.arcs
    capacity = (topology.capacity or one) + (topology.injection,) * (2 * count)
    late = None if topology.latency is None else topology.latency + (Fraction(),) * (2 * count)
    if topology.latency is None:
        late = one + (Fraction(),) * (2 * count)
    names = topology.names
    if names is not None:
        names += tuple(f"{names[v]} {way}" for v in hosts for way in ("out", "in"))
    return replace(
        topology,
        n=n + 2 * count,
        tail=np.concatenate([sends[topology.tail], hosts, receives[hosts]]),
        head=np.concatenate([receives[topology.head], sends[hosts], hosts]),
        capacity=capacity,
        latency=late,
        switches=(*topology.switches, *range(n, n + 2 * count)),
        names=names,
        tiers=None,
        injection=None,
        translation=None,
        orbits=None,
    )


def narrow_links(topology: Topology) -> Topology:
    """The links at such a part of their rate that no host's together are above its limit.

    A link has the lesser of its ends' parts, so that what is as much both ways stays so, and a
    switch passes on what it takes in. All arcs stay.

    >>> star = Topology.from_arcs(3, [(0, 1), (0, 2), (1, 0), (2, 0)], injection=1)
    >>> [str(rate) for rate in narrow_links(star).capacity]
    ['1/2', '1/2', '1/2', '1/2']
    """
    limit, part = topology.injection, [Fraction(1)] * topology.n
    out, into = node_rates(topology)
    for v in limited_hosts(topology):
        assert limit is not None, "hosts are limited"
        part[v] = limit / max(out[v], into[v])
    one = (Fraction(1),) * topology.arcs
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    rates = [
        rate * min(part[u], part[v])
        for rate, (u, v) in zip(topology.capacity or one, ends, strict=True)
    ]
    return replace(topology, capacity=tuple(rates), injection=None)


def leaving_rate(topology: Topology, inside: BoolArray) -> Fraction:
    """What can leave a set of nodes at once, hosts' limits counted: a least cut, exactly.

    `inside` has an entry a node. What leaves is sent by hosts and switches inside and received
    outside, by links that carry what they can.

    >>> star = Topology.from_arcs(3, [(0, 1), (0, 2), (1, 0), (2, 0)], injection=1)
    >>> leaving_rate(star, np.array([True, False, False]))
    Fraction(1, 1)
    """
    import networkx

    passed: dict[tuple[int, int], Fraction] = {}
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    for arc, (u, v) in enumerate(ends):
        if inside[u] and not inside[v]:
            rate = Fraction(1) if topology.capacity is None else topology.capacity[arc]
            passed[u, v] = passed.get((u, v), Fraction()) + rate
    if topology.injection is None or not passed:
        return sum(passed.values(), Fraction())
    scale = int(np.lcm.reduce([rate.denominator for rate in passed.values()], dtype=object))
    scale *= topology.injection.denominator
    graph, switches = networkx.DiGraph(), set(topology.switches)
    for (u, v), rate in passed.items():
        graph.add_edge(u, v, capacity=int(rate * scale))
    for node in {u for pair in passed for u in pair}:
        pair = ("from", node) if inside[node] else (node, "to")
        limit = {} if node in switches else {"capacity": int(topology.injection * scale)}
        graph.add_edge(*pair, **limit)
    return Fraction(networkx.maximum_flow_value(graph, "from", "to"), scale)
