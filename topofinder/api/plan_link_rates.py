"""`topofinder plan --link-rates`: ports of unlike speed, and which links of a target get which."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from expansions.cost import Cost
from generators import quantities
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.host_limits import node_rates
from generators.topology import Topology
from topofinder.api.shared.workloads import read_workload
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.trunks import trunk_rates
from topofinder.model.port_rates import PortRates
from topofinder.model.workload import Workload
from topofinder.patching.degraded import RatedChoices
from topofinder.patching.fewer_links import bfb_costs
from topofinder.patching.nearest_targets import CostedTarget
from topofinder.patching.planner import Target, eligible_hosts

USUAL = "10us", "1MiB", "100Gbps"
"""The allreduce by which rates of links are chosen where nothing else is told."""
_PART = re.compile(r"(?:(\d{1,3})@|([^=@]{1,130})=)?([^=@]+)", re.ASCII)


def read_rates_of_ports(text: str, fabric: PortMap) -> tuple[Fraction, ...]:
    """The rate of each port of an inventory, in bytes a second; of trunks, of all their ports.

    By place: `2@100Gbps,2@200Gbps` are the first and the next ports of every host. By name:
    `A=100Gbps,B=200Gbps,h0:3=100Gbps` are panels, and ports that are unlike their panel's.

    Raises InvalidInput for names that are unknown, for ports that have no rate, or two, and for
    trunks with ports of two rates.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> two = port_map(inventory_for(hosts=1, ports=2, panels=2))
    >>> read_rates_of_ports("P1=2Gbps,P0=1Gbps", two) == read_rates_of_ports("1Gbps,2Gbps", two)
    True
    """
    parts = [_PART.fullmatch(part.strip()) for part in text.split(",")]
    if not all(parts) or len({part[2] is None for part in parts if part}) > 1:
        raise InvalidInput(
            "--link-rates: such as 2@100Gbps,2@200Gbps by the order of ports, or "
            f"A=100Gbps,B=200Gbps by panel or port, not {excerpt(text)}"
        )
    rows = [(part[1], part[2], quantities.rate(part[3], "--link-rates")) for part in parts if part]
    if rows[0][1] is not None:
        found = _rates_by_name({name: speed for _, name, speed in rows}, fabric)
    else:
        found = _rates_by_place(rows, fabric.by_fibre)
    return found if fabric.bundles is None else trunk_rates(found, fabric.bundles, fabric.names)


def _rates_by_place(
    rows: Sequence[tuple[str | None, str, Fraction]], fabric: PortMap
) -> tuple[Fraction, ...]:
    each = [rate for count, _, rate in rows for _ in range(int(count or 1))]
    for port in range(fabric.ports):
        if fabric.within[port] >= len(each):
            raise InvalidInput(
                f"--link-rates: {fabric.names[port]} has none; rates of {len(each)} ports are told"
            )
    return tuple(each[place] for place in fabric.within.tolist())


def _rates_by_name(rates: dict[str, Fraction], fabric: PortMap) -> tuple[Fraction, ...]:
    panels = [panel.name for panel in fabric.panels]
    own = dict[int, Fraction]()
    for name, speed in rates.items():
        ports = fabric.ports_called(name)
        if name not in panels and not ports:
            raise InvalidInput(f"--link-rates: no panel or port is called {excerpt(name)}")
        own |= dict.fromkeys(ports, speed)
    fabric = fabric.by_fibre
    found = [
        own.get(port, rates.get(panels[panel])) for port, panel in enumerate(fabric.panel.tolist())
    ]
    for port, rate in enumerate(found):
        if rate is None:
            raise InvalidInput(f"--link-rates: {fabric.names[port]} has none")
    return tuple(rate for rate in found if rate is not None)


def rate_target(
    fabric: PortMap, target: Target, hosts: Sequence[int] | None, workload: Workload | None
) -> Target:
    """The target with a rate for every link: those that a file gives, or the quickest by BFB.

    Of links without a capacity each host gets as many of a rate as all hosts have ports of it, the
    fastest first; among the choices that are tried the collective of the `workload` decides.

    Raises InvalidInput where hosts lack ports for the links, and where rates of the two ways of a
    circuit differ; Unsupported where no choice is found.
    """
    ports = _ports_of_each_host(fabric, None if hosts is None else tuple(hosts))
    return _rate_links(target, ports, workload)


def _rate_links(target: Target, ports: PortRates, workload: Workload | None) -> Target:
    graph = target.topology
    if graph.capacity is None:
        return replace(target, topology=_quickest_rates(target, ports, workload))
    rated = graph if graph.unit_rate else replace(graph, unit_rate=ports.rates[0])
    if target.duplex:
        rows = list(zip(graph.tail.tolist(), graph.head.tolist(), graph.capacity, strict=True))
        if Counter(rows) != Counter((v, u, rate) for u, v, rate in rows):
            raise InvalidInput(f"--to: {target.subject} has two rates there and back")
    return replace(target, topology=rated)


def rate_degraded(
    fabric: PortMap, target: Target, hosts: Sequence[int] | None, workload: Workload | None
) -> tuple[Target, RatedChoices]:
    """The target at the rates of intact hosts, and how choices on what is left are judged.

    Raises as `rate_target`, of the ports that most hosts have.
    """
    chosen = None if hosts is None else tuple(hosts)
    intact = _usual_ports(fabric, chosen)
    whole = _rate_links(target, intact, workload)
    out, _ = node_rates(whole.topology)
    work = replace(
        workload or _usual_workload(), bandwidth=max(out) * (whole.topology.unit_rate or 1)
    )

    def costs(graph: Topology) -> tuple[Cost, Cost] | None:
        asked = Target(subject="", recipe=None, topology=graph, duplex=target.duplex)
        found = cost_rated_target(asked, work)
        return None if found is None else (found.allgather, found.reduce_scatter)

    def rate_links(kind: str, member: Target) -> Target | None:
        try:
            ports = intact if kind == "hosts" else _ports_of_each_host(fabric, chosen)
            return _rate_links(member, ports, workload)
        except (InvalidInput, Unsupported):
            return None

    rates = tuple(sorted(set(fabric.forbidden.rates)))
    return whole, RatedChoices(rates=rates, costs=costs, rate_links=rate_links)


def cost_rated_target(target: Target, workload: Workload) -> CostedTarget | None:
    """A target whose links have rates with what program (14) takes for the workload's one size.

    T_B is what is left of that time without the steps' latencies, in M/B of the workload's
    bandwidth. None where the target does not connect its hosts, or is too large to be costed.
    """
    from topofinder.finder.rate_by_link import LARGEST_UNALIKE
    from topofinder.schedules.bfb.unequal_links import unequal_seconds

    graph = target.topology
    plain = bfb_costs(replace(graph, capacity=None, unit_rate=None), graph.degree)
    if plain is None or graph.n > LARGEST_UNALIKE or graph.unit_rate is None:
        return None
    size, bandwidth = workload.sizes[0][0], graph.unit_rate * graph.degree
    found = list[Cost]()
    for one, known in zip((graph, graph.transpose()), plain, strict=True):
        seconds = unequal_seconds(one, workload.alpha, size, bandwidth)
        left = seconds - known.steps * workload.alpha
        found.append(Cost(known.steps, left * workload.bandwidth / size))
    costed = CostedTarget(
        target=target, allgather=found[0], reduce_scatter=found[1], seconds=Fraction()
    )
    return replace(costed, seconds=workload.seconds(costed))


def rated_workload(
    fabric: PortMap, hosts: Sequence[int] | None, given: Workload | None
) -> Workload:
    """The workload by which targets are judged, at what a host sends over ports that all have."""
    work = given or _usual_workload()
    if len(work.sizes) != 1:
        raise InvalidInput("--size: one size is needed with --link-rates")
    ports = _ports_of_each_host(fabric, None if hosts is None else tuple(hosts))
    return replace(work, bandwidth=ports.egress)


def _usual_workload() -> Workload:
    found = read_workload(*USUAL)
    assert found is not None, "all of it is told"
    return found


def _usual_ports(fabric: PortMap, hosts: tuple[int, ...] | None) -> PortRates:
    """The ports of each rate that most hosts have, those counted that are dead; of equals most."""
    allowed = np.flatnonzero(eligible_hosts(fabric, hosts)).tolist()
    counts: dict[int, Counter[Fraction]] = {host: Counter() for host in allowed}
    for port, host in enumerate(fabric.host.tolist()):
        if host in counts:
            counts[host][fabric.forbidden.rates[port]] += 1
    alike = Counter(tuple(sorted(own.items())) for own in counts.values())
    most = max(alike, key=lambda own: (alike[own], sum(count for _, count in own)))
    return PortRates(counts=tuple(c for _, c in most), rates=tuple(r for r, _ in most))


def _ports_of_each_host(fabric: PortMap, hosts: tuple[int, ...] | None) -> PortRates:
    """The ports of each rate that every host has that may take part."""
    allowed = np.flatnonzero(eligible_hosts(fabric, hosts)).tolist()
    counts: dict[int, Counter[Fraction]] = {host: Counter() for host in allowed}
    for port in fabric.of_state(State.LIVE, State.PINNED).tolist():
        if int(fabric.host[port]) in counts:
            counts[int(fabric.host[port])][fabric.forbidden.rates[port]] += 1
    least = {rate: min(own[rate] for own in counts.values()) for rate in fabric.forbidden.rates}
    rates = sorted(rate for rate, count in least.items() if count)
    if not rates:
        raise InvalidInput("--link-rates: hosts have no rate in common")
    return PortRates(counts=tuple(least[rate] for rate in rates), rates=tuple(rates))


def _quickest_rates(target: Target, ports: PortRates, workload: Workload | None) -> Topology:
    # Here and not above: most plans have no rates, and all commands of plans import this.
    from topofinder.finder.rate_by_link import LARGEST_UNALIKE, bfb_link_seconds
    from topofinder.finder.rated_links import rated_links
    from topofinder.finder.rating import RatingTask

    graph = target.topology
    used = _fastest_ports(ports, graph.degree)
    if graph.translation is None and graph.n > LARGEST_UNALIKE:
        raise Unsupported(
            f"--link-rates: {target.subject} has no translations and more than {LARGEST_UNALIKE} "
            "nodes; give a file with capacities"
        )
    choices = rated_links(graph, used.counts, two_way=target.duplex)
    if not choices:
        raise Unsupported(f"--link-rates: {target.subject} falls into no links of these numbers")
    work = workload or _usual_workload()
    if len(work.sizes) != 1:
        raise InvalidInput("--size: one size is needed with --link-rates")
    task = RatingTask(
        collective=Collective(work.collective),
        alpha=work.alpha,
        size=work.sizes[0][0],
        bandwidth=used.egress,
        methods=("bfb",),
    )
    best = min(choices, key=lambda links: bfb_link_seconds(task, used, graph, links))
    return replace(best.topology(graph, used), translation=None)


def _fastest_ports(ports: PortRates, degree: int) -> PortRates:
    """So many ports of a host, the fastest."""
    if ports.ports < degree:
        raise InvalidInput(
            f"--link-rates: hosts have {ports.ports} ports of rates that all have, "
            f"fewer than {degree}"
        )
    left, counts = degree, list[int]()
    for count in reversed(ports.counts):
        counts.append(min(count, left))
        left -= counts[-1]
    kept = [one for one in zip(reversed(counts), ports.rates, strict=True) if one[0]]
    return PortRates(counts=tuple(c for c, _ in kept), rates=tuple(r for _, r in kept))
