"""What a schedule puts on the arcs: step by step as small multiples, or in all as a heat map."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_hex
from matplotlib.figure import Figure

from generators.topology import FloatArray
from reports.plots.drawing import PANEL, PANEL_CIRCLE
from reports.plots.figure import blank, grid, plot_style
from reports.plots.graphs import GraphShape, arrows, draw_circle, draw_matrix

MOST_STEPS = 12
"""Steps that are drawn; of more the first ones are."""
SIDE = 4.6
WRITTEN = 16
"""Nodes of a heat map with numbers in its cells."""
COLOURS = "YlOrRd"
LEAST_COLOUR = 0.25
"""Where the colours begin, so that the least load is seen on white."""
THIN, THICK = 0.5, 1.8


def step_name(step: int, load: FloatArray) -> str:
    """The title of a step's drawing.

    >>> step_name(2, np.array([0.0, 0.5, 1]))
    'step 2: 2 arcs, most 1'
    """
    return f"step {step}: {np.count_nonzero(load)} arcs, most {load.max():.4g}"


def steps_figure(
    title: str,
    shape: GraphShape,
    loads: FloatArray,
    names: Sequence[str],
    *,
    matrix: bool | None = None,
    columns: int = 4,
) -> Figure:
    """A small drawing of each step, in which the arcs that are used have the colour of their load.

    `loads` is of shape (steps, arcs), in shards; `names` has a title for each step. Steps are drawn
    as a `matrix`, or on a circle; unless told, by the number of hosts. So many `columns` of them
    are beside one another.
    """
    shown = loads[:MOST_STEPS]
    if len(shown) < len(loads):
        title = f"{title} (the first {MOST_STEPS} of {len(loads)} steps)"
    with plot_style():
        figure, parts = grid(title, len(shown), PANEL, columns=columns)
        top = float(loads.max(initial=0)) or 1.0
        for axes, load, name in zip(parts, shown, names, strict=False):
            axes.set_title(name, fontsize=7.5)
            _draw_step(axes, shape, load, top, shape.n > PANEL_CIRCLE if matrix is None else matrix)
        _colour_bar(figure, parts, top, "load of an arc [shards]")
    return figure


def _draw_step(axes: Axes, shape: GraphShape, load: FloatArray, top: float, matrix: bool) -> None:
    used = np.flatnonzero(load > 0)
    if matrix:
        some = GraphShape(
            n=shape.n, tail=shape.tail[used], head=shape.head[used],
            blocks=shape.blocks, block=shape.block,
        )  # fmt: skip
        draw_matrix(axes, some, load[used], COLOURS).set_clim(0, top)
        axes.set(xlabel="", ylabel="")
        return
    parts = load[used] / top
    ends = list(zip(shape.tail[used].tolist(), shape.head[used].tolist(), strict=True))
    colours = [_colour(part) for part in parts.tolist()]
    widths = (THIN + (THICK - THIN) * parts).tolist()
    draw_circle(axes, shape, arrows(ends, colours, widths), scale=0.6)


def loads_figure(title: str, shape: GraphShape, loads: FloatArray, unit: str) -> Figure:
    """The loads of the arcs, shape (arcs,), as a heat map of the matrix; the largest in a cell."""
    with plot_style():
        figure, axes = blank(title, SIDE, SIDE)
        top = float(loads.max(initial=0)) or 1.0
        image = draw_matrix(axes, shape, loads, COLOURS)
        image.set_clim(0, top)
        image.set_gid("loads")
        if shape.n <= WRITTEN:
            _write_numbers(axes, image.get_array(), top)
        _colour_bar(figure, [axes], top, unit)
    return figure


def _write_numbers(axes: Axes, cells: object, top: float) -> None:
    table = np.ma.filled(np.ma.masked_invalid(np.asarray(cells, dtype=np.float64)), -1.0)
    for row, values in enumerate(table.tolist()):
        for column, value in enumerate(values):
            if value >= 0:
                ink = "white" if value > 0.6 * top else "#333333"
                axes.text(
                    column, row, f"{value:.3g}", ha="center", va="center", fontsize=5.5, color=ink,
                    gid=f"load-{row}-{column}",
                )  # fmt: skip


def _colour_bar(figure: Figure, parts: Sequence[Axes], top: float, unit: str) -> None:
    colours = ScalarMappable(Normalize(0, top), COLOURS)
    figure.colorbar(colours, ax=list(parts), shrink=0.8, label=unit)


def _colour(part: float) -> str:
    return to_hex(colormaps[COLOURS](LEAST_COLOUR + (1 - LEAST_COLOUR) * part))
