"""The pages of an atlas of frontiers: its index, one of each degree and link mode, one a size."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from db.rows import CandidateRow
from expansions.cost import Cost
from reports.atlas import AtlasGraph, AtlasSize
from reports.origins import Origin
from reports.pages.cost_plot import CostPoint, CostSeries, cost_plot
from reports.pages.document import PageColumn, Table, TableRow
from reports.pages.html import html_file, page_table, safe_text, scrolled_table
from reports.size_words import cost_words, workload_words
from reports.units import time_text

BLOCK = 100
"""Sizes that share a cell of the index."""
STEPS = (Fraction(1), Fraction(101, 100), Fraction(21, 20), Fraction(11, 10), Fraction(5, 4))
"""Ratios to the bound up to which each shade but the last one goes."""
ORIGINS = {
    Origin.FAMILY: "of published families",
    Origin.CATALOGUE: "of the catalogue that ships",
    Origin.EFFORT: "found by search effort",
    Origin.DISCOVER: "found by discover",
    Origin.MERGED: "merged by name",
}
TITLE = "Atlas of frontiers"


def index_page(sizes: Sequence[AtlasSize]) -> str:
    """The index: a line for each degree and link mode, a cell for each hundred sizes."""
    blocks = sorted({size.row.n // BLOCK for size in sizes})
    heads = "".join(f'<th scope="col">{_span(block)}</th>' for block in blocks)
    lines = "".join(_index_line(name, list(some), blocks) for name, some in _by_block(sizes))
    body = (
        f"<p>{len(sizes)} sizes. {_legend_words(sizes[0])} A cell shows the mean of its sizes and "
        "leads to them.</p>\n"
        f"{_legend()}"
    )
    caption = "Mean ratio to the bound, by hosts N"
    table = (
        f'<table id="index">\n<caption>{caption}</caption>\n<thead><tr>'
        f'<th scope="col">ports and links</th>{heads}</tr></thead>\n'
        f"<tbody>\n{lines}</tbody>\n</table>"
    )
    return html_file(TITLE, body + scrolled_table(table, caption))


def _index_line(name: str, sizes: Sequence[AtlasSize], blocks: Sequence[int]) -> str:
    by_block: dict[int, list[Fraction]] = {block: [] for block in blocks}
    for size in sizes:
        by_block[size.row.n // BLOCK].append(size.ratio)
    row = sizes[0].row
    cells = "".join(_index_cell(name, block, some) for block, some in by_block.items())
    return (
        f'<tr><th scope="row"><a href="{name}.html">d = {row.d}, {row.links}</a></th>{cells}</tr>\n'
    )


def _index_cell(name: str, block: int, ratios: Sequence[Fraction]) -> str:
    if not ratios:
        return "<td></td>"
    mean = sum(ratios, Fraction()) / len(ratios)
    told = f"N = {_span(block)}: {len(ratios)} sizes, {float(min(ratios)):.4f} to "
    told += f"{float(max(ratios)):.4f} times the bound"
    link = f'<a href="{name}.html#from-{block * BLOCK}" title="{told}">{float(mean):.2f}</a>'
    return f'<td class="cell {shade(mean)}">{link}</td>'


def block_page(sizes: Sequence[AtlasSize]) -> str:
    """All sizes of one degree and link mode, each a link in the shade of its ratio."""
    row = sizes[0].row
    told = [
        '<nav><a href="index.html">Index</a></nav>\n',
        f"<p>{len(sizes)} sizes. {_legend_words(sizes[0])}</p>\n{_legend()}",
    ]
    for block, some in groupby(sizes, key=lambda size: size.row.n // BLOCK):
        cells = "".join(map(_size_cell, some))
        heading = f'<h2 id="from-{block * BLOCK}">N = {_span(block)}</h2>'
        told.append(f'<section>\n{heading}\n<div class="heat">\n{cells}</div>\n</section>\n')
    return html_file(f"{TITLE}: d = {row.d}, {row.links} links", "".join(told))


def _size_cell(size: AtlasSize) -> str:
    ratio = size.ratio
    told = safe_text(f"{size.best.recipe}, {float(ratio):.6g} times the bound")
    return (
        f'<a class="{shade(ratio)}" href="{size.page}" title="{told}"><b>{size.row.n}</b> '
        f"{float(ratio):.3f}</a>\n"
    )


def size_page(
    size: AtlasSize, graphs: Mapping[str, AtlasGraph], before: int | None, after: int | None
) -> str:
    """A size: what to wire, its frontier, and of every member files, picture and commands.

    `graphs` are by recipe; `before` and `after` the sizes beside it.
    """
    beside = [(before, "previous"), (after, "next")]
    links = [f'<a href="{n}.html">{word}: N = {n}</a>' for n, word in beside if n is not None]
    nav = f'<a href="../index.html">Index</a><a href="../{size.block}.html">{size.block}</a>'
    told = [
        f"<nav>{nav}{''.join(links)}</nav>\n<p>{safe_text(_advice(size))}</p>\n",
        f"<section>\n<h2>Frontier</h2>\n{_figure(size)}{page_table(_members(size))}</section>\n",
    ]
    told += [_member(size, row, graphs.get(row.recipe, AtlasGraph())) for row in size.row.members]
    again = f"topofinder search --n {size.row.n} --d {size.row.d} --links {size.row.links}"
    effort = f" --effort {size.row.effort}" if size.row.effort else ""
    found = f"by topofinder {size.row.version}, engine {size.row.engine}, {size.row.created}"
    told.append(
        f"<section>\n<h2>Provenance</h2>\n<p>{safe_text(f'Found {found}. Again:')}</p>\n"
        f"<pre>{again}{effort}</pre>\n</section>\n"
    )
    return html_file(size.subject, "".join(told))


def _advice(size: AtlasSize) -> str:
    best, least = size.best, size.asked.seconds(size.least)
    above = f"{float(100 * (size.ratio - 1)):.2g} % above the lower bound, {time_text(least)}"
    return (
        f"For {workload_words(size.asked)}: wire {best.recipe} ({size.mark(best)}). By BFB it "
        f"takes {time_text(size.seconds(best))}, {'the lower bound' if size.ratio == 1 else above}."
    )


def _figure(size: AtlasSize) -> str:
    points = [
        CostPoint(
            mark=size.mark(row),
            cost=row.allgather,
            words=f"{size.mark(row)}: {cost_words(row.allgather)}",
            row=size.mark(row),
        )
        for row in size.row.members
    ]
    bound = Cost(size.row.bound_steps, size.row.bound_bandwidth)
    words = f"T_L against T_B of the frontier at {size.subject}"
    series = [CostSeries(label="frontier (F)", points=points, joined=True)]
    return f"<figure>\n{cost_plot(series, bound, words)}</figure>\n"


def _members(size: AtlasSize) -> Table:
    kind = size.asked.collective
    columns = (
        *(PageColumn(name="mark"), PageColumn(name="recipe"), PageColumn(name="T_L", unit="alpha")),
        PageColumn(name="T_B", unit="M/B"),
        PageColumn(name="T_B above bound", unit="%"),
        PageColumn(name=f"{kind} time", unit="us"),
        *(PageColumn(name="diameter", unit="hops"), PageColumn(name="cost")),
    )
    bound = Cost(size.row.bound_steps, size.row.bound_bandwidth)
    least = float(10**6 * size.asked.seconds(size.least))
    cells = ("", "lower bounds", str(bound.steps), str(bound.bandwidth), "0", f"{least:.1f}")
    return Table(
        name="frontier",
        caption="Costs of an allgather, and the time of the workload",
        columns=columns,
        lines=(*(_line(size, row) for row in size.row.members), TableRow(cells=(*cells, "", ""))),
    )


def _line(size: AtlasSize, row: CandidateRow) -> TableRow:
    gap = row.bandwidth / size.row.bound_bandwidth - 1 if size.row.bound_bandwidth else Fraction()
    return TableRow(
        cells=(
            *(size.mark(row), row.recipe, str(row.steps), str(row.bandwidth)),
            *(f"{float(100 * gap):.4g}", f"{float(10**6 * size.seconds(row)):.1f}"),
            "" if row.diameter is None else str(row.diameter),
            f"{'exact' if row.exact else 'at most'}, {row.method}",
        ),
        key=row.id,
        anchor=size.mark(row),
    )


def _member(size: AtlasSize, row: CandidateRow, graph: AtlasGraph) -> str:
    mark, recipe = size.mark(row), shlex.quote(row.recipe)
    commands = (
        f"topofinder build {recipe} -o {size.row.n}-{mark}.edges",
        f"topofinder schedule {recipe} --collective allreduce -o allreduce.npz",
    )
    files = "".join(f'<a href="{name}" download>{kind}</a>' for kind, name in graph.files.items())
    caption = f"<figcaption>{safe_text(graph.words)}</figcaption>"
    picture = f'<figure tabindex="0">\n{graph.drawing}\n{caption}</figure>'
    parts = [
        f"<p>{safe_text(_origin_words(size, row))}</p>\n",
        f'<nav aria-label="files of {mark}">{files}</nav>\n' if files else "",
        f"{picture}\n" if graph.drawing else "",
        f"<p>{safe_text(graph.reason)}.</p>\n" if graph.reason else "",
        "<pre>{}</pre>\n".format("\n".join(map(safe_text, commands))),
    ]
    heading = f"<h2>{mark}: {safe_text(row.recipe)}</h2>"
    return f"<section>\n{heading}\n{''.join(parts)}</section>\n"


def _origin_words(size: AtlasSize, row: CandidateRow) -> str:
    """Where a member comes from; of one that was merged by name, which name and which file."""
    told = f"A graph {ORIGINS[size.origin(row)]}; its id is {row.id}."
    graph = next((one for one in size.row.graphs if one.recipe == row.recipe), None)
    if graph is None:
        return told
    return f"{graph.name}: {told} The SHA-256 of its file is {graph.digest}."


def shade(ratio: Fraction) -> str:
    """The class of a cell's colour.

    >>> shade(Fraction(1)), shade(Fraction(11, 10)), shade(Fraction(9))
    ('h0', 'h3', 'h5')
    """
    return f"h{next((place for place, most in enumerate(STEPS) if ratio <= most), len(STEPS))}"


def _legend() -> str:
    names = ["at the bound", *(f"to {float(most):g}" for most in STEPS[1:]), "more"]
    cells = "".join(f'<span class="h{place}">{name}</span>' for place, name in enumerate(names))
    return f'<p class="shades">{cells}</p>\n'


def _legend_words(size: AtlasSize) -> str:
    return safe_text(
        f"Ratios are the time of {workload_words(size.asked)}, by BFB on the best of a frontier, "
        "over its lower bound."
    )


def _span(block: int) -> str:
    return f"{max(block * BLOCK, 1)} to {block * BLOCK + BLOCK - 1}"


def _by_block(sizes: Sequence[AtlasSize]) -> Iterator[tuple[str, Iterator[AtlasSize]]]:
    yield from groupby(sizes, key=lambda size: size.block)
