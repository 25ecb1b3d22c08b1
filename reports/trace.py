"""The timeline of an iteration in the trace-event format, for chrome://tracing and Perfetto.

Complete events (`"ph": "X"`) with microseconds, a thread for each stream, and metadata events that
name them: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generators.errors import InvalidInput

MICROSECOND = Fraction(1, 10**6)
MOST_SPANS = 4000
"""Stretches of a timeline that is stored, at most."""


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


def timeline_text(spans: Sequence[TraceSpan]) -> str | None:
    """A timeline as JSON of exact seconds; None where it is too long to be stored."""
    if len(spans) > MOST_SPANS:
        return None
    listed = [[one.stream, one.what, one.layer, str(one.begin), str(one.end)] for one in spans]
    return json.dumps(listed, separators=(",", ":"))


def read_timeline(text: str) -> list[TraceSpan]:
    """The stretches of a stored timeline. Raises InvalidInput where it is damaged.

    >>> span = TraceSpan("compute", "forward", "a", Fraction(0), Fraction(1, 3))
    >>> read_timeline(timeline_text([span])) == [span]
    True
    """
    try:
        listed = json.loads(text)
        return [
            TraceSpan(str(stream), str(what), str(layer), Fraction(begin), Fraction(end))
            for stream, what, layer, begin, end in listed
        ]
    except (TypeError, ValueError, ZeroDivisionError, RecursionError):
        raise InvalidInput(f"timeline: is stored as {text[:60]!r}, no list of spans") from None


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
