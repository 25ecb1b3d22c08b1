"""One iteration of training in two streams, computation and communication, in whole ticks.

Source: Zhao et al., appendix A.4, after PyTorch's DistributedDataParallel. Communication runs one
collective at a time, in the order in which they are asked for; one that has begun is not broken
off. An all-to-all stands before and after each expert layer, in both passes, and computation waits
for it. Allreduces of gradients are asked for as the last backward pass brings them. With sharded
parameters (FSDP, ZeRO-3) a layer is gathered before each pass, asked for when the layer before it
begins to compute, and its gradients are scattered after each backward pass.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

COMPUTE, COMMUNICATION = "compute", "communication"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTicks:
    """What a layer takes: `dispatch` and `combine` are the all-to-alls before and after it.

    They are 0 where there are none. `gather` and `scatter` are those of sharded parameters.
    `reduces` are the allreduces that are asked for after its last backward pass.
    """

    forward: int
    backward: int
    dispatch: int = 0
    combine: int = 0
    gather: int = 0
    scatter: int = 0
    reduces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamSpan:
    """A stretch of one stream: `what` is done for layer `layer` from tick `begin` to `end`."""

    stream: str
    what: str
    layer: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class IterationTicks:
    """The whole iteration, what of it is computed, and what computation waits for all-to-alls.

    >>> IterationTicks(total=10, compute=6, exchange=1).exposed
    3
    """

    total: int
    compute: int
    exchange: int

    @property
    def exposed(self) -> int:
        """What is left: other collectives that no computation hides."""
        return self.total - self.compute - self.exchange


class _Streams:
    """Both streams: computation is at `time`, communication is free from `free` on."""

    def __init__(self, spans: list[StreamSpan] | None) -> None:
        self.time = self.free = self.compute = self.exchange = 0
        self._spans = spans

    def work(self, ticks: int, what: str, layer: int) -> None:
        self._note(COMPUTE, what, layer, self.time, self.time + ticks)
        self.time += ticks
        self.compute += ticks

    def send(self, ticks: int, what: str, layer: int) -> int:
        """Ask for a collective now; when it will end."""
        begin = max(self.time, self.free)
        self.free = begin + ticks
        self._note(COMMUNICATION, what, layer, begin, self.free)
        return self.free

    def exchange_units(self, ticks: int, layer: int) -> None:
        self.time = self.send(ticks, "all-to-all", layer)
        self.exchange += ticks

    def _note(self, stream: str, what: str, layer: int, begin: int, end: int) -> None:
        if self._spans is not None and end > begin:
            self._spans.append(StreamSpan(stream, what, layer, begin, end))


def simulate_iteration(
    layers: Sequence[LayerTicks], *, microbatches: int = 1, spans: list[StreamSpan] | None = None
) -> IterationTicks:
    """The time of one iteration; `spans`, where given, takes the stretches of both streams.

    With several `microbatches` (gradient accumulation) times are those of one, and allreduces
    wait for the last. A layer that stands last in one pass and first in the next is not gathered
    again.

    >>> layer = LayerTicks(forward=1, backward=2, reduces=(4,))
    >>> simulate_iteration([layer, layer])
    IterationTicks(total=12, compute=6, exchange=0)
    """
    streams = _Streams(spans)
    visits = list(_visits(len(layers), microbatches))
    gathered = _gather(streams, layers[0].gather, 0) if layers else 0
    for place, (number, is_backward, is_last) in enumerate(visits):
        layer = layers[number]
        if layer.dispatch:
            streams.exchange_units(layer.dispatch, number)
        streams.time = max(streams.time, gathered)
        if place + 1 < len(visits) and (after := visits[place + 1][0]) != number:
            gathered = _gather(streams, layers[after].gather, after)
        ticks = layer.backward if is_backward else layer.forward
        streams.work(ticks, "backward" if is_backward else "forward", number)
        if layer.combine:
            streams.exchange_units(layer.combine, number)
        if is_backward:
            _send_gradients(streams, layer, number, is_last)
    total = max(streams.time, streams.free)
    return IterationTicks(total=total, compute=streams.compute, exchange=streams.exchange)


def _visits(layers: int, microbatches: int) -> Iterator[tuple[int, bool, bool]]:
    """The layers in the order of computation: number, whether backward, in the last microbatch."""
    for turn in range(microbatches):
        yield from ((number, False, False) for number in range(layers))
        last = turn == microbatches - 1
        yield from ((number, True, last) for number in reversed(range(layers)))


def _gather(streams: _Streams, ticks: int, layer: int) -> int:
    """When a layer's parameters are there; one that is not sharded waits for nothing."""
    return streams.send(ticks, "allgather", layer) if ticks else 0


def _send_gradients(streams: _Streams, layer: LayerTicks, number: int, is_last: bool) -> None:
    if layer.scatter:
        streams.send(layer.scatter, "reduce-scatter", number)
    if is_last:
        for ticks in layer.reduces:
            streams.send(ticks, "allreduce", number)
