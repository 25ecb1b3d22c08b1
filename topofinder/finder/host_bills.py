"""What fabrics of hosts are made of: over panels, over switches by rail, over two-level Clos.

A port takes a transceiver and a fibre. Panels are passive: circuits need no more transceivers. At
switches each link has a transceiver at both ends. A rail's ports are on one panel, or one switch if
that has so many ports, and on a two-level Clos else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from generators.hosts.template import GIGABYTE, HostTemplate
from topofinder.finder.host_prediction import allgather_bound
from topofinder.model.prices import Bill, PriceList

SHARES = (1, 2, 3, 4, 6, 8)
"""How many links below a leaf share one above it, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchedFabric:
    """Hosts of which so many ports lead to electrical switches, with what they reach.

    `inverse_rate` is the time of a shard in 1/(GB/s), `alltoall` what f cannot exceed, by the cuts
    around a host and around the hosts of a leaf. `uplinks` of a leaf are 0 where rails have
    switches of their own; `down` are the links below a leaf.
    """

    ports: int
    down: int
    uplinks: int
    bill: Bill
    inverse_rate: Fraction
    alltoall: Fraction


def bill_panels(n: int, ports: int, prices: PriceList) -> Bill | None:
    """Hosts joined by circuits; None where a rail does not fit a panel.

    >>> from topofinder.model.prices import parse_prices
    >>> head = "part,price,watts,ports,source"
    >>> lines = [head, "transceiver,9,1,,a", "fibre,1,0,,a", "panel,100,5,1008,a"]
    >>> bill = bill_panels(128, 8, PriceList(parts=parse_prices(lines)))
    >>> bill.cost, [count for _, count in bill.lines]
    (Fraction(10440, 1), [1024, 1024, 2])
    """
    rails = prices.ports("panel") // n
    if rails == 0:
        return None
    links = n * ports
    return prices.bill(transceiver=links, fibre=links, panel=ceil(ports / rails), host=n)


def bill_rail_switches(n: int, ports: int, prices: PriceList) -> Bill | None:
    """A switch for each rail, or several rails on one; None where two levels do not suffice."""
    radix, links = prices.ports("switch"), n * ports
    if rails := radix // n:
        switches = ceil(ports / rails)
        return prices.bill(transceiver=2 * links, fibre=links, switch=switches, host=n)
    tree = _tree(n, radix // 2, radix // 2, radix)
    if tree is None:
        return None
    leaves, spines = tree
    up = ports * leaves * (radix // 2)
    switches = ports * (leaves + spines)
    return prices.bill(transceiver=2 * (links + up), fibre=links + up, switch=switches, host=n)


def full_clos(n: int, host: HostTemplate, prices: PriceList) -> Bill | None:
    """The two-level Clos that never blocks, with the fewest parts; None where there is none."""
    able = (one for one in _clos_fabrics(n, host, prices) if one.uplinks in (0, one.down))
    best = min(able, key=lambda one: one.bill.cost, default=None)
    return None if best is None else best.bill


def switched_within(
    n: int, host: HostTemplate, prices: PriceList, cost: Fraction
) -> SwitchedFabric | None:
    """The quickest fabric of switches that costs no more; None where there is none.

    It may leave ports of hosts unused, and have fewer links above leaves than below.
    """
    able = [one for one in _switched_fabrics(n, host, prices) if one.bill.cost <= cost]
    return min(able, key=lambda one: (one.inverse_rate, -one.alltoall, one.bill.cost), default=None)


def _switched_fabrics(n: int, host: HostTemplate, prices: PriceList) -> Iterator[SwitchedFabric]:
    for ports in range(1, host.ports + 1):
        owners = tuple(host.owners[port * host.ports // ports] for port in range(ports))
        fewer = replace(host, owners=owners)
        rails = bill_rail_switches(n, ports, prices)
        if rails is not None:
            yield _reach(n, fewer, rails, n, 0)
        yield from _clos_fabrics(n, fewer, prices)


def _clos_fabrics(n: int, host: HostTemplate, prices: PriceList) -> Iterator[SwitchedFabric]:
    """All that a switch of its ports allows."""
    radix, ports = prices.ports("switch"), host.ports
    for hosts in range(1, min(n, radix // ports) + 1):
        for up in {0} if hosts == n else {hosts * ports // share for share in SHARES}:
            tree = (1, 0) if hosts == n else _tree(n, hosts, up, radix)
            if tree is None or hosts * ports + up > radix:
                continue
            links, upward = n * ports, tree[0] * up
            bill = prices.bill(
                transceiver=2 * (links + upward), fibre=links + upward, switch=sum(tree), host=n
            )
            yield _reach(n, host, bill, hosts, up)


def _tree(n: int, down: int, up: int, radix: int) -> tuple[int, int] | None:
    """Leaves and spines for so many ports or hosts below a leaf and links above it."""
    leaves = ceil(n / down) if down else 0
    spines = ceil(leaves * up / radix)
    return (leaves, spines) if 1 < leaves <= radix and 1 <= spines <= up else None


def _reach(n: int, host: HostTemplate, bill: Bill, hosts: int, up: int) -> SwitchedFabric:
    total, own = n * host.accelerators, hosts * host.accelerators
    rate = host.rate / GIGABYTE
    time = allgather_bound(host, total)
    most = rate * host.ports / ((total - host.accelerators) * host.accelerators)
    if up:
        time = max(time, (total - own) / (up * rate))
        most = min(most, up * rate / (own * (total - own)))
    return SwitchedFabric(
        ports=host.ports, down=hosts * host.ports, uplinks=up, bill=bill, inverse_rate=time,
        alltoall=most,
    )  # fmt: skip
