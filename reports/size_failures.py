"""The section of a report on what an allreduce takes after the failure of a link or a host."""

from collections.abc import Iterator

from reports.pages.document import Block, PageColumn, Table, TableRow
from reports.resilience import FailureRow
from reports.size_report import Failing, SizeReport

COLUMNS = (
    *(PageColumn(name="mark"), PageColumn(name="recipe")),
    PageColumn(name="BFB", unit="M/B"),
    PageColumn(name="trees", unit="M/B"),
    PageColumn(name="link lost", unit="M/B"),
    PageColumn(name="at least", unit="M/B"),
    PageColumn(name="host lost", unit="M/B"),
)


def failure_blocks(report: SizeReport) -> Iterator[Block]:
    """A paragraph and a table; where nothing is rated, a sentence that says how that is done."""
    further = "topofinder query --with-failures"
    if not report.failing:
        yield f"No candidate of the frontier is rated after failures here ({further} rates them)."
        return
    yield (
        "T_B of an allreduce, at worst after the loss of any one link or host: trees are low ones "
        "with both phases at once, made anew on what is left (topofinder schedule --method forest "
        "--collective allreduce --overlap); no trees take less than what stands behind. Without "
        "a failure BFB stands beside them, both phases together; where a loss cuts hosts off, "
        f"nothing stands. Only what is rated quickly is listed; {further} rates others."
    )
    yield Table(
        name="failures",
        caption="The best known allreduce after a failure",
        columns=COLUMNS,
        lines=tuple(
            TableRow(cells=_cells(report, each), key=report.point(each.mark).row.id)
            for each in report.failing
        ),
    )


def _cells(report: SizeReport, each: Failing) -> tuple[str, ...]:
    row, after = report.point(each.mark).row, each.after
    links = _share(after.links)
    return (
        each.mark,
        row.recipe,
        f"{float(row.allreduce.bandwidth):.4f}",
        f"{float(after.intact):.4f}",
        links,
        f"{float(after.links.bound):.4f}" if links and after.links.bound is not None else "",
        _share(after.hosts),
    )


def _share(row: FailureRow) -> str:
    return "" if row.parted or row.worst is None else f"{float(row.worst):.4f}"
