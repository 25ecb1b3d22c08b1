"""What pictures show of timetables: sends by arc and time, and how busy arcs are."""

from typing import TYPE_CHECKING

import numpy as np

from generators.errors import Unsupported
from generators.topology import FloatArray, Int64Array
from reports.drawn_schedules import Stretch
from topofinder.model.timetable import Timetable, expand_timetable
from topofinder.simulation.timetable_use import hold_ticks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_SENDS = 1 << 20
"""Sends of all nodes that are looked at for a picture."""
MOST_DRAWN, MOST_ARCS = 1500, 40
"""Sends that are drawn, and lines."""


def timetable_title(timetable: Timetable) -> str:
    """What it carries out on what."""
    subject = timetable.recipe or f"{timetable.topology.n} nodes"
    return f"{timetable.collective} on {subject}"


def gantt_drawing(timetable: Timetable) -> "tuple[Figure, str]":
    """The sends of as many arcs as have room, in order of tail and head; and that in words."""
    from reports.plots.gantt import gantt_figure

    names, stretches, told = first_sends(timetable, MOST_ARCS, MOST_DRAWN)
    title, arcs = timetable_title(timetable), timetable.topology.arcs
    head = title if len(names) == arcs else f"{title}: {len(names)} of {arcs} arcs"
    return gantt_figure(head, names, stretches), f"{title}: {told}"


def first_sends(
    timetable: Timetable, most_arcs: int, most_sends: int
) -> tuple[list[str], list[Stretch], str]:
    """Names of so many arcs, in order of tail and head, and their sends; and that in words."""
    whole = _expanded_timetable(timetable)
    graph = whole.topology
    send, arc = _uses(whole)
    order = np.lexsort((np.arange(graph.arcs), graph.head, graph.tail))
    counts = np.bincount(arc, minlength=graph.arcs)[order]
    fits = np.cumsum(counts) <= most_sends
    lines = order[: max(1, min(most_arcs, int(np.count_nonzero(fits))))]
    line_of = np.full(graph.arcs, -1)
    line_of[lines] = np.arange(len(lines))
    tick, hold = float(whole.tick), hold_ticks(whole)
    stretches = [
        Stretch(
            int(line_of[e]),
            int(whole.begin[i]) * tick,
            int(hold[i]) * tick,
            int(whole.origin[whole.chunk[i]]),
        )
        for i, e in zip(send.tolist(), arc.tolist(), strict=True)
        if line_of[e] >= 0
    ]
    names = [f"{graph.tail[e]}-{graph.head[e]}" for e in lines.tolist()]
    told = f"{len(stretches)} of {len(arc)} sends, on {len(lines)} of {graph.arcs} arcs"
    return names, stretches, told


def busy_parts(timetable: Timetable) -> FloatArray:
    """The share of the makespan for which each arc is busy; float64 (arcs,).

    A route keeps each of its arcs busy for as long as its slowest one needs, in part where the arc
    is faster.
    """
    whole = _expanded_timetable(timetable)
    send, arc = _uses(whole)
    rates = whole.arc_rates().astype(np.float64)
    slowest = np.full(whole.sends, np.inf)
    np.minimum.at(slowest, send, rates[arc])
    held = hold_ticks(whole)[send] * slowest[send] / rates[arc]
    return np.bincount(arc, held, whole.topology.arcs) / max(whole.makespan, 1)


def _expanded_timetable(timetable: Timetable) -> Timetable:
    if timetable.all_sends > MOST_SENDS:
        raise Unsupported(f"plot: {timetable.all_sends} sends are too many for a picture")
    return expand_timetable(timetable)


def _uses(timetable: Timetable) -> tuple[Int64Array, Int64Array]:
    """Which send takes which arc: a send over a route takes all of the route's."""
    arcs, (start, route_arc) = timetable.topology.arcs, timetable.routes
    length = np.concatenate([np.ones(arcs, np.int64), np.diff(start)])
    first = np.concatenate([np.arange(arcs), arcs + start[:-1]])
    every = np.concatenate([np.arange(arcs), route_arc])
    count = length[timetable.channel]
    send = np.repeat(np.arange(timetable.sends), count)
    within = np.arange(len(send)) - np.repeat(np.cumsum(count) - count, count)
    found: Int64Array = every[first[timetable.channel][send] + within]
    return send, found
