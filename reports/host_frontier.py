"""A frontier of fabrics of hosts, as text for a person and as JSON for a program."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from reports.bill import BillRow, bill_cost, bill_fields, bill_power, bill_table, price_text
from reports.text import cut_text, table
from reports.units import down_text, time_text, up_text


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """A fabric of hosts, or what bounds all: `inverse_rate` is the time of a shard in 1/(GB/s).

    `alltoall` bounds f, GB/s for every pair of accelerators. A bound and a switch have no recipe.
    What no forest on the fabric beats is `least`, where `inverse_rate` misses it; `loss` is how
    much longer lower trees take than the quickest of their fabric. The `bill` is empty where
    nothing tells prices, or nothing can be built of the parts. `inside` are shares of what passes
    through hosts that take a way inside: with rails of their own, and with free ones.
    """

    label: str
    fabric: str
    recipe: str
    hops: int
    height: int | None
    inverse_rate: Fraction
    outer: Fraction
    inner: Fraction
    exact: bool
    alltoall: tuple[Fraction, Fraction]
    hop_bound: Fraction
    latency: Fraction | None
    bill: tuple[BillRow, ...] = ()
    inside: tuple[float, float] | None = None
    least: Fraction | None = None
    loss: Fraction | None = None

    @property
    def cost(self) -> Fraction | None:
        """The price of all parts."""
        return bill_cost(self.bill) if self.bill else None

    @property
    def power(self) -> Fraction | None:
        """The watts of all parts."""
        return bill_power(self.bill) if self.bill else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFrontierRecord:
    """What was asked for, what bounds it, the frontier, and what people build.

    `bandwidth` is the egress of an accelerator in bytes a second, `ports` how many it has, None
    where they differ.
    """

    host: str
    hosts: int
    accelerators: int
    gpus: str
    ports: int | None
    bandwidth: Fraction
    inner: str
    bound: HostRow
    members: tuple[HostRow, ...]
    baselines: tuple[HostRow, ...]


def host_text(record: HostFrontierRecord) -> str:
    """The frontier as a table, the bound below it, and then what people build of equal ports."""
    lines = [
        f"{record.hosts} hosts, {record.accelerators} accelerators: {record.host}",
        "1/x*: time of a shard in 1/(GB/s); f: GB/s for every pair of accelerators",
        "",
        _host_table(record),
    ]
    if any(not row.exact and row.recipe for row in record.members):
        lines += ["", "At most: the inside is the bottleneck, and its time an upper bound"]
    for row in record.members:
        name = cut_text(row.recipe, 60)
        if row.least is not None:
            lines += ["", f"{name}: composed trees; the best that there are take {row.least}"]
        if row.loss is not None:
            lines += ["", f"{name}, height {row.height}: --prefer height --loss {_loss_text(row)}"]
    for row in record.members:
        if row.inside is not None:
            own, free = (f"{100 * share:.1f} %" for share in row.inside)
            name = cut_text(row.recipe, 60)
            lines += ["", f"{name}, rails free: {free} of what passes hosts goes inside, not {own}"]
    priced = next((row for row in record.members if row.bill), None)
    if priced is not None:
        lines += [
            "",
            f"Parts of {priced.label or cut_text(priced.recipe, 60)}",
            bill_table(priced.bill),
        ]
    return "\n".join(lines)


def _host_table(record: HostFrontierRecord) -> str:
    columns = ["hops", "height", "1/x*", "allgather", "of bound"]
    columns += ["f at least", "f at most", "of bound", "of first", "graph of hosts"]
    rows = [_cells(row, record) for row in record.members]
    rows.append(_cells(record.bound, record))
    rows += [_cells(row, record) for row in record.baselines]
    if any(row.latency is not None for row in record.members):
        columns.insert(2, "latency")
        listed = (*record.members, record.bound, *record.baselines)
        for cells, row in zip(rows, listed, strict=True):
            cells.insert(2, "" if row.latency is None else time_text(row.latency))
    listed = (*record.members, record.bound, *record.baselines)
    if any(row.bill for row in listed):
        columns[-1:-1] = ["cost", "power"]
        for cells, row in zip(rows, listed, strict=True):
            cells[-1:-1] = (
                ["", ""] if row.cost is None else [price_text(row.cost), _power_text(row)]
            )
    return table(columns, rows)


def _loss_text(row: HostRow) -> str:
    """A loss that the trees keep to."""
    return f"{ceil(1000 * (row.loss or 0)) / 10}%"


def _power_text(row: HostRow) -> str:
    return f"{float((row.power or 0) / 1000):.2f} kW"


def _cells(row: HostRow, record: HostFrontierRecord) -> list[str]:
    bound = record.bound
    low, high = row.alltoall
    rate = record.accelerators / row.inverse_rate
    name = cut_text(row.recipe, 60)
    if row.label:
        name = f"{row.label}: {name}" if name else row.label
    return [
        str(row.hops),
        "" if row.height is None else str(row.height),
        ("" if row.exact or not row.recipe else "<= ") + str(row.inverse_rate),
        f"{float(rate):.1f} GB/s",
        f"{float(bound.inverse_rate / row.inverse_rate):.3f}",
        down_text(low),
        up_text(high),
        f"{float(low / bound.alltoall[1]):.3f}",
        f"{float(low / record.members[0].alltoall[0]):.3f}",
        name,
    ]


def host_fields(record: HostFrontierRecord) -> dict[str, Any]:
    """What `search --gpus --json` prints: fractions as text, rates in bytes a second."""
    return {
        "n": record.hosts,
        "gpus": record.gpus,
        "d": record.ports,
        "bandwidth": str(record.bandwidth),
        "inner": record.inner,
        "host": record.host,
        "accelerators": record.accelerators,
        "bound": _row_fields(record.bound, record),
        "frontier": [_row_fields(row, record) for row in record.members],
        "baselines": [_row_fields(row, record) for row in record.baselines],
    }


def _row_fields(row: HostRow, record: HostFrontierRecord) -> dict[str, Any]:
    low, high = row.alltoall
    return {
        **({"label": row.label} if row.label else {}),
        **({"fabric": row.fabric, "recipe": row.recipe} if row.recipe else {}),
        "hops": row.hops,
        "height": row.height,
        "latency": None if row.latency is None else float(row.latency),
        "inverse_rate": str(row.inverse_rate),
        "exact": row.exact,
        **({} if row.least is None else {"least": str(row.least)}),
        **({} if row.loss is None else {"loss": str(row.loss)}),
        "outer": str(row.outer),
        "inner": str(row.inner),
        "alltoall": {"lower": str(low), "upper": str(high), "hop_bound": str(row.hop_bound)},
        "of_bound": {
            "bandwidth": float(record.bound.inverse_rate / row.inverse_rate),
            "alltoall": float(low / record.bound.alltoall[1]),
        },
        **({} if row.cost is None else bill_fields(row.bill)),
        **(
            {}
            if row.inside is None
            else {"inside": dict(zip(("own", "any"), row.inside, strict=True))}
        ),
    }
