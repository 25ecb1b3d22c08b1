"""T_L against T_B: a frontier, its lower bounds and what it is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from expansions.cost import Cost
from reports.plots.figure import COLOURS, GREY, MARKERS, blank, styled

WIDE = 8
"""From this ratio of the largest to the least on, an axis is logarithmic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Costs with a mark each, such as "F1", by which a table tells the rest; `joined` by steps."""

    label: str
    points: Sequence[tuple[str, Cost]]
    joined: bool = False


def frontier_figure(title: str, series: Sequence[Series], bound: Cost) -> Figure:
    """The plot. Series without points are left out."""
    with styled():
        figure, axes = blank(title)
        steps = [cost.steps for one in series for _, cost in one.points]
        if max([bound.steps, *steps]) >= WIDE * min([bound.steps, *steps]):
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:,.0f}")
        for place, one in enumerate(series):
            if one.points:
                _series(axes, one, place)
        least = float(bound.bandwidth)
        axes.axvline(bound.steps, color=GREY, linewidth=1, linestyle="--")
        axes.axhline(least, color=GREY, linewidth=1, linestyle="--", label="lower bounds")
        axes.set_xlabel("T_L [alpha]")
        axes.set_ylabel("T_B [M/B]")
        axes.margins(0.12)
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def _series(axes: Axes, series: Series, place: int) -> None:
    colour = COLOURS[place % len(COLOURS)]
    across = [float(cost.steps) for _, cost in series.points]
    up = [float(cost.bandwidth) for _, cost in series.points]
    if series.joined:
        axes.step(across, up, where="post", color=colour, linewidth=1, alpha=0.6)
    marker = MARKERS[place % len(MARKERS)]
    axes.plot(across, up, marker, color=colour, markersize=6 - place, label=series.label)
    above = 1 if place % 2 == 0 else -1
    for (mark, _), x, y in zip(series.points, across, up, strict=True):
        axes.annotate(
            mark,
            (x, y),
            textcoords="offset points",
            xytext=(4, 5 * above),
            va="bottom" if above > 0 else "top",
            fontsize=7,
            color=colour,
        )
