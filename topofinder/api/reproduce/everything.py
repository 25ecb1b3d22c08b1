"""`topofinder reproduce --all`: every table and figure, and a page of every printed value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from time import process_time
from typing import Any

from generators import quantities
from reports.pages.files import require_document_place, write_document
from reports.reproduced import ComparisonRow, ReproductionRecord
from reports.reproduced_page import (
    DIFFERS,
    AllReproductions,
    ReproducedItem,
    all_document,
    all_fields,
    all_text,
    verdict_of,
)
from topofinder.api.reproduce.register import (
    REPRODUCTIONS,
    reproduce_named,
    reproduction_name,
    shared_database,
)
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.places import check_places
from topofinder.api.shared.workloads import read_seconds
from topofinder.dispatch.kernel import expect_long_work, kernel_named
from topofinder.forests.clock import TellLine, tell_nobody
from topofinder.interrupts import end_early, is_ending_between

QUICK_SIZES: dict[str, tuple[int, ...]] = {
    "figure7": (900,),
    "figure15": (32, 64),
    "figure18": tuple(range(5, 50)),
    "tacos-table5": (16,),
    "tacos-figure2": (9,),
    "tacos-figure15": (20,),
    "tacos-figure16": (8,),
    "tacos-figure17": (9,),
    "tacos-figure18": (100,),
    "tacos-figure19": (64,),
}
"""Sizes with `quick`, of those that take some."""
QUICK_GAP, QUICK_SECONDS = Fraction(3, 5), 0.01
"""Of throughputs with `quick`: intervals are then wide, not wrong."""
LARGE = {"forest-table3": (64, 1024), "table6": (4, 8, 9, 16, 25, 32, 36, 64, 1024, 2500)}
"""Sizes of what stays small unless it is asked for, without `quick`."""
COMPILED = (
    "topofinder.alltoall.solver.colour_kernels:mix_hops",
    "topofinder.alltoall.solver.colour_kernels:refine_colours",
    "topofinder.alltoall.solver.flow_kernels:split_evenly",
    "topofinder.forests.packing.exact_kernels:grow_spanning_tree",
    "topofinder.forests.packing.exchange_kernels:exchange_arcs",
    "topofinder.forests.packing.height_kernels:reduce_heights",
    "topofinder.simulation.timetable_kernels:play_sends",
    "topofinder.timetables.event_kernels:match_random",
    "topofinder.timetables.event_kernels:match_wanted",
    "topofinder.timetables.list_schedule_kernels:run_tasks",
)
"""Kernels that all items together have compiled: to interpret them first takes four seconds."""
_RING = "our ring goes both ways round, direct messages take shortest paths; theirs is not told"
_SHARES = "follows from the shares of systems whose sizes and data are not told"
WHY: dict[tuple[str, str, str], str] = {
    ("figure7", "", ""): "printed is a mean over all N from 900 to 1000, ours over few",
    ("figure9", "", ""): "the paper's compute times are not printed; 60 TFLOPS are assumed",
    ("figure14", "fit", "B"): "printed is about 79 Gbps; 1.018e-4 us/byte are 78.59",
    ("figure15", "paper", ""): "printed is of all N up to 2000; --n takes them",
    ("figure15", "all", ""): "with families that are newer than the paper",
    ("tacos-table5", "", ""): f"table V does not tell its fabric whole: {_RING}",
    ("tacos-figure2", "", ""): _RING,
    ("tacos-figure15", "", ""): _SHARES,
    ("tacos-figure16", "", ""): _SHARES,
    ("tacos-figure17", "", ""): _SHARES,
    ("tacos-figure18", "", ""): _SHARES,
}
"""Why ours differ where no row says so: item, starts of subject and quantity."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EveryReproduction(Answer):
    """All tables and figures, ours beside the published values."""

    found: AllReproductions

    def summary(self) -> dict[str, Any]:
        """How many items and values there are."""
        items = self.found.items
        return {"items": len(items), "rows": sum(len(item.found.rows) for item in items)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `reproduce --all --json` prints."""
        return {"rows": all_fields(self.found)}

    def __str__(self) -> str:
        return all_text(self.found)


def reproduce_all(
    *,
    quick: bool = False,
    out: str | PathLike[str] | None = None,
    gap: Fraction | float = Fraction(1, 100),
    time: float | str = 15.0,
    db: str | PathLike[str] = ":memory:",
    names: Sequence[str] | None = None,
    tell: TellLine | None = None,
) -> EveryReproduction:
    """Work out every table and figure, and write a page (.html, .md, or a folder) to `out`.

    With `quick` sizes are small, and throughputs intervals as wide as their bounds. `gap` and
    `time` are as in `reproduce`, for each item; `names` chooses some of them. Raises InvalidInput
    where `out` cannot be written. Ctrl-C leaves the items that are worked out; the others are
    named as left out.

    >>> reproduce_all(quick=True, out="page.md").found.items[0].found.name  # doctest: +SKIP
    'table4'
    """
    target = None if out is None else Path(out)
    check_places(None if str(db) == ":memory:" else db, target)
    if target is not None:
        require_document_place(target)
    close = QUICK_GAP if quick else quantities.part(gap, "--gap")
    seconds = QUICK_SECONDS if quick else read_seconds(time)
    sizes = QUICK_SIZES if quick else LARGE
    items: list[ReproducedItem] = []
    told = tell or tell_nobody
    wanted = tuple(REPRODUCTIONS) if names is None else tuple(map(reproduction_name, names))
    if names is None:
        for kernel in COMPILED:
            expect_long_work(kernel_named(kernel))
    with shared_database(db) as shared, end_early(between=True):
        for place, name in enumerate(wanted, 1):
            begun = process_time()
            try:
                if items and is_ending_between():
                    raise KeyboardInterrupt
                told(f"{place} of {len(wanted)}: {name}")
                made = reproduce_named(name, shared, sizes=sizes.get(name), gap=close, time=seconds)
            except KeyboardInterrupt:
                if not (items and is_ending_between()):
                    raise
                items += map(_interrupted_item, wanted[place - 1 :])
                break
            items.append(
                ReproducedItem(found=explain_differences(made), seconds=process_time() - begun)
            )
    found = AllReproductions(items=tuple(items), quick=quick)
    if target is not None:
        write_document(all_document(found), target, ("html", "md", "csv"))
    return EveryReproduction(found=found)


def _interrupted_item(name: str) -> ReproducedItem:
    """An item that Ctrl-C left out."""
    nothing = ReproductionRecord(name=name, title=name, rows=())
    return ReproducedItem(found=nothing, seconds=0.0, left_out="interrupted")


def explain_differences(made: ReproductionRecord) -> ReproductionRecord:
    """The same with a note on every row that differs and has none, where a reason is known."""
    rows = tuple(
        replace(row, note=_reason(made.name, row)) if verdict_of(row) == DIFFERS else row
        for row in made.rows
    )
    return replace(made, rows=rows)


def _reason(item: str, row: ComparisonRow) -> str:
    """The row's own note, or a known reason; of ratios (x ours) both."""
    if row.note and (";" in row.note or not row.note.startswith("x ours")):
        return row.note
    for (name, start, what), why in WHY.items():
        if name == item and row.subject.startswith(start) and row.quantity.startswith(what):
            return f"{row.note}; {why}" if row.note else why
    return row.note
