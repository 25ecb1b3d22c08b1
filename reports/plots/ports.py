"""A patching plan as port matrices: what is taken out of the wiring, and what is made."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from generators.topology import BoolArray, Int64Array, IntArray
from reports.plots.figure import COLOURS, MANY, WIDTH, blank, plot_style

SIDE = 3.4
RULED = 40
"""Hosts whose ports are ruled off."""
NAMED = 32
"""Ports, or else hosts, whose names stand beside a matrix."""
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


def moves_figure(
    title: str, names: Sequence[str], hosts: Sequence[str], freed: Int64Array, made: Int64Array
) -> Figure:
    """The circuits that are taken out and made in one matrix of the ports that they join.

    Port p is `names[p]` on host `hosts[p]`; `freed` and `made` are (transmitter, receiver) pairs,
    int64 of shape (fibres, 2).
    """
    first = {host: place for place, host in reversed(list(enumerate(hosts)))}
    number = {host: place for place, host in enumerate(first)}
    with plot_style():
        figure, axes = blank(title, WIDTH, WIDTH)
        told = (freed, FREED, "freed", "taken out"), (made, MADE, "made", "made")
        for ends, colour, name, what in told:
            _draw_fibres(axes, len(names), ends.T, colour, name, what)
        _rule_hosts(axes, np.array([number[host] for host in hosts], np.int32))
        axes.set(xlabel="receiver of a touched port", ylabel="transmitter of a touched port")
        if len(names) <= NAMED:
            _name_ports(axes, range(len(names)), names)
        elif len(first) <= NAMED:
            _name_ports(axes, sorted(first.values()), [hosts[at] for at in sorted(first.values())])
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def _name_ports(axes: Axes, places: Sequence[int], names: Sequence[str]) -> None:
    axes.set_xticks(places, names, rotation=90, fontsize=8)
    axes.set_yticks(places, names, fontsize=8)


def _draw_circuits(
    axes: Axes, to: IntArray, ports: Int64Array, colour: str, name: str, label: str
) -> None:
    ends = np.stack([ports, to[ports].astype(np.int64)])
    _draw_fibres(axes, len(to), ends, colour, name, label)


def _draw_fibres(
    axes: Axes, ports: int, ends: Int64Array, colour: str, name: str, label: str
) -> None:
    side = max(1.2, min(7.0, 60 * SIDE / max(ports, 1)))
    axes.plot(
        ends[1], ends[0], "s", ms=side, color=colour, markeredgewidth=0, gid=name,
        label=f"{label} ({ends.shape[1]} fibres)", rasterized=ends.shape[1] > MANY,
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
