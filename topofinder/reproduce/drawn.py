"""Plots of a reproduction, made when they are asked for."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Groups = dict[str, list[tuple[float, float]]]
"""Points (N, value) by the name of what they belong to."""


def plotted(
    title: str, groups: Groups, up: str, *, logarithmic: bool = False
) -> "Callable[[], Figure]":
    """What draws the points over N; `up` names the value with its unit."""
    return partial(_drawn, title, groups, up, logarithmic)


def _drawn(title: str, groups: Groups, up: str, logarithmic: bool) -> "Figure":
    from reports.plots.scatter import scatter_figure

    return scatter_figure(title, "N [hosts]", up, groups, logarithmic=logarithmic)
