"""A timetable: a line for each arc, a stretch for each time that a chunk keeps it busy."""

from collections.abc import Sequence

from matplotlib import colormaps
from matplotlib.figure import Figure

from reports.drawn_schedules import Stretch
from reports.plots.figure import COLOURS, blank, plot_style

ROW, LEAST = 0.16, 2.4
"""Inches of a line, and of the plot at least."""
WIDE = 6.4
TALL = 0.8
"""Height of a stretch; lines are 1 apart."""
NAMED = len(COLOURS)
"""Origins that the legend names."""


def gantt_figure(
    title: str,
    arcs: Sequence[str],
    stretches: Sequence[Stretch],
    *,
    width: float = WIDE,
    letters: float = 6.0,
) -> Figure:
    """The lines from above in the order of `arcs`; colours tell the host that chunks belong to.

    It is `width` inches wide, and the names of arcs have so many points.
    """
    scale, unit = _unit(max((one.begin + one.length for one in stretches), default=0.0))
    origins = sorted({one.origin for one in stretches})
    with plot_style():
        figure, axes = blank(title, width, max(LEAST, 0.9 + ROW * len(arcs)))
        for place, origin in enumerate(origins):
            own = [one for one in stretches if one.origin == origin]
            for number, one in enumerate(own):
                axes.barh(
                    one.line, one.length * scale, TALL, left=one.begin * scale,
                    color=_colour(place, len(origins)), edgecolor="white", linewidth=0.3,
                    label="" if number or len(origins) > NAMED else f"of host {origin}",
                    gid=f"send-{place}-{number}",
                )  # fmt: skip
        axes.set_ylim(len(arcs) - 0.4, -0.6)
        axes.set_yticks(range(len(arcs)), list(arcs), fontsize=letters)
        axes.set_xlim(left=0)
        axes.set_xlabel(f"time [{unit}]")
        axes.set_ylabel("arc")
        if len(origins) <= NAMED and origins:
            figure.legend(loc="outside lower center", ncols=4)
    return figure


def _colour(place: int, count: int) -> object:
    return COLOURS[place] if count <= NAMED else colormaps["hsv"](place / count)


def _unit(longest: float) -> tuple[float, str]:
    """What times are multiplied by, and the unit that they are then in.

    >>> _unit(0.0003)
    (1000000.0, 'us')
    """
    scales = {1.0: "s", 1e3: "ms", 1e6: "us", 1e9: "ns"}
    return next(((one, name) for one, name in scales.items() if longest * one >= 1), (1e9, "ns"))
