"""What fabrics of hosts are made of: over panels, over switches by rail, over two-level Clos.

A port takes a transceiver and a fibre. Panels are passive: circuits need no more transceivers. At
switches each link has a transceiver at both ends. A rail's ports are on one panel, or one switch if
that has so many ports, and on a two-level Clos else. What differs in size is put together by the
rule of the largest first: what is opened takes as many of the largest as fit, then of the next.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, gcd

from generators.hosts.template import GIGABYTE, HostTemplate
from topofinder.finder.host_prediction import allgather_bound
from topofinder.model.prices import Bill, PriceList

SHARES = (1, 2, 3, 4, 6, 8)
"""How many links below a leaf share one above it, at most."""
MOST_LEAVES = 1024
"""Sizes of leaves that are tried, at most."""

HostCounts = Sequence[tuple[HostTemplate, int]]
"""Hosts of every size, those of most ports first, and how many."""
Cut = tuple[int, int]
"""Accelerators on one side of it, and the links between both."""
Pieces = Sequence[tuple[int, int]]
"""Numbers of ports, the most first, and how many are so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchedFabric:
    """Hosts of which so many ports lead to electrical switches, with what they reach.

    `ports` are those in use at a host of every size. `inverse_rate` is the time of a shard in
    1/(GB/s), `alltoall` what f cannot exceed, by the cuts around a host, around the hosts of a
    leaf, and around the hosts that have more rails than others. `uplinks` of a leaf are 0 where
    rails have switches of their own; `down` are the links below a leaf.
    """

    ports: tuple[int, ...]
    down: int
    uplinks: int
    bill: Bill
    inverse_rate: Fraction
    alltoall: Fraction


def rail_lengths(hosts: HostCounts) -> list[tuple[int, int]]:
    """How many hosts have a rail, the most first, and how many rails are so.

    >>> from generators.hosts.notation import read_hosts
    >>> each = [read_hosts(f"Host({g};switch@9GB/s;1@5GB/s)")[0] for g in (4, 2)]
    >>> rail_lengths([(each[0], 12), (each[1], 8)])
    [(20, 2), (12, 2)]
    """
    return [(_count_with(hosts, end), end - begin) for begin, end in _bands(hosts)]


def _bands(hosts: HostCounts) -> list[tuple[int, int]]:
    """Rails from a to b that the same hosts have."""
    ends = sorted({host.ports for host, _ in hosts})
    return list(zip([0, *ends], ends, strict=False))


def _count_with(hosts: HostCounts, ports: int) -> int:
    return sum(count for host, count in hosts if host.ports >= ports)


def bill_panels(hosts: int, rails: Pieces, prices: PriceList) -> Bill | None:
    """Hosts joined by circuits on rails of so many ports; None where one does not fit a panel.

    >>> from topofinder.model.prices import parse_prices
    >>> head = "part,price,watts,ports,source"
    >>> lines = [head, "transceiver,9,1,,a", "fibre,1,0,,a", "panel,100,5,1008,a"]
    >>> bill = bill_panels(128, [(128, 8)], PriceList(parts=parse_prices(lines)))
    >>> bill.cost, [count for _, count in bill.lines]
    (Fraction(10440, 1), [1024, 1024, 2])
    """
    room = prices.ports("panel")
    if rails[0][0] > room:
        return None
    links, panels = _total(rails), sum(count for _, count in _fill(rails, room))
    return prices.bill(transceiver=links, fibre=links, panel=panels, host=hosts)


def bill_rail_switches(hosts: int, rails: Pieces, prices: PriceList) -> Bill | None:
    """A switch for each rail, or several rails on one; None where two levels do not suffice."""
    radix, links = prices.ports("switch"), _total(rails)
    half, above = radix // 2, 0
    switches = sum(n for _, n in _fill([rail for rail in rails if rail[0] <= radix], radix))
    for length, count in rails:
        if length > radix:
            leaves = ceil(length / half)
            spines = _spines(leaves, half, radix)
            if spines is None:
                return None
            switches, above = switches + count * (leaves + spines), above + count * leaves * half
    links += above
    return prices.bill(transceiver=2 * links, fibre=links, switch=switches, host=hosts)


def full_clos(hosts: HostCounts, prices: PriceList) -> Bill | None:
    """The two-level Clos that never blocks, with the fewest parts; None where there is none."""
    able = (one for one in _clos_fabrics(hosts, prices) if one.uplinks in (0, one.down))
    best = min(able, key=lambda one: one.bill.cost, default=None)
    return None if best is None else best.bill


def switched_within(hosts: HostCounts, prices: PriceList, cost: Fraction) -> SwitchedFabric | None:
    """The quickest fabric of switches that costs no more; None where there is none.

    It may leave ports of hosts unused, and have fewer links above leaves than below.
    """
    able = [one for one in _switched_fabrics(hosts, prices) if one.bill.cost <= cost]
    return min(able, key=lambda one: (one.inverse_rate, -one.alltoall, one.bill.cost), default=None)


def _switched_fabrics(hosts: HostCounts, prices: PriceList) -> Iterator[SwitchedFabric]:
    most = hosts[0][0].ports
    for ports in range(1, most + 1):
        used = [(_with_ports(host, ceil(host.ports * ports / most)), n) for host, n in hosts]
        rails = rail_lengths(used)
        bill = bill_rail_switches(sum(n for _, n in hosts), rails, prices)
        if bill is not None:
            yield _reach(used, bill, _rail_cuts(used), down=_total(rails), uplinks=0)
        yield from _clos_fabrics(used, prices)


def _with_ports(host: HostTemplate, ports: int) -> HostTemplate:
    owners = tuple(host.owners[port * host.ports // ports] for port in range(ports))
    return replace(host, owners=owners)


def _rail_cuts(hosts: HostCounts) -> Iterator[Cut]:
    """Between the hosts of most ports and the others."""
    bands = _bands(hosts)
    for place in range(1, len(hosts)):
        sides = hosts[:place], hosts[place:]
        links = (
            (end - begin) * min(_count_with(side, end) for side in sides) for begin, end in bands
        )
        yield _accelerators(sides[0]), sum(links)


def _clos_fabrics(hosts: HostCounts, prices: PriceList) -> Iterator[SwitchedFabric]:
    """All that a switch of its ports allows."""
    radix, total = prices.ports("switch"), sum(host.ports * n for host, n in hosts)
    unit, most = gcd(*(host.ports for host, _ in hosts)), hosts[0][0].ports
    last = min(total, radix)
    step = unit * ceil((last - most + unit) / unit / MOST_LEAVES)
    for down in sorted(
        {*range(most, last + 1, step or unit), *([total] if total <= radix else [])}
    ):
        for up in {0} if down == total else {down // share for share in SHARES}:
            found = _clos(hosts, prices, down, up)
            if found is not None:
                yield found


def _clos(hosts: HostCounts, prices: PriceList, down: int, up: int) -> SwitchedFabric | None:
    """Leaves with so many links below and above."""
    radix, links = prices.ports("switch"), sum(host.ports * n for host, n in hosts)
    leaves = _fill([(host.ports, n) for host, n in hosts], down)
    count = sum(n for _, n in leaves)
    spines = _spines(count, up, radix) if up else 0
    if spines is None or down + up > radix or (not up and down < links):
        return None
    bill = prices.bill(
        transceiver=2 * (links + count * up),
        fibre=links + count * up,
        switch=count + spines,
        host=sum(n for _, n in hosts),
    )
    cuts = _leaf_cuts(hosts, leaves, up) if up else ()
    return _reach(hosts, bill, cuts, down=down, uplinks=up)


def _leaf_cuts(hosts: HostCounts, leaves: "list[tuple[list[int], int]]", up: int) -> Iterator[Cut]:
    for taken, _ in leaves:
        side = [(host, count) for (host, _), count in zip(hosts, taken, strict=True)]
        yield _accelerators(side), min(up, sum(host.ports * count for host, count in side))


def _fill(pieces: Pieces, room: int) -> list[tuple[list[int], int]]:
    """Equal rooms for all pieces: how many of each are in one, and how many rooms are so.

    A room takes as many of the largest as fit, then of the next; none is larger than a room.
    """
    left, found = [count for _, count in pieces], []
    while any(left):
        free, taken = room, []
        for (size, _), count in zip(pieces, left, strict=True):
            taken.append(min(count, free // size))
            free -= taken[-1] * size
        rooms = min(count // some for count, some in zip(left, taken, strict=True) if some)
        left = [count - rooms * some for count, some in zip(left, taken, strict=True)]
        found.append((taken, rooms))
    return found


def _spines(leaves: int, up: int, radix: int) -> int | None:
    """Switches above so many leaves, each with so many links to them; None where they do not fit.

    A spine has a link to every leaf at most as often as its ports allow.
    """
    spines = ceil(leaves * up / radix)
    return spines if 1 < leaves <= radix and 1 <= spines <= up else None


def _total(pieces: Pieces) -> int:
    return sum(size * count for size, count in pieces)


def _accelerators(hosts: HostCounts) -> int:
    return sum(host.accelerators * count for host, count in hosts)


def _reach(
    hosts: HostCounts, bill: Bill, cuts: Iterable[Cut], *, down: int, uplinks: int
) -> SwitchedFabric:
    total, rate = _accelerators(hosts), hosts[0][0].rate / GIGABYTE
    around = [(host.accelerators, host.ports) for host, _ in hosts]
    every = [(own, links * rate) for own, links in (*around, *cuts)]
    inside = max(allgather_bound(host, total) for host, _ in hosts)
    return SwitchedFabric(
        ports=tuple(host.ports for host, _ in hosts),
        down=down,
        uplinks=uplinks,
        bill=bill,
        inverse_rate=max(inside, *(max(own, total - own) / links for own, links in every)),
        alltoall=min(links / (own * (total - own)) for own, links in every),
    )
