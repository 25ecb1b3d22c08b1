"""`topofinder atlas`: stored frontiers as pages of files, each size with graphs to download."""

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any

from db.reading import Interval
from db.rows import CandidateRow
from db.store import Store
from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.errors import InvalidInput, TopofinderError
from generators.excerpts import excerpt
from generators.files import require_place, write_whole
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from reports.atlas import AtlasGraph, AtlasSize
from reports.atlas_page import block_page, index_page, size_page
from reports.pages.compact_svg import compact_svg
from reports.pages.graph_plot import graph_plot
from reports.pages.html import safe_text
from reports.plots.figure import svg
from topofinder.api.draw import draw, wants_root
from topofinder.api.report_size import asked_of, least_cost
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.drawings import graph_shape, graph_words
from topofinder.api.shared.workloads import read_seconds
from topofinder.interrupts import end_early, is_ending
from topofinder.model.workload import Workload

Ranges = Sequence[Interval] | None
KINDS = ("edges", "graphml", "json")
"""Files of each graph."""
MOST_HOSTS = 4096
"""Largest number of hosts whose graphs are written and drawn."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Atlas(Answer):
    """The sizes of an atlas, its folder, and how many files stand there.

    `open` sizes are left out, as its time was over.
    """

    sizes: int
    files: int
    out: str
    open: int = 0

    def summary(self) -> dict[str, Any]:
        """Sizes, files and folder."""
        found = {"sizes": self.sizes, "files": self.files, "out": self.out}
        return found | ({"open": self.open} if self.open else {})

    def to_dict(self) -> dict[str, Any]:
        """The same; the command has no JSON."""
        return self.summary()

    def __str__(self) -> str:
        told = f"atlas of {self.sizes} sizes, {self.files} files, written to {self.out}/index.html"
        return told + (f"; {self.open} are left, as the time was over" if self.open else "")


def atlas(
    db: str | PathLike[str],
    out: str | PathLike[str],
    *,
    n: Ranges = None,
    d: Ranges = None,
    links: str | None = None,
    workload: Workload | None = None,
    files: str | Sequence[str] = KINDS,
    progress: Callable[[int, int], None] = lambda done, total: None,
    time: float | str | None = None,
) -> Atlas:
    """Write the stored frontiers, or those of some sizes, to a folder of static pages.

    `index.html` leads over a page for each degree and link mode to one for each size, with its
    frontier, bounds, recipes, provenance and pictures, and to `files` of its graphs. Sizes are
    coloured by the time of a `workload`, the usual one unless given, over its lower bound. `n` and
    `d` are lists of inclusive pairs. The same database gives the same bytes; after `time`, seconds
    or a text such as "5min", or Ctrl-C, the atlas is one of the sizes that are written, at least
    one. Raises InvalidInput for a database that is missing or holds no such size, and where a file
    cannot be written.
    """
    kinds = read_kinds(files)
    folder = Path(out)
    require_folder(folder)
    sizes = _stored_sizes(db, n, d, links, workload)
    end = inf if time is None else clock.monotonic() + read_seconds(time)
    with end_early():
        done, files_of_graphs = _write_sizes(folder, sizes, kinds, end, progress)
    blocks = [list(some) for _, some in groupby(done, key=lambda size: size.block)]
    for some in blocks:
        write_whole(folder / f"{some[0].block}.html", block_page(some))
    write_whole(folder / "index.html", index_page(done))
    return Atlas(
        sizes=len(done),
        files=files_of_graphs + len(done) + len(blocks) + 1,
        out=str(out),
        open=len(sizes) - len(done),
    )


def _write_sizes(
    folder: Path,
    sizes: Sequence[AtlasSize],
    kinds: Sequence[str],
    end: float,
    progress: Callable[[int, int], None],
) -> tuple[Sequence[AtlasSize], int]:
    """Write graphs and pages until the time ends: the sizes that are there, and their files.

    The page of the last one leads to none after it, so its size is begun when the time is over.
    """
    written = 0
    for place, size in enumerate(sizes):
        if place and (clock.monotonic() >= end or is_ending()):
            sizes = sizes[: place + 1]
        around = (place - 1, place + 1)
        beside = [sizes[other] if 0 <= other < len(sizes) else None for other in around]
        written += _write_size(folder, size, beside, kinds)
        progress(place + 1, len(sizes))
        if place + 1 == len(sizes):
            break
    return sizes, written


def read_kinds(files: str | Sequence[str]) -> tuple[str, ...]:
    """Kinds of files, as a text with commas or one by one; none for an empty text.

    >>> read_kinds("edges, json")
    ('edges', 'json')
    """
    listed = files.split(",") if isinstance(files, str) else files
    words = tuple(dict.fromkeys(word.strip() for word in listed if word.strip()))
    for word in words:
        if word not in KINDS:
            raise InvalidInput(f"--files: {excerpt(word)} is none of {', '.join(KINDS)}")
    return words


def require_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written, before the work; it is made last."""
    require_place(folder / "index.html" if folder.is_dir() else folder)


def _stored_sizes(
    db: str | PathLike[str], n: Ranges, d: Ranges, links: str | None, workload: Workload | None
) -> list[AtlasSize]:
    """The sizes that are chosen and have a frontier, by degree, links and hosts."""
    asked = asked_of(workload)
    with Store(db, create=False) as store:
        rows = store.frontiers(n=_hull(n), d=_hull(d), links=links)
    sizes = [
        AtlasSize(
            row=row,
            asked=asked,
            least=least_cost(Cost(row.bound_steps, row.bound_bandwidth), asked.collective),
        )
        for row in rows
        if row.members and _lies_in(row.n, n) and _lies_in(row.d, d)
    ]
    if not sizes:
        raise InvalidInput(f"{db}: no stored frontier has such a size")
    return sorted(sizes, key=lambda size: (size.row.d, size.row.links, size.row.n))


def _hull(ranges: Ranges) -> Interval | None:
    """The interval from the least to the most of all ranges."""
    if not ranges:
        return None
    return min(least for least, _ in ranges), max(most for _, most in ranges)


def _lies_in(number: int, ranges: Ranges) -> bool:
    return ranges is None or any(least <= number <= most for least, most in ranges)


def _write_size(
    folder: Path, size: AtlasSize, beside: Sequence[AtlasSize | None], kinds: Sequence[str]
) -> int:
    """Write a size's graphs and page; how many files its graphs have."""
    place = folder / size.block
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{place}: {(error.strerror or str(error)).lower()}") from None
    graphs = {row.recipe: _write_graph(place, size, row, kinds) for row in size.row.members}
    ends = [
        other.row.n if other is not None and other.block == size.block else None for other in beside
    ]
    write_whole(folder / size.page, size_page(size, graphs, *ends))
    return sum(len(graph.files) for graph in graphs.values())


def _write_graph(
    place: Path, size: AtlasSize, row: CandidateRow, kinds: Sequence[str]
) -> AtlasGraph:
    """The files and picture of a member; a recipe may come from a newer topofinder or a plugin."""
    if row.n > MOST_HOSTS:
        return AtlasGraph(reason=f"Graphs of more than {MOST_HOSTS} hosts are not written here")
    try:
        recipe = parse(row.recipe)
        topology = build(recipe, row.n)
    except TopofinderError as error:
        return AtlasGraph(reason=f"Its graph cannot be built here: {error}")
    mark = size.mark(row)
    files = {kind: f"{row.n}-{mark}.{kind}" for kind in kinds}
    for name in files.values():
        write_topology(topology, place / name)
    words, drawing = _draw_graph(recipe, topology, mark)
    return AtlasGraph(files=files, drawing=drawing, words=words)


def _draw_graph(recipe: Recipe, topology: Topology, mark: str) -> tuple[str, str]:
    """What the picture of a graph shows, and the picture: that of its root as `draw` has it."""
    if wants_root(recipe, topology):
        picture = draw(recipe)
        label = f'<svg role="img" aria-label="{safe_text(picture.words)}"'
        drawn = compact_svg(svg(picture.figure, mark))
        return picture.words, drawn.replace("<svg", label, 1)
    words = graph_words(str(recipe), topology)
    return words, graph_plot(graph_shape(topology), words, mark)
