"""A patching plan as two port matrices: what is taken out of the wiring, and what is made."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from generators.topology import BoolArray, Int64Array, IntArray
from reports.plots.figure import COLOURS, WIDTH, plot_style

SIDE = 3.4
RULED = 40
"""Hosts whose ports are ruled off."""
KEPT, FREED, MADE = "#b5b5b5", COLOURS[1], COLOURS[0]


def port_matrix_figure(title: str, before: IntArray, after: IntArray, host: IntArray) -> Figure:
    """Circuits before and after, from the transmitter of a port to the receiver of another.

    `before[p]` and `after[p]` are the port that port p reaches, or -1; `host[p]` is its host; all
    are int32 of shape (ports,).
    """
    stays = (before == after) & (before >= 0)
    with plot_style():
        figure = Figure(figsize=(max(WIDTH, 2 * SIDE), SIDE + 0.7), layout="constrained")
        figure.suptitle(title, fontsize=10)
        parts: Sequence[Axes] = list(figure.subplots(1, 2, sharex=True, sharey=True))
        goes, comes = (before >= 0) & ~stays, (after >= 0) & ~stays
        told = ("before", before, goes, FREED, "taken out"), ("after", after, comes, MADE, "made")
        for axes, (name, to, moved, colour, what) in zip(parts, told, strict=True):
            axes.set_title(name, fontsize=9)
            _draw_circuits(axes, to, np.flatnonzero(stays), KEPT, f"{name}-kept", "stays")
            _draw_circuits(axes, to, np.flatnonzero(moved), colour, f"{name}-moved", what)
            _rule_hosts(axes, host)
            axes.set_xlabel("receiver of port")
        parts[0].set_ylabel("transmitter of port")
        handles, labels = parts[0].get_legend_handles_labels()
        more, names = parts[1].get_legend_handles_labels()
        figure.legend([*handles, more[1]], [*labels, names[1]], loc="outside lower center", ncols=3)
    return figure


def _draw_circuits(
    axes: Axes, to: IntArray, ports: Int64Array, colour: str, name: str, label: str
) -> None:
    side = max(1.2, min(7.0, 60 * SIDE / max(len(to), 1)))
    axes.plot(
        to[ports], ports, "s", ms=side, color=colour, markeredgewidth=0, gid=name,
        label=f"{label} ({len(ports)} fibres)",
    )  # fmt: skip


def _rule_hosts(axes: Axes, host: IntArray) -> None:
    edges: BoolArray = np.diff(host) != 0
    axes.set(xlim=(-0.5, len(host) - 0.5), ylim=(len(host) - 0.5, -0.5), aspect="equal")
    axes.grid(visible=False)
    if np.count_nonzero(edges) > RULED:
        return
    for at in (np.flatnonzero(edges) + 0.5).tolist():
        axes.axhline(at, color="#e4e4e4", linewidth=0.4, zorder=0)
        axes.axvline(at, color="#e4e4e4", linewidth=0.4, zorder=0)
