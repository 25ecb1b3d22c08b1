"""What people build of the same hosts and ports: rings, tori, alike rails, and switches."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from expansions.hosts import HostFabric
from expansions.parser import parse
from generators.divisors import divisors
from generators.hosts.template import GIGABYTE, HostTemplate
from reports.host_frontier import HostRow
from topofinder.api.shared.bills import bill_rows
from topofinder.api.shared.frontiers import search_size
from topofinder.finder.alike_rails import rail_bands
from topofinder.finder.host_bills import (
    HostCounts,
    SwitchedFabric,
    bill_rail_switches,
    full_clos,
    rail_lengths,
    switched_within,
)
from topofinder.finder.host_prediction import Interval, allgather_bound
from topofinder.finder.rail_switches import rate_rail_switches
from topofinder.forests.collectives.host_forest import inner_trees
from topofinder.model.prices import Bill, PriceList

RINGS = "alike rails, one-way rings"


def host_baselines(
    n: int, ports: int, each: int, *, lone: bool = False
) -> Iterator[tuple[str, str]]:
    """Labels, and recipes on n nodes of so many ports; `each` are the ports of an accelerator.

    Rails of a `lone` accelerator have a best graph too, though there are none to be like them.

    >>> dict(host_baselines(9, 4, 1))["tori, 2-dimensional"]
    'Torus(3,3)'
    """
    yield RINGS, f"UniRing({ports},{n})"
    if n < 3:
        return
    if ports % 2 == 0:
        yield "rings both ways", f"BiRing({ports},{n})"
    for dimensions in (2, 3):
        widths = _widths(n, dimensions)
        if ports % (2 * dimensions) == 0 and widths[0] > 2:
            torus = f"Torus({','.join(map(str, widths))})"
            yield f"tori, {dimensions}-dimensional", _copies(torus, ports // (2 * dimensions))
    if each > 1 and (ports > each or lone) and ports % each == 0:
        best = search_size(n, each).frontier.members
        for row in best[:1]:
            yield "alike rails, best graph", _copies(row.recipe, ports // each)


def _copies(recipe: str, count: int) -> str:
    return str(parse(recipe if count == 1 else f"({recipe})||{count}"))


def rail_baselines(fabric: HostFabric) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Of hosts of unlike size: labels, and a recipe for each band of rails.

    What fewer than three hosts have is a ring of these whatever the label.

    >>> from expansions.hosts import parse_host_fabric
    >>> fabric = parse_host_fabric("Host(4*8.8*12;switch@450GB/s;1@50GB/s)[UniRing(4,32)]")
    >>> [recipes for label, recipes in rail_baselines(fabric) if "tori" in label]
    [('Torus(4,5)', 'Torus(3,4)')]
    """
    bands, each = rail_bands(fabric), fabric.template.ports_each or 1
    counts = [len(band.hosts) for band in bands]
    widths = [band.end - band.begin for band in bands]
    found = [
        dict(host_baselines(n, ports, each, lone=True))
        for n, ports in zip(counts, widths, strict=True)
    ]
    for label in found[0]:
        recipes = [
            known.get(label) or (known[RINGS] if n < 3 else None)
            for known, n in zip(found, counts, strict=True)
        ]
        if None not in recipes:
            what = widths if label == RINGS else recipes
            first, *others = (f"{one} of {n}" for one, n in zip(what, counts, strict=True))
            text = ", ".join([f"{first} hosts", *others])
            yield f"{label}: {text}", tuple(map(str, recipes))


def _widths(n: int, dimensions: int) -> tuple[int, ...]:
    """The most even widths of a torus, the least first.

    >>> _widths(32, 2), _widths(64, 3)
    ((4, 8), (4, 4, 4))
    """
    if dimensions == 1:
        return (n,)
    ways = (tuple(sorted((width, *_widths(n // width, dimensions - 1)))) for width in divisors(n))
    return max(ways, key=lambda one: (one[0], -one[-1]))


def switch_rows(
    hosts: HostCounts,
    sizes: Sequence[int],
    prices: PriceList | None,
    cost: Fraction | None,
    *,
    gap: Fraction,
    time: float,
) -> Iterator[HostRow]:
    """Electrical switches that never block, and with prices the best that cost no more.

    At a Clos that never blocks every port sends to whomever it likes, at rail-only switches to the
    ports of its own number.
    """
    clos = _clos_row(hosts, prices)
    rails = None if prices is None else bill_rail_switches(len(sizes), rail_lengths(hosts), prices)
    label, each = "rail-only switches", [host for host, _ in hosts]
    if len(hosts) == 1:
        yield replace(clos, label=label, bill=bill_rows(rails))
    else:
        found = rate_rail_switches(each, sizes, gap, time)
        height = _height(each, straight=False) if found.straight else None
        yield _switch_row(label, height, found.inverse_rate, found.alltoall, rails)
    yield clos
    like = None if prices is None or cost is None else switched_within(hosts, prices, cost)
    if like is not None:
        own = all(not used % host.accelerators for used, host in zip(like.ports, each, strict=True))
        height = _height(each, straight=own and (like.uplinks > 0 or len(each) == 1))
        rate = like.alltoall, like.alltoall
        yield _switch_row(_like_label(like, each), height, like.inverse_rate, rate, like.bill)


def _clos_row(hosts: HostCounts, prices: PriceList | None) -> HostRow:
    each = [host for host, _ in hosts]
    total = sum(host.accelerators * count for host, count in hosts)
    most = min(
        host.rate * host.ports / GIGABYTE / ((total - host.accelerators) * host.accelerators)
        for host in each
    )
    bill = None if prices is None else full_clos(hosts, prices)
    time, height = max(allgather_bound(host, total) for host in each), _height(each, straight=True)
    return _switch_row("two-level Clos, full bisection", height, time, (most, most), bill)


def _height(each: Sequence[HostTemplate], *, straight: bool) -> int:
    """One hop outside and what is inside behind it; before it too, where it is not `straight`.

    It is where accelerators have as many ports each, over which they reach all other hosts.
    """
    inside = max(inner_trees(host).height for host in each)
    return 1 + inside * (1 if straight and each[0].ports_each else 2)


def _like_label(like: SwitchedFabric, each: Sequence[HostTemplate]) -> str:
    kind = f"Clos, {like.uplinks} up for {like.down} down" if like.uplinks else "rail switches"
    pairs = [(used, host.ports) for used, host in zip(like.ports, each, strict=True)]
    some = any(used < ports for used, ports in pairs)
    told = ", ".join(f"{used} of {ports}" for used, ports in pairs)
    return f"of no higher cost: {kind}{f', {told} ports' if some else ''}"


def _switch_row(
    label: str, height: int | None, time: Fraction, rate: Interval, bill: Bill | None
) -> HostRow:
    return HostRow(
        label=label, fabric="", recipe="", hops=1, height=height, inverse_rate=time, outer=time,
        inner=Fraction(), exact=False, alltoall=rate, hop_bound=rate[1], latency=None,
        bill=bill_rows(bill),
    )  # fmt: skip


def split_unbeaten(
    members: Sequence[HostRow], others: Sequence[HostRow], axes: Sequence[str]
) -> tuple[list[HostRow], list[HostRow]]:
    """The rows that no other is as good as on all axes and better on one, and the rest of `others`.

    A row without a bill is beaten on cost and power by any that has one.
    """
    rows = [*members, *others]
    values = [_axis_values(row, axes) for row in rows]
    kept = [
        row
        for row, mine in zip(rows, values, strict=True)
        if not any(one != mine and _is_as_good(one, mine) for one in values)
    ]
    return kept, [row for row in others if not any(row is one for one in kept)]


def _axis_values(row: HostRow, axes: Sequence[str]) -> tuple[tuple[bool, Fraction], ...]:
    """What is to be small on each axis; True stands for no value."""
    found: dict[str, Fraction | int | None] = {
        "latency": row.height if row.latency is None else row.latency,
        "bandwidth": row.inverse_rate,
        "alltoall": -row.alltoall[0],
        "cost": row.cost,
        "power": row.power,
    }
    return tuple((found[axis] is None, Fraction(found[axis] or 0)) for axis in axes)


def _is_as_good(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return all(mine <= its for mine, its in zip(one, other, strict=True))  # type: ignore[operator]
