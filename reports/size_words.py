"""What a report of one size says in words."""

from collections.abc import Iterator
from fractions import Fraction

from reports.size_report import Point, SizeReport, WorkloadSummary
from reports.units import rate_text, size_text, size_words, time_text


def workload_words(asked: WorkloadSummary) -> str:
    """The workload: `allreduce of 1 MiB at alpha 10.0 us, B 100 Gbps`."""
    return f"{what_words(asked)} at {rates_words(asked)}"


def what_words(asked: WorkloadSummary) -> str:
    """The collective and its size: `allreduce of 1 MiB`."""
    if len(asked.sizes) == 1 and asked.sizes[0][1] == 1:
        what = size_text(asked.sizes[0][0])
    else:
        what = f"{sum(count for _, count in asked.sizes)} in {len(asked.sizes)} sizes"
    return f"{asked.collective} of {what}"


def rates_words(asked: WorkloadSummary) -> str:
    """Latency and bandwidth: `alpha 10.0 us, B 100 Gbps`."""
    return f"alpha {time_text(asked.alpha)}, B {rate_text(asked.bandwidth)}"


def subject_words(report: SizeReport) -> str:
    """Hosts, ports and links: `N = 16, d = 4, simplex links`."""
    return f"N = {report.n}, d = {report.d}, {report.links} links"


def recommendation(report: SizeReport) -> Iterator[str]:
    """Paragraphs: the choice for the workload, how good it is, and the choice by size."""
    best = report.point(report.best)
    spent, least = report.seconds(best), report.asked.seconds(report.least)
    assumed = ", which is assumed where no workload is given" if report.asked.assumed else ""
    above = f"{_percent(spent / least - 1)} above the lower bound, {time_text(least)}"
    yield (
        f"For {workload_words(report.asked)}{assumed}: wire {best.row.recipe} ({best.mark}). "
        f"It takes {time_text(spent)}, {'the lower bound' if spent == least else above}."
    )
    yield from _comparison_lines(report, spent)
    yield " ".join(_by_size(report))


def _comparison_lines(report: SizeReport, spent: Fraction) -> Iterator[str]:
    theirs = report.quickest(report.published)
    if theirs is not None:
        other = report.seconds(theirs)
        yield f"The published method's best, {_point_text(theirs)}, takes {_against(other, spent)}."
    if report.rivals and report.rivals[0].row.seconds is not None:
        rival = report.rivals[0]
        other = rival.row.seconds or Fraction()
        name = f"{rival.row.name} on {rival.row.recipe} ({rival.mark})"
        yield f"The quickest baseline, {name}, takes {_against(other, spent)}."


def _against(other: Fraction, spent: Fraction) -> str:
    if other == spent:
        return f"the same {time_text(other)}"
    if other >= 2 * spent:
        return f"{time_text(other)}, {float(other / spent):.1f} times as long"
    more = "longer" if other > spent else "less"
    return f"{time_text(other)}, {_percent(abs(other / spent - 1))} {more}"


def _by_size(report: SizeReport) -> Iterator[str]:
    kind = report.asked.collective
    if len(report.reaches) == 1:
        yield f"{_point_text(report.point(report.reaches[0].mark))} is the quickest at any size."
        return
    yield f"By size of the {kind}, at {rates_words(report.asked)}:"
    for reach in report.reaches:
        name = _point_text(report.point(reach.mark))
        if reach.most is None:
            yield f"beyond that {name}."
        else:
            yield f"up to {size_words(reach.most)} {name};"


def _point_text(point: Point) -> str:
    return f"{point.row.recipe} ({point.mark})"


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f} %"
