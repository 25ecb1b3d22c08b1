"""Spanning trees by depth, each below its root."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.drawn_schedules import DrawnTree
from reports.plots.figure import COLOURS, GREY, WIDTH, grid, plot_style

SIDE = 2.6
NUMBERED = 40
"""Nodes of a tree that are named."""
DOT, WIDE_DOT = 11.0, 12.5
"""Points of a node, at most, in trees beside one another and in those that have all of a width."""


def trees_figure(title: str, drawn: Sequence[DrawnTree], *, columns: int = 3) -> Figure:
    """The trees, so many beside one another; dashed edges lead through switches.

    In a single column they are as wide as a page, and only names that can be read there stand.
    """
    with plot_style():
        figure, parts = grid(title, len(drawn), SIDE, columns=columns)
        for number, (axes, tree) in enumerate(zip(parts, drawn, strict=True)):
            axes.set_title(tree.name, fontsize=7.5)
            _draw_tree(axes, tree, number, whole=columns == 1)
    return figure


def _draw_tree(axes: Axes, tree: DrawnTree, number: int, *, whole: bool) -> None:
    across, depth = tree.columns(), tree.depths()
    wide = max(across.values()) + 1
    for parent, child, links in tree.edges:
        axes.plot(
            [across[parent], across[child]], [-depth[parent], -depth[child]],
            color=GREY, linewidth=0.8, linestyle="--" if links > 1 else "-", zorder=1,
            gid=f"edge-{number}-{parent}-{child}",
        )  # fmt: skip
    most = WIDE_DOT if whole else DOT
    dot = max(3.0, min(most, 130 * (WIDTH / SIDE if whole else 1) / wide))
    for node, x in across.items():
        axes.plot(
            x, -depth[node], "o", ms=dot, color=COLOURS[1] if node == tree.root else "#ffffff",
            markeredgecolor="#333333", gid=f"node-{number}-{node}",
        )  # fmt: skip
        if dot == most if whole else len(across) <= NUMBERED:
            axes.text(x, -depth[node], str(node), ha="center", va="center", fontsize=0.6 * dot)
    axes.margins(0.1)
    axes.set_yticks([-row for row in range(max(depth.values()) + 1)])
    axes.set_yticklabels([str(row) for row in range(max(depth.values()) + 1)])
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
