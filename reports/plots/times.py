"""Time of a collective against its size, and where one candidate takes over from another."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from expansions.cost import Cost
from generators.topology import FloatArray
from reports.plots.figure import COLOURS, GREY, panels, plot_style
from reports.units import size_text, size_words

LEAST, MOST = 2.0**10, 2.0**34
DRAWN = 193
"""Sizes at which a curve is worked out: eight to each doubling."""
TALL, LOW = 3.5, 2.3
"""Inches: the height of the times, and of the times over the bound."""
TICKS = tuple(2**power for power in range(10, 35, 6))
HIGHEST, ABOVE, LEAST_ROOM = 3.0, 4, 0.2
"""Times over the bound are shown up to HIGHEST at most, and up to ABOVE times as far above it as
the best ever are, or LEAST_ROOM: what is farther off would flatten the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Something that is timed. Where it may choose among costs, the best at each size counts."""

    label: str
    costs: Sequence[Cost]
    baseline: bool = False


def times_figure(
    title: str,
    curves: Sequence[Curve],
    bound: Cost,
    alpha: Fraction,
    bandwidth: Fraction,
    crossings: Sequence[Fraction] = (),
) -> Figure:
    """The times, both axes logarithmic, and below it over the bound, where crossings can be seen.

    `alpha` is in seconds, `bandwidth` in bytes a second, `crossings` are in bytes.
    """
    sizes = np.geomspace(LEAST, MOST, DRAWN)
    seconds = [_seconds(curve.costs, sizes, float(alpha), float(bandwidth)) for curve in curves]
    least = _seconds([bound], sizes, float(alpha), float(bandwidth))
    with plot_style():
        figure, (times, shares) = panels(title, (TALL, LOW), share=True)
        for place, (curve, spent) in enumerate(zip(curves, seconds, strict=True)):
            for axes, values in ((times, 1e6 * spent), (shares, spent / least)):
                _draw(axes, curve, place, sizes, values)
        for axes, values in ((times, 1e6 * least), (shares, np.ones(DRAWN))):
            axes.plot(sizes, values, color=GREY, linestyle="--", zorder=3, label="lower bound")
        _draw_crossings([times, shares], crossings)
        own = [s / least for c, s in zip(curves, seconds, strict=True) if not c.baseline]
        _scale_axes(times, shares, _most(own))
        handles, labels = times.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _seconds(
    costs: Sequence[Cost], sizes: FloatArray, alpha: float, bandwidth: float
) -> FloatArray:
    """The least time of any of the costs at each size."""
    steps = np.array([cost.steps for cost in costs], dtype=np.float64)
    shares = np.array([float(cost.bandwidth) for cost in costs])
    least: FloatArray = (steps[:, None] * alpha + shares[:, None] * sizes / bandwidth).min(axis=0)
    return least


def _draw(axes: Axes, curve: Curve, place: int, across: FloatArray, up: FloatArray) -> None:
    axes.plot(
        across,
        up,
        color=COLOURS[place % len(COLOURS)],
        linestyle=":" if curve.baseline else "-",
        linewidth=1.3,
        label=curve.label,
    )


def _draw_crossings(parts: Sequence[Axes], crossings: Sequence[Fraction]) -> None:
    """Upright lines at the sizes at which another candidate becomes the quickest."""
    for crossing in crossings:
        if not LEAST <= crossing <= MOST:
            continue
        for axes in parts:
            axes.axvline(float(crossing), color=GREY, linewidth=0.6, linestyle="-.")
        parts[-1].annotate(
            size_words(crossing),
            (float(crossing), 1),
            xycoords=("data", "axes fraction"),
            xytext=(2, -2),
            textcoords="offset points",
            rotation=90,
            va="top",
            fontsize=7.5,
            color="#444444",
        )


def _most(shares: Sequence[FloatArray]) -> float:
    """The greatest time over the bound that is shown."""
    if not shares:
        return HIGHEST
    best = float(np.min(shares, axis=0).max()) - 1
    return min(float(np.max(shares)), HIGHEST, 1 + max(ABOVE * best, LEAST_ROOM))


def _scale_axes(times: Axes, shares: Axes, most: float) -> None:
    for axes in (times, shares):
        axes.set_xscale("log")
        axes.set_xticks(TICKS, [size_text(Fraction(tick)) for tick in TICKS])
        axes.minorticks_off()
    times.set_yscale("log")
    times.yaxis.set_major_formatter("{x:,.0f}")
    times.minorticks_off()
    times.set_ylabel("time [us]")
    room = 0.08 * max(most - 1, 0.05)
    shares.set_ylim(1 - room, most + 2 * room)
    shares.set_ylabel("time over the bound")
    shares.set_xlabel("data of the collective, M [bytes]")
