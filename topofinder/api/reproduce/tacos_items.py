"""Tables and figures of TACOS (Won et al., MICRO 2024) anew, each beside the printed figures.

Averages over systems are compared with the printed ones only where all their systems are measured.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from generators.errors import InvalidInput
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.sources import Sources
from topofinder.api.reproduce.tacos_baselines import (
    GIGABYTE,
    compare_figure,
    figure2a_rows,
    item_figures,
    printed_row,
    table5_rows,
)
from topofinder.api.reproduce.tacos_systems import (
    SystemTimes,
    TacosSystem,
    narrow_system,
    schedule_tacos,
    tacos_system,
    time_rows,
    time_system,
)
from topofinder.timetables.ideal import ideal_allreduce
from topofinder.timetables.mapped_baselines import time_baseline

TABLE5 = {f"RFS(2,4,{boxes})": 8 * boxes for boxes in (2, 4, 8, 16)}
FIGURE15 = {"Dragonfly(4,5)": 20, "Switch2D(8,4)": 32, "RFS(2,4,8)": 64}
FIGURE18 = {"Mesh(10,10)": 100, "Torus(5,5,5)": 125, "Mesh(5,5,5)": 125}
"""The systems by their numbers of hosts."""
UNTOLD = "the paper does not tell its size"
SIZES17 = tuple(Fraction(10**power) for power in (6, 7, 8, 9))
MEAN17 = "mean of 1 MB, 10 MB, 100 MB and 1 GB; the paper does not tell its sizes"


def tacos_table5(sources: Sources) -> ReproductionRecord:
    """Table V: baselines on 3D-RFS over TACOS; 16 and 32 hosts unless asked for up to 128."""
    subjects = _choose_systems("tacos-table5", sources, TABLE5, (16, 32))
    schedule_tacos(tacos_system("table5", subjects[0]), chunks=1)  # loads what is compiled
    found = [
        time_system(tacos_system("table5", subject), ("ring",))
        for subject in sources.each(subjects)
    ]
    is_whole = len(found) == len(TABLE5)
    rows = [
        _average("table5_average", "of the ideal", [one.share for one in found], is_whole),
        _speedup("table5_speedup", found, "ring", is_whole=is_whole),
    ]
    for times in found:
        rows += _table5_ratios(times)
        rows += _synthesis_rows(times)
        rows += time_rows(times)
    return _record("tacos-table5", "Table V of TACOS: allreduce of 1 GB on 3D-RFS", rows)


def _table5_ratios(times: SystemTimes) -> Iterator[ComparisonRow]:
    """What is printed of a system, and its ideal once more by another reading of the fabric."""
    subject = times.system.subject
    for row in table5_rows({subject: times.tacos}):
        is_ideal = row.quantity.startswith("ideal")
        yield replace(row, note=times.remark) if is_ideal else row
    narrow = narrow_system(times.system)
    ideal = ideal_allreduce(narrow.topology, GIGABYTE, narrow.units)
    (printed,) = (
        one for one in item_figures("table5") if (one.subject, one.method) == (subject, "ideal")
    )
    share = ideal / schedule_tacos(narrow).seconds
    row = compare_figure(printed, "time over that of TACOS", share)
    yield replace(row, subject=narrow.subject, note="a possible other reading")


def _synthesis_rows(times: SystemTimes) -> Iterator[ComparisonRow]:
    """Milliseconds of one processor, as they were measured now, beside those that are printed."""
    for one in item_figures("table5_synthesis"):
        if one.subject != times.system.subject:
            continue
        if one.method == "taccl":
            yield printed_row(one, "synthesis", "ms")
            continue
        notes = ("measured now; all seeds and numbers of chunks", "measured now; all that is tried")
        names = ("tacos, synthesis", "ours, synthesis")
        for name, spent, note in zip(names, (times.tacos_spent, times.spent), notes, strict=True):
            yield ComparisonRow(
                subject=one.subject,
                quantity=name,
                unit="ms",
                ours=exactly(Fraction(round(1000 * spent))),
                published=one.value,
                note=note,
            )


def tacos_figure2(sources: Sources) -> ReproductionRecord:
    """Figure 2(a): ring and direct, each where it is at home; 64 hosts unless others are asked."""
    sizes = sources.sizes or (64,)
    rows = list(figure2a_rows()) if 64 in sizes else []
    subjects = [name for n in sizes for name in (f"BiRing(2,{n})", f"K({n})")]
    for subject in sources.each(subjects):
        rows += time_rows(time_system(tacos_system("figure2a", subject), ("ring", "direct")))
    title = "Figure 2(a) of TACOS: allreduce of 1 GB on rings and complete graphs"
    return _record("tacos-figure2", title, rows)


def tacos_figure15(sources: Sources) -> ReproductionRecord:
    """Figure 15: hierarchical systems; those of 20 and 32 hosts unless 64 are asked for."""
    subjects = _choose_systems("tacos-figure15", sources, FIGURE15, (20, 32))
    found = [
        time_system(tacos_system("figure15", subject), ("ring", "direct"))
        for subject in sources.each(subjects)
    ]
    ratios = [time / one.tacos for one in found for time in one.baselines.values()]
    rows = [_average("figure15", "times as fast", ratios, len(found) == len(FIGURE15))]
    some = [one.share for one in found if one.system.subject != "Switch2D(8,4)"]
    if some:
        rows.append(_average("figure15_efficiency", "of the ideal", some, len(some) == 2))
    if len(found) == len(FIGURE15):
        (least,) = item_figures("figure15_least")
        share = min(one.share for one in found)
        rows.append(compare_figure(least, "of the ideal", share, "printed: at least"))
    rows += [_share_row(one) for one in found]
    rows += [_use_row(one) for one in found]
    rows += [row for one in found for row in time_rows(one)]
    title = "Figure 15 of TACOS: allreduce of 1 GB on hierarchical systems"
    return _record("tacos-figure15", title, rows)


def tacos_figure16(sources: Sources) -> ReproductionRecord:
    """Figure 16: torus and mesh of three dimensions, of 64 hosts unless other cubes are given."""
    names = _grids("tacos-figure16", sources.sizes or (64,), 3)
    found = [
        time_system(tacos_system("figure16", subject), ("ring", "themis"))
        for subject in sources.each(names)
    ]
    rows = [row for one in found for row in _shares("figure16", one)]
    rows += coarse_themis_rows([name for name in names if name.startswith("Mesh")])
    rows += [small_themis_row(name) for name in names if name.startswith("Torus")]
    rows.append(_speedup("figure16_speedup", found, "themis"))
    (mean,) = (one for one in item_figures("figure16") if one.subject == "both")
    shares, uses = [one.share for one in found], [one.tacos_use for one in found]
    rows += [
        replace(
            compare_figure(printed, quantity, _mean(values), UNTOLD),
            subject=", ".join(names),
        )
        for printed, quantity, values in (
            (mean, "of the ideal, on average", shares),
            (item_figures("figure16_utilization")[0], "busy links, on average", uses),
        )
    ]
    rows += [row for one in found for row in time_rows(one)]
    title = "Figure 16 of TACOS: allreduce of 1 GB in three dimensions"
    return _record("tacos-figure16", title, rows)


def tacos_figure17(sources: Sources) -> ReproductionRecord:
    """Figure 17: torus and mesh of two dimensions, of 64 hosts unless other squares are given.

    Beside them a DGX-1.
    """
    names = _grids("tacos-figure17", sources.sizes or (64,), 2)
    rivals = dict.fromkeys(names, ("ring", "themis", "multitree")) | {"DGX1": ("ring", "ccube")}
    boxes, *grids = (
        [time_system(system, rivals[system.subject]) for system in _systems17(subject)]
        for subject in sources.each(["DGX1", *names])
    )
    found = [one for grid in grids for one in grid]
    rows = [row for one in found for row in _shares("figure17a", one)]
    rows.append(_speedup("figure17a_speedup", found, "multitree"))
    rows += [*_mean_shares("figure17b", boxes), _speedup("figure17b_speedup", boxes, "ccube")]
    rows.append(coarse_ccube_row([one.system for one in boxes]))
    (printed,) = item_figures("figure17_average")
    shares = [*(one.share for one in found), _mean([one.share for one in boxes])]
    row = compare_figure(printed, "of the ideal, on average", _mean(shares), UNTOLD)
    rows.append(replace(row, subject=", ".join([*names, "DGX1"])))
    rows += [row for one in (*found, boxes[-1]) for row in time_rows(one)]
    title = "Figure 17 of TACOS: allreduce of 1 GB in two dimensions and on a DGX-1"
    return _record("tacos-figure17", title, rows)


def tacos_figure18(sources: Sources) -> ReproductionRecord:
    """Figure 18: torus and meshes of 100 and 125 hosts."""
    subjects = _choose_systems("tacos-figure18", sources, FIGURE18, (100, 125))
    found = [
        time_system(tacos_system("figure18", subject), ("ring", "multitree", "themis"))
        for subject in sources.each(subjects)
    ]
    shares = [one.share for one in found]
    rows = [_average("figure18", "of the ideal", shares, len(found) == len(FIGURE18))]
    rows += [_share_row(one) for one in found]
    rows += [_use_row(one) for one in found]
    rows += [row for one in found for row in time_rows(one)]
    return _record("tacos-figure18", "Figure 18 of TACOS: allreduce of 1 GB", rows)


TACOS_ITEMS: Mapping[str, Callable[[Sources], ReproductionRecord]] = {
    "tacos-table5": tacos_table5,
    "tacos-figure2": tacos_figure2,
    "tacos-figure15": tacos_figure15,
    "tacos-figure16": tacos_figure16,
    "tacos-figure17": tacos_figure17,
    "tacos-figure18": tacos_figure18,
}


def _record(name: str, title: str, rows: Sequence[ComparisonRow]) -> ReproductionRecord:
    return ReproductionRecord(name=name, title=title, rows=tuple(rows))


def _choose_systems(
    name: str, sources: Sources, known: Mapping[str, int], usual: Sequence[int]
) -> list[str]:
    """The systems of the sizes that are asked for. Raises InvalidInput where there are none."""
    sizes = sources.sizes or usual
    found = [subject for subject, hosts in known.items() if hosts in sizes]
    if not found:
        every = ", ".join(map(str, sorted(set(known.values()))))
        raise InvalidInput(f"--n: {name} has systems of {every} hosts")
    return found


def _grids(name: str, sizes: Sequence[int], dimensions: int) -> list[str]:
    """Torus and mesh of equal sides; raises InvalidInput where no size is a power of a side."""
    found = []
    for size in sizes:
        side = round(size ** (1 / dimensions))
        if side >= 2 and side**dimensions == size:
            sides = ",".join([str(side)] * dimensions)
            found += [f"Torus({sides})", f"Mesh({sides})"]
    if not found:
        shape = "squares" if dimensions == 2 else "cubes"
        raise InvalidInput(f"--n: {name} takes {shape} of at least 2")
    return found


def _average(item: str, quantity: str, values: Sequence[Fraction], is_whole: bool) -> ComparisonRow:
    """The mean of some systems beside the printed one of all."""
    (printed,) = item_figures(item)
    row = compare_figure(printed, quantity, _mean(values))
    if is_whole:
        return row
    return replace(row, subject="mean of the systems below", published=None)


def _systems17(subject: str) -> list[TacosSystem]:
    """A system with 1 GB; a DGX-1 with several sizes, over which the paper has averages."""
    if subject != "DGX1":
        return [tacos_system("figure17a", subject)]
    box = tacos_system("figure17b", subject)
    return [replace(box, size=size) for size in SIZES17]


def _mean_shares(item: str, found: Sequence[SystemTimes]) -> list[ComparisonRow]:
    """Shares of the ideal on one system, averaged over the sizes of data."""
    rows = []
    for one in item_figures(item):
        shares = [
            times.ideal / {**times.baselines, "tacos": times.tacos}[one.method] for times in found
        ]
        rows.append(compare_figure(one, "of the ideal", _mean(shares), MEAN17))
    return rows


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction()) / len(values)


def _use_row(times: SystemTimes) -> ComparisonRow:
    """The share of busy links over the whole time, beside what is printed of the system."""
    printed = [
        one.value
        for one in item_figures("figure18_utilization")
        if one.subject == times.system.subject
    ]
    return ComparisonRow(
        subject=times.system.subject,
        quantity="tacos, busy links on average",
        unit="",
        ours=exactly(times.tacos_use),
        published=printed[0] if printed else None,
    )


def _speedup(
    item: str, found: Sequence[SystemTimes], baseline: str, *, is_whole: bool = True
) -> ComparisonRow:
    """How many times as fast as a baseline TACOS is, on average over systems or sizes of data."""
    (printed,) = item_figures(item)
    ratios = [one.baselines[baseline] / one.tacos for one in found]
    row = compare_figure(printed, "times as fast", _mean(ratios))
    names = dict.fromkeys(one.system.subject for one in found)
    row = replace(row, subject=", ".join(names))
    return row if is_whole else replace(row, published=None)


def _share_row(times: SystemTimes) -> ComparisonRow:
    """What TACOS reaches of the ideal on one system."""
    return ComparisonRow(
        subject=times.system.subject,
        quantity="tacos, of the ideal",
        unit="",
        ours=exactly(times.share),
        published=None,
        note=times.remark,
    )


def _shares(item: str, times: SystemTimes) -> list[ComparisonRow]:
    """Shares of the ideal of the methods that are printed for a shape."""
    shape = times.system.subject.split("(")[0]
    return list(_printed_shares(item, shape, {**times.baselines, "tacos": times.tacos}, times))


def _printed_shares(
    item: str, shape: str, seconds: Mapping[str, Fraction], times: SystemTimes
) -> Iterator[ComparisonRow]:
    for one in item_figures(item):
        if one.subject.startswith(shape) and one.method in seconds:
            share = times.ideal / seconds[one.method]
            row = compare_figure(one, "of the ideal", share, UNTOLD)
            yield replace(row, subject=times.system.subject)


SMALL = Fraction(10**6)
"""Bytes that count as little data here; the paper does not tell."""
PARTS = 4
SIDES = (5, 6)
"""Of meshes beside those asked for; figure 18 has one of side 5."""
READING = "a possible other reading: the paper does not tell how many parts"


def coarse_themis_rows(meshes: Sequence[str]) -> list[ComparisonRow]:
    """Figure 16: Themis with four chunks on these meshes, and on two larger ones."""
    (printed,) = (one for one in item_figures("figure16") if one.method == "themis")
    names = dict.fromkeys([*meshes, *(f"Mesh({side},{side},{side})" for side in SIDES)])
    rows = []
    for name in names:
        share = baseline_share("themis", tacos_system("figure16", name), PARTS)
        row = compare_figure(printed, f"{PARTS} chunks, of the ideal", share, READING)
        rows.append(replace(row, subject=name))
    return rows


def small_themis_row(torus: str) -> ComparisonRow:
    """Figure 16: Themis with 64 chunks on little data, of which we take 1 MB."""
    (printed,) = (one for one in item_figures("figure16") if one.method.endswith("small data"))
    system = replace(tacos_system("figure16", torus), size=SMALL)
    share = baseline_share("themis", system, 64)
    row = compare_figure(printed, "64 chunks of 1 MB, of the ideal", share, UNTOLD)
    return replace(row, subject=torus)


def coarse_ccube_row(boxes: Sequence[TacosSystem]) -> ComparisonRow:
    """Figure 17(b): C-Cube with four parts, on average over the sizes of data of `boxes`."""
    (printed,) = (one for one in item_figures("figure17b") if one.method == "ccube")
    shares = [baseline_share("ccube", box, PARTS) for box in boxes]
    mean = sum(shares, Fraction()) / len(shares)
    return compare_figure(printed, f"{PARTS} parts, of the ideal", mean, READING)


def baseline_share(baseline: str, system: TacosSystem, parts: int) -> Fraction:
    """What a baseline with the data in `parts` parts reaches of the ideal.

    >>> box = tacos_system("figure17b", "DGX1")
    >>> [round(float(baseline_share("ccube", box, parts)), 2) for parts in (4, 64)]
    [0.33, 0.56]
    """
    found = time_baseline(
        baseline, system.topology, system.size, system.units, name=system.subject, parts=parts
    )
    return ideal_allreduce(system.topology, system.size, system.units) / found.seconds
