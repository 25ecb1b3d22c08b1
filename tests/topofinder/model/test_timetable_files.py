"""Timetable files: what is written is read back, what is wrong is named, and sizes are bounded."""

import json
import re
import zipfile
from dataclasses import fields, replace
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.automorphisms import automorphisms_of
from expansions.collective import Collective
from expansions.schedule_files.graph import GRAPH_FIELDS
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.formats.archive import archive_content, read_archive
from generators.topology import Topology
from tests.known_timetables import (
    compact_ring,
    ring_exchange,
    ring_timetable,
    star_timetable,
)
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import COLUMNS, MAX_SENDS, Timetable, expand_timetable
from topofinder.model.timetable_files import (
    FIELDS,
    MAX_TEXT_SENDS,
    TIMETABLE_FILES,
    canonical_timetable,
    read_timetable,
    timetable_digest,
    write_timetable,
)

PAGE = (Path(__file__).parents[3] / "docs" / "timetables.md").read_text(encoding="utf-8")
KNOWN = {
    "allgather": ring_timetable(4),
    "reduce-scatter": ring_timetable(3, "reduce-scatter"),
    "allreduce": ring_timetable(4, "allreduce", damage="--fail-links 3%"),
    "broadcast": ring_timetable(4, "broadcast", root=2),
    "reduce": ring_timetable(4, "reduce", root=0),
    "exchange": ring_exchange(),
    "compact": compact_ring(4),
    "compact allreduce": compact_ring(5, "allreduce"),
    "star": star_timetable(amount=[1, 2, 3], model="occupied", bound=Fraction(0)),
}
SOME_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)
SMALL = st.builds(Fraction, st.integers(1, 6), st.integers(1, 6))


def same(one: Timetable, other: Timetable) -> bool:
    """Whether all fields are equal, arrays and graphs too."""
    words = [each.translations for each in (one, other)]
    scalars = {each.name for each in fields(Timetable)} - {*COLUMNS, "topology", "translations"}
    return (
        one.topology.same_wiring(other.topology)
        and all(getattr(one, name) == getattr(other, name) for name in scalars)
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in COLUMNS)
        and all(
            (words[0] is None) == (words[1] is None)
            and np.array_equal(getattr(words[0], name, 0), getattr(words[1], name, 0))
            for name in ("images", "parent", "by")
        )
    )


@st.composite
def hosts_and_switches(draw: st.DrawFn) -> Topology:
    """Up to six nodes, any arcs between them, parallel ones and loops too; any link values."""
    n = draw(st.integers(1, 6))
    ends = draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), min_size=1, max_size=12))
    count = len(ends)
    values = st.none() | st.lists(SMALL, min_size=count, max_size=count)
    return Topology.from_arcs(
        n,
        ends,
        switches=tuple(draw(st.sets(st.integers(1, n - 1), max_size=2))) if n > 1 else (),
        capacity=draw(values),
        latency=draw(values),
    )


def all_routes(graph: Topology) -> list[list[int]]:
    """Every pair of arcs that leads from a host through one switch to a host."""
    switch = np.isin(np.arange(graph.n), graph.switches)
    tail, head = graph.tail.tolist(), graph.head.tolist()
    return [
        [i, j]
        for i in range(graph.arcs)
        for j in range(graph.arcs)
        if head[i] == tail[j] and switch[head[i]] and not switch[tail[i]] and not switch[head[j]]
    ]


@st.composite
def timetables(draw: st.DrawFn) -> Timetable:
    """Any sends at any time, of chunks of any amount: what a file says need not be valid."""
    graph = draw(hosts_and_switches())
    words = None
    if draw(st.booleans()):
        graph = jump_graph(draw(st.integers(1, 5)), [1])
        words = automorphisms_of(graph)
    routes = [] if words else draw(st.lists(st.sampled_from(all_routes(graph) or [[]])))
    routes = [route for route in routes if route]
    rooted = {Collective.BROADCAST, Collective.REDUCE}
    what = draw(st.sampled_from(sorted(set(Collective) - (rooted if words else set()))))
    hosts = sorted(set(range(graph.n)) - set(graph.switches))
    root = draw(st.sampled_from(hosts)) if what in rooted else None
    owners = [0] if words else hosts if root is None else [root]
    usual = [owner for owner in owners for _ in range(draw(st.integers(0, 2)))]
    origin = draw(st.just(usual) | st.lists(st.sampled_from(owners), min_size=1, max_size=6))
    c, channels = len(origin), graph.arcs + len(routes)
    sends = draw(
        st.lists(st.tuples(*[st.integers(0, m) for m in (c - 1, channels - 1, 99)]), max_size=20)
        if c and channels
        else st.just([])
    )
    summing = what in (Collective.REDUCE_SCATTER, Collective.REDUCE)
    turn = draw(st.integers(0, len(sends))) if what is Collective.ALLREDUCE else 0
    amounts = st.none() | st.lists(st.integers(1, 9), min_size=c, max_size=c)
    targets = st.lists(st.sampled_from(hosts), min_size=c, max_size=c)
    return Timetable(
        topology=graph,
        collective=what,
        chunk=np.array([send[0] for send in sends], dtype=np.int64),
        channel=np.array([send[1] for send in sends], dtype=np.int64),
        begin=np.array([send[2] for send in sends], dtype=np.int64),
        origin=np.array(origin, dtype=np.int64),
        target=draw(targets) if what is Collective.ALLTOALL else None,
        amount=draw(amounts),
        chunk_bytes=draw(SMALL),
        units=LinkUnits(latency=draw(SMALL | st.just(Fraction(0))), rate=draw(SMALL)),
        model=draw(st.sampled_from(TimeModel)),
        reducing=len(sends) if summing else turn,
        root=root,
        route_start=[2 * place for place in range(len(routes) + 1)],
        route_arc=np.array([arc for route in routes for arc in route], dtype=np.int64),
        translations=words,
        recipe=draw(st.none() | SOME_TEXT),
        damage=draw(st.none() | SOME_TEXT),
        method=draw(st.none() | SOME_TEXT),
        seed=draw(st.none() | st.integers(0, 1 << 63 - 1)),
        bound=draw(st.none() | SMALL | st.just(Fraction(0))),
    )


def again(saved: Timetable, suffix: str) -> tuple[Timetable, bytes]:
    """What is read of the bytes that are written, and those bytes."""
    archive = suffix == ".npz"
    content = TIMETABLE_FILES.archive(saved) if archive else TIMETABLE_FILES.text(saved).encode()
    if archive:  # what is asked of large ones holds of all
        read_archive(content, TIMETABLE_FILES.lengths, TIMETABLE_FILES.ranges, free=0)
    return TIMETABLE_FILES.decode(f"a{suffix}", content), content


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@given(saved=timetables())
def test_any_timetable_is_read_back(saved: Timetable, suffix: str) -> None:
    found, content = again(saved, suffix)
    assert same(found, canonical_timetable(saved))
    assert again(found, suffix)[1] == content
    assert timetable_digest(found) == timetable_digest(saved)


@given(saved=timetables(), seed=st.integers(0, 99))
def test_sends_of_a_phase_may_come_in_any_order(saved: Timetable, seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = saved.reducing
    order = np.concatenate([rng.permutation(turn), turn + rng.permutation(saved.sends - turn)])
    mixed = replace(
        saved, **{name: getattr(saved, name)[order] for name in ("chunk", "channel", "begin")}
    )
    rows = sorted(
        zip((np.arange(saved.sends) >= turn).tolist(), saved.begin.tolist(),
            saved.channel.tolist(), saved.chunk.tolist(), strict=True)
    )  # fmt: skip
    kept = canonical_timetable(mixed)
    assert [list(row) for row in zip(kept.begin, kept.channel, kept.chunk, strict=True)] == [
        list(row[1:]) for row in rows
    ]
    assert again(mixed, ".npz")[1] == again(saved, ".npz")[1]


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("name", KNOWN)
def test_known_timetables_are_read_back(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    write_timetable(KNOWN[name], path)
    assert same(read_timetable(path), canonical_timetable(KNOWN[name]))


@pytest.mark.parametrize(
    ("name", "listed"),
    [(name, {"star": ["amount"]}.get(name, [])) for name in KNOWN],
)
def test_only_what_is_unusual_of_chunks_is_listed(name: str, listed: list[str]) -> None:
    header, arrays = TIMETABLE_FILES.parts(KNOWN[name])
    assert header["listed"] == listed
    assert {"origin", "amount", "target"} & set(arrays) == set(listed)


def test_a_send_stands_in_one_line_of_json() -> None:
    lines = TIMETABLE_FILES.text(star_timetable()).splitlines()
    at = lines.index('"route_table": [')
    assert lines[at + 1 : at + 7] == ["[0,4],", "[1,5],", "[2,3],", "[0,5],", "[1,3],", "[2,4]"]
    at = lines.index('"table": [')
    assert lines[at - 1] == '"columns": ["chunk", "channel", "begin"],'
    assert lines[at + 1 : at + 4] == ["[0,6,0],", "[1,7,0],", "[2,8,0],"]


def test_the_hash_depends_on_content_alone() -> None:
    plain, star = ring_timetable(4), star_timetable()
    told = replace(plain, recipe=None, damage="x", method="y", seed=None, bound=None)
    assert timetable_digest(told) == timetable_digest(plain)
    named = replace(star, topology=replace(star.topology, names=None))
    assert timetable_digest(named) == timetable_digest(star)
    others = [
        plain,
        replace(plain, begin=plain.begin + 1),
        replace(plain, chunk_bytes=Fraction(1001)),
        replace(plain, model="occupied"),
        replace(plain, units=replace(plain.units, latency=Fraction(0))),
        replace(plain, units=replace(plain.units, rate=Fraction(1))),
        replace(plain, amount=[1, 1, 1, 2]),
        replace(plain, origin=[0, 1, 2, 2]),
        replace(plain, collective="allreduce"),
        replace(plain, collective="allreduce", reducing=3),
        replace(plain, collective="reduce-scatter", reducing=plain.sends),
        ring_timetable(4, "broadcast", root=0),
        ring_timetable(4, "broadcast", root=1),
        compact_ring(4),
        expand_timetable(compact_ring(5)),
        star,
        replace(star, channel=[6, 6, 8, 9, 10, 11]),
        replace(star, route_arc=[0, 4, 1, 5, 2, 3, 0, 5, 1, 3, 1, 4]),
        ring_exchange(),
        replace(ring_exchange(), target=[1, 2, 2, 0, 0, 0]),
    ]
    assert len({timetable_digest(each) for each in others}) == len(others)


RING = json.loads(TIMETABLE_FILES.text(ring_timetable(3)))
STAR_DOCUMENT = json.loads(TIMETABLE_FILES.text(star_timetable()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "format: topofinder-timetable is needed, not 'x'"),
        ({"version": 2}, "version: 1 can be read, not 2"),
        ({"collective": "gossip"}, "collective: 'gossip' is none of allgather, reduce-scatter"),
        ({"collective": ["x"]}, "collective: ['x'] is none of allgather"),
        ({"collective": "all-to-all"}, "target: 3 chunks are not alike, list it"),
        ({"model": "fast"}, "model: 'fast' is none of pipelined, occupied"),
        ({"sends": 1 << 27}, "sends: an integer in 0..67108864 is needed, not 134217728"),
        ({"sends": 1 << 21}, "chunk: JSON is for at most 1048576, not 2097152"),
        ({"sends": 5}, "table: a list of 5 rows is needed, not a list of 6"),
        ({"all_sends": 5}, "all_sends: the file says 5, but what it holds gives 6"),
        ({"chunks": 1 << 25}, "chunks: an integer in 0..16777216 is needed"),
        ({"chunks": 1 << 24}, "origin: 16777216 chunks are not alike, list it"),
        ({"chunks": 4}, "origin: 4 chunks are not alike, list it"),
        ({"chunks": 0}, "chunk: 2 in row 2 is not in 0..-1"),
        ({"listed": ["weight"]}, "listed: some of origin, amount, target, not ['weight']"),
        ({"listed": None}, "listed: some of origin, amount, target, not None"),
        ({"listed": [["origin"]]}, "listed: some of origin, amount, target, not [['origin']]"),
        ({"listed": ["amount"]}, "amount: a list of 3 integers is needed, not None"),
        ({"listed": ["amount"], "amount": [1, 1, 1]}, "listed: the file says ['amount'], but"),
        ({"listed": ["amount"], "amount": [1, 0, 1]}, "amount: 1 to 68719476736, not 0"),
        ({"units": 3}, "units: an object is needed, not 3"),
        ({"units": {"latency": "0"}}, "rate: a text such as '3/2' is needed, not None"),
        ({"units": {"latency": "0", "rate": "1", "x": 1}}, "units 'x': such files have no such"),
        ({"units": {"latency": "2/2000000", "rate": "1000000000"}}, "units: the file says"),
        ({"units": {"latency": "-1", "rate": "1"}}, "latency: must be 0 or more, not '-1'"),
        ({"chunk_bytes": "0"}, "chunk_bytes: must be above 0, not '0'"),
        ({"chunk_bytes": "2000/2"}, "chunk_bytes: the file says '2000/2', but what it holds"),
        ({"chunk_bytes": 1000}, "chunk_bytes: a text such as '3/2' is needed, not 1000"),
        ({"chunk_bytes": "1/100000000000031"}, "latencies and rates: no common measure is coarse"),
        ({"bound": "-1"}, "bound: must be 0 or more, not '-1'"),
        ({"bound": 0.5}, "bound: a text such as '3/2' is needed, not 0.5"),
        ({"seed": -1}, "seed: an integer in 0..9223372036854775807 is needed, not -1"),
        ({"seed": True}, "seed: an integer in 0..9223372036854775807 is needed, not True"),
        ({"root": 0}, "root: does not fit allgather"),
        ({"reducing": 2}, "reducing: 0 of allgather, not 2"),
        ({"reducing": 7}, "reducing: 0 to 6 sends, not 7"),
        ({"tick": "1"}, "tick: the file says '1', but what it holds gives 1/1000000"),
        ({"makespan": 5}, "makespan: the file says 5, but what it holds gives 4"),
        ({"makespan": 4.0}, "makespan: the file says 4.0, but what it holds gives 4"),
        ({"seconds": "1/1"}, "seconds: the file says '1/1', but what it holds gives 1/250000"),
        ({"content": "0" * 64}, "content: the file says '0000"),
        ({"topology": "0" * 64}, "topology: the file says '0000"),
        ({"generators": 1}, "images: a list of 3 integers is needed, not None"),
        ({"routes": 1}, "route_table: a list of 1 is needed, not None"),
        ({"hops": 1}, "hops: the file says 1, but what it holds gives 0"),
        ({"columns": ["chunk"]}, "columns: chunk, channel, begin, not a list of 1"),
        ({"table": [[0, 0, 0]] * 5 + [7]}, "table[5]: chunk, channel, begin are needed, not 7"),
        ({"table": [[0, 0, 0]] * 5 + [[0, 3, 0]]}, "channel: 3 in row 5 is not in 0..2"),
        ({"table": [[0, 0, 0]] * 5 + [[0, 0, 1.5]]}, "begin[5]: an integer is needed, not 1.5"),
        ({"table": [[0, 0, 0]] * 5 + [[0, 0, 1 << 62]]}, "begin: 4611686018427387904 in row 5"),
        ({"recipe": 5}, "recipe: up to 4096 printable characters, not 5"),
        ({"n": 10**9}, "n: an integer in 1..1048576 is needed, not 1000000000"),
        ({"extra": 1}, "'extra': such files have no such field"),
    ],
)
def test_wrong_documents_are_refused_in_one_line(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(RING | change))
    with pytest.raises(InvalidInput) as refused:
        read_timetable(path)
    assert str(refused.value).startswith(f"{path}: {message}"), str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"routes": 5}, "route_table: a list of 5 is needed, not a list of 6"),
        ({"hops": 11}, "route_table: 11 entries in all are needed, not 12"),
        ({"route_table": [0] * 6}, "route_table[0]: a list is needed, not 0"),
        ({"route_table": [[0, 4]] * 5 + [[0, "4"]]}, "route_table[11]: an integer is needed"),
        ({"route_table": [[0, 4]] * 5 + [[0, 1]]}, "route_arc: entry 11 does not go on where"),
        ({"routes": 0}, "'route_table': such files have no such field"),
    ],
)
def test_wrong_routes_are_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    content = json.dumps(STAR_DOCUMENT | change).encode()
    with pytest.raises(InvalidInput) as refused:
        TIMETABLE_FILES.decode("t.json", content)
    told = str(refused.value).removeprefix("t.json: ")
    assert told.startswith((message, "channel: 11 in row 5 is not in")), told


@pytest.mark.parametrize("seed", range(40))
def test_damaged_archives_are_refused_in_one_line(seed: int) -> None:
    known = list(KNOWN.values())[seed % len(KNOWN)]
    content = bytearray(TIMETABLE_FILES.archive(known))
    rng = np.random.default_rng(seed)
    content[int(rng.integers(len(content)))] ^= 1 << int(rng.integers(8))
    told = ""
    try:
        cut = bytes(content[: int(rng.integers(len(content)))] if seed % 2 else content)
        assert same(TIMETABLE_FILES.decode("t.npz", cut), canonical_timetable(known))
    except InvalidInput as error:
        told = str(error)
    assert "\n" not in told


def test_a_header_alone_makes_no_long_arrays() -> None:
    """2^24 chunks that nothing lists would be 256 MB; the members say how long arrays are."""
    header, arrays = TIMETABLE_FILES.parts(ring_timetable(3))
    for change, line in (
        ({"chunks": 3 << 20}, "origin: 3145728 chunks are not alike, list it"),
        ({"sends": 1 << 26}, "chunk: the shape .* is not what the header says"),
        ({"routes": 1 << 26, "hops": 1 << 26}, "members: .* are needed"),
        ({"generators": 1 << 24}, "members: .* are needed"),
    ):
        with pytest.raises(InvalidInput, match=line):
            TIMETABLE_FILES.decode("t.npz", archive_content(header | change, arrays), large=True)


def test_large_timetables_are_listed() -> None:
    """More chunks than sends, and than FEW_CHUNKS: their columns are kept, and read back."""
    many = replace(ring_timetable(2), origin=np.arange(1 << 17) % 2, amount=None)
    header, _ = TIMETABLE_FILES.parts(many)
    assert header["listed"] == ["origin", "amount"]
    assert same(again(many, ".npz")[0], canonical_timetable(many))


def test_members_are_narrow() -> None:
    with zipfile.ZipFile(BytesIO(TIMETABLE_FILES.archive(ring_timetable(200)))) as archive:
        sizes = {each.filename: each.file_size for each in archive.infolist()}
    sends = 200 * 199
    assert {name for name in sizes if sizes[name] > 1000} == {
        "chunk.npy", "channel.npy", "begin.npy",
    }  # fmt: skip
    assert sizes["chunk.npy"] == sizes["channel.npy"] == sends + 128
    assert sizes["begin.npy"] == 2 * sends + 128


def test_too_many_sends_for_json_and_other_suffixes(tmp_path: Path) -> None:
    many = ring_timetable(1026)
    with pytest.raises(InvalidInput, match="sends: JSON is for at most 1048576, not 1051650; wr"):
        write_timetable(many, tmp_path / "t.json")
    for use in (lambda: write_timetable(KNOWN["star"], "t.txt"), lambda: read_timetable("t.txt")):
        with pytest.raises(InvalidInput, match=r"t\.txt: suffix '\.txt' is none of \.npz, \.json"):
            use()


def test_the_page_shows_a_file_and_tells_every_field() -> None:
    (shown,) = re.findall(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)
    found = TIMETABLE_FILES.decode("a.json", shown.encode())
    assert TIMETABLE_FILES.text(found) == shown
    header = PAGE.partition("### Header")[2].partition("### Timetables in rounds")[0]
    told = re.findall(r"^\| `(\w+)` ", header, flags=re.MULTILINE)
    assert told == ["format", "version", *FIELDS[: -len(GRAPH_FIELDS)]]
    for limit in (MAX_SENDS, MAX_TEXT_SENDS):
        assert f"{limit:,}".replace(",", " ") in PAGE
