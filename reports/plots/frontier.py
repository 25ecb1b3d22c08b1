"""T_L against T_B: a frontier, its lower bounds and what it is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from expansions.cost import Cost
from reports.plots.figure import COLOURS, GREY, MARKERS, panels, plot_style
from reports.plots.marks import MarkedPoint, write_marks

WIDE = 8
"""From this ratio of the largest to the least on, an axis is logarithmic."""
NEAR, FAR = 3.2, 2.6
"""Inches: the height of the panel of what is joined, and of the one of all points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Costs with a mark each, such as "F1", by which a table tells the rest; `joined` by steps."""

    label: str
    points: Sequence[tuple[str, Cost]]
    joined: bool = False


def frontier_figure(
    title: str, series: Sequence[Series], bound: Cost, beside: str = "with the baselines"
) -> Figure:
    """The plot: the joined series and the bounds, and below, if there are more, all of them.

    Others may be so far off that beside them the steps of a frontier could not be told apart; the
    panel with them is called `beside`.
    """
    joined = [(place, one) for place, one in enumerate(series) if one.joined and one.points]
    every = [(place, one) for place, one in enumerate(series) if one.points]
    shown = [joined, every] if joined and len(every) > len(joined) else [every]
    with plot_style():
        figure, parts = panels(title, [NEAR, FAR][: len(shown)])
        for axes, some in zip(parts, shown, strict=True):
            _panel(axes, some, bound)
        if len(parts) > 1:
            parts[1].set_title(beside, fontsize=8, color=GREY)
        handles, labels = parts[-1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        for axes, some in zip(parts, shown, strict=True):
            write_marks(axes, [point for place, one in some for point in _mark_points(one, place)])
    return figure


def _panel(axes: Axes, some: Sequence[tuple[int, Series]], bound: Cost) -> None:
    steps = [bound.steps, *(cost.steps for _, one in some for _, cost in one.points)]
    if max(steps) >= WIDE * min(steps):
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True))
    axes.ticklabel_format(axis="y", useOffset=False)
    for place, one in some:
        _series(axes, one, place)
    axes.axvline(bound.steps, color=GREY, linewidth=1, linestyle="--", zorder=1)
    axes.axhline(
        float(bound.bandwidth), color=GREY, linewidth=1, linestyle="--", label="lower bounds",
        zorder=1,
    )  # fmt: skip
    axes.set_xlabel("T_L [alpha]")
    axes.set_ylabel("T_B [M/B]")
    axes.margins(0.12, 0.16)
    if min(steps) == max(steps):  # one tick, not fractions of a step
        axes.set_xlim(steps[0] - 1, steps[0] + 1)


def _series(axes: Axes, series: Series, place: int) -> None:
    colour = COLOURS[place % len(COLOURS)]
    across = [float(cost.steps) for _, cost in series.points]
    up = [float(cost.bandwidth) for _, cost in series.points]
    if series.joined:
        axes.step(across, up, where="post", color=colour, linewidth=1, alpha=0.6)
    marker = MARKERS[place % len(MARKERS)]
    axes.plot(across, up, marker, color=colour, markersize=6 - place, label=series.label)


def _mark_points(series: Series, place: int) -> list[MarkedPoint]:
    colour = COLOURS[place % len(COLOURS)]
    return [
        MarkedPoint(mark=mark, x=float(cost.steps), y=float(cost.bandwidth), colour=colour)
        for mark, cost in series.points
    ]
