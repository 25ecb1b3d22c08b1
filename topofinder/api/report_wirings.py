"""What a report of one size draws: its wirings, their roots, and the steps of an allgather."""

from collections.abc import Sequence
from dataclasses import replace

from expansions.build import build
from expansions.parser import parse
from expansions.schedule_files.saved import SavedSchedule
from generators.cyclic_order import cyclic_order
from generators.topology import Topology
from reports.size_report import CIRCLE, Point, StepsDrawing, WiringDrawing
from topofinder.api.draw import line_root, wants_root
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.schedules.bfb.schedule import bfb_schedule

STEPPED = 64
"""Largest number of hosts whose steps are drawn."""


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
