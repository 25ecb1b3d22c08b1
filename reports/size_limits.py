"""Sections of a report: what no allreduce beats, and customary collectives on the best wiring.

Sources: the pipeline schedules' paper, appendix B, for the former; ForestColl, section 6, compares
with such collectives on the same graph.
"""

from collections.abc import Iterator
from fractions import Fraction

from db.rows import CandidateRow
from reports.allreduce_limits import AllreduceLimitRecord
from reports.mapped_baselines import MappedRow, MappedTable
from reports.pages.document import Block, PageColumn, Table, TableRow
from reports.size_report import LimitedPoint, Point, SizeReport
from reports.text import ID_SHOWN

LIMITS = (
    PageColumn(name="BFB", unit="M/B"),
    PageColumn(name="two phases of trees", unit="M/B"),
    PageColumn(name="at least, by cuts", unit="M/B"),
    PageColumn(name="by hosts", unit="M/B"),
    PageColumn(name="reduce, then broadcast", unit="M/B"),
    PageColumn(name="optimal by"),
)
WHAT_LIMITS = (
    "What no allreduce beats, of trees or not (pipeline schedules' paper, appendix B): all "
    "data cross each cut once in each direction, and hosts send each piece 2 (N - 1) times "
    "together. Beside it stand the best reduce-scatter and then the best allgather of trees, "
    "which theorem 19 makes optimal under its conditions a or b, and reduce, then broadcast."
)
MAPPED = (
    PageColumn(name="baseline"),
    PageColumn(name="what it is"),
    PageColumn(name="T_B", unit="M/B"),
    PageColumn(name="over the best trees"),
    PageColumn(name="links"),
    PageColumn(name="time", unit="us"),
)


def limit_blocks(report: SizeReport) -> Iterator[Block]:
    """A paragraph and a table of the frontier's wirings."""
    if not report.limited:
        yield "A single host has no allreduce."
        return
    yield WHAT_LIMITS
    yield Table(
        name="allreduce-limits",
        caption="What no allreduce beats",
        columns=(PageColumn(name="mark"), PageColumn(name="recipe"), *LIMITS),
        lines=tuple(_limit_line(report, each) for each in report.limited),
    )


def _limit_line(report: SizeReport, each: LimitedPoint) -> TableRow:
    point = report.point(each.mark)
    cells = (each.mark, point.brief, *limit_cells(point.row, each.limits))
    return TableRow(cells=cells, key=point.row.id)


def limit_cells(row: CandidateRow, limits: AllreduceLimitRecord) -> tuple[str, ...]:
    """The cells of the columns LIMITS; those of what was not looked for are empty."""
    shares = (limits.scattered, limits.cut, limits.hosts, limits.rooted)
    told = ("" if share is None else str(share) for share in shares)
    unknown = "" if limits.scattered is None else "neither"
    return str(row.allreduce.bandwidth), *told, limits.proof or unknown


def mapped_blocks(report: SizeReport) -> Iterator[Block]:
    """Customary collectives on the quickest wiring, or the command that compares them."""
    point, mapped = report.point(report.best), report.mapped
    recipe = point.brief
    if mapped is None:
        yield (
            f"Customary collectives on {recipe} itself are compared by "
            f"topofinder show '{_short_name(point)}' --baselines "
            f"--collective {report.asked.collective}."
        )
        return
    yield Table(
        name="mapped-baselines",
        caption=f"Customary {mapped.collective} on {report.best}, {recipe}, by shortest routes",
        columns=MAPPED,
        lines=tuple(
            TableRow(cells=_mapped_cells(report, mapped, row, row.time))
            for row in mapped.rows
            if row.time is not None
        ),
    )
    left = [f"{row.name}: {row.reason}" for row in mapped.rows if row.reason is not None]
    yield from ([f"{'; '.join(left)}."] if left else [])
    if any(row.through_hosts for row in mapped.rows):
        yield "Routes of those with a star lead through hosts, which pass on what is not theirs."


def _short_name(point: Point) -> str:
    """What a command takes for the candidate: its identity where the recipe is cut."""
    is_cut = point.stored and point.brief != point.label
    return f"#{point.row.id[:ID_SHOWN]}" if is_cut else point.row.recipe


def _mapped_cells(
    report: SizeReport, mapped: MappedTable, row: MappedRow, time: Fraction
) -> tuple[str, ...]:
    count = report.asked.sizes[0][1]
    return (
        row.name + ("*" if row.through_hosts else ""),
        row.title,
        f"{float(time * report.d):.4f}",
        f"{float(time / mapped.bound):.3f}",
        str(row.height),
        "" if row.seconds is None else f"{float(10**6 * count * row.seconds):.1f}",
    )
