"""A topology to look at: hosts on a circle, or, where there are too many, its adjacency picture."""

from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from generators.topology import IntArray
from reports.plots.figure import COLOURS, blank, plot_style
from reports.size_report import CIRCLE

CELLS = 512
"""Rows of an adjacency picture; a cell of a larger graph stands for a square of node pairs."""
SIDE = 4.2
BEND = 0.08
"""How far lines between the same hosts bend apart, over their length."""
TITLE = 44
"""Letters of a line of the title."""

CUT_FILL = "#ffe0c2"
"""Hosts inside a cut."""

Nodes = IntArray


def drawing_figure(
    title: str, n: int, tail: Nodes, head: Nodes, inside: Collection[int] = ()
) -> Figure:
    """The graph with arcs from `tail` to `head`, int32 arrays of shape (arcs,).

    Two-way circuits are lines, one-way ones arrows, each of them drawn. On a circle the hosts
    `inside` a cut are filled, and what leaves them has another colour.
    """
    shown = "\n".join(_lines(title))
    with plot_style():
        if n > CIRCLE:
            return _adjacency(shown, n, tail, head)
        return _circle(shown, n, tail, head, frozenset(inside))


def _lines(title: str) -> Iterator[str]:
    """A title in lines that fit, broken behind a comma or space where there is one."""
    while len(title) > TITLE:
        cut = 1 + max(title.rfind(",", 0, TITLE), title.rfind(" ", TITLE // 2, TITLE))
        yield title[: cut or TITLE]
        title = title[cut or TITLE :]
    yield title


def _circle(title: str, n: int, tail: Nodes, head: Nodes, inside: frozenset[int]) -> Figure:
    figure, axes = blank(title, SIDE, SIDE)
    turns = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    places = np.column_stack([np.cos(turns), np.sin(turns)])
    for u, v, two_way, bend in _lines_between(tail.tolist(), head.tolist()):
        leaving = (u in inside) > (v in inside) or (two_way and (v in inside) > (u in inside))
        axes.add_patch(
            FancyArrowPatch(
                tuple(places[u]),
                tuple(places[v]),
                arrowstyle="-" if two_way else "-|>",
                connectionstyle=f"arc3,rad={bend}",
                mutation_scale=6,
                linewidth=1.4 if leaving else 0.7,
                color=COLOURS[1] if leaving else COLOURS[0],
                shrinkA=6,
                shrinkB=6,
            )
        )
    for node, (x, y) in enumerate(places):
        fill = CUT_FILL if node in inside else "#ffffff"
        axes.plot(x, y, "o", color=fill, markeredgecolor="#333333", ms=11)
        axes.text(x, y, str(node), ha="center", va="center", fontsize=6.5)
    axes.set_aspect("equal")
    axes.margins(0.08)
    axes.set_axis_off()
    return figure


def _lines_between(tail: list[int], head: list[int]) -> Iterator[tuple[int, int, bool, float]]:
    """Ends, whether it goes both ways, and the bend of each line; loops are left out.

    A chord of a circle meets no third host, so lines are straight but where several join the same
    two hosts, and symmetry is seen.
    """
    arcs = Counter((u, v) for u, v in zip(tail, head, strict=True) if u != v)
    for u, v in sorted({(min(arc), max(arc)) for arc in arcs}):
        there, back = arcs[u, v], arcs[v, u]
        both = min(there, back)
        ends = [(u, v, True)] * both
        ends += [(u, v, False)] * (there - both) + [(v, u, False)] * (back - both)
        for place, (start, end, two_way) in enumerate(ends):
            yield start, end, two_way, BEND * (2 * place - len(ends) + 1)


def _adjacency(title: str, n: int, tail: Nodes, head: Nodes) -> Figure:
    figure, axes = blank(title, SIDE, SIDE)
    cells = min(n, CELLS)
    counts = np.zeros((cells, cells))
    rows, columns = (ends.astype(np.int64) * cells // n for ends in (tail, head))
    np.add.at(counts, (rows, columns), 1)
    axes.imshow(
        counts > 0, cmap="Greys", interpolation="nearest", extent=(-0.5, n - 0.5, n - 0.5, -0.5)
    )
    axes.grid(visible=False)
    axes.set_xlabel("to host")
    axes.set_ylabel("from host")
    return figure
