"""Iterations of training as stacked bars: what is computed, exposed, and exchanged (figure 9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.plots.figure import COLOURS, panels, plot_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = ("compute", "exposed allreduce", "all-to-all")
BAR, MARGIN = 0.3, 0.9
"""Inches of a bar, and of what is above and below all of a group."""
ROOM = 1.5
"""How long an axis is, in longest bars: the names of the parts stand beside them."""


@dataclass(frozen=True, slots=True)
class TrainingBar:
    """One wiring in a group of bars; the parts in seconds, in the order of PARTS."""

    group: str
    name: str
    parts: tuple[float, float, float]


def training_bars(
    title: str, bars: Sequence[TrainingBar], names: Sequence[str] = PARTS
) -> "Figure":
    """A panel for each group, a bar for each wiring, from the top; `names` are those of parts."""
    groups = list(dict.fromkeys(bar.group for bar in bars))
    listed = [[bar for bar in bars if bar.group == group] for group in groups]
    with plot_style():
        figure, parts = panels(title, [MARGIN + BAR * len(own) for own in listed])
        for axes, group, own in zip(parts, groups, listed, strict=True):
            begin = [0.0] * len(own)
            for place, name in enumerate(names):
                widths = [bar.parts[place] * 1e3 for bar in own]
                axes.barh(range(len(own)), widths, left=begin, color=COLOURS[place], label=name)
                begin = [one + other for one, other in zip(begin, widths, strict=True)]
            axes.set_yticks(range(len(own)), [bar.name for bar in own])
            axes.invert_yaxis()
            axes.set_xlabel(f"{group}: iteration [ms]")
            axes.set_xlim(0, ROOM * max(begin))
            if group == groups[0]:
                axes.legend(loc="upper right")
    return figure
