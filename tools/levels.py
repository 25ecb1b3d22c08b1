"""The levels of the packages, from the imports themselves, and a drawing of them.

`python -m tools.levels` writes docs/levels.svg: a row for each level, a box for each package,
and a line for each import that no chain of others implies. The level
of a package is the length of the longest chain of imports below it.
"""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "levels.svg"
OWN = ("generators", "expansions", "db", "reports", "topofinder", "tools", "benchmarks")
MOST_LEVELS = 11
"""Levels that the distribution may have (docs/contributing.md)."""

WIDTH, HEIGHT, BOX, PAD = 960, 68, 30, 12


def package_of(module: str) -> str:
    """The room of a module: a package of the distribution, or one directly in topofinder.

    >>> package_of("topofinder.schedules.bfb.rows"), package_of("expansions.recipe")
    ('topofinder.schedules', 'expansions')
    >>> package_of("topofinder")
    'topofinder'
    """
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "topofinder" else parts[0]


def modules() -> dict[str, Path]:
    """Every module of the distribution, the tools and the benchmarks, with its file."""
    found = {}
    for name in OWN:
        for path in sorted((ROOT / name).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def syntax_tree(path: Path) -> ast.Module:
    """What a file says, parsed once."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """The modules of our own that a file imports, wherever in it."""
    return tuple(name for name in _names_imported(syntax_tree(path)) if name.split(".")[0] in OWN)


def _names_imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def import_graph() -> nx.DiGraph:
    """Rooms, and an arc from each to every other that it imports.

    `topofinder` itself, with `__main__`, stands for its lazy public names: it is left out, as
    what it imports is imported when a name is first used.
    """
    known = modules()
    graph = nx.DiGraph()
    for module, path in known.items():
        room = package_of(module)
        graph.add_node(room)
        for name in imports(path):
            other = package_of(name)
            if name in known and other != room:
                graph.add_edge(room, other)
    graph.remove_nodes_from(["topofinder", "topofinder.__main__"])
    return graph


def levels(graph: nx.DiGraph) -> list[list[str]]:
    """The rooms by level, the lowest first. Raises NetworkXUnfeasible where imports go round."""
    height: dict[str, int] = {}
    for room in reversed(list(nx.topological_sort(graph))):
        height[room] = 1 + max((height[other] for other in graph[room]), default=-1)
    rows: list[list[str]] = [[] for _ in range(1 + max(height.values()))]
    for room in sorted(height):
        rows[height[room]].append(room)
    return rows


def drawing(graph: nx.DiGraph) -> str:
    """The picture as SVG, the highest level on top."""
    rows = levels(graph)
    place = {
        room: ((2 * at + 1) * WIDTH / (2 * len(row)), (len(rows) - level) * HEIGHT - HEIGHT / 2)
        for level, row in enumerate(rows)
        for at, room in enumerate(row)
    }
    lines = [_line(*place[one], *place[other]) for one, other in _direct(graph)]
    boxes = [_box(room, *place[room]) for room in sorted(place)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {len(rows) * HEIGHT}" '
        'font-family="sans-serif" font-size="13" text-anchor="middle">'
    )
    return "\n".join([head, *lines, *boxes, "</svg>", ""])


def _direct(graph: nx.DiGraph) -> list[tuple[str, str]]:
    """The imports that no chain of others implies."""
    return sorted(nx.transitive_reduction(graph).edges)


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    ends = f'x1="{x:.0f}" y1="{y + BOX / 2:.0f}" x2="{to_x:.0f}" y2="{to_y - BOX / 2:.0f}"'
    return f'<line {ends} stroke="#8a8f98" stroke-width="1.2"/>'


def _box(room: str, x: float, y: float) -> str:
    """A box; rooms of the engine are blue and named without `topofinder`."""
    name = room.removeprefix("topofinder.")
    wide, fill = 9 * len(name) + 2 * PAD, "#f4f1ea" if name == room else "#e8f0fb"
    shape = f'<rect x="{x - wide / 2:.0f}" y="{y - BOX / 2:.0f}" width="{wide}" height="{BOX}"'
    text = f'<text x="{x:.0f}" y="{y + 5:.0f}">{name}</text>'
    return f'{shape} rx="4" fill="{fill}" stroke="#5b6f8c"/>{text}'


def main() -> None:
    """Write the picture, or with --check say whether it is up to date."""
    found = drawing(import_graph())
    if "--check" in sys.argv[1:]:
        sys.exit(PICTURE.read_text(encoding="utf-8") != found)
    PICTURE.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
