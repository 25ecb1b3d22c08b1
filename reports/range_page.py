"""The report of many sizes as a document: which family wins where, and how near T_B* they are."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING

from expansions.register import expansions_by_letter
from reports.pages.document import Block, Document, PageColumn, Plot, Section, Table, TableRow
from reports.range_report import Degreewise, LimitedWinner, RangeReport, Ratio, Winner
from reports.size_limits import LIMITS, WHAT_LIMITS, limit_cells
from reports.size_report import WorkloadSummary
from reports.size_words import what_words, workload_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LISTED = 1000
"""Sizes of a page that are listed on it; the tables of more go to files of their own."""

_LEGEND = (
    "Families are named by what their recipes are built with: {letters}; a base graph alone by "
    "its name. In brackets: how many sizes. The row id is candidates.id."
)


def range_document(report: RangeReport) -> Document:
    """The document."""
    ports = ", ".join(str(part.d) for part in report.parts)
    least, most = report.hosts[0], report.hosts[-1]
    return Document(
        title=f"topofinder: N = {least} to {most}, d = {ports}, {report.links} links",
        sections=(
            Section(title="Families", blocks=(_legend(),)),
            *(_section(report, part) for part in report.parts),
        ),
    )


def _section(report: RangeReport, part: Degreewise) -> Section:
    if not part.ratios:
        return Section(title=f"d = {part.d}", blocks=("No size of the range has this degree.",))
    plots: list[Block] = [
        plot
        for place, asked in enumerate(report.asked)
        for plot in (_winners_plot(part, place, asked), *_customary_plot(part, place, asked))
    ]
    apart = sum(len(found) for each in report.parts for found in each.winners) > MOST_LISTED
    tables = [
        table
        for place, asked in enumerate(report.asked)
        for table in (
            _wins(part, place, asked),
            *_customary(part, place, asked),
            _winners(part, place, asked, apart),
        )
    ]
    return Section(
        title=f"d = {part.d}",
        blocks=(*plots, _ratio_plot(part), *tables, *_ratios(part), *_limits(part, apart)),
    )


def _name(kind: str, part: Degreewise, place: int | None = None) -> str:
    return f"{kind}-d{part.d}" + ("" if place is None else f"-{place + 1}")


def _winners_plot(part: Degreewise, place: int, asked: WorkloadSummary) -> Plot:
    def draw() -> "Figure":
        from reports.plots.scatter import DashedLine as Bound
        from reports.plots.scatter import PlotPanel, scatter_figure

        found = part.winners[place]
        times = [(one.kind, (one.row.n, float(10**6 * one.seconds))) for one in found]
        least = [(one.row.n, float(10**6 * one.least)) for one in found]
        title = f"quickest {what_words(asked)}, d = {part.d}"
        bound = Bound(label="lower bound", points=least)
        shown = PlotPanel(
            title=title, up="time [us]", groups=_group_by_family(times), lines=[bound]
        )
        return scatter_figure([shown], "N [hosts]", order=_order(part))

    caption = f"Which family is the quickest at which N: d = {part.d}, {workload_words(asked)}"
    return Plot(name=_name("winners", part, place), caption=caption, draw=draw)


def _customary_plot(part: Degreewise, place: int, asked: WorkloadSummary) -> Iterator[Plot]:
    """What customary wirings take over the quickest (figure 7); nothing where there are none."""
    found = part.customary[place] if part.customary else ()

    def draw() -> "Figure":
        from reports.plots.scatter import PlotPanel, scatter_figure

        groups: dict[str, list[tuple[float, float]]] = {}
        for one in found:
            groups.setdefault(one.name, []).append((one.n, float(one.ratio)))
        title = f"{what_words(asked)} of customary wirings over the quickest, d = {part.d}"
        up = "time over the quickest"
        shown = PlotPanel(title=title, up=up, groups=groups, logarithmic=True)
        return scatter_figure([shown], "N [hosts]")

    if found:
        caption = f"Customary wirings over the quickest: d = {part.d}, {workload_words(asked)}"
        yield Plot(name=_name("customary", part, place), caption=caption, draw=draw)


def _customary(part: Degreewise, place: int, asked: WorkloadSummary) -> Iterator[Table]:
    """How many times as long as the quickest each customary wiring takes."""
    found = part.customary[place] if part.customary else ()
    lines = []
    for name in _kinds([one.name for one in found]):
        some = [one for one in found if one.name == name]
        worst = max(some, key=lambda one: one.ratio)
        values = min(one.ratio for one in some), median(one.ratio for one in some), worst.ratio
        told = (f"{float(value):.3f}" for value in values)
        last = some[-1]
        now = (str(last.n), f"{float(last.ratio):.3f}", last.recipe)
        lines.append(TableRow(cells=(name, str(len(some)), *told, str(worst.n), *now)))
    if lines:
        yield Table(
            name=_name("customary", part, place),
            caption=f"Time of customary wirings over the quickest, d = {part.d}, "
            f"{workload_words(asked)}",
            columns=(
                PageColumn(name="baseline"),
                PageColumn(name="sizes"),
                PageColumn(name="least"),
                PageColumn(name="median"),
                PageColumn(name="greatest"),
                PageColumn(name="at N", unit="hosts"),
                PageColumn(name="greatest N", unit="hosts"),
                PageColumn(name="there"),
                PageColumn(name="its wiring there"),
            ),
            lines=tuple(lines),
        )


def _group_by_family(
    points: Iterable[tuple[str, tuple[float, float]]],
) -> dict[str, list[tuple[float, float]]]:
    """Points by their family, which is named in full."""
    found: dict[str, list[tuple[float, float]]] = {}
    for kind, point in points:
        found.setdefault(kind_words(kind), []).append(point)
    return found


def _order(part: Degreewise) -> list[str]:
    """The families, those that win the most sizes first; all plots of a degree colour them so."""
    won = Counter(one.kind for found in part.winners for one in found)
    rest = Counter(one.kind for one in part.ratios)
    ranked = sorted(rest | won, key=lambda kind: (-won[kind], -rest[kind], kind))
    return [kind_words(kind) for kind in ranked]


def kind_words(kind: str) -> str:
    """The letters of a family spelled out.

    >>> kind_words("LC"), kind_words("circulant")
    ('LC: line graph, product', 'circulant')
    """
    words = {one.letter: one.word for one in expansions_by_letter()}
    longest_first = sorted(words, key=len, reverse=True)
    letters = re.findall("|".join(map(re.escape, longest_first)), kind)
    spelled = ", ".join(words[letter] for letter in letters)
    return f"{kind}: {spelled}" if "".join(letters) == kind else kind


def _legend() -> str:
    return _LEGEND.format(
        letters=", ".join(f"{one.letter} {one.title}" for one in expansions_by_letter())
    )


def _kinds(kinds: Sequence[str]) -> list[str]:
    """Each once, the most frequent first."""
    return [kind for kind, _ in sorted(Counter(kinds).items(), key=lambda one: (-one[1], one[0]))]


def _wins(part: Degreewise, place: int, asked: WorkloadSummary) -> Table:
    found = part.winners[place]
    lines = []
    for kind in _kinds([one.kind for one in found]):
        some = [one for one in found if one.kind == kind]
        sizes = str(some[0].row.n), str(some[-1].row.n)
        above = f"{100 * median(float(one.seconds / one.least - 1) for one in some):.1f}"
        lines.append(TableRow(cells=(kind, str(len(some)), *sizes, above)))
    return Table(
        name=_name("wins", part, place),
        caption=f"Sizes won by each family, d = {part.d}, {workload_words(asked)}",
        columns=(
            PageColumn(name="family"),
            PageColumn(name="sizes won"),
            PageColumn(name="least N", unit="hosts"),
            PageColumn(name="greatest N", unit="hosts"),
            PageColumn(name="median above the bound", unit="%"),
        ),
        lines=tuple(lines),
    )


def _winners(part: Degreewise, place: int, asked: WorkloadSummary, apart: bool) -> Table:
    return Table(
        name=_name("winners", part, place),
        caption=f"The quickest at each N, d = {part.d}, {workload_words(asked)}",
        columns=(
            PageColumn(name="N", unit="hosts"),
            PageColumn(name="family"),
            PageColumn(name="recipe"),
            PageColumn(name="T_L", unit="alpha"),
            PageColumn(name="T_B exact", unit="M/B"),
            PageColumn(name=f"{asked.collective} time", unit="us"),
            PageColumn(name="lower bound", unit="us"),
        ),
        lines=tuple(map(_winner_line, part.winners[place])),
        apart=apart,
    )


def _winner_line(one: Winner) -> TableRow:
    row = one.row
    times = (f"{float(10**6 * time):.1f}" for time in (one.seconds, one.least))
    cells = (str(row.n), one.kind, row.recipe, str(row.steps), str(row.bandwidth), *times)
    return TableRow(cells=cells, key=row.id)


def _ratio_plot(part: Degreewise) -> Plot:
    def draw() -> "Figure":
        from reports.plots.scatter import PlotPanel, scatter_figure

        points = _group_by_family((one.kind, (one.row.n, float(one.ratio))) for one in part.ratios)
        title = f"T_B/T_B* by family, d = {part.d}"
        shown = PlotPanel(title=title, up="T_B/T_B* of an allgather", groups=points)
        return scatter_figure([shown], "N [hosts]", order=_order(part))

    caption = f"T_B/T_B* of the families that are stored against N, d = {part.d}"
    return Plot(name=_name("ratios", part), caption=caption, draw=draw)


def _ratios(part: Degreewise) -> Iterator[Table]:
    lines = []
    for kind in _kinds([one.kind for one in part.ratios]):
        some = [one for one in part.ratios if one.kind == kind]
        worst = max(some, key=lambda one: one.ratio)
        values = min(one.ratio for one in some), median(one.ratio for one in some), worst.ratio
        told = (f"{float(value):.4f}" for value in values)
        lines.append(
            TableRow(cells=(kind, str(len(some)), *told, str(worst.row.n)), key=worst.row.id)
        )
    yield Table(
        name=_name("families", part),
        caption=f"T_B/T_B* by family, d = {part.d}; the row id is that of the greatest",
        columns=(
            PageColumn(name="family"),
            PageColumn(name="sizes"),
            PageColumn(name="least"),
            PageColumn(name="median"),
            PageColumn(name="greatest"),
            PageColumn(name="at N", unit="hosts"),
        ),
        lines=tuple(lines),
    )
    yield Table(
        name=_name("ratios", part),
        caption=f"The least T_B/T_B* of each family at each N, d = {part.d}",
        columns=(
            PageColumn(name="N", unit="hosts"),
            PageColumn(name="family"),
            PageColumn(name="recipe"),
            PageColumn(name="T_B exact", unit="M/B"),
            PageColumn(name="T_B/T_B*"),
        ),
        lines=tuple(map(_ratio_line, part.ratios)),
        apart=True,
    )


def _ratio_line(one: Ratio) -> TableRow:
    row = one.row
    cells = (str(row.n), one.kind, row.recipe, str(row.bandwidth), f"{float(one.ratio):.6f}")
    return TableRow(cells=cells, key=row.id)


def _limits(part: Degreewise, apart: bool) -> Iterator[Block]:
    """What no allreduce beats on the winners; nothing where there are none of two hosts."""
    if part.limited:
        yield WHAT_LIMITS
        yield Table(
            name=_name("allreduce-limits", part),
            caption=f"What no allreduce beats on the quickest at each N, d = {part.d}",
            columns=(PageColumn(name="N", unit="hosts"), PageColumn(name="recipe"), *LIMITS),
            lines=tuple(map(_limited_line, part.limited)),
            apart=apart,
        )


def _limited_line(one: LimitedWinner) -> TableRow:
    row = one.row
    return TableRow(cells=(str(row.n), row.recipe, *limit_cells(row, one.limits)), key=row.id)
