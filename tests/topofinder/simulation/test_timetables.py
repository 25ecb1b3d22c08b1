"""Timetables played as early as can be: against Fractions, and never later than they say."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.automorphisms import automorphisms_of
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families.hamming import hypercube
from tests.timetable_twin import arc_share, make_timetable, sends_of
from tests.timetables import REFLECTED, star, translated, valid_timetables
from topofinder.model.timetable import Timetable, expand_timetable
from topofinder.simulation.timetables import play_timetable, tighten_timetable
from topofinder.timetables.reverse import reverse_timetable
from topofinder.verification.timetables import verify_timetable


def earliest(table: Timetable) -> list[Fraction]:
    """By a queue for every arc: what is first on all its arcs and has all it needs goes first."""
    sends = sorted(sends_of(table), key=lambda send: send.begin)
    queues = defaultdict(list)
    for send in sends:
        for arc in send.arcs:
            queues[arc].append(send)
    uses = defaultdict(list)
    there: dict = {}
    waiting = list(sends)
    while waiting:
        for send in waiting:
            needs = needed(send, sends, int(table.origin[send.chunk[1]]))
            ahead = all(queues[arc][0] is send for arc in send.arcs)
            if ahead and all(other in there for other in needs):
                break
        begin = max([Fraction(), *(there[o] for o in needs)])
        begin = max([begin, *(first for arc in send.arcs for first, _, _ in uses[arc])])
        share = {arc: arc_share(table.topology, arc, send.arcs) for arc in send.arcs}
        begin = max(first_room(uses[arc], begin, 1 - share[arc]) for arc in send.arcs)
        for arc in send.arcs:
            uses[arc].append((begin, begin + send.free - send.begin, share[arc]))
            queues[arc].pop(0)
        there[send.number] = begin + send.arrive - send.begin
        waiting.remove(send)
    return [there[i] for i in range(table.sends)]


def first_room(uses, ready, rest) -> Fraction:
    """The first moment from `ready` on at which no more than `rest` of an arc is used."""
    moments = sorted({ready, *(until for _, until, _ in uses if until > ready)})
    return next(
        now for now in moments if sum(share for _, until, share in uses if until > now) <= rest
    )


def needed(send, sends, origin) -> set[int]:
    """All parts that go into a sum; of a chunk the send that brought it."""
    sums = send.sums or (send.tail == origin)
    into = [other for other in sends if (other.chunk, other.head) == (send.chunk, send.tail)]
    return {other.number for other in into if other.sums == sums}


def loosened(table: Timetable, seed: int) -> Timetable:
    """The same sends in the same order, with idle time between them."""
    random = np.random.default_rng(seed)
    moments = np.unique(table.begin)
    later = np.cumsum(random.integers(0, 4, len(moments))) + moments
    return replace(table, begin=later[np.searchsorted(moments, table.begin)])


@pytest.mark.parametrize("seed", range(3))
def test_as_early_as_a_queue_plays_it(seed: int) -> None:
    for table in valid_timetables(seed):
        for one in (table, loosened(table, seed)):
            found = play_timetable(one)
            assert (found <= one.arrivals()).all()
            assert [int(end) * one.tick for end in found] == earliest(one)
            tight = tighten_timetable(one)
            assert verify_timetable(tight).valid
            assert (tight.arrivals() == found).all()
            assert (play_timetable(tight) == found).all()


@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
@pytest.mark.parametrize("graph", [jump_graph(6, [1, 2]), hypercube(3)], ids=["circulant", "cube"])
def test_images_are_played_alike(graph, collective: str) -> None:
    played = 0
    for seed in range(24):
        table = translated(graph, automorphisms_of(graph), collective, seed)
        if not verify_timetable(table).valid:
            continue
        found, whole = play_timetable(table), play_timetable(expand_timetable(table))
        order = [whole[expand_timetable(table).chunk == u].tolist() for u in range(graph.n)]
        assert order == [found.tolist()] * graph.n
        assert verify_timetable(tighten_timetable(table)).valid
        played += 1
    assert played


def test_translations_that_are_no_group_are_expanded() -> None:
    tables = (translated(jump_graph(5, [1, 4]), REFLECTED, "allgather", s) for s in range(9))
    table = next(table for table in tables if verify_timetable(table).valid)
    with pytest.raises(InvalidInput, match="no regular group; expand it first"):
        play_timetable(table)
    tight = tighten_timetable(table)
    assert tight.translations is None
    assert verify_timetable(tight).valid
    assert (tight.arrivals() <= expand_timetable(table).arrivals()).all()


def hurried(table: Timetable) -> Timetable:
    """The same, each send when what it carries is there, whether its arcs are free or not."""
    sends = sorted(sends_of(table), key=lambda send: send.begin)
    there: dict = {}
    begin = table.begin.copy()
    for send in sends:
        needs = needed(send, sends, int(table.origin[send.chunk[1]]))
        ready = max((there[other] for other in needs), default=Fraction())
        there[send.number] = ready + send.arrive - send.begin
        begin[send.number] = int(ready / table.tick)
    return replace(table, begin=begin)


def test_sends_that_meet_come_one_after_the_other() -> None:
    met = 0
    for table in valid_timetables(1):
        early = hurried(table)
        met += not verify_timetable(early).valid
        tight = tighten_timetable(early)
        assert verify_timetable(tight).valid
        assert (tight.begin >= early.begin).all()
        assert [int(end) * table.tick for end in play_timetable(early)] == earliest(early)
    assert met > 20


def test_reversed_routes_are_played_anew() -> None:
    """Routes of unlike latency share ports: run backwards, sends may meet there."""
    met = 0
    for seed in range(6):
        back = reverse_timetable(make_timetable(star(4), "allgather", chunks=2, seed=seed))
        met += not verify_timetable(back).valid
        assert verify_timetable(tighten_timetable(back)).valid
    assert met


def test_what_is_not_valid_is_refused() -> None:
    table = valid_timetables(0)[0]
    with pytest.raises(InvalidInput, match="timetable: "):
        play_timetable(replace(table, begin=np.zeros(table.sends, np.int64)))
