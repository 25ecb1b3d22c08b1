"""What people build of the same hosts and ports: rings, tori, alike rails, and switches."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from generators.divisors import divisors
from generators.hosts.template import GIGABYTE, HostTemplate
from reports.host_frontier import HostRow
from topofinder.api.shared.bills import bill_rows
from topofinder.api.shared.frontiers import search_size
from topofinder.finder.host_bills import (
    SwitchedFabric,
    bill_rail_switches,
    full_clos,
    switched_within,
)
from topofinder.finder.host_prediction import allgather_bound
from topofinder.forests.collectives.host_forest import inner_trees
from topofinder.model.prices import Bill, PriceList

RINGS = "alike rails, one-way rings"


def host_baselines(n: int, ports: int, each: int) -> Iterator[tuple[str, str]]:
    """Labels, and recipes on n nodes of so many ports; `each` are the ports of an accelerator.

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
            copies = ports // (2 * dimensions)
            torus = f"Torus({','.join(map(str, widths))})"
            yield f"tori, {dimensions}-dimensional", torus if copies == 1 else f"{torus}||{copies}"
    if each > 1 and ports > each and ports % each == 0:
        best = search_size(n, each).frontier.members
        for row in best[:1]:
            yield "alike rails, best graph", f"({row.recipe})||{ports // each}"


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
    each: Sequence[HostTemplate],
    sizes: Sequence[int],
    prices: PriceList | None,
    cost: Fraction | None,
) -> Iterator[HostRow]:
    """Electrical switches that never block, and with prices the best that cost no more.

    `each` is a host of every size. At switches that never block every port sends to whomever it
    likes.
    """
    total = sum(sizes)
    time = max(allgather_bound(host, total) for host in each)
    most = min(
        host.rate * host.ports / GIGABYTE / ((total - host.accelerators) * host.accelerators)
        for host in each
    )
    n, host = len(sizes), each[0]
    height = 1 + max(inner_trees(host).height for host in each)
    rails = None if prices is None else bill_rail_switches(n, host.ports, prices)
    yield _switch_row("rail-only switches", height, time, most, rails)
    whole = None if prices is None else full_clos(n, host, prices)
    yield _switch_row("two-level Clos, full bisection", height, time, most, whole)
    if prices is not None and cost is not None:
        like = switched_within(n, host, prices, cost)
        if like is not None:
            label = _like_label(like, host)
            yield _switch_row(label, height, like.inverse_rate, like.alltoall, like.bill)


def _like_label(like: SwitchedFabric, host: HostTemplate) -> str:
    kind = f"Clos, {like.uplinks} up for {like.down} down" if like.uplinks else "rail switches"
    used = "" if like.ports == host.ports else f", {like.ports} of {host.ports} ports"
    return f"of no higher cost: {kind}{used}"


def _switch_row(
    label: str, height: int, time: Fraction, most: Fraction, bill: Bill | None
) -> HostRow:
    return HostRow(
        label=label, fabric="", recipe="", hops=1, height=height, inverse_rate=time, outer=time,
        inner=Fraction(), exact=False, alltoall=(most, most), hop_bound=most, latency=None,
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
    found: dict[str, Fraction | None] = {
        "latency": Fraction(row.height or row.hops) if row.latency is None else row.latency,
        "bandwidth": row.inverse_rate,
        "alltoall": -row.alltoall[0],
        "cost": row.cost,
        "power": row.power,
    }
    return tuple((found[axis] is None, found[axis] or Fraction()) for axis in axes)


def _is_as_good(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return all(mine <= its for mine, its in zip(one, other, strict=True))  # type: ignore[operator]
