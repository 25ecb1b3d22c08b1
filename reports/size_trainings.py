"""The section of a report on trainings that are stored for its size."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from db.training_rows import BASELINE, BOUND, CANDIDATE, StoredTraining, TrainingRow
from reports.pages.document import Block, PageColumn, Plot, Table, TableRow
from reports.size_report import SizeReport
from reports.text import cut_text
from reports.trace import read_timeline
from reports.training import share_words, sharing_name
from reports.units import rate_text, size_text, time_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_TRAININGS = 6
"""Trainings that are shown; of the rest the number is told."""
MOST_CURVES = 3
"""Candidates whose curve of bucket sizes is drawn, the quickest."""
LABEL = 20
"""Letters of a recipe beside a bar, or in a legend."""

COLUMNS = (
    PageColumn(name="wiring"),
    PageColumn(name="schedule"),
    PageColumn(name="iteration", unit="ms"),
    PageColumn(name="at least", unit="ms"),
    PageColumn(name="x best"),
    PageColumn(name="compute", unit="ms"),
    PageColumn(name="exposed", unit="ms"),
    PageColumn(name="all-to-all", unit="ms"),
    PageColumn(name="bucket", unit="bytes"),
)


def training_blocks(report: SizeReport) -> Iterator[Block]:
    """Words, three plots and a table for each training; where there is none, how to store one."""
    if not report.trainings:
        size = f"--n {report.n} --d {report.d} --links {report.links}"
        yield (
            "No training of a model is stored for this size (topofinder train --model MODEL "
            f"{size} --alpha TIME --bandwidth RATE)."
        )
        return
    for place, found in enumerate(report.trainings[:MOST_TRAININGS], 1):
        yield _words(found)
        yield from _plots(found, f"training-{place}")
        yield _table(found, f"training-{place}")
    more = len(report.trainings) - MOST_TRAININGS
    if more > 0:
        yield f"{more} more are stored (topofinder query --train MODEL)."


def _words(found: StoredTraining) -> str:
    best, asked = found.best, found.question
    links = f"alpha {time_text(asked.alpha)}, {rate_text(asked.bandwidth)} a host"
    compute = "compute times are measured"
    if found.estimate is not None:
        compute = f"compute times are estimates, {found.estimate}"
    bound = next((row for row in found.rows if row.kind == BOUND), None)
    ideal = f" The ideal bound is {time_text(bound.seconds[1])}." if bound else ""
    return (
        f"{asked.model}: {found.parameters:,} parameters, {float(found.units):g} {found.unit}s a "
        f"host and iteration, {links}; {compute}. The quickest wiring is {best.recipe}: "
        f"{time_text(best.seconds[1])} an iteration, {share_words(best)}.{ideal} Of "
        f"{found.considered} candidates exact bounds exclude {found.excluded}. The row id is "
        f"candidates.id; the training's is trainings.id = {asked.id}."
    )


def _plots(found: StoredTraining, name: str) -> Iterator[Plot]:
    model = found.question.model
    yield Plot(
        name=f"{name}-parts",
        caption=f"One iteration of {model} on each wiring, by its quickest schedule",
        draw=partial(_draw_parts, found),
    )
    if found.timeline is not None:
        yield Plot(
            name=f"{name}-timeline",
            caption=f"Timeline of one iteration of {model} on {found.best.recipe}",
            draw=partial(_draw_timeline, found, found.timeline),
        )
    if len(found.best.by_bucket) > 1:
        yield Plot(
            name=f"{name}-buckets",
            caption=f"Iteration of {model} against the size of gradient buckets",
            draw=partial(_draw_buckets, found),
        )


def _draw_parts(found: StoredTraining) -> "Figure":
    from reports.plots.training import TrainingBar, training_bars

    size = f"N = {found.question.n}, d = {found.question.d}"
    quickest: dict[str, TrainingRow] = {}
    for row in found.rows:
        quickest.setdefault(row.recipe, row)
    bars = [
        TrainingBar(
            size,
            cut_text(row.recipe, LABEL),
            (float(row.compute), float(row.exposed[1]), float(row.exchange[1])),
        )
        for row in quickest.values()
    ]
    parts = ("compute", f"exposed {sharing_name(found.best)}", "all-to-all")
    return training_bars(found.question.model, bars, parts)


def _draw_timeline(found: StoredTraining, timeline: str) -> "Figure":
    from reports.plots.timeline import timeline_figure

    title = f"{found.question.model} on {cut_text(found.best.recipe, LABEL)}"
    return timeline_figure(title, read_timeline(timeline))


def _draw_buckets(found: StoredTraining) -> "Figure":
    from reports.plots.buckets import buckets_figure

    curves = [(cut_text(row.recipe, LABEL), row.by_bucket) for row in _curve_rows(found)]
    title = f"{found.question.model}, N = {found.question.n}, d = {found.question.d}"
    return buckets_figure(title, curves)


def _curve_rows(found: StoredTraining) -> Iterator[TrainingRow]:
    """The bound, the quickest candidates, and the quickest baseline."""
    for kind, most in ((BOUND, 1), (CANDIDATE, MOST_CURVES), (BASELINE, 1)):
        yield from [row for row in found.rows if row.kind == kind][:most]


def _table(found: StoredTraining, name: str) -> Table:
    best = found.best
    return Table(
        name=name,
        caption=f"One iteration of {found.question.model}",
        columns=COLUMNS,
        lines=tuple(
            TableRow(cells=_cells(row, best), key=row.candidate or "") for row in found.rows
        ),
    )


def _cells(row: TrainingRow, best: TrainingRow) -> tuple[str, ...]:
    times = (row.seconds[1], row.seconds[0])
    parts = (row.compute, row.exposed[1], row.exchange[1])
    return (
        row.recipe,
        row.schedule,
        *(f"{float(10**3 * spent):.3f}" for spent in times),
        f"{float(row.seconds[1] / best.seconds[1]):.2f}",
        *(f"{float(10**3 * spent):.3f}" for spent in parts),
        "" if row.bucket is None else size_text(Fraction(row.bucket)),
    )
