"""What a report of one size says in words."""

from collections.abc import Iterator
from fractions import Fraction

from expansions.cost import Cost
from reports.size_report import BRIEF, Point, RatedTime, SizeReport, WorkloadSummary
from reports.text import cut_text
from reports.units import rate_text, size_text, size_words, time_text
from reports.workload_rating import WorkloadRating, size_lines


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


def cost_words(cost: Cost) -> str:
    """A cost in six digits: `T_L 3, T_B 1.0625`."""
    return f"T_L {cost.steps}, T_B {float(cost.bandwidth):.6g}"


def recommendation(report: SizeReport) -> Iterator[str]:
    """Paragraphs: the choice for the workload, how good it is, and the choice by size."""
    assumed = ", which is assumed where no workload is given" if report.asked.assumed else ""
    asked = f"For {workload_words(report.asked)}{assumed}"
    if report.chosen is not None:
        yield from _choice_by_methods(report, report.chosen, asked)
        spent = report.chosen.seconds
    else:
        best = report.point(report.best)
        spent, least = report.seconds(best), report.asked.seconds(report.least)
        above = f"{_percent(spent / least - 1)} above the lower bound of steps, {time_text(least)}"
        yield (
            f"{asked}: wire {_point_text(best)}. By BFB it takes {time_text(spent)}, "
            f"{'the lower bound of steps' if spent == least else above}."
        )
        yield (
            f"This choice is by BFB alone: no other method is rated for it in the {report.model} "
            "model (topofinder report --methods bfb,timed,forest rates them)."
        )
    yield from _comparison_lines(report, spent)
    if report.rated:
        yield " ".join(_by_rated_size(report))
    yield " ".join(_by_size(report))


def _choice_by_methods(report: SizeReport, chosen: WorkloadRating, asked: str) -> Iterator[str]:
    """The quickest candidate with its method, time, bound and gap; and what BFB would choose."""
    point = report.point(report.chosen_mark)
    bound = f"{_percent(chosen.gap)} above the bound of {time_text(chosen.bound)} on that topology"
    reached = chosen.seconds == chosen.bound
    yield (
        f"{asked}: wire {_point_text(point)}, and run it by {chosen.method}. It takes "
        f"{time_text(chosen.seconds)} in the {report.model} model, "
        f"{'which nothing on that topology beats' if reached else bound}."
    )
    if not chosen.is_single:
        yield f"By size: {'; '.join(line.strip() for line in size_lines(chosen))}."
    if chosen.method != "bfb":
        best = report.point(report.best)
        against = _against(report.seconds(best), chosen.seconds)
        yield f"By BFB alone {_point_text(best)} would be the quickest, and take {against}."


def _by_rated_size(report: SizeReport) -> Iterator[str]:
    """The quickest candidate and its method at every size that is rated."""
    quickest: dict[Fraction, RatedTime] = {}
    for time in report.rated:
        size = time.rating.question.size
        other = quickest.setdefault(size, time)
        if time.rating.seconds < other.rating.seconds:
            quickest[size] = time
    told = [
        f"at {size_words(size)} on {cut_text(time.rating.recipe, BRIEF)}"
        f"{f' ({time.mark})' if time.mark else ''} by {time.rating.method}"
        for size, time in quickest.items()
    ]
    yield f"The quickest {report.asked.collective} by the best method: {'; '.join(told)}."


def _comparison_lines(report: SizeReport, spent: Fraction) -> Iterator[str]:
    theirs = report.quickest(report.published)
    if theirs is not None:
        other = report.seconds(theirs)
        told = f"{_point_text(theirs)}, by BFB takes {_against(other, spent)}"
        yield f"The published method's best, {told}."
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
        first = _point_text(report.point(report.reaches[0].mark))
        yield f"By BFB {first} is the quickest at any size."
        return
    yield f"By BFB, by size of the {kind}, at {rates_words(report.asked)}:"
    for reach in report.reaches:
        name = _point_text(report.point(reach.mark))
        if reach.most is None:
            yield f"beyond that {name}."
        else:
            yield f"up to {size_words(reach.most)} {name};"


def _point_text(point: Point) -> str:
    return f"{point.brief} ({point.mark})"


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f} %"
