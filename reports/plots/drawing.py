"""Topologies to look at: hosts on a circle, or, where there are too many, the adjacency picture."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from reports.plots.figure import COLOURS, blank, grid, plot_style
from reports.plots.graphs import DrawnLine, GraphShape, draw_circle, draw_matrix, lines_between
from reports.size_report import CIRCLE

SIDE = 4.2
TITLE = 44
"""Letters of a line of the title."""
PANEL, SHORT = 2.1, 26
"""Inches of one of several drawings, and letters of a line of its title."""
PANEL_CIRCLE = 32
"""Hosts that have room on a circle of that size."""


def drawing_figure(
    title: str, shape: GraphShape, inside: Collection[int] = (), *, matrix: bool | None = None
) -> Figure:
    """The graph: as a `matrix`, or on a circle; unless told, by its number of hosts.

    Two-way circuits are lines, one-way ones arrows, each of them drawn. On a circle the hosts
    `inside` a cut are filled, and what leaves them has another colour.
    """
    with plot_style():
        figure, axes = blank("\n".join(_lines(title, TITLE)), SIDE, SIDE)
        if shape.n > CIRCLE if matrix is None else matrix:
            draw_matrix(axes, shape)
        else:
            draw_circle(axes, shape, _cut_lines(shape, frozenset(inside)), inside)
        return figure


def drawings_figure(title: str, drawn: Sequence[tuple[str, GraphShape]]) -> Figure:
    """Several graphs beside one another, each under its name."""
    with plot_style():
        figure, parts = grid(title, len(drawn), PANEL)
        for axes, (name, shape) in zip(parts, drawn, strict=True):
            axes.set_title("\n".join(_lines(name, SHORT)), fontsize=7.5)
            if shape.n > PANEL_CIRCLE:
                draw_matrix(axes, shape)
                axes.set(xlabel="", ylabel="")
            else:
                lines = lines_between(shape.tail.tolist(), shape.head.tolist())
                draw_circle(axes, shape, lines, scale=0.7)
        return figure


def _lines(title: str, most: int) -> Iterator[str]:
    """A title in lines that fit, broken behind a comma or space where there is one."""
    while len(title) > most:
        cut = 1 + max(title.rfind(",", 0, most), title.rfind(" ", most // 2, most))
        yield title[: cut or most]
        title = title[cut or most :]
    yield title


def _cut_lines(shape: GraphShape, inside: frozenset[int]) -> Iterator[DrawnLine]:
    """The lines, with another colour for those that leave a cut."""
    for line in lines_between(shape.tail.tolist(), shape.head.tolist()):
        out, back = line.u in inside, line.v in inside
        leaves = out > back or (line.two_way and back > out)
        yield replace(line, colour=COLOURS[1], width=1.4) if leaves else line
