"""Points of many sizes N by group: which family is the best, how near families come to a bound."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from reports.plots.figure import COLOURS, GREY, MANY, MARKERS, panels, plot_style

TALL, LEGEND_LINE = 3.5, 0.17
"""Inches: the height of a panel, and of a line of the legend."""
SMALLER = 0.8
"""The height of each of several panels, over that of one alone."""
THOUSANDS = 1000
"""From this value on, an axis has commas."""
FEW = 100
"""Groups of fewer points have larger markers."""

Points = Sequence[tuple[float, float]]
Look = tuple[str, str]
"""Colour and marker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DashedLine:
    """A dashed line through points, such as a bound."""

    label: str
    points: Points


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotPanel:
    """One plot: `up` names what is upright, with its unit; `joined` points are joined by lines."""

    title: str
    up: str
    groups: Mapping[str, Points]
    lines: Sequence[DashedLine] = ()
    logarithmic: bool = False
    joined: bool = False


def scatter_figure(parts: Sequence[PlotPanel], across: str, *, order: Sequence[str] = ()) -> Figure:
    """The panels one below the other, with one legend; a panel alone tells how many points it has.

    Groups take the colours in the `order` of their names, by default the largest first, so that
    panels and plots side by side agree. Those without a colour are told as others.
    """
    looks = _looks(order or _by_size(parts))
    alone = len(parts) == 1
    height = TALL if alone else SMALLER * TALL
    named = len({name for part in parts for name in part.groups}) + any(one.lines for one in parts)
    spare = LEGEND_LINE * -(-min(named, len(COLOURS) + 1) // 2)
    heights = [height] * (len(parts) - 1) + [height + spare]
    with plot_style():
        figure, found = panels(parts[0].title, heights, share=True)
        for axes, part in zip(found, parts, strict=True):
            _draw(axes, part, looks, counted=alone)
            axes.set_title(part.title)
        found[-1].set_xlabel(across)
        _legend(figure, found)
    return figure


def _by_size(parts: Sequence[PlotPanel]) -> list[str]:
    counts: dict[str, int] = {}
    for part in parts:
        for name, points in part.groups.items():
            counts[name] = counts.get(name, 0) + len(points)
    return sorted(counts, key=lambda name: -counts[name])


def _looks(order: Sequence[str]) -> dict[str, Look]:
    """The groups that have a colour of their own."""
    last = len(COLOURS) if len(order) <= len(COLOURS) else len(COLOURS) - 1
    return dict(zip(order[:last], zip(COLOURS, MARKERS, strict=True), strict=False))


def _look_of_groups(
    groups: Mapping[str, Points], looks: Mapping[str, Look]
) -> Iterator[tuple[str, Points, Look]]:
    """Each group with its look; all that have none are a group in grey."""
    for name, look in looks.items():
        if groups.get(name):
            yield name, groups[name], look
    others = [point for name in groups if name not in looks for point in groups[name]]
    if others:
        yield "others", others, (GREY, MARKERS[-1])


def _draw(axes: Axes, part: PlotPanel, looks: Mapping[str, Look], *, counted: bool) -> None:
    coarse = sum(map(len, part.groups.values())) > MANY
    for label, points, (colour, marker) in _look_of_groups(part.groups, looks):
        axes.plot(
            *_columns(points),
            marker,
            color=colour,
            markersize=4 if len(points) < FEW else 2.5,
            markeredgewidth=0,
            linestyle="-" if part.joined else "",
            linewidth=1,
            label=f"{label} ({len(points)})" if counted else label,
            rasterized=coarse,
        )
    for line in part.lines:
        axes.plot(
            *_columns(line.points), "--", color=GREY, linewidth=1, label=line.label,
            rasterized=coarse,
        )  # fmt: skip
    if part.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
    if part.logarithmic or axes.get_ylim()[1] >= THOUSANDS:
        axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel(part.up)


def _columns(points: Points) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _legend(figure: Figure, found: Sequence[Axes]) -> None:
    """One legend for all panels, each name once, with markers of one size."""
    known: dict[str, Artist] = {}
    for axes in found:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            known.setdefault(str(label), handle)
    legend = figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=2)
    for drawn in legend.legend_handles:
        if isinstance(drawn, Line2D):
            drawn.set_markersize(5)
