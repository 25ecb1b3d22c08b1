"""What the baselines of TACOS (Won et al., MICRO 2024) take, beside the figures that it prints."""

from collections.abc import Mapping
from fractions import Fraction

from generators.fabrics.names import fabric_of
from reports.reproduced import ComparisonRow, exactly
from topofinder.api.reproduce.tacos_figures import TacosFigure, read_tacos_figures
from topofinder.api.shared.subjects import named_topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.ideal import ideal_allreduce
from topofinder.timetables.mapped_baselines import time_baseline

GIGABYTE = Fraction(10**9)
"""Bytes of the allreduce where the paper does not say."""
MAPPED = ("ring", "halving", "direct")


def figure2a_rows() -> tuple[ComparisonRow, ...]:
    """Figure 2(a): ring and direct, each where it is at home, over the other.

    >>> [(row.subject, round(float(row.ours[0]), 2)) for row in figure2a_rows()]
    [('BiRing(2,64)', 16.71), ('K(64)', 31.55)]
    """
    rows = []
    for one in item_figures("figure2a"):
        (rate,) = one.rates[one.subject]
        graph, units = named_topology(one.subject)[1], link_units(one, rate)
        size = Fraction(one.size or GIGABYTE)
        first, second = one.method.split(" over ")
        quick, slow = (time_baseline(name, graph, size, units).seconds for name in (first, second))
        note = "one way round, the ring takes twice as long" if first == "direct" else ""
        rows.append(compare_figure(one, "times as fast", slow / quick, note))
    return tuple(rows)


def table5_rows(tacos: Mapping[str, Fraction]) -> tuple[ComparisonRow, ...]:
    """Table V: ring, halving, direct and the ideal over TACOS, of which `tacos` has the seconds.

    By fabric, for 1 GB; fabrics that are not there are left out. TACCL is printed only.
    """
    rows = []
    for one in item_figures("table5"):
        if one.subject not in tacos:
            continue
        if one.method not in (*MAPPED, "ideal"):
            rows.append(printed_row(one, "time over that of TACOS"))
            continue
        system = fabric_of(one.subject)[1]
        units = link_units(one, 1)
        if one.method == "ideal":
            seconds = ideal_allreduce(system, GIGABYTE, units)
        else:
            seconds = time_baseline(one.method, system, GIGABYTE, units).seconds
        rows.append(compare_figure(one, "time over that of TACOS", seconds / tacos[one.subject]))
    return tuple(rows)


def item_figures(item: str) -> list[TacosFigure]:
    """What is printed under one name, such as `figure17b`."""
    return [one for one in read_tacos_figures() if one.item == item]


def link_units(one: TacosFigure, rate: float) -> LinkUnits:
    """Latency as printed; `rate` GB/s stand for capacity 1."""
    latency = Fraction(str(one.latency)) / 10**6
    return LinkUnits(latency=latency, rate=Fraction(str(rate)) * GIGABYTE)


def printed_row(one: TacosFigure, quantity: str, unit: str = "") -> ComparisonRow:
    """A printed figure of what is not built here."""
    return ComparisonRow(
        subject=one.subject,
        quantity=f"{one.method}, {quantity}",
        unit=unit,
        ours="not made",
        published=one.value,
        note="its integer programs are not built here" if one.method == "taccl" else "",
    )


def compare_figure(
    one: TacosFigure, quantity: str, ours: Fraction, note: str = ""
) -> ComparisonRow:
    """Ours beside a printed figure; `quantity` says what of its method is measured."""
    return ComparisonRow(
        subject=one.subject,
        quantity=f"{one.method}, {quantity}",
        unit="",
        ours=exactly(ours),
        published=one.value,
        note=note,
    )
