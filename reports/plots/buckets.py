"""The time of an iteration against the size of gradient buckets."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from reports.plots.figure import COLOURS, MARKERS, blank, plot_style
from reports.units import size_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BytesAndSeconds = Sequence[tuple[int, Fraction]]

HEIGHT = 3.2
"""Inches."""
TICKS = 5
"""Sizes that are named on the axis at most."""


def buckets_figure(title: str, curves: Sequence[tuple[str, BytesAndSeconds]]) -> "Figure":
    """A labelled curve of (bytes, seconds) pairs for each wiring, the bytes on a logarithmic axis.

    >>> curve = [(1024, Fraction(1)), (4096, Fraction(2))]
    >>> len(buckets_figure("t", [("ring", curve)]).axes[0].lines)
    1
    """
    with plot_style():
        figure, axes = blank(title, height=HEIGHT)
        for place, (label, curve) in enumerate(curves):
            pairs = sorted(curve)
            axes.plot(
                [size for size, _ in pairs],
                [float(1000 * spent) for _, spent in pairs],
                color=COLOURS[place % len(COLOURS)],
                marker=MARKERS[place % len(MARKERS)],
                markersize=3.5,
                linewidth=1.3,
                label=label,
            )
        sizes = sorted({size for _, curve in curves for size, _ in curve})
        named = sizes[:: -(-len(sizes) // TICKS)] if sizes else []
        axes.set_xscale("log")
        axes.set_xticks(named, [size_words(Fraction(size)) for size in named])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("gradient bucket [bytes]")
        axes.set_ylabel("iteration [ms]")
        figure.legend(loc="outside lower center", ncols=2)
    return figure
