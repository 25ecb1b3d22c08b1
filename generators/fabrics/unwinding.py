"""Switches in fixed wirings: from every port to the next ones, round the circle of ports.

Source: TACOS (Won et al., MICRO 2024), section IV.G. Unwound with degree d, port i of a switch of n
has links to the ports i + 1, ..., i + d (mod n), each with a d-th of its bandwidth. Degree 1 leaves
messages all the bandwidth, degree n - 1 brings them anywhere in one hop.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ports:
    """The hosts on a switch, in ascending order, and what all of them have to it and from it."""

    hosts: list[int]
    capacity: Fraction
    latency: Fraction


def unwind_switches(topology: Topology, degree: int) -> Topology:
    """The hosts alone, with arcs between them for every switch; their order and names are kept.

    The arcs between hosts come first, in their order; then those of each switch. Of a port's
    parallel links the bandwidths are added; a message has the latencies of both links. A topology
    without switches is given back as it is.

    Raises InvalidInput for a degree that is not 1 to n - 1 on every switch of n ports; Unsupported
    for a switch on a switch, and for ports of one switch that are not alike both ways.

    >>> star = Topology.from_arcs(4, [(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)], switches=[3])
    >>> ring = unwind_switches(star, 1)
    >>> ring.n, ring.tail.tolist(), ring.head.tolist(), ring.latency == (2, 2, 2)
    (3, [0, 1, 2], [1, 2, 0], True)
    >>> {str(capacity) for capacity in unwind_switches(star, 2).capacity}
    {'1/2'}
    """
    if type(degree) is not int or degree < 1:
        raise InvalidInput(f"degree: an integer of at least 1 is needed, not {excerpt(degree)}")
    if not topology.switches:
        return topology
    ports = [_ports_of(topology, switch) for switch in topology.switches]
    for switch, found in zip(topology.switches, ports, strict=True):
        if 1 < len(found.hosts) <= degree:
            told = f"1 to {len(found.hosts) - 1}, not {degree}"
            raise InvalidInput(f"degree: {_name(topology, switch)} can be unwound with {told}")
    return _without_switches(topology, ports, degree)


def _ports_of(topology: Topology, switch: int) -> _Ports:
    """Raises Unsupported where they are not alike."""
    name = _name(topology, switch)
    into = _links(topology, switch, np.flatnonzero(topology.head == switch).tolist())
    out = _links(topology, switch, np.flatnonzero(topology.tail == switch).tolist())
    if into.keys() != out.keys():
        raise Unsupported(f"unwinding: {name} has ports that only send or only receive")
    bandwidths = {sum(c for c, _ in links) for links in (*into.values(), *out.values())}
    if len(bandwidths) > 1:
        least, most = min(bandwidths), max(bandwidths)
        raise Unsupported(f"unwinding: {name} has unequal ports, of capacities {least} to {most}")
    late = [{latency for links in way.values() for _, latency in links} for way in (into, out)]
    if max(map(len, late)) > 1:
        raise Unsupported(f"unwinding: {name} has ports of unequal latencies")
    return _Ports(
        hosts=sorted(into),
        capacity=Fraction(sum(bandwidths)),
        latency=Fraction(sum(sum(way) for way in late)),
    )


def _links(
    topology: Topology, switch: int, arcs: list[int]
) -> dict[int, list[tuple[Fraction, Fraction]]]:
    """By the host at their other end, capacity and latency of these arcs of a switch."""
    found: dict[int, list[tuple[Fraction, Fraction]]] = defaultdict(list)
    one = Fraction(1)
    for arc in arcs:
        other = int(topology.tail[arc]) + int(topology.head[arc]) - switch
        if other == switch:  # a self-loop carries nothing
            continue
        if other in topology.switches:
            told = f"{_name(topology, switch)} leads to {_name(topology, other)}"
            raise Unsupported(f"unwinding: switches on hosts alone are needed, but {told}")
        capacity = topology.capacity[arc] if topology.capacity else one
        found[other].append((capacity, topology.latency[arc] if topology.latency else one))
    return found


def _without_switches(topology: Topology, ports: list[_Ports], degree: int) -> Topology:
    """The arcs between hosts, and `degree` arcs for every port."""
    host = np.ones(topology.n, dtype=np.bool_)
    host[list(topology.switches)] = False
    number = np.cumsum(host) - 1
    kept = np.flatnonzero(host[topology.tail] & host[topology.head]).tolist()
    one = Fraction(1)
    arcs = [(int(number[topology.tail[arc]]), int(number[topology.head[arc]])) for arc in kept]
    capacity = [topology.capacity[arc] if topology.capacity else one for arc in kept]
    latency = [topology.latency[arc] if topology.latency else one for arc in kept]
    for found in ports:
        own = number[found.hosts].tolist()
        shifts = range(1, degree + 1) if len(own) > 1 else range(0)
        wound = [(u, own[(i + k) % len(own)]) for i, u in enumerate(own) for k in shifts]
        arcs += wound
        capacity += [found.capacity / degree] * len(wound)
        latency += [found.latency] * len(wound)
    ends = np.array(arcs, dtype=np.int32).reshape(-1, 2)
    names = topology.names and tuple(np.array(topology.names, dtype=object)[host].tolist())
    return replace(
        topology,
        n=int(host.sum()),
        tail=ends[:, 0],
        head=ends[:, 1],
        capacity=tuple(capacity),
        latency=tuple(latency),
        switches=(),
        multicast=(),
        reduce=(),
        names=names,
        translation=None,
        orbits=None,
    )


def _name(topology: Topology, node: int) -> str:
    return topology.names[node] if topology.names else f"switch {node}"
