"""The wirings of a report of one size: as graphs, by their roots, step by step, by trees."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from reports.pages.document import Block, Plot
from reports.size_report import (
    TIMED,
    SizeReport,
    StepsDrawing,
    TimesDrawing,
    TreesDrawing,
    WiringDrawing,
)
from reports.units import time_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reports.plots.graphs import GraphShape

BESIDE = 2
"""Steps beside one another; with more their letters would be smaller than a page's may be."""


def wiring_blocks(report: SizeReport) -> Iterator[Block]:
    """A picture of each recommended wiring; steps and trees of an allgather on the best one."""
    if not report.wirings:
        yield f"{report.n} hosts are too many to draw."
    for wiring in report.wirings:
        recipe = report.point(wiring.mark).brief
        caption = f"{wiring.mark}: {recipe}, {len(wiring.tail)} arcs{_bottleneck(wiring)}"
        draw = partial(_drawing, wiring, recipe)
        yield Plot(name=f"wiring-{wiring.mark}", caption=caption, draw=draw)
        if wiring.root is not None:
            caption = (
                f"{wiring.mark} by its root {wiring.root_name}: hosts are its arcs, and send to "
                "those that begin where they end"
            )
            draw = partial(_root_drawing, wiring.root, wiring.root_name)
            yield Plot(name=f"root-{wiring.mark}", caption=caption, draw=draw)
    if report.steps is not None:
        mark, count = report.steps.wiring.mark, len(report.steps.loads)
        caption = (
            f"{mark}: what each arc, from a row's host to a column's, carries in the {count} steps "
            "of an allgather by BFB"
        )
        yield Plot(name="steps", caption=caption, draw=partial(_steps_drawing, report.steps))

    if report.trees is not None:
        caption = (
            f"{report.trees.mark}: {report.trees.words}, of an allgather by forest; each spreads "
            "its parts of the root's shard at once with all other trees"
        )
        yield Plot(name="trees", caption=caption, draw=partial(_trees_drawing, report.trees))
    if report.times is not None:
        caption = (
            f"{report.times.mark}: {report.times.words}, {time_text(report.times.seconds)} in all; "
            "a stretch is as long as a chunk keeps its arc busy"
        )
        yield Plot(name="timetable", caption=caption, draw=partial(_times_drawing, report.times))
    yield from _undrawn(report)


def _undrawn(report: SizeReport) -> Iterator[str]:
    """Why trees or the chosen timetable are not here, and what draws them."""
    if report.trees is None and report.wirings and report.n > 1:
        yield (
            f"Trees of an allgather are not drawn here for {report.n} hosts, whose rows would be "
            "closer than letters: topofinder schedule RECIPE --method forest -o trees.npz, then "
            "topofinder draw trees.npz -o trees.svg draws the first of them."
        )
    timed = report.chosen is not None and report.chosen.method.startswith("timed")
    if timed and report.n > TIMED:
        yield (
            f"The quickest timetable is not drawn here: of {report.n} hosts it has more "
            "arcs and sends than a page shows. topofinder schedule RECIPE --method timed -o "
            "times.npz, with the workload, then topofinder draw times.npz -o times.svg draws its "
            "first ones, and with --view loads all of its arcs."
        )


def _bottleneck(wiring: WiringDrawing) -> str:
    if not wiring.inside:
        return ""
    return (
        f"; a bottleneck is shaded: what {len(wiring.inside)} hosts hand on leaves over "
        f"{wiring.exiting} arcs, so that no allgather takes less than {wiring.least_bandwidth} M/B"
    )


def _shape(wiring: WiringDrawing) -> "GraphShape":
    from reports.plots.graphs import GraphShape

    return GraphShape(n=wiring.n, tail=wiring.tail, head=wiring.head, around=wiring.around)


def _drawing(wiring: WiringDrawing, recipe: str) -> "Figure":
    from reports.plots.drawing import drawing_figure

    return drawing_figure(f"{wiring.mark} {recipe}", _shape(wiring), wiring.inside)


def _root_drawing(root: WiringDrawing, name: str) -> "Figure":
    from reports.plots.roots import root_figure

    return root_figure(f"{root.mark}: hosts are the arcs of {name}", _shape(root))


def _steps_drawing(drawn: StepsDrawing) -> "Figure":
    from reports.plots.arc_loads import step_name, steps_figure

    names = [step_name(step, load) for step, load in enumerate(drawn.loads, 1)]
    return steps_figure(
        drawn.title, _shape(drawn.wiring), drawn.loads, names, matrix=True, columns=BESIDE
    )


def _trees_drawing(drawn: TreesDrawing) -> "Figure":
    from reports.plots.trees import trees_figure

    return trees_figure(f"{drawn.mark}: {drawn.words}", drawn.trees, columns=1)


def _times_drawing(drawn: TimesDrawing) -> "Figure":
    from reports.plots.figure import WIDTH
    from reports.plots.gantt import gantt_figure

    title = f"{drawn.mark}: sends by arc and time"
    return gantt_figure(title, drawn.arcs, drawn.sends, width=WIDTH, letters=8)
