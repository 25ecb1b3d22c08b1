"""A line graph as its root: its hosts are the root's arcs, and follow one another as those do."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from reports.plots.figure import COLOURS, blank, plot_style
from reports.plots.graphs import SWITCH_FILL, GraphShape

SIDE = 5.2
BEND = 0.13
"""How far arcs bend, over their length, so that an arc and its return are told apart."""
ALONG = 0.3
"""Where an arc's number stands, of the way from its tail."""
SELF = 0.16
"""How far outside its node the number of a loop stands."""


def root_figure(title: str, shape: GraphShape) -> Figure:
    """The root on a circle, each arc an arrow of its tail's colour with the number of its host."""
    with plot_style():
        figure, axes = blank(title, SIDE, SIDE)
        places = shape.places
        copies: dict[tuple[int, int], int] = {}
        for host, (u, v) in enumerate(zip(shape.tail.tolist(), shape.head.tolist(), strict=True)):
            copy = copies[u, v] = copies.get((u, v), -1) + 1
            _arc(axes, host, places[u], places[v], (copy + 1) * BEND, COLOURS[u % len(COLOURS)])
        for x, y in places:
            axes.plot(x, y, "s", color=SWITCH_FILL, markeredgecolor="#333333", ms=7, zorder=3)
        axes.set_aspect("equal")
        axes.margins(0.12)
        axes.set_axis_off()
        return figure


def _arc(axes: Axes, host: int, tail: np.ndarray, head: np.ndarray, bend: float, ink: str) -> None:
    along = head - tail
    if not along.any():
        at = tail * (1 + SELF * (1 + bend))
    else:
        axes.add_patch(
            FancyArrowPatch(
                tuple(tail), tuple(head), arrowstyle="-|>", connectionstyle=f"arc3,rad={bend}",
                mutation_scale=7, linewidth=0.8, color=ink, shrinkA=4, shrinkB=5,
                gid=f"host-{host}",
            )
        )  # fmt: skip
        # The curve is a quadratic one whose middle control point stands off by `bend`.
        control = (tail + head) / 2 + bend * np.array([along[1], -along[0]])
        near, far = 1 - ALONG, ALONG
        at = near * near * tail + 2 * near * far * control + far * far * head
    axes.text(
        float(at[0]), float(at[1]), str(host), ha="center", va="center", fontsize=8.2, color=ink,
        zorder=4, bbox={"boxstyle": "square,pad=0.08", "facecolor": "#ffffff", "edgecolor": "none"},
    )  # fmt: skip
