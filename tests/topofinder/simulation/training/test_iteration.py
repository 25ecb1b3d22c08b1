"""One iteration against a twin that goes tick by tick, and against closed forms."""

import sys
from collections import deque
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from topofinder.simulation.training.iteration import (
    LayerTicks,
    StreamSpan,
    simulate_iteration,
)

TIMES = st.integers(0, 6)
LAYERS = st.lists(
    st.builds(
        LayerTicks,
        forward=TIMES,
        backward=TIMES,
        dispatch=st.one_of(st.just(0), TIMES),
        combine=st.one_of(st.just(0), TIMES),
        gather=TIMES,
        scatter=TIMES,
        reduces=st.lists(st.integers(1, 6), max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=5,
)
Instruction = tuple[str, int, int]


def program(layers: list[LayerTicks], turns: int) -> list[Instruction]:
    """What computation does, in order: ask for a collective, wait for one, work."""
    numbered = list(enumerate(layers))
    steps = [
        (number, layer, kind)
        for _ in range(turns)
        for kind, order in (("forward", numbered), ("backward", numbered[::-1]))
        for number, layer in order
    ]
    numbers = iter(range(sys.maxsize))
    found: list[Instruction] = []

    def ask(ticks: int) -> int:
        number = next(numbers)
        found.append(("ask", number, ticks))
        return number

    def wait(number: int) -> None:
        found.append(("wait", number, 0))

    coming = {0: ask(layers[0].gather)} if layers[0].gather else {}
    for place, (number, layer, kind) in enumerate(steps):
        if layer.dispatch:
            wait(ask(layer.dispatch))
        if place in coming:
            wait(coming[place])
        if place + 1 < len(steps):
            following, after, _ = steps[place + 1]
            if following != number and after.gather:
                coming[place + 1] = ask(after.gather)
        found.append(("work", 0, layer.forward if kind == "forward" else layer.backward))
        if layer.combine:
            wait(ask(layer.combine))
        if kind == "backward":
            own = layer.reduces if place >= len(steps) - len(layers) else ()
            for ticks in (layer.scatter, *own):
                ask(ticks)
    return found


def played(instructions: list[Instruction]) -> int:
    """The tick at which all has ended: at each tick both streams do what they can."""
    left, queue = deque(instructions), deque[tuple[int, int]]()
    done: set[int] = set()
    running, until, busy, now = None, 0, 0, 0
    while True:
        moves = True
        while moves:
            moves = False
            if running is not None and until <= now:
                done.add(running)
                running, moves = None, True
            if running is None and queue:
                running, ticks = queue.popleft()
                until, moves = now + ticks, True
            if left and busy <= now and (left[0][0] != "wait" or left[0][1] in done):
                kind, number, ticks = left.popleft()
                moves = True
                if kind == "ask":
                    queue.append((number, ticks))
                elif kind == "work":
                    busy = now + ticks
        if not left and running is None and not queue and busy <= now:
            return now
        now += 1


@given(LAYERS, st.integers(1, 3))
def test_ticks_are_those_of_the_twin(layers: list[LayerTicks], turns: int) -> None:
    found = simulate_iteration(layers, microbatches=turns)
    assert found.total == played(program(layers, turns))


@given(LAYERS, st.integers(1, 3))
def test_parts_add_up(layers: list[LayerTicks], turns: int) -> None:
    found = simulate_iteration(layers, microbatches=turns)
    assert found.compute == turns * sum(each.forward + each.backward for each in layers)
    assert found.exchange == 2 * turns * sum(each.dispatch + each.combine for each in layers)
    assert found.exposed >= 0


@given(LAYERS, st.integers(1, 3))
def test_streams_do_one_thing_at_a_time(layers: list[LayerTicks], turns: int) -> None:
    spans: list[StreamSpan] = []
    found = simulate_iteration(layers, microbatches=turns, spans=spans)
    for stream in ("compute", "communication"):
        own = [span for span in spans if span.stream == stream]
        assert all(one.end <= two.begin for one, two in pairwise(own))
    assert max((span.end for span in spans), default=0) == found.total
    for span in spans:  # all-to-alls stand against no computation
        if span.what == "all-to-all":
            assert not any(
                other.stream == "compute" and other.begin < span.end and span.begin < other.end
                for other in spans
            )


@given(st.lists(st.tuples(TIMES, TIMES), min_size=1), st.integers(0, 50))
def test_one_bucket_is_not_hidden_at_all(times: list[tuple[int, int]], reduce: int) -> None:
    layers = [LayerTicks(forward=forth, backward=back) for forth, back in times]
    layers[0] = LayerTicks(forward=times[0][0], backward=times[0][1], reduces=(reduce,))
    found = simulate_iteration(layers)
    assert found.total == found.compute + reduce
    assert found.exposed == reduce


@given(st.lists(st.tuples(TIMES, st.integers(5, 9)), min_size=1), st.integers(1, 5))
def test_short_allreduces_are_hidden_but_for_the_last(
    times: list[tuple[int, int]], reduce: int
) -> None:
    layers = [LayerTicks(forward=f, backward=b, reduces=(reduce,)) for f, b in times]
    assert simulate_iteration(layers).exposed == reduce


@given(st.lists(st.tuples(TIMES, st.integers(0, 5)), min_size=1), st.integers(5, 9))
def test_long_allreduces_hide_all_backward_passes_but_the_first(
    times: list[tuple[int, int]], reduce: int
) -> None:
    layers = [LayerTicks(forward=f, backward=b, reduces=(reduce,)) for f, b in times]
    forward = sum(forth for forth, _ in times)
    assert simulate_iteration(layers).total == forward + times[-1][1] + reduce * len(times)


def test_a_layer_is_gathered_while_the_one_before_computes() -> None:
    layer = LayerTicks(forward=5, backward=5, gather=5, scatter=5)
    # The first gather and the last scatter are seen, and in between the gathers and scatters of
    # the backward passes take twice what computation does.
    assert simulate_iteration([layer]).total == 5 + 5 + 5 + 5
    assert simulate_iteration([layer, layer]).total == 5 + 4 * 5 + 5


def test_nothing_takes_no_time() -> None:
    assert simulate_iteration([]).total == 0
