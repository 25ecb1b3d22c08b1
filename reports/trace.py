"""The timeline of an iteration in the trace-event format, for chrome://tracing and Perfetto.

Complete events (`"ph": "X"`) with microseconds, a thread for each stream, and metadata events that
name them: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MICROSECOND = Fraction(1, 10**6)


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """A stretch of a stream: what is done for which layer, from `begin` to `end` in seconds."""

    stream: str
    what: str
    layer: str
    begin: Fraction
    end: Fraction


def trace_text(title: str, spans: Iterable[TraceSpan]) -> str:
    """The trace as JSON.

    >>> span = TraceSpan("compute", "forward", "conv1", Fraction(0), Fraction(1, 1000))
    >>> json.loads(trace_text("one", [span]))["traceEvents"][-1]["dur"]
    1000.0
    """
    listed = list(spans)
    threads = {name: place for place, name in enumerate(dict.fromkeys(s.stream for s in listed))}
    events = [_name_event("process_name", 0, title)]
    events += [_name_event("thread_name", place, name) for name, place in threads.items()]
    events += [_span_event(span, threads[span.stream]) for span in listed]
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": events}, indent=1) + "\n"


def _name_event(kind: str, thread: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": 0, "tid": thread, "args": {"name": name}}


def _span_event(span: TraceSpan, thread: int) -> dict[str, Any]:
    return {
        "name": f"{span.what} {span.layer}",
        "cat": span.what,
        "ph": "X",
        "pid": 0,
        "tid": thread,
        "ts": float(span.begin / MICROSECOND),
        "dur": float((span.end - span.begin) / MICROSECOND),
    }
