"""Panels and ports of an inventory: what each position holds, and where each host's ports lead."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from generators.topology import FloatArray, Int64Array
from reports.plots.figure import COLOURS, GREY, WIDTH, plot_style

ROW = 48
"""Positions in a row of a panel."""
CELL = 0.13
"""Inches of a position."""
NAMED = 48
"""Rows of a table that are named, and ruled off."""
FREE = to_rgb("#eeeeee")
MARKS = {"dead": "x", "reserved": "o", "pinned": "s", "held": "D"}
"""What stands on ports that are not simply live."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """A table of places, some of which belong to one of several owners, numbered from 0.

    `owner[i]` has the place `row[i]`, `column[i]`, with a mark where its `state[i]` has one;
    all are of shape (places,). The table has a row of `columns` for each of the `names`; in the
    last one only the first `last` are places.
    """

    name: str
    names: Sequence[str]
    columns: int
    last: int
    row: Int64Array
    column: Int64Array
    owner: Int64Array
    state: Sequence[str]

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.names)


def cells_figure(title: str, drawn: Sequence[Cells], owners: Sequence[str], what: str) -> Figure:
    """The tables one below the other, places in the colours of their owners.

    As many owners as there are colours are named; of more only the first and the last one are.
    """
    with plot_style():
        heights = [cells.rows * CELL + 0.35 for cells in drawn]
        width = max(WIDTH, max(cells.columns for cells in drawn) * CELL + 0.8)
        figure = Figure(figsize=(width, sum(heights) + 1.0), layout="constrained")
        figure.suptitle(title, fontsize=10)
        ratios = {"height_ratios": heights}
        parts: list[Axes] = list(
            figure.subplots(len(drawn), squeeze=False, gridspec_kw=ratios).flat
        )
        for axes, cells in zip(parts, drawn, strict=True):
            _draw_cells(axes, cells, len(owners))
        handles = [*_owner_patches(owners), *_state_marks(parts)]
        figure.legend(handles=handles, title=what, loc="outside lower center", ncols=4)
    return figure


def _draw_cells(axes: Axes, cells: Cells, owners: int) -> None:
    shown: FloatArray = np.ones((cells.rows, cells.columns, 3))
    shown[:] = FREE
    shown[-1, cells.last :] = 1.0
    shown[cells.row, cells.column] = [owner_colour(one, owners) for one in cells.owner.tolist()]
    image = axes.imshow(shown, interpolation="nearest", aspect="auto")
    image.set_gid(f"cells-{cells.name}")
    for state, mark in MARKS.items():
        own = np.array([one == state for one in cells.state], dtype=bool)
        if own.any():
            axes.plot(
                cells.column[own], cells.row[own], mark, color="#111111", fillstyle="none",
                ms=5, label=state, gid=f"{state}-{cells.name}",
            )  # fmt: skip
    axes.set_title(cells.name, fontsize=8, loc="left")
    axes.set_xticks([])
    axes.set_yticks(range(cells.rows), cells.names, fontsize=6.5)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    if cells.rows > NAMED:
        axes.set_yticks([])
        axes.set_ylabel(f"{cells.names[-1]} to {cells.names[0]}", fontsize=6.5)
    for line, count in ((axes.axvline, cells.columns), (axes.axhline, cells.rows)):
        for at in range(1, count if cells.rows <= NAMED else 0):
            line(at - 0.5, color="white", linewidth=0.4)
    axes.spines[:].set_visible(False)


def owner_colour(owner: int, owners: int) -> tuple[float, float, float]:
    """The colour of an owner; of many they follow each other as in a rainbow."""
    if owners <= len(COLOURS):
        return to_rgb(COLOURS[owner])
    red, green, blue, _ = colormaps["turbo"](0.05 + 0.9 * owner / (owners - 1))
    return red, green, blue


def _owner_patches(owners: Sequence[str]) -> Iterator[Patch]:
    many = len(owners) > len(COLOURS)
    named = [0, len(owners) - 1] if many else range(len(owners))
    for place in named:
        yield Patch(color=owner_colour(place, len(owners)), label=owners[place])
    yield Patch(facecolor=FREE, edgecolor=GREY, linewidth=0.3, label="free")


def _state_marks(parts: Sequence[Axes]) -> list[Artist]:
    found: dict[str, Artist] = {}
    for axes in parts:
        handles, labels = axes.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    return [found[name] for name in MARKS if name in found]
