"""The report of one size as a document: words, plots, tables."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from expansions.cost import Cost
from reports.bounds import FREE_PORT, free_ports_of, source_words
from reports.pages.document import Block, Document, PageColumn, Plot, Section, Table, TableRow
from reports.size_failures import failure_blocks
from reports.size_limits import limit_blocks, mapped_blocks
from reports.size_plans import plan_blocks
from reports.size_ratings import rated_blocks
from reports.size_report import Point, Rival, SizeReport
from reports.size_trainings import training_blocks
from reports.size_wirings import wiring_blocks
from reports.size_words import cost_words, recommendation, subject_words, workload_words
from reports.text import cut_text
from reports.units import down_text, size_words, up_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reports.plots.times import Curve

CURVES = 3
"""Baselines that are drawn as curves: the quickest ones."""
LABEL = 36
"""Letters of a recipe in a legend."""


def size_document(report: SizeReport) -> Document:
    """The document."""
    title = f"topofinder: {subject_words(report)}"
    return Document(
        title=title,
        sections=(
            Section(title="Recommendation", blocks=tuple(recommendation(report))),
            Section(title="Frontier", blocks=(_frontier_plot(report), *_tables(report))),
            Section(title="What no allreduce beats", blocks=tuple(limit_blocks(report))),
            Section(title="Time against size", blocks=(_times_plot(report), _reaches(report))),
            Section(title="Time by the best method", blocks=tuple(rated_blocks(report))),
            Section(title="After a failure", blocks=tuple(failure_blocks(report))),
            Section(title="Training", blocks=tuple(training_blocks(report))),
            Section(title="Baselines", blocks=(_baselines(report), *mapped_blocks(report))),
            Section(title="Wirings", blocks=tuple(wiring_blocks(report))),
            Section(title="Patch moves", blocks=tuple(plan_blocks(report))),
        ),
    )


def _frontier_plot(report: SizeReport) -> Plot:
    def draw() -> "Figure":
        from reports.plots.frontier import Series, frontier_figure

        def costs(points: Sequence[Point]) -> list[tuple[str, Cost]]:
            return [(point.mark, point.row.allgather) for point in points]

        rivals = [(one.mark, one.allgather) for one in report.rivals if one.allgather is not None]
        series = [
            Series(label="frontier (F)", points=costs(report.frontier), joined=True),
            Series(label="published method (P)", points=costs(report.published), joined=True),
            Series(label="baselines (B)", points=rivals),
        ]
        return frontier_figure(subject_words(report), series, report.bound)

    caption = (
        "T_L against T_B of an allgather, with the lower bounds; the marks are those of the tables"
    )
    return Plot(name="frontier", caption=caption, draw=draw, web=partial(_web_frontier, report))


def _web_frontier(report: SizeReport) -> str:
    """The same for web pages: marks lead to their rows."""
    from reports.pages.cost_plot import CostPoint, CostSeries, cost_plot

    def points(some: Sequence[tuple[str, Cost]]) -> list[CostPoint]:
        return [
            CostPoint(mark=mark, cost=cost, row=mark, words=f"{mark}: {cost_words(cost)}")
            for mark, cost in some
        ]

    ours = [(point.mark, point.row.allgather) for point in report.frontier]
    theirs = [(point.mark, point.row.allgather) for point in report.published]
    rivals = [(one.mark, one.allgather) for one in report.rivals if one.allgather is not None]
    series = [
        CostSeries(label="frontier (F)", points=points(ours), joined=True),
        CostSeries(label="published method (P)", points=points(theirs), joined=True),
        CostSeries(label="baselines (B)", points=points(rivals)),
    ]
    return cost_plot(series, report.bound, f"T_L against T_B, {subject_words(report)}")


def _times_plot(report: SizeReport) -> Plot:
    def draw() -> "Figure":
        from reports.plots.times import times_figure

        curves = [*_curves(report), *map(_rival_curve, report.rivals[:CURVES])]
        asked = report.asked
        crossings = [reach.least for reach in report.reaches if reach.least]
        title = f"{asked.collective}, {subject_words(report)}"
        return times_figure(title, curves, report.least, asked.alpha, asked.bandwidth, crossings)

    caption = (
        f"Time of the {report.asked.collective} against its size, and below it over the lower "
        "bound; upright lines: another candidate becomes the quickest"
    )
    return Plot(name="times", caption=caption, draw=draw)


def _curves(report: SizeReport) -> "Iterator[Curve]":
    """Those that are the quickest at some size, and the published method's best."""
    from reports.plots.times import Curve

    named = [*(reach.mark for reach in report.reaches), report.best]
    points = [report.point(mark) for mark in dict.fromkeys(named)]
    theirs = report.quickest(report.published)
    by_id: dict[str, list[Point]] = {}
    for point in [*points, *([theirs] if theirs else [])]:
        by_id.setdefault(point.row.id, []).append(point)
    for some in by_id.values():
        marks = ", ".join(point.mark for point in some)
        label = cut_text(f"{marks} {some[0].row.recipe}", LABEL)
        yield Curve(label=label, costs=[report.asked.cost(some[0].row)])


def _rival_curve(one: Rival) -> "Curve":
    from reports.plots.times import Curve

    label = cut_text(f"{one.mark} {one.row.recipe}, {one.row.name}", LABEL)
    return Curve(label=label, costs=one.costs, baseline=True)


COSTS = (
    PageColumn(name="mark"),
    PageColumn(name="recipe"),
    PageColumn(name="T_L", unit="alpha"),
    PageColumn(name="T_B", unit="M/B"),
    PageColumn(name="T_B exact", unit="M/B"),
    PageColumn(name="RS T_L", unit="alpha"),
    PageColumn(name="RS T_B exact", unit="M/B"),
    PageColumn(name="diameter", unit="hops"),
    PageColumn(name="time", unit="us"),
    PageColumn(name="f at least", unit="links"),
    PageColumn(name="f at most", unit="links"),
    PageColumn(name="cost"),
    PageColumn(name="stored"),
)


def _tables(report: SizeReport) -> Iterator[Block]:
    kind, size = report.asked.collective, (report.n, report.d, report.links)
    yield (
        "T_L and T_B are those of an allgather, RS those of a reduce-scatter; the time is that of "
        f"the workload ({workload_words(report.asked)}). f is the all-to-all rate of every pair of "
        "hosts, in rates of one link, where the database has it. The row id is "
        "candidates.id; what is not stored was worked out for this report."
    )
    yield _points("frontier-rows", "The frontier", report, report.frontier)
    if report.left_out.words:
        yield f"{report.left_out.words}."
    if report.others:
        caption = f"Not on the allgather frontier, but the quickest {kind} at some size"
        yield _points("other-rows", caption, report, report.others)
    yield _points("published-rows", "The published method's frontier", report, report.published)
    bound = TableRow(
        cells=(str(report.bound.steps), *_share(report.bound), _micro(report, report.least))
    )
    names = [*COSTS[2:5], PageColumn(name=f"{kind} time", unit="us")]
    yield Table(name="bounds", caption="Lower bounds", columns=tuple(names), lines=(bound,))
    yield f"Sources of the bounds: {source_words(*size, report.bound.steps)}."
    if free_ports_of(*size):
        yield f"{FREE_PORT}."


def _points(name: str, caption: str, report: SizeReport, points: Sequence[Point]) -> Table:
    return Table(
        name=name,
        caption=caption,
        columns=COSTS,
        lines=tuple(
            TableRow(cells=_cells(report, point), key=point.row.id, anchor=point.mark)
            for point in points
        ),
    )


def _cells(report: SizeReport, point: Point) -> tuple[str, ...]:
    row, rate = point.row, point.rate
    return (
        point.mark,
        point.label,
        str(row.steps),
        *_share(row.allgather),
        str(row.rs_steps),
        str(row.rs_bandwidth),
        "" if row.diameter is None else str(row.diameter),
        _micro(report, report.asked.cost(row)),
        "" if rate is None else down_text(rate.lower),
        "" if rate is None else up_text(rate.upper),
        f"{'exact' if row.exact else 'at most'}, {row.method}",
        "yes" if point.stored else "no",
    )


def _share(cost: Cost) -> tuple[str, str]:
    return f"{float(cost.bandwidth):.4f}", str(cost.bandwidth)


def _micro(report: SizeReport, cost: Cost) -> str:
    return f"{float(10**6 * report.asked.seconds(cost)):.1f}"


def _reaches(report: SizeReport) -> Table:
    lines = []
    for reach in report.reaches:
        point = report.point(reach.mark)
        most = "any" if reach.most is None else size_words(reach.most)
        cost = report.asked.cost(point.row)
        cells = (size_words(reach.least), most, point.mark, point.brief)
        share = str(cost.bandwidth)
        lines.append(TableRow(cells=(*cells, str(cost.steps), share), key=point.row.id))
    return Table(
        name="crossovers",
        caption=f"The quickest {report.asked.collective} by size",
        columns=(
            PageColumn(name="from", unit="bytes"),
            PageColumn(name="to", unit="bytes"),
            *COSTS[:2],
            PageColumn(name="steps", unit="alpha"),
            PageColumn(name="bandwidth", unit="M/B"),
        ),
        lines=tuple(lines),
    )


def _baselines(report: SizeReport) -> Block:
    if not report.rivals:
        return "No baseline has this size and degree, and a schedule for the collective."
    kind = report.asked.collective
    return Table(
        name="baselines",
        caption=f"Customary wirings with their own schedules, {kind}",
        columns=(
            *COSTS[:2],
            PageColumn(name="baseline"),
            PageColumn(name="allgather T_L", unit="alpha"),
            PageColumn(name="allgather T_B", unit="M/B"),
            PageColumn(name="allgather T_B exact", unit="M/B"),
            PageColumn(name=f"{kind} time", unit="us"),
        ),
        lines=tuple(TableRow(cells=_baseline_cells(one), anchor=one.mark) for one in report.rivals),
    )


def _baseline_cells(one: Rival) -> tuple[str, ...]:
    known = ("", "", "")
    if one.allgather is not None:
        known = (str(one.allgather.steps), *_share(one.allgather))
    seconds = "" if one.row.seconds is None else f"{float(10**6 * one.row.seconds):.1f}"
    return one.mark, one.row.recipe, one.row.name, *known, seconds
