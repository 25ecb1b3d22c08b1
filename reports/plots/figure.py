"""How all plots look, and figures as SVG and PNG that are the same bytes every time."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.8, 3.6
"""Inches: small enough to be read on a screen 400 pixels wide."""

DOTS = 150
"""Dots an inch of a PNG."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4c9a", "#8c6d31")
"""Told apart by the colour-blind too (Okabe and Ito), with two more at the end."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "#777777"
MANY = 1000
"""So many points are drawn as an image; each alone would make a page large."""

_STYLE: dict[str, Any] = {
    "svg.hashsalt": "topofinder",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 10,
    "legend.fontsize": 7.5,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.parse_math": False,
    "figure.dpi": 100,
}
_SET = tuple(name for name in mpl.rcParamsDefault if not name.startswith("backend"))
"""What a user's own settings could change; the backend stays, for no figure is shown."""
_NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
_NAMES = re.compile(r'(\bid="|url\(#|href="#)')


@contextmanager
def plot_style() -> Iterator[None]:
    """The style of all plots, within a `with` block."""
    plain: dict[Any, Any] = {name: mpl.rcParamsDefault[name] for name in _SET}
    with mpl.rc_context(plain | _STYLE):
        yield


def blank(title: str, width: float = WIDTH, height: float = HEIGHT) -> tuple[Figure, Axes]:
    """A figure with one pair of axes; call it within `plot_style()`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title)
    return figure, axes


def panels(
    title: str, heights: Sequence[float], *, share: bool = False
) -> tuple[Figure, list[Axes]]:
    """A figure with axes one below the other, of the given inches each, under one title.

    With `share` all have the same x axis. Call it within `plot_style()`.
    """
    figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    found = figure.subplots(
        len(heights), squeeze=False, sharex=share, gridspec_kw={"height_ratios": list(heights)}
    )
    parts: list[Axes] = list(found[:, 0])
    parts[0].set_title(title)
    return figure, parts


def grid(title: str, count: int, side: float, *, columns: int = 4) -> tuple[Figure, list[Axes]]:
    """A figure with so many axes of `side` inches in rows under one title; the rest stays empty.

    Call it within `plot_style()`.
    """
    across = min(count, columns)
    down = -(-count // across)
    figure = Figure(figsize=(max(WIDTH, across * side), down * side + 0.4), layout="constrained")
    figure.suptitle(title, fontsize=10)
    parts: list[Axes] = list(figure.subplots(down, across, squeeze=False).ravel())
    for axes in parts[count:]:
        axes.set_axis_off()
    return figure, parts[:count]


def svg(figure: Figure, name: str) -> str:
    """The <svg> element, its ids made unique by `name`, without a date."""
    told = StringIO()
    with plot_style():
        figure.savefig(told, format="svg", metadata=_NOTHING, dpi=DOTS)
    text = told.getvalue()
    return _NAMES.sub(rf"\g<1>{name}-", text[text.index("<svg") :].rstrip())


def svg_file(figure: Figure, name: str) -> str:
    """The text of an SVG file."""
    return f'<?xml version="1.0" encoding="utf-8"?>\n{svg(figure, name)}\n'


def png(figure: Figure) -> bytes:
    """The bytes of a PNG file."""
    told = BytesIO()
    with plot_style():
        figure.savefig(told, format="png", dpi=DOTS, metadata={"Software": None})
    return told.getvalue()
