"""Points of many sizes N by group: which family is the best, how near families come to a bound."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from reports.plots.figure import COLOURS, GREY, MANY, MARKERS, WIDTH, blank, styled

TALL, LEGEND_LINE = 3.5, 0.17
"""Inches: the height without the legend, and of a line of the legend."""
THOUSANDS = 1000
"""From this value on, an axis has commas."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A dashed line through points, such as a bound."""

    label: str
    points: Points


def scatter_figure(
    title: str,
    across: str,
    up: str,
    groups: Mapping[str, Points],
    lines: Sequence[Line] = (),
    *,
    order: Sequence[str] = (),
    logarithmic: bool = False,
) -> Figure:
    """The plot, with how many points each group has; those without a colour are told as others.

    Groups take the colours in the `order` of their names, so that plots side by side agree; by
    default in their own order.
    """
    shown = list(_styled(groups, list(order or groups)))
    coarse = sum(map(len, groups.values())) > MANY
    rows = -(-(len(shown) + len(lines)) // 2)
    with styled():
        figure, axes = blank(title, WIDTH, TALL + LEGEND_LINE * rows)
        for label, points, colour, marker in shown:
            axes.plot(
                *_columns(points),
                marker,
                color=colour,
                markersize=4 if len(points) < 100 else 2.5,
                markeredgewidth=0,
                label=f"{label} ({len(points)})",
                rasterized=coarse,
            )
        for line in lines:
            axes.plot(
                *_columns(line.points), "--", color=GREY, linewidth=1, label=line.label,
                rasterized=coarse,
            )  # fmt: skip
        _scaled(axes, logarithmic)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        legend = figure.legend(loc="outside lower center", ncols=2)
        for handle in legend.legend_handles:
            if isinstance(handle, Line2D):
                handle.set_markersize(5)
    return figure


def _styled(
    groups: Mapping[str, Points], order: Sequence[str]
) -> Iterator[tuple[str, Points, str, str]]:
    """Each group with its colour and marker; all that come too late for one are a group in grey."""
    last = len(COLOURS) if len(order) <= len(COLOURS) else len(COLOURS) - 1
    for name, colour, marker in zip(order[:last], COLOURS, MARKERS, strict=False):
        if groups.get(name):
            yield name, groups[name], colour, marker
    others = [point for name in order[last:] for point in groups.get(name, ())]
    if others:
        yield "others", others, GREY, MARKERS[last]


def _columns(points: Points) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _scaled(axes: Axes, logarithmic: bool) -> None:
    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
    if logarithmic or axes.get_ylim()[1] >= THOUSANDS:
        axes.yaxis.set_major_formatter("{x:,.0f}")
