"""Spanning trees by depth, each below its root."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.plots.figure import COLOURS, GREY, grid, plot_style

SIDE = 2.6
NUMBERED = 40
"""Nodes of a tree that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTree:
    """A tree from its root: edges (parent, child, links on the way), parents before children."""

    name: str
    root: int
    edges: Sequence[tuple[int, int, int]]

    def depths(self) -> dict[int, int]:
        """Edges from the root to each node.

        >>> DrawnTree(name="t", root=2, edges=[(2, 0, 1), (0, 1, 1)]).depths()
        {2: 0, 0: 1, 1: 2}
        """
        found = {self.root: 0}
        for parent, child, _ in self.edges:
            found[child] = found[parent] + 1
        return found

    def columns(self) -> dict[int, float]:
        """How far right each node stands: leaves in a row, parents above their children's middle.

        >>> DrawnTree(name="t", root=2, edges=[(2, 0, 1), (2, 1, 1)]).columns()
        {0: 0.0, 1: 1.0, 2: 0.5}
        """
        children: dict[int, list[int]] = {}
        for parent, child, _ in self.edges:
            children.setdefault(parent, []).append(child)
        found: dict[int, float] = {}
        waiting, leaves = [(self.root, False)], 0
        while waiting:
            node, ready = waiting.pop()
            own = children.get(node, [])
            if not own:
                found[node], leaves = float(leaves), leaves + 1
            elif ready:
                found[node] = (found[own[0]] + found[own[-1]]) / 2
            else:
                waiting.append((node, True))
                waiting += [(child, False) for child in reversed(own)]
        return found


def trees_figure(title: str, drawn: Sequence[DrawnTree]) -> Figure:
    """The trees beside one another; dashed edges lead through switches."""
    with plot_style():
        figure, parts = grid(title, len(drawn), SIDE, columns=3)
        for number, (axes, tree) in enumerate(zip(parts, drawn, strict=True)):
            axes.set_title(tree.name, fontsize=7.5)
            _draw_tree(axes, tree, number)
    return figure


def _draw_tree(axes: Axes, tree: DrawnTree, number: int) -> None:
    across, depth = tree.columns(), tree.depths()
    wide = max(across.values()) + 1
    for parent, child, links in tree.edges:
        axes.plot(
            [across[parent], across[child]], [-depth[parent], -depth[child]],
            color=GREY, linewidth=0.8, linestyle="--" if links > 1 else "-", zorder=1,
            gid=f"edge-{number}-{parent}-{child}",
        )  # fmt: skip
    dot = max(3.0, min(11.0, 130 / wide))
    for node, x in across.items():
        axes.plot(
            x, -depth[node], "o", ms=dot, color=COLOURS[1] if node == tree.root else "#ffffff",
            markeredgecolor="#333333", gid=f"node-{number}-{node}",
        )  # fmt: skip
        if len(across) <= NUMBERED:
            axes.text(x, -depth[node], str(node), ha="center", va="center", fontsize=0.6 * dot)
    axes.margins(0.1)
    axes.set_yticks([-row for row in range(max(depth.values()) + 1)])
    axes.set_yticklabels([str(row) for row in range(max(depth.values()) + 1)])
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
