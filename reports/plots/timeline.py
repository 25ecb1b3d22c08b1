"""The timeline of one iteration: what both streams do, and when (figure 16)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reports.plots.figure import COLOURS, blank, plot_style
from reports.trace import TraceSpan

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STREAMS = ("compute", "communication")
KINDS = ("forward", "backward", "all-to-all", "allreduce", "allgather", "reduce-scatter")
TALL = 0.8
"""Height of a stretch; streams are 1 apart."""


def timeline_figure(title: str, spans: Sequence[TraceSpan]) -> "Figure":
    """A line of stretches for each stream, computation above, coloured by what is done."""
    with plot_style():
        figure, axes = blank(title, height=2.4)
        for colour, kind in zip(COLOURS, KINDS, strict=False):
            is_named = False
            for place, stream in enumerate(STREAMS):
                own = [span for span in spans if (span.what, span.stream) == (kind, stream)]
                if not own:
                    continue
                stretches = [
                    (float(span.begin * 1000), float((span.end - span.begin) * 1000))
                    for span in own
                ]
                low = len(STREAMS) - 1 - place - TALL / 2
                label = "" if is_named else kind
                axes.broken_barh(stretches, (low, TALL), color=colour, linewidth=0, label=label)
                is_named = True
        axes.set_yticks(range(len(STREAMS)), list(reversed(STREAMS)))
        axes.set_xlabel("time [ms]")
        figure.legend(loc="outside lower center", ncols=3)
    return figure
