"""Figure 16: the timeline of one iteration of a Switch Transformer (appendix A.4).

The picture has no numbers. What the text says of it is looked for in ours: four all-to-alls for
each expert layer, one collective at a time, nothing beside an all-to-all.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from reports.trace import TraceSpan
from topofinder.api.reproduce.sources import Sources
from topofinder.api.reproduce.training import CASES, OURS, RATE, switch_fabrics, switch_job
from topofinder.api.shared.timelines import trace_spans
from topofinder.simulation.training.iteration import COMMUNICATION, COMPUTE
from topofinder.simulation.training.job import rate_job

EXCHANGE = "all-to-all"


def figure16(sources: Sources) -> ReproductionRecord:
    """Figure 16: what both streams do, and when, on the best topology of table 7 at N = 256."""
    from reports.plots.timeline import timeline_figure

    rows: list[ComparisonRow] = []
    for case in sources.each(CASES[:1]):
        job, listed = switch_job(case, RATE), switch_fabrics(sources, case, (OURS,))[OURS]
        found = [(rate_job(job, costs), costs) for costs in listed]
        times, costs = min(found, key=lambda pair: pair[0].seconds[1])
        spans = trace_spans(job, costs, times.bucket)
        layers = sum(layer.is_expert for layer in job.model.layers)
        subject = f"{case.model} N={case.n}, {times.fabric}"
        rows = [_row(subject, *facts) for facts in _facts(spans, layers)]
        title = f"Figure 16: one iteration of {case.model} on {case.n} hosts"
    return ReproductionRecord(
        name="figure16",
        title=f"{title}, computed at {RATE} TFLOPS, which is assumed",
        rows=tuple(rows),
        draw=partial(timeline_figure, title, spans),
    )


def _facts(
    spans: list[TraceSpan], layers: int
) -> Iterator[tuple[str, str, Fraction | int, float | None, str]]:
    """Quantity, unit, ours, what the text says, and its words."""
    sent = [span for span in spans if span.stream == COMMUNICATION]
    exchanges = [span for span in sent if span.what == EXCHANGE]
    computed = [span for span in spans if span.stream == COMPUTE]
    reduces = [span for span in sent if span.what == "allreduce"]
    each = Fraction(len(exchanges), layers)
    yield "all-to-alls of an expert layer", "", each, 4, "before and after it, both passes"
    yield "collectives at once", "", _most_at_once(sent), 1, "one collective at a time"
    blocked = _overlap(exchanges, computed)
    yield "computation during all-to-alls", "ms", blocked, 0, "blocking the computation stream"
    beside = _overlap(exchanges, reduces)
    yield "allreduces during all-to-alls", "ms", beside, 0, "not allowed to be overlapped"
    hidden = _overlap(reduces, computed)
    yield "allreduces during computation", "ms", hidden, None, ""
    for name, own in (("iteration", spans[:0]), ("computation", computed), (EXCHANGE, exchanges)):
        yield name, "ms", 1000 * _length(own or spans, whole=not own), None, ""


def _length(spans: list[TraceSpan], *, whole: bool) -> Fraction:
    """Seconds until the last one ends, or those of all together."""
    if whole:
        return max(span.end for span in spans)
    return sum((span.end - span.begin for span in spans), Fraction())


def _overlap(some: list[TraceSpan], others: list[TraceSpan]) -> Fraction:
    """Milliseconds in which one of either runs."""
    shared = Fraction()
    for one in some:
        for other in others:
            shared += max(min(one.end, other.end) - max(one.begin, other.begin), Fraction())
    return 1000 * shared


def _most_at_once(spans: list[TraceSpan]) -> int:
    """How many run at the same time at most; what ends makes way for what begins."""
    turns = sorted([(span.begin, 1) for span in spans] + [(span.end, -1) for span in spans])
    running = most = 0
    for _, change in turns:
        running += change
        most = max(most, running)
    return most


def _row(
    subject: str, quantity: str, unit: str, ours: Fraction | int, published: float | None, note: str
) -> ComparisonRow:
    return ComparisonRow(
        subject=subject,
        quantity=quantity,
        unit=unit,
        ours=exactly(ours),
        published=published,
        note=f"printed: {note}" if note else "",
    )
