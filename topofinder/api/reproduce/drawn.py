"""Plots of a reproduction, made when they are asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Groups = dict[str, list[tuple[float, float]]]
"""Points (N, value) by the name of what they belong to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One of the plots of a figure; `up` names the value with its unit."""

    title: str
    groups: Groups
    up: str
    logarithmic: bool = False
    joined: bool = False


def plot_over_n(*parts: Part) -> "Callable[[], Figure]":
    """What draws the points over N, one plot below the other."""
    return partial(_plots_figure, parts)


def _plots_figure(parts: Sequence[Part]) -> "Figure":
    from reports.plots.scatter import PlotPanel, scatter_figure

    shown = [
        PlotPanel(
            title=part.title,
            up=part.up,
            groups=part.groups,
            logarithmic=part.logarithmic,
            joined=part.joined,
        )
        for part in parts
    ]
    return scatter_figure(shown, "N [hosts]")
