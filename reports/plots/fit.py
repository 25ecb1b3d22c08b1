"""Fitted times over measured ones, with the line on which they would be equal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reports.plots.figure import blank, plot_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def fit_figure(rows: Sequence[dict[str, Any]]) -> "Figure":
    """One point for each time that was measured, by schedule; both axes are logarithmic."""
    with plot_style():
        figure, axes = blank("Fitted and measured times")
        ends = [value * 1e6 for row in rows for value in (row["seconds"], row["fitted"])]
        low, high = min(ends) or 1e-3, max(ends)
        axes.plot([low, high], [low, high], color="#8a8f98", linewidth=1)
        for name in dict.fromkeys(row["schedule"] for row in rows):
            some = [row for row in rows if row["schedule"] == name]
            axes.scatter(
                [row["seconds"] * 1e6 for row in some],
                [row["fitted"] * 1e6 for row in some],
                label=name[:30] or "all",
                s=18,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("measured [us]")
        axes.set_ylabel("fitted [us]")
        axes.legend(loc="upper left", fontsize=7)
    return figure
