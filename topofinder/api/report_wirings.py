"""What a report of one size draws: its wirings, their roots, steps and trees of an allgather."""

from collections.abc import Sequence
from dataclasses import replace

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from expansions.schedule_files.saved import SavedSchedule
from generators.cyclic_order import cyclic_order
from generators.topology import Topology
from reports.size_report import (
    CIRCLE,
    TIMED,
    Point,
    StepsDrawing,
    TimesDrawing,
    TreesDrawing,
    WiringDrawing,
)
from reports.units import size_words
from reports.workload_rating import WorkloadRating
from topofinder.api.draw import line_root, wants_root
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.timetables.portfolio import synthesize
from topofinder.timetables.task import TimedTask

STEPPED = 64
"""Largest number of hosts whose steps are drawn."""
MOST_HOSTS, MOST_TREES = 32, 2
"""Largest number of hosts whose trees are made and drawn, and how many of a root's."""
MOST_ARCS, MOST_SENDS = 12, 160
"""How much of a timetable is drawn."""


def wiring_drawing(point: Point) -> WiringDrawing:
    """The graph of a candidate, with a bottleneck and its root where they are drawn."""
    recipe = parse(point.row.recipe)
    graph = build(recipe)
    wiring = _plain_drawing(point.mark, graph)
    if graph.n > CIRCLE:
        return wiring
    best = find_optimum(Network.of(graph))
    wiring = replace(wiring, inside=tuple(best.cut.tolist()), exiting=int(best.exiting))
    if not wants_root(recipe, graph):
        return wiring
    root = line_root(recipe)
    return replace(wiring, root=_plain_drawing(point.mark, build(root)), root_name=str(root))


def _plain_drawing(mark: str, graph: Topology) -> WiringDrawing:
    order = cyclic_order(graph) if graph.n <= CIRCLE else None
    around = None if order is None else order.around
    return WiringDrawing(mark=mark, n=graph.n, tail=graph.tail, head=graph.head, around=around)


def steps_drawing(point: Point, wirings: Sequence[WiringDrawing]) -> StepsDrawing | None:
    """The steps of an allgather by BFB on a wiring that is drawn; None for many or single hosts."""
    from topofinder.api.shared.drawings import schedule_title, step_loads

    drawn = next((wiring for wiring in wirings if wiring.mark == point.mark), None)
    if drawn is None or not 1 < point.row.n <= STEPPED:
        return None
    graph = build(parse(point.row.recipe))
    saved = SavedSchedule(
        topology=graph, schedule=bfb_schedule(graph), recipe=point.row.recipe, method="bfb"
    )
    return StepsDrawing(wiring=drawn, title=schedule_title(saved), loads=step_loads(saved))


def trees_of_best(point: Point) -> TreesDrawing | None:
    """Trees in which an allgather spreads the shard of host 0; None for many or single hosts."""
    from topofinder.api.shared.tree_drawings import first_trees

    if not 1 < point.row.n <= MOST_HOSTS:
        return None
    forest = make_forest(build(parse(point.row.recipe)), ForestOptions())
    trees, words = first_trees(forest, MOST_TREES)
    return TreesDrawing(mark=point.mark, words=words, trees=tuple(trees))


def chosen_times(mark: str, rating: WorkloadRating) -> TimesDrawing | None:
    """The timetable that a rating by one stands for, made again; None for many hosts and others."""
    from topofinder.api.shared.timetable_drawings import first_sends

    row, _ = rating.parts[0] if len(rating.parts) == 1 else (None, 0)
    if row is None or not row.method.startswith("timed") or row.question.n > TIMED:
        return None
    asked, graph = row.question, build(parse(row.recipe))
    task = TimedTask(
        topology=graph,
        collective=Collective(asked.collective),
        size=asked.size,
        units=LinkUnits(latency=asked.alpha, rate=asked.bandwidth / graph.degree),
        model=TimeModel(asked.model),
        tries=1,
    )
    timetable = synthesize(task, beat=row.seconds).timetable
    if timetable.seconds != row.seconds:
        return None
    arcs, sends, words = first_sends(timetable, MOST_ARCS, MOST_SENDS)
    told = f"{timetable.collective} of {size_words(asked.size)} by {row.method}: {words}"
    return TimesDrawing(
        mark=mark, words=told, seconds=timetable.seconds, arcs=tuple(arcs), sends=tuple(sends)
    )
