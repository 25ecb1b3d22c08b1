"""Time of a collective against its size, and where one candidate takes over from another."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from expansions.cost import Cost
from reports.plots.figure import COLOURS, GREY, blank, styled
from reports.units import size_text

LEAST, MOST = 2.0**10, 2.0**34
DRAWN = 97
"""Sizes at which a curve is worked out: four to each doubling."""
TALL = 4.2
TICKS = tuple(2**power for power in range(10, 35, 6))


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
    """The plot, both axes logarithmic: `alpha` in seconds, `bandwidth` in bytes a second."""
    sizes = np.geomspace(LEAST, MOST, DRAWN)

    def seconds(costs: Sequence[Cost]) -> NDArray[np.float64]:
        steps = np.array([cost.steps for cost in costs], dtype=np.float64)
        shares = np.array([float(cost.bandwidth) for cost in costs])
        found = steps[:, None] * float(alpha) + shares[:, None] * sizes / float(bandwidth)
        least: NDArray[np.float64] = found.min(axis=0)
        return least

    with styled():
        figure, axes = blank(title, height=TALL)
        for place, curve in enumerate(curves):
            axes.loglog(
                sizes,
                1e6 * seconds(curve.costs),
                color=COLOURS[place % len(COLOURS)],
                linestyle=":" if curve.baseline else "-",
                linewidth=1.3,
                label=curve.label,
            )
        axes.loglog(sizes, 1e6 * seconds([bound]), color=GREY, linestyle="--", label="lower bound")
        for crossing in crossings:
            if LEAST <= crossing <= MOST:
                axes.axvline(float(crossing), color=GREY, linewidth=0.6, linestyle="-.")
        axes.set_xticks(TICKS, [size_text(Fraction(tick)) for tick in TICKS])
        axes.minorticks_off()
        axes.set_xlabel("data of the collective, M")
        axes.set_ylabel("time [us]")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        figure.legend(loc="outside lower center", ncols=2)
    return figure
