"""What plots draw of a graph: its hosts around a circle, or its matrix, within a pair of axes."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.patches import FancyArrowPatch

from generators.topology import BoolArray, FloatArray, Int64Array, IntArray
from reports.plots.figure import COLOURS, GREY

CELLS = 512
"""Rows of a matrix; a cell of a larger graph stands for a square of node pairs."""
BEND = 0.08
"""How far lines between the same hosts bend apart, over their length."""
NUMBERED = 29
"""Hosts that are numbered in a drawing."""
RULED = 64
"""Blocks of a matrix that are ruled off."""

CUT_FILL, SWITCH_FILL = "#ffe0c2", "#d9e4ef"
"""Hosts inside a cut; switches."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphShape:
    """A graph as it is drawn: arcs from `tail` to `head`, and where its nodes stand.

    `tail` and `head` are int32 of shape (arcs,). `around` lists the nodes in their places on the
    circle, `blocks` in their rows of the matrix, blocks of `block` rows; both are by number unless
    told.
    """

    n: int
    tail: IntArray
    head: IntArray
    switches: Collection[int] = ()
    around: Int64Array | None = None
    blocks: Int64Array | None = None
    block: int | None = None

    @property
    def places(self) -> FloatArray:
        """Places of the nodes on the circle, the first one at the top, clockwise; (n, 2)."""
        turns = np.pi / 2 - 2 * np.pi * np.arange(self.n) / self.n
        found = np.empty((self.n, 2))
        order = np.arange(self.n) if self.around is None else self.around
        found[order] = np.column_stack([np.cos(turns), np.sin(turns)])
        return found

    @property
    def rows(self) -> Int64Array:
        """The row of the matrix at which each node stands; shape (n,)."""
        found = np.empty(self.n, dtype=np.int64)
        order = np.arange(self.n) if self.blocks is None else self.blocks
        found[order] = np.arange(self.n)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLine:
    """A line or, one-way, an arrow from u to v, with its bend; `name` is its id in an SVG."""

    u: int
    v: int
    name: str
    two_way: bool = False
    bend: float = 0.0
    colour: str = COLOURS[0]
    width: float = 0.7


def lines_between(tail: list[int], head: list[int]) -> Iterator[DrawnLine]:
    """A line for each circuit; loops are left out.

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
            bend = BEND * (2 * place - len(ends) + 1)
            name = f"{'link' if two_way else 'arc'}-{start}-{end}-{place}"
            yield DrawnLine(u=start, v=end, name=name, two_way=two_way, bend=bend)


def draw_circle(
    axes: Axes,
    shape: GraphShape,
    lines: Iterable[DrawnLine],
    inside: Collection[int] = (),
    scale: float = 1.0,
) -> None:
    """Draw hosts around a circle and the given lines; `scale` shrinks both for small axes."""
    places = shape.places
    dot = scale * max(3.0, min(11.0, 320 / shape.n))
    numbered = shape.n <= NUMBERED * scale
    for line in lines:
        axes.add_patch(
            FancyArrowPatch(
                tuple(places[line.u]),
                tuple(places[line.v]),
                arrowstyle="-" if line.two_way else "-|>",
                connectionstyle=f"arc3,rad={line.bend}",
                mutation_scale=6 * scale,
                linewidth=line.width,
                color=line.colour,
                shrinkA=dot / 2,
                shrinkB=dot / 2,
                gid=line.name,
            )
        )
    switches = frozenset(shape.switches)
    for node, (x, y) in enumerate(places):
        fill = CUT_FILL if node in inside else SWITCH_FILL if node in switches else "#ffffff"
        marker = "s" if node in switches else "o"
        axes.plot(
            x, y, marker, color=fill, markeredgecolor="#333333", ms=dot, gid=f"host-{node}",
        )  # fmt: skip
        if numbered:
            axes.text(x, y, str(node), ha="center", va="center", fontsize=0.6 * dot)
    axes.set_aspect("equal")
    axes.margins(0.08)
    axes.set_axis_off()


def draw_matrix(
    axes: Axes, shape: GraphShape, values: FloatArray | BoolArray | None = None, cmap: str = "Greys"
) -> AxesImage:
    """Draw the matrix of the arcs, or of their `values`, shape (arcs,): the largest in a cell."""
    cells = min(shape.n, CELLS)
    kept = np.full((cells, cells), 0.0 if values is None else np.nan)
    row = shape.rows
    ends = tuple(row[end] * cells // shape.n for end in (shape.tail, shape.head))
    shown = np.ones(len(shape.tail)) if values is None else values.astype(np.float64)
    if values is not None:
        kept[ends] = -np.inf
    np.maximum.at(kept, ends, shown)
    last = shape.n - 0.5
    image = axes.imshow(
        kept, cmap=cmap, interpolation="nearest", extent=(-0.5, last, last, -0.5), vmin=0
    )
    axes.grid(visible=False)
    _rule_blocks(axes, shape)
    by_number = shape.blocks is None
    axes.set_xlabel("to host" if by_number else "to host, by orbit of a symmetry")
    axes.set_ylabel("from host" if by_number else "from host, by orbit")
    return image


def _rule_blocks(axes: Axes, shape: GraphShape) -> None:
    if shape.block is None or not 1 < shape.n // shape.block <= RULED:
        return
    for at in range(shape.block, shape.n, shape.block):
        for line in (axes.axhline, axes.axvline):
            line(at - 0.5, color=GREY, linewidth=0.4, gid=f"rule-{line.__name__[2]}-{at}")


def arrows(
    ends: Sequence[tuple[int, int]], colours: Sequence[str], widths: Sequence[float]
) -> Iterator[DrawnLine]:
    """An arrow for each arc, bent a little, so that an arc and its return are told apart."""
    styled = zip(ends, colours, widths, strict=True)
    for place, ((u, v), colour, width) in enumerate(styled):
        name = f"arc-{u}-{v}-{place}"
        yield DrawnLine(u=u, v=v, name=name, bend=BEND, colour=colour, width=width)
