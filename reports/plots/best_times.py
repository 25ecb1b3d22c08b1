"""Times of the best schedule method at some sizes of the data, with the lower bound."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.plots.figure import COLOURS, GREY, MARKERS, panels, plot_style
from reports.units import size_words

TALL, LOW = 3.2, 2.0
"""Inches: the height of the times, and of the times over the bound."""
TICKS = 6
"""Sizes that are named on the axis at most."""

SizesAndSeconds = Sequence[tuple[Fraction, Fraction]]


def best_times_figure(
    title: str, curves: Mapping[str, SizesAndSeconds], bound: SizesAndSeconds
) -> Figure:
    """The times by label, both axes logarithmic, and below it the same over the bound.

    All are (bytes, seconds) pairs above 0, the least size first; `bound` has every size.

    >>> line = [(Fraction(1024), Fraction(1, 10**5)), (Fraction(4096), Fraction(1, 10**4))]
    >>> len(best_times_figure("t", {"F1": line}, line).axes[0].lines)
    2
    """
    least = dict(bound)
    with plot_style():
        figure, (times, shares) = panels(title, (TALL, LOW), share=True)
        for place, (label, curve) in enumerate(curves.items()):
            _draw(times, place, label, [(size, 10**6 * spent) for size, spent in curve])
            _draw(shares, place, label, [(size, spent / least[size]) for size, spent in curve])
        _draw_bound(times, [(size, 10**6 * spent) for size, spent in bound])
        _draw_bound(shares, [(size, Fraction(1)) for size, _ in bound])
        _scale_axes(times, shares, list(least))
        figure.legend(*times.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _draw(axes: Axes, place: int, label: str, points: SizesAndSeconds) -> None:
    axes.plot(
        [float(size) for size, _ in points],
        [float(value) for _, value in points],
        color=COLOURS[place % len(COLOURS)],
        marker=MARKERS[place % len(MARKERS)],
        markersize=3.5,
        linewidth=1.3,
        label=label,
    )


def _draw_bound(axes: Axes, points: SizesAndSeconds) -> None:
    axes.plot(
        [float(size) for size, _ in points],
        [float(value) for _, value in points],
        color=GREY,
        linestyle="--",
        marker="_",
        zorder=3,
        label="lower bound",
    )


def _scale_axes(times: Axes, shares: Axes, sizes: Sequence[Fraction]) -> None:
    step = -(-len(sizes) // TICKS)
    named = sizes[::step]
    for axes in (times, shares):
        axes.set_xscale("log")
        axes.set_xticks([float(size) for size in named], [size_words(size) for size in named])
        axes.minorticks_off()
    times.set_yscale("log")
    times.yaxis.set_major_formatter("{x:,g}")
    times.minorticks_off()
    times.set_ylabel("time [us]")
    shares.set_ylabel("time over the bound")
    shares.set_xlabel("data of the collective, M [bytes]")
