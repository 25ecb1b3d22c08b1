"""Points of many sizes N by group: which family is the best, how near families come to a bound."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from reports.plots.figure import COLOURS, GREY, MANY, MARKERS, blank, styled

WIDTH, HEIGHT = 5.6, 3.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line through points, such as a bound."""

    label: str
    points: Sequence[tuple[float, float]]
    dashed: bool = True


def scatter_figure(
    title: str,
    across: str,
    up: str,
    groups: Mapping[str, Sequence[tuple[float, float]]],
    lines: Sequence[Line] = (),
    *,
    logarithmic: bool = False,
) -> Figure:
    """The plot; groups in the order given, the first ones in colours of their own."""
    with styled():
        figure, axes = blank(title, WIDTH, HEIGHT)
        coarse = sum(map(len, groups.values())) > MANY
        for place, (label, points) in enumerate(groups.items()):
            known = place < len(COLOURS)
            axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                MARKERS[place % len(MARKERS)],
                color=COLOURS[place] if known else GREY,
                markersize=3 if len(points) < 100 else 2,
                markeredgewidth=0,
                label=f"{label} ({len(points)})",
                rasterized=coarse,
            )
        for place, line in enumerate(lines):
            axes.plot(
                [x for x, _ in line.points],
                [y for _, y in line.points],
                "--" if line.dashed else "-",
                color=GREY if line.dashed else COLOURS[place % len(COLOURS)],
                linewidth=1,
                label=line.label,
                rasterized=coarse,
            )
        if logarithmic:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:,.0f}")
            axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), markerscale=2)
    return figure
