"""Trainings as text and JSON, and timelines against the trace-event format."""

import json
from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg

from db.training_rows import TrainingRow
from reports.plots.timeline import KINDS, timeline_figure
from reports.trace import TraceSpan, trace_text
from reports.training import TrainingRecord, training_fields, training_text

HALF, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)
BOUND = TrainingRow(
    kind="bound",
    recipe="ideal bound",
    schedule="",
    seconds=(ONE, ONE),
    compute=HALF,
    exchange=(HALF, HALF),
    exposed=(Fraction(), Fraction()),
    bucket=1 << 20,
    by_bucket=((1 << 20, ONE),),
)
RING = replace(
    BOUND,
    kind="baseline",
    recipe="BiRing(2,8)",
    schedule="ring",
    seconds=(TWO, TWO),
    exchange=(ONE, ONE),
    exposed=(HALF, HALF),
)
RECORD = TrainingRecord(
    model="one",
    parameters=1234,
    n=8,
    d=2,
    links="duplex",
    unit="token",
    units=Fraction(5, 2),
    microbatches=2,
    sharded=False,
    splits=False,
    alpha=Fraction(1, 10**5),
    bandwidth=Fraction(125 * 10**8),
    estimate="60 TFLOPS",
    rows=(BOUND, RING),
    left_out=(("DoubleBinaryTree(8)", "no schedule"),),
    considered=3,
    excluded=1,
)


def test_the_bound_is_no_best() -> None:
    assert RECORD.best is RING


def test_text_tells_the_question_the_rows_and_the_best() -> None:
    assert (
        training_text(RECORD)
        == """\
one: 1,234 parameters, 2.5 tokens a host in 2 microbatches
8 hosts, 2 ports, duplex, alpha 10.0 us, 100 Gbps
compute times are estimates: 60 TFLOPS

iteration  x best  compute     allreduce   all-to-all  bucket  wiring
---------  ------  ----------  ----------  ----------  ------  -------------------
  1.000 s    0.50  500.000 ms           0  500.000 ms   1 MiB  ideal bound
  2.000 s    1.00  500.000 ms  500.000 ms     1.000 s   1 MiB  BiRing(2,8)  (ring)

best: BiRing(2,8), 2.000 s an iteration: 25% compute, 25% exposed allreduce, 50% all-to-all
candidates: 3 considered, 1 excluded by bounds, 2 no quicker than the frontier
left out: DoubleBinaryTree(8): no schedule"""
    )


def test_the_least_is_shown_where_it_differs() -> None:
    wide = replace(RECORD, rows=(replace(RING, seconds=(ONE, TWO)),), estimate=None, sharded=True)
    text = training_text(wide)
    assert "iteration  at least  x best  compute     gathers" in text
    assert "  2.000 s   1.000 s    1.00" in text
    assert "compute times are measured" in text


def test_json_has_both_ends_and_every_bucket() -> None:
    fields = json.loads(json.dumps(training_fields(RECORD)))
    assert fields["best"] == "BiRing(2,8)"
    assert fields["units"] == "5/2"
    assert fields["rows"][1]["alltoall"] == [1.0, 1.0]
    assert fields["candidates"] == {"considered": 3, "excluded": 1, "complete": True}
    partial = replace(RECORD, is_partial=True)
    assert "1 excluded by bounds, 2 no quicker than the frontier; --all considers more\n" in (
        training_text(partial)
    )
    assert not training_fields(partial)["candidates"]["complete"]
    assert fields["rows"][0]["by_bucket"] == [{"bucket": 1 << 20, "seconds": 1.0}]


SPANS = st.builds(
    TraceSpan,
    st.sampled_from(["compute", "communication"]),
    st.text(max_size=5),
    st.text(max_size=5),
    st.fractions(0, 1),
    st.fractions(1, 2),
)


def test_timelines_have_a_line_for_each_stream() -> None:
    spans = [
        TraceSpan("compute", "forward", "a", Fraction(0), HALF),
        TraceSpan("communication", "allreduce", "a", HALF, ONE),
        TraceSpan("communication", "allreduce", "a", ONE, TWO),
    ]
    (axes,) = timeline_figure("one", spans).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["communication", "compute"]
    assert [len(kind.get_paths()) for kind in axes.collections] == [1, 2]
    ends = axes.collections[1].get_paths()[1].get_extents()
    assert (ends.x0, ends.x1) == (1000, 2000)


@given(st.text(max_size=5), st.lists(SPANS, max_size=5))
def test_traces_are_complete_and_metadata_events(title: str, spans: list[TraceSpan]) -> None:
    trace = json.loads(trace_text(title, spans))
    events = trace["traceEvents"]
    named = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    complete = [event for event in events if event["ph"] == "X"]
    assert {event["ph"] for event in events} <= {"X", "M"}
    assert len(complete) == len(spans)
    for event, span in zip(complete, spans, strict=True):
        assert isinstance(event["name"], str)
        assert isinstance(event["cat"], str)
        assert event["pid"] == 0
        assert named[event["tid"]] == span.stream
        assert event["ts"] >= 0
        assert event["dur"] >= 0
        assert abs(event["ts"] - float(span.begin) * 1e6) < 1e-6


def test_all_of_a_timeline_is_in_the_picture() -> None:
    spans = [
        TraceSpan(stream, kind, "a", Fraction(place), Fraction(place + 1))
        for stream in ("compute", "communication")
        for place, kind in enumerate(KINDS)
    ]
    figure = timeline_figure("all kinds", spans)
    FigureCanvasAgg(figure).draw()
    inside, (axes,) = figure.bbox, figure.axes
    legends = [*figure.legends, axes.get_legend()]
    assert any(legends)
    for artist in filter(None, [*legends, axes.xaxis.label]):
        box = artist.get_window_extent()
        assert inside.x0 <= box.x0 < box.x1 <= inside.x1
        assert inside.y0 <= box.y0 < box.y1 <= inside.y1
