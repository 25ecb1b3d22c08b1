"""The section of a report on times by size for the best schedule method of each member."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from reports.pages.document import Block, PageColumn, Plot, Table, TableRow
from reports.size_report import RatedTime, SizeReport
from reports.size_words import rates_words, subject_words
from reports.text import cut_text
from reports.units import size_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABEL = 36
"""Letters of a recipe in a legend."""


def rated_blocks(report: SizeReport) -> Iterator[Block]:
    """A paragraph, the plot and the table; where nothing is stored, a sentence that says so."""
    asked = report.asked
    if not report.rated:
        yield (
            f"No {asked.collective} at {rates_words(asked)} is rated for this frontier in the "
            f"{report.model} model (topofinder report --methods bfb,timed,forest)."
        )
        return
    yield (
        f"Best of {', '.join(_methods(report))}: the time of the {asked.collective} on each "
        f"candidate of the frontier by the quickest of these methods, in the {report.model} "
        f"model, at {rates_words(asked)}. A candidate off the frontier is listed where it is "
        "quicker than all of it. The bound is what no schedule on that candidate can beat."
    )
    yield Plot(name="best-times", caption=_caption(report), draw=lambda: _figure(report))
    yield _table(report)


def _methods(report: SizeReport) -> list[str]:
    named = [name for time in report.rated for name in time.rating.question.methods.split(",")]
    return list(dict.fromkeys(named))


def _caption(report: SizeReport) -> str:
    return (
        f"Time of the {report.asked.collective} by the best method on each candidate of the "
        "frontier, and below it over the lower bound, the least of theirs"
    )


def _figure(report: SizeReport) -> "Figure":
    from reports.plots.best_times import best_times_figure

    members = {point.mark: point.row.recipe for point in report.frontier}
    curves: dict[str, list[tuple[Fraction, Fraction]]] = {}
    bounds: dict[Fraction, Fraction] = {}
    for time in report.rated:
        if time.mark in members:
            size, bound = time.rating.question.size, time.rating.bound
            label = cut_text(f"{time.mark} {members[time.mark]}", LABEL)
            curves.setdefault(label, []).append((size, time.rating.seconds))
            bounds[size] = min(bounds.get(size, bound), bound)
    title = f"best {report.asked.collective}, {subject_words(report)}"
    return best_times_figure(title, curves, list(bounds.items()))


def _table(report: SizeReport) -> Table:
    return Table(
        name="best-times",
        caption=f"The best method by size, {report.asked.collective}",
        columns=(
            PageColumn(name="size", unit="bytes"),
            PageColumn(name="mark"),
            PageColumn(name="recipe"),
            PageColumn(name="method"),
            PageColumn(name="time", unit="us"),
            PageColumn(name="bound", unit="us"),
            PageColumn(name="gap", unit="%"),
        ),
        lines=tuple(TableRow(cells=_cells(time), key=time.key) for time in report.rated),
    )


def _cells(time: RatedTime) -> tuple[str, ...]:
    rating = time.rating
    return (
        size_words(rating.question.size),
        time.mark,
        rating.recipe,
        rating.method,
        f"{float(10**6 * rating.seconds):.1f}",
        f"{float(10**6 * rating.bound):.1f}",
        f"{float(100 * rating.gap):.1f}",
    )
