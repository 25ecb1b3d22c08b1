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
    figure17b_rows,
    item_figures,
    table5_rows,
)
from topofinder.api.reproduce.tacos_systems import (
    SystemTimes,
    narrow_system,
    tacos_system,
    time_rows,
    time_system,
    time_tacos,
)
from topofinder.timetables.ideal import ideal_allreduce

TABLE5 = {f"RFS(2,4,{boxes})": 8 * boxes for boxes in (2, 4, 8, 16)}
FIGURE15 = {"Dragonfly(4,5)": 20, "Switch2D(8,4)": 32, "RFS(2,4,8)": 64}
FIGURE18 = {"Mesh(10,10)": 100, "Torus(5,5,5)": 125, "Mesh(5,5,5)": 125}
"""The systems by their numbers of hosts."""
UNTOLD = "the paper does not tell its size"


def tacos_table5(sources: Sources) -> ReproductionRecord:
    """Table V: baselines on 3D-RFS over TACOS; 16 and 32 hosts unless asked for up to 128."""
    rows: list[ComparisonRow] = []
    for subject in sources.each(_choose_systems("tacos-table5", sources, TABLE5, (16, 32))):
        system = tacos_system("table5", subject)
        times = time_system(system)
        for row in table5_rows({subject: times.tacos}):
            is_ideal = row.quantity.startswith("ideal")
            rows.append(replace(row, note=times.remark) if is_ideal else row)
        rows += time_rows(times)
        narrow = narrow_system(system)
        ideal = ideal_allreduce(narrow.topology, GIGABYTE, narrow.units)
        (printed,) = (
            one for one in item_figures("table5")
            if (one.subject, one.method) == (subject, "ideal")
        )  # fmt: skip
        row = compare_figure(printed, "time over that of TACOS", ideal / time_tacos(narrow))
        rows.append(replace(row, subject=narrow.subject, note="a possible other reading"))
    return _record("tacos-table5", "Table V of TACOS: allreduce of 1 GB on 3D-RFS", rows)


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
    rows += [_share_row(one) for one in found]
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
    rows.append(_speedup("figure16_speedup", found, "themis"))
    rows += [row for one in found for row in time_rows(one)]
    title = "Figure 16 of TACOS: allreduce of 1 GB in three dimensions"
    return _record("tacos-figure16", title, rows)


def tacos_figure17(sources: Sources) -> ReproductionRecord:
    """Figure 17: torus and mesh of two dimensions, of 64 hosts unless other squares are given.

    Beside them a DGX-1.
    """
    names = _grids("tacos-figure17", sources.sizes or (64,), 2)
    rivals = dict.fromkeys(names, ("ring", "themis", "multitree")) | {"DGX1": ("ring", "ccube")}
    *grids, box = (
        time_system(tacos_system(_item17(subject), subject), rivals[subject])
        for subject in sources.each(list(rivals))
    )
    rows = [row for one in grids for row in _shares("figure17a", one)]
    rows.append(_speedup("figure17a_speedup", grids, "multitree"))
    rows += [*figure17b_rows(), *_shares("figure17b", box)]
    rows.append(_speedup("figure17b_speedup", [box], "ccube"))
    rows += [row for one in (*grids, box) for row in time_rows(one)]
    title = "Figure 17 of TACOS: allreduce of 1 GB in two dimensions and on a DGX-1"
    return _record("tacos-figure17", title, rows)


def tacos_figure18(sources: Sources) -> ReproductionRecord:
    """Figure 18: torus and meshes of 100 and 125 hosts."""
    subjects = _choose_systems("tacos-figure18", sources, FIGURE18, (100, 125))
    found = [
        time_system(tacos_system("figure18", subject), ("ring", "multitree", "themis"))
        for subject in sources.each(subjects)
    ]
    shares = [one.ideal / one.tacos for one in found]
    rows = [_average("figure18", "of the ideal", shares, len(found) == len(FIGURE18))]
    rows += [_share_row(one) for one in found]
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
    row = compare_figure(printed, quantity, sum(values, Fraction()) / len(values))
    if is_whole:
        return row
    return replace(row, subject="mean of the systems below", published=None)


def _item17(subject: str) -> str:
    return "figure17b" if subject == "DGX1" else "figure17a"


def _speedup(item: str, found: Sequence[SystemTimes], baseline: str) -> ComparisonRow:
    """How many times as fast as a baseline TACOS is, on average over systems."""
    (printed,) = item_figures(item)
    ratios = [one.baselines[baseline] / one.tacos for one in found]
    row = compare_figure(printed, "times as fast", sum(ratios, Fraction()) / len(ratios))
    return replace(row, subject=", ".join(one.system.subject for one in found))


def _share_row(times: SystemTimes) -> ComparisonRow:
    """What TACOS reaches of the ideal on one system."""
    return ComparisonRow(
        subject=times.system.subject,
        quantity="tacos, of the ideal",
        unit="",
        ours=exactly(times.ideal / times.tacos),
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
        is_new = shape != "DGX1" or one.method == "tacos"  # its baselines have rows already
        if one.subject.startswith(shape) and one.method in seconds and is_new:
            note = "1 GB; printed: all sizes" if shape == "DGX1" else UNTOLD
            share = times.ideal / seconds[one.method]
            row = compare_figure(one, "of the ideal", share, note)
            yield replace(row, subject=times.system.subject)
