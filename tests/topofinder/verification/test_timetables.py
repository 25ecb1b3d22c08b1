"""The replay of timetables: what it says of each fault, and of symmetric ones, beside a twin."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from expansions.automorphisms import Automorphisms, automorphisms_of
from generators.arrays import jump_graph
from generators.errors import Unsupported
from generators.families.hamming import hypercube
from generators.topology import Topology
from tests.timetable_twin import judge, sends_of, tick_of
from tests.timetables import REFLECTED, UNITS, star, translated, valid_timetables
from topofinder.model.timetable import Timetable, expand_timetable
from topofinder.verification.symmetry import check_symmetry
from topofinder.verification.timetable_symmetry import acts_regularly
from topofinder.verification.timetables import verify_timetable

RING = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
SLOW = replace(RING, capacity=(1, 1, Fraction(1, 1 << 26)))
"""Arc 2 takes 2^26 ticks for a unit, the others one."""


@pytest.mark.parametrize("seed", range(4))
def test_valid_timetables_and_what_they_take(seed: int) -> None:
    """Ticks and makespans agree with Fractions of a second, and with what the noun says."""
    for table in valid_timetables(seed):
        found = verify_timetable(table)
        assert (found.violation, judge(table)) == (None, set())
        assert found.tick == table.tick == tick_of(table.topology, table.units, table.chunk_bytes)
        assert found.seconds == table.seconds == max(send.arrive for send in sends_of(table))


def ring(**changes: Any) -> Timetable:
    """Three nodes in a ring, latency and bytes 1 tick each."""
    fields: dict[str, Any] = {
        "topology": RING,
        "collective": "allgather",
        "chunk": [0, 1, 2, 0, 1, 2],
        "channel": [0, 1, 2, 1, 2, 0],
        "begin": [0, 0, 0, 2, 2, 2],
        "origin": [0, 1, 2],
        "chunk_bytes": 2,
        "units": replace(UNITS, latency=Fraction(1)),
    }
    return Timetable(**fields | changes)


SUMS = {"collective": "reduce-scatter", "reducing": 6, "channel": [1, 2, 0, 2, 0, 1]}
ALL = {
    "collective": "allreduce",
    "chunk": [0, 0, 0, 0],
    "channel": [1, 2, 0, 1],
    "begin": [0, 2, 4, 6],
    "origin": [0],
    "reducing": 2,
}
TO_ALL = {"collective": "all-to-all", "chunk": [0, 0], "channel": [0, 1], "begin": [0, 2],
          "origin": [0], "target": [2]}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, None),
        (SUMS, None),
        (ALL, None),
        (TO_ALL, None),
        ({"begin": [0, 0, 0, 2, 1, 2]},
         "send 4, of chunk 1 over [2, 0] at tick 1: node 2 has the chunk from tick 2 on"),
        ({"model": "occupied", "begin": [0, 0, 0, 1, 2, 2]},
         "send 3, of chunk 0 over [1, 2] at tick 1: node 1 has the chunk from tick 2 on"),
        ({"channel": [0, 1, 2, 0, 2, 0]},
         "send 3, of chunk 0 over [0, 1] at tick 2: node 1 has the chunk already"),
        ({"channel": [0, 1, 2, 2, 2, 0]},
         "send 3, of chunk 0 over [2, 0] at tick 2: node 0 has the chunk already"),
        ({"chunk": [0, 1, 2, 0, 2, 2]},
         "node 0 never gets chunk 1"),
        (TO_ALL | {"chunk": [0], "channel": [1], "begin": [0]},
         "send 0, of chunk 0 over [1, 2] at tick 0: node 1 never has the chunk"),
        ({"chunk": [0, 1, 2, 0, 1], "channel": [0, 1, 2, 1, 2], "begin": [0, 0, 0, 2, 2]},
         "node 1 never gets chunk 2"),
        (SUMS | {"chunk": [0, 1, 2, 0, 1], "channel": [1, 2, 0, 2, 0], "begin": [0, 0, 0, 2, 2],
                 "reducing": 5}, "node 1 never sends its part of chunk 2"),
        (SUMS | {"begin": [0, 0, 0, 1, 2, 2]},
         "send 3, of chunk 0 over [2, 0] at tick 1: send 0 brings a part of it to node 2 at "
         "tick 2"),
        (SUMS | {"channel": [1, 2, 0, 1, 0, 1]},
         "send 3, of chunk 0 over [1, 2] at tick 2: node 1 sends its part in send 0 as well"),
        (SUMS | {"channel": [1, 2, 0, 0, 0, 1]},
         "send 3, of chunk 0 over [0, 1] at tick 2: its sum belongs to node 0"),
        (ALL | {"begin": [0, 2, 3, 6]},
         "send 2, of chunk 0 over [0, 1] at tick 3: node 0 has the chunk once its parts are there"),
        (ALL | {"reducing": 3},
         "send 2, of chunk 0 over [0, 1] at tick 4: its sum belongs to node 0"),
        (ALL | {"reducing": 1}, "node 2 never sends its part of chunk 0"),
        (TO_ALL | {"target": [1]},
         "send 1, of chunk 0 over [1, 2] at tick 2: node 2 neither is the target nor passes it on"),
        (TO_ALL | {"chunk": [0], "channel": [0], "begin": [0]}, "node 2 never gets chunk 0"),
        (TO_ALL | {"target": [0]},
         "send 1, of chunk 0 over [1, 2] at tick 2: node 2 neither is the target nor passes it on"),
        ({"chunk": [0, 1, 2, 0, 1, 2, 3, 3], "channel": [0, 1, 2, 1, 2, 0, 0, 1],
          "begin": [0, 0, 0, 2, 2, 2, 1, 4], "origin": [0, 1, 2, 0], "amount": [1, 1, 1, 2]},
         "send 5, of chunk 2 over [0, 1] at tick 2: send 6 keeps arc 0 [0, 1] until 3"),
        ({"bound": Fraction(5)}, "it takes 4 s, less than the bound 5 s it claims"),
    ],
)  # fmt: skip
def test_each_fault_has_its_line(changes: dict[str, Any], line: str | None) -> None:
    table = ring(**changes)
    assert verify_timetable(table).violation == line
    assert (line is None) == (judge(table) == set())


def test_routes_share_a_port_as_far_as_its_rate_goes() -> None:
    """Two routes out of one port, at the rates 1 and 2 of their slowest links.

    A port of rate 3 has room for both at once, one of rate 2 for one after the other.
    """
    graph = Topology.from_arcs(
        4, [(0, 3), (3, 1), (3, 2)], switches=(3,), capacity=(2, 1, 2), latency=(0, 1, 1)
    )
    cast = Timetable(
        topology=graph, collective="broadcast", root=0, origin=[0], chunk=[0, 0], channel=[3, 4],
        begin=[0, 4], chunk_bytes=4, units=replace(UNITS, latency=Fraction(1), rate=Fraction(1)),
        route_start=[0, 2, 4], route_arc=[0, 1, 0, 2],
    )  # fmt: skip
    assert verify_timetable(cast).violation is None
    assert verify_timetable(cast).seconds == 7
    early = replace(cast, begin=[0, 3])
    assert verify_timetable(early).violation == (
        "send 1, of chunk 0 over [0, 2] at tick 3: send 0 keeps arc 0 [0, 3] until 4"
    )
    wide = replace(graph, capacity=(3, 1, 2))
    for begin in (early.begin, [0, 0]):
        both = replace(cast, topology=wide, begin=begin)
        assert verify_timetable(both).violation is None
        assert judge(both) == set()
    assert judge(early) == {"shared"}
    occupied = replace(cast, model="occupied")
    assert "until 5" in str(verify_timetable(occupied).violation)
    assert verify_timetable(replace(occupied, begin=[0, 5])).violation is None
    astray = replace(cast, channel=[0, 4])
    assert verify_timetable(astray).violation == (
        "send 0, of chunk 0 over [0, 3] at tick 0: only routes lead through switches"
    )


def test_a_route_that_passes_an_arc_twice_is_refused() -> None:
    loop = Topology.from_arcs(
        4, [(0, 2), (2, 3), (3, 2), (3, 1)], switches=(2, 3), latency=(1, 1, 1, 1)
    )
    cast = Timetable(
        topology=loop, collective="broadcast", root=0, origin=[0], chunk=[0], channel=[4],
        begin=[0], chunk_bytes=1, units=UNITS, route_start=[0, 5], route_arc=[0, 1, 2, 1, 3],
    )  # fmt: skip
    assert "send 0 keeps arc 1 [2, 3]" in str(verify_timetable(cast).violation)
    assert judge(cast) == {"shared"}


GRAPHS = {
    "circulant": (jump_graph(6, [1, 2]), None),
    "parallel": (jump_graph(7, [1, 1, 3]), None),
    "cube": (hypercube(3), None),
    "reflected": (jump_graph(5, [1, 4]), REFLECTED),
}


@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
@pytest.mark.parametrize("name", GRAPHS)
def test_images_meet_as_in_the_expansion(name: str, collective: str) -> None:
    graph, words = GRAPHS[name]
    seen: Counter[bool] = Counter()
    for seed in range(24):
        table = translated(graph, words or automorphisms_of(graph), collective, seed)
        found, whole = verify_timetable(table), verify_timetable(expand_timetable(table))
        assert found.valid == whole.valid == (judge(table) == set())
        assert found.seconds == whole.seconds
        seen[found.valid] += 1
    assert min(seen[True], seen[False]) > 0


def test_all_to_alls_of_one_node_and_its_images() -> None:
    """On a ring of 5 node 0 sends to 4, 3, 2, 1 in turn; all others do the same at once."""
    graph = jump_graph(5, [1])
    hops = [(x, e) for x in range(4) for e in range(4 - x)]
    table = Timetable(
        topology=graph, collective="all-to-all", chunk=[x for x, _ in hops],
        channel=[e for _, e in hops], begin=[2 * at for at in range(len(hops))], origin=[0] * 4,
        target=[4, 3, 2, 1], chunk_bytes=2, units=replace(UNITS, latency=Fraction(1)),
        translations=automorphisms_of(graph),
    )  # fmt: skip
    assert verify_timetable(table).violation is None
    assert judge(table) == set()
    assert (
        verify_timetable(table).seconds == verify_timetable(expand_timetable(table)).seconds == 20
    )
    assert verify_timetable(expand_timetable(table)).valid
    wrong = replace(table, target=[4, 3, 1, 2])
    assert str(verify_timetable(wrong).violation).endswith("neither is the target nor passes it on")
    early = replace(table, begin=[*range(0, 18, 2), 17])
    assert verify_timetable(early).violation is None
    meeting = replace(table, begin=[*range(0, 18, 2), 16])
    assert "send 8, or images of both, keeps arc 0 [0, 1] until 17" in str(
        verify_timetable(meeting).violation
    )
    for one in (wrong, early, meeting):
        assert (judge(one) == set()) == verify_timetable(one).valid


def test_which_translations_act_regularly() -> None:
    for name, (graph, given) in GRAPHS.items():
        words = given or automorphisms_of(graph)
        moved = check_symmetry(graph, words.images, words.parent, words.by)
        assert not isinstance(moved, str)
        assert acts_regularly(moved, words.images) == (name != "reflected")


def test_needless_generators_change_no_verdict() -> None:
    """With too many to compare all pairs, images are looked at one by one."""
    graph = jump_graph(6, [1, 2])
    words = automorphisms_of(graph)
    many = replace(words, images=np.repeat(words.images[:1], 65, axis=0))
    for seed in range(6):
        table = translated(graph, words, "allgather", seed)
        slow = replace(table, translations=many)
        assert verify_timetable(slow).valid == verify_timetable(table).valid
        with pytest.raises(Unsupported, match="at most 29 images"):
            verify_timetable(slow, most_images=29)


def test_symmetries_that_are_none() -> None:
    graph = jump_graph(5, [1, 4])
    table = translated(graph, REFLECTED, "allgather", 11)
    with pytest.raises(Unsupported, match="at most 19 images of sends where they are no regular"):
        verify_timetable(table, most_images=19)
    latency = tuple(1 + (v == 0) for v in graph.tail.tolist())
    torn = replace(table, topology=replace(graph, latency=latency))
    assert "generator 0 carries arc 0 to arc 2 of another latency" in str(
        verify_timetable(torn).violation
    )
    path = Topology.from_arcs(5, [(v, w) for v in range(4) for w in (v + 1,)] + [(4, 0), (0, 2)])
    other = replace(table, topology=path, chunk=[0] * 4, channel=[0, 1, 2, 3], begin=[0, 9, 18, 27])
    assert "generator 0 carries" in str(verify_timetable(other).violation)


def test_a_switch_has_no_image() -> None:
    words = Automorphisms(images=[[1, 2, 0, 3], [3, 1, 2, 0]], parent=[0, 0, 1, 0], by=[0, 0, 0, 1])
    table = Timetable(
        topology=star(3), collective="allgather", chunk=[], channel=[], begin=[], origin=[0],
        chunk_bytes=1, units=UNITS, translations=words,
    )  # fmt: skip
    assert verify_timetable(table).violation == (
        "a symmetry is one of hosts, but the topology has switches"
    )


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"topology": SLOW, "amount": [1, 1, 1 << 36]}, "amount: some chunk takes longer"),
        ({"units": replace(UNITS, latency=Fraction(1, 10**30))}, "units: some link takes longer"),
    ],
)
def test_times_that_64_bits_cannot_hold(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(Unsupported, match=line):
        verify_timetable(ring(**changes))


def test_the_largest_times_are_exact() -> None:
    """A begin, a latency and bytes near their limits: sums stay below 2^63."""
    late, many = (1 << 61) - 1, (1 << 35) - 1
    table = ring(
        topology=SLOW, chunk=[0, 0], channel=[2, 0], begin=[0, late], origin=[2], amount=[many],
        collective="broadcast", root=2,
    )  # fmt: skip
    found = verify_timetable(table)
    assert found.valid
    assert found.makespan == late + many + 1
    assert verify_timetable(replace(table, begin=[late - 1, late])).violation == (
        f"send 1, of chunk 0 over [0, 1] at tick {late}: node 0 has the chunk from tick "
        f"{late - 1 + (many << 26) + 1} on"
    )


def test_no_sends() -> None:
    lone = Topology.from_arcs(1, [])
    none: dict[str, Any] = {"chunk": [], "channel": [], "begin": [], "reducing": 0}
    assert verify_timetable(ring(topology=lone, origin=[0, 0], **none)).valid
    assert verify_timetable(ring(**none)).violation == "node 1 never gets chunk 0"
    assert verify_timetable(ring(**none | {"origin": np.zeros(0, np.int32)})).makespan == 0
