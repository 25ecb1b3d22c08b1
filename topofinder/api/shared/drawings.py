"""Nouns as pictures: what `draw` and an answer's `plot` show of a graph, a schedule, a plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from db.rows import CandidateRow, SizeRow
from expansions.compact_schedule import CompactSchedule
from expansions.cost import Cost
from expansions.schedule_files.saved import SavedSchedule
from generators.cyclic_order import cyclic_order
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import FloatArray, Topology
from reports.plots.picture import Picture
from topofinder.model.forest import Forest
from topofinder.model.inventory.document import Inventory
from topofinder.model.plan import Plan
from topofinder.model.timetable import Timetable
from topofinder.verification.plan_progress import wiring_before
from topofinder.verification.plan_reader import SavedPlan
from topofinder.verification.plans import replay_stages

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reports.plots.graphs import GraphShape

MOST_BLOCKS = 16
"""Orbits by which a matrix is ordered; with more its hosts stand by their numbers."""
MOST_ROWS = 1 << 22
"""Rows of a schedule whose loads are added up for a picture."""
MOST_CELLS = 1 << 22
"""Loads of a schedule's steps and arcs that are kept for one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedGraph:
    """A topology, and what it is called above its picture."""

    name: str
    topology: Topology


View = Callable[[Any], Picture]


def picture_of(noun: object, view: str | None = None) -> Picture:
    """The picture of a noun in one of its views, the first one unless told.

    Raises InvalidInput for a view that it has not, Unsupported for nouns without a picture.
    """
    views = next((views for kind, views in _VIEWS.items() if isinstance(noun, kind)), None)
    if views is None:
        raise Unsupported(f"plot: there is no picture of a {type(noun).__name__}")
    if view is not None and view not in views:
        raise InvalidInput(f"view: {excerpt(view)} is none of {', '.join(views)}")
    return views[view or next(iter(views))](noun)


def graph_shape(topology: Topology) -> "GraphShape":
    """The graph as it is drawn: so that a symmetry of it, where one is known, is seen."""
    from reports.plots.graphs import GraphShape

    order = cyclic_order(topology)
    by_orbit = order is not None and 1 < len(order.cycles) <= MOST_BLOCKS
    return GraphShape(
        n=topology.n,
        tail=topology.tail,
        head=topology.head,
        switches=topology.switches,
        around=None if order is None else order.around,
        blocks=order.blocks if order and by_orbit else None,
        block=order.cycles.shape[1] if order and by_orbit else None,
    )


def _graph_picture(noun: NamedGraph, matrix: bool | None = None) -> Picture:
    from reports.plots.drawing import drawing_figure

    shape = graph_shape(noun.topology)
    words = graph_words(noun.name, noun.topology)
    figure = drawing_figure(noun.name, shape, matrix=matrix)
    return Picture(title=noun.name, words=words, figure=figure)


def graph_words(name: str, topology: Topology) -> str:
    """What the picture of a graph shows."""
    return f"The graph {name}: {topology.n} nodes, {topology.arcs} arcs"


def _frontier_picture(found: SizeRow) -> Picture:
    from reports.plots.frontier import Series, frontier_figure

    row = found.frontier
    kept = {member.recipe for member in row.members}
    others = [one for one in found.pool or () if one.recipe not in kept]
    title = f"N = {row.n}, d = {row.d}, {row.links} links"
    series = [
        Series(label="frontier (F)", points=_mark_costs("F", row.members), joined=True),
        Series(label="other candidates (C)", points=_mark_costs("C", others)),
    ]
    bound = Cost(row.bound_steps, row.bound_bandwidth)
    members = ", ".join(f"F{mark} {one.recipe}" for mark, one in enumerate(row.members, 1))
    figure = frontier_figure(title, series, bound, "with the other candidates")
    words = f"Latency against bandwidth of an allgather, {title}: the frontier is {members}"
    return Picture(title=title, words=words, figure=figure)


def _mark_costs(letter: str, rows: "list[CandidateRow] | tuple[CandidateRow, ...]") -> Any:
    return [(f"{letter}{mark}", Cost(one.steps, one.bandwidth)) for mark, one in enumerate(rows, 1)]


def step_loads(saved: SavedSchedule) -> FloatArray:
    """Shards that every arc carries at every step, over its capacity; float64 (steps, arcs)."""
    schedule, graph = saved.schedule, saved.topology
    if schedule.rows > MOST_ROWS or schedule.steps * graph.arcs > MOST_CELLS:
        raise Unsupported(f"plot: {schedule.rows} rows in {schedule.steps} steps are too many")
    rows = schedule.expand(graph) if isinstance(schedule, CompactSchedule) else schedule
    cell = (rows.step.astype(np.int64) - 1) * graph.arcs + rows.arc
    sizes = (rows.end - rows.begin) / rows.denominator
    summed = np.asarray(np.bincount(cell, sizes, rows.steps * graph.arcs), np.float64)
    return _over_capacity(summed.reshape(rows.steps, graph.arcs), graph)


def _over_capacity(loads: FloatArray, graph: Topology) -> FloatArray:
    if graph.capacity is None:
        return loads
    return np.asarray(loads / np.array([float(one) for one in graph.capacity]))


def schedule_title(saved: SavedSchedule) -> str:
    """What stands above a schedule's pictures."""
    subject = saved.recipe or f"a topology of {saved.topology.n} nodes"
    return f"{saved.schedule.collective} on {subject}"


def _steps_picture(saved: SavedSchedule) -> Picture:
    from reports.plots.arc_loads import step_name, steps_figure

    loads, title = step_loads(saved), schedule_title(saved)
    names = [step_name(step, load) for step, load in enumerate(loads, 1)]
    words = f"{title} in {len(loads)} steps, the arcs that each one uses coloured by their load"
    figure = steps_figure(title, graph_shape(saved.topology), loads, names)
    return Picture(title=title, words=words, figure=figure)


def _loads_picture(title: str, graph: Topology, loads: FloatArray, unit: str) -> Picture:
    from reports.plots.arc_loads import loads_figure

    words = f"{title}: what each arc carries, at most {loads.max(initial=0):.6g} {unit}"
    figure = loads_figure(title, graph_shape(graph), loads, unit)
    return Picture(title=title, words=words, figure=figure)


def _schedule_loads(saved: SavedSchedule) -> Picture:
    loads = step_loads(saved).sum(axis=0)
    return _loads_picture(schedule_title(saved), saved.topology, loads, "shards in all steps")


def _trees_picture(forest: Forest) -> Picture:
    from topofinder.api.shared.tree_drawings import forest_title, trees_drawing

    shown, words = trees_drawing(forest)
    return Picture(title=forest_title(forest), words=words, figure=shown)


def _forest_loads(forest: Forest) -> Picture:
    from topofinder.api.shared.tree_drawings import forest_title, tree_loads

    loads = _over_capacity(tree_loads(forest), forest.topology)
    return _loads_picture(forest_title(forest), forest.topology, loads, "shards")


def _gantt_picture(timetable: Timetable) -> Picture:
    from topofinder.api.shared.timetable_drawings import gantt_drawing, timetable_title

    shown, words = gantt_drawing(timetable)
    return Picture(title=timetable_title(timetable), words=words, figure=shown)


def _timetable_loads(timetable: Timetable) -> Picture:
    from topofinder.api.shared.timetable_drawings import busy_parts, timetable_title

    title, graph = timetable_title(timetable), timetable.topology
    return _loads_picture(title, graph, busy_parts(timetable), "share of the time busy")


def _ports_picture(plan: Plan) -> Picture:
    from reports.plots.ports import port_matrix_figure

    title, words = _moves_words(plan.moves, plan.recipe or plan.subject, plan.frees, plan.kept)
    figure: Figure = port_matrix_figure(title, plan.before.to, plan.after.to, plan.fabric.host)
    return Picture(title=title, words=words, figure=figure)


def _saved_ports_picture(plan: SavedPlan) -> Picture:
    """The same of a plan that was read from a file: its rollback tells the wiring before it."""
    from reports.plots.ports import port_matrix_figure

    if (before := wiring_before(plan)) is None:
        raise InvalidInput("plot: the rollback of the plan does not lead back to where it begins")
    after = replay_stages(plan.fabric, before, plan.stages).after
    told = plan.fields
    words = _moves_words(told.moves, told.recipe or told.target, told.disconnects, told.kept)
    figure: Figure = port_matrix_figure(words[0], before.to, after.to, plan.fabric.host)
    return Picture(title=words[0], words=words[1], figure=figure)


def _panels_picture(inventory: Inventory) -> Picture:
    from topofinder.api.shared.inventory_drawings import panels_drawing

    shown, words = panels_drawing(inventory)
    return Picture(title="Positions of the panels", words=words, figure=shown)


def _hosts_picture(inventory: Inventory) -> Picture:
    from topofinder.api.shared.inventory_drawings import hosts_drawing

    shown, words = hosts_drawing(inventory)
    return Picture(title="Ports of the hosts", words=words, figure=shown)


def _moves_words(moves: int, target: str, frees: int, kept: int) -> tuple[str, str]:
    """The title of a plan's picture, and what it shows."""
    return f"{moves} moves to {target}", (
        f"The port matrix before and after {moves} moves: {frees} circuits are taken "
        f"out, {kept} of the target were in place"
    )


_VIEWS: Mapping[type, Mapping[str, View]] = {
    NamedGraph: {
        "graph": _graph_picture,
        "circle": lambda noun: _graph_picture(noun, matrix=False),
        "matrix": lambda noun: _graph_picture(noun, matrix=True),
    },
    SizeRow: {"frontier": _frontier_picture},
    SavedSchedule: {"steps": _steps_picture, "loads": _schedule_loads},
    Forest: {"trees": _trees_picture, "loads": _forest_loads},
    Timetable: {"times": _gantt_picture, "loads": _timetable_loads},
    Plan: {"ports": _ports_picture},
    SavedPlan: {"ports": _saved_ports_picture},
    Inventory: {"panels": _panels_picture, "hosts": _hosts_picture},
}
"""The views of each noun by name; the first one is drawn unless told."""
