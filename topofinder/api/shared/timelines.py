"""The stretches of both streams of a training's iteration, for pictures and traces."""

from fractions import Fraction

from reports.trace import TraceSpan
from topofinder.simulation.training.job import FabricCosts, TrainingJob, iteration_spans


def trace_spans(job: TrainingJob, costs: FabricCosts, bucket: int | None) -> list[TraceSpan]:
    """The timeline at the most times of all-to-alls, in seconds, with the names of layers."""
    spans, second = iteration_spans(job, costs, bucket)
    layers = job.model.layers
    return [
        TraceSpan(
            span.stream,
            span.what,
            layers[span.layer].name,
            Fraction(span.begin, second),
            Fraction(span.end, second),
        )
        for span in spans
    ]
