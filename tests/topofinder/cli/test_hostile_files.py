"""Files of strangers that would take minutes and gigabytes: refused in little memory."""

import io
import json
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.files import read_lines
from generators.formats.archive import MOST_MEMBERS, MOST_UNPACKED, read_archive, read_header_text
from generators.formats.by_suffix import read_topology, write_topology
from generators.formats.document import (
    MAX_JSON,
    MOST_MEMORY,
    MOST_TABLES,
    memory_of,
    parse_object,
)
from generators.formats.draft import MOST_NODES
from generators.topology import Topology
from tests.memory import measured
from topofinder.model.inventory.cross_connects import LARGEST, read_wiring
from topofinder.model.inventory.document import inventory_for
from topofinder.model.inventory.ports import port_map
from topofinder.model.workload import read_sizes

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="measures memory as Linux does"
)
MOST = 300_000_000
MEGA = 1 << 20
PLAN = ("plan", "--to", "K(2)", "--inventory", "i.json", "--current")
SEARCH = ("search", "--n", "8", "--d", "2", "--alpha", "1us", "--bandwidth", "1Gbps", "--sizes")
FEW = 390_000
"""Tags of GraphML that are not too many as such."""
HEAD = b'<graphml><graph edgedefault="directed">'


def npz(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, text in members.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.frombuffer(text, dtype=np.uint8), version=(1, 0))
            archive.writestr(f"{name}.npy", member.getvalue())
    return content.getvalue()


def zeros() -> bytes:
    fields = {"format": "topofinder-schedule", "version": 1, "n": 2, "arcs": 2, "rows": 1 << 26}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("header", "tail", "head", "source", "arc", "step", "begin", "end"):
            with archive.open(f"{name}.npy", "w") as member:
                text = json.dumps(fields).encode() if name == "header" else b""
                length = len(text) or (2 if name in ("tail", "head") else 1 << 26)
                told = {"descr": "|u1", "fortran_order": False, "shape": (length,)}
                np.lib.format.write_array_header_1_0(member, told)
                for _ in range(0, length, MEGA):
                    member.write(text or bytes(min(length, MEGA)))
    return content.getvalue()


def many() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{number}.npy", b"")
    return content.getvalue()


def keys(count: int) -> bytes:
    return b"{" + b",".join(b'"k%d":{}' % number for number in range(count)) + b"}"


def table(row: str, rows: int) -> bytes:
    """A table of a schedule in whose header things are missing."""
    head = '{"format": "topofinder-schedule", "version": 1, "table": ['
    return (head + row * rows + "0]}").encode()


def numbered(row: str, rows: int = 1_000_000) -> bytes:
    return "".join(row % ((n,) * row.count("%")) for n in range(rows)).encode()


def equal_links() -> bytes:
    link = {"from": "a", "to": "b", "bandwidth": "1GB/s", "count": 8_000_000}
    fields = {"format": "topofinder-fabric", "version": 1, "nodes": ["a", "b"], "links": [link]}
    return json.dumps(fields).encode()


FILES: dict[str, tuple[tuple[str, ...], Callable[[], bytes], str]] = {
    "header.npz": (("verify",), lambda: npz({"header": b"[" + b"[]," * (21 * MEGA)}), "unpack"),
    "keys.npz": (("verify",), lambda: npz({"header": keys(2_000_000)}), "header"),
    "zeros.npz": (("verify",), zeros, "unpack to"),
    "many.npz": (("verify",), many, "members: more than 64"),
    "lists.json": (("verify",), lambda: b'{"a":[' + b"[]," * (10 * MEGA), "more values"),
    "objects.json": (("verify",), lambda: b'{"a":[' + b"{}," * (10 * MEGA), "more values"),
    "long.json": (("verify",), lambda: b" " * (200 * MEGA), "larger than"),
    "keys.json": (("throughput",), lambda: keys(2_000_000), "more values"),
    "wide.json": (("throughput",), lambda: keys(240_000), "more than 16384 different keys"),
    "table.json": (("verify",), lambda: table("[1023,4095,1023,0,1],\n", 390_000), "n: an integer"),
    "listed.json": (("verify",), lambda: table("[1000],", 840_000), "n: an integer"),
    "nested.json": (("verify",), lambda: table("[" * 900 + "]" * 900 + ",", 1100), "n: an integer"),
    "texts.json": (("verify",), lambda: table('"\u20ac\u00e9",', 1_000_000), "n: an integer"),
    "astral.json": (("verify",), lambda: table(f'"\U0001f600{"a" * 30 * MEGA}",', 1), "more"),
    "numbers.json": (("throughput",), lambda: b"[" + b"1000," * (6 * MEGA), "more values"),
    "sizes.txt": (SEARCH, lambda: b"1kB\n" * (14 * MEGA // 4), "larger than"),
    "line.csv": (PLAN, lambda: b"port_a,port_b\n" + b"," * (200 * MEGA), "larger than"),
    "fields.csv": (PLAN, lambda: b"port_a,port_b\n" + b"," * (15 * MEGA), "longer than"),
    "demand.csv": (("throughput", "K(4)", "--demand"), lambda: b"1," * (7 * MEGA), "longer"),
    "empty.csv": (("throughput", "K(4)", "--demand"), lambda: b"\n" * (15 * MEGA), "65536 lines"),
    "rows.csv": (("throughput", "K(4)", "--demand"), lambda: b"1\n" * (7 * MEGA), "1 in a row"),
    "attributes.graphml": (
        ("throughput",),
        lambda: HEAD + b"<node " + b" ".join(b'a%d=">"' % n for n in range(3 * MEGA)),
        "a tag of more than",
    ),
    "tags.graphml": (
        ("throughput",),
        lambda: HEAD + b"<a/>" * (10 * MEGA),
        "tags; GraphML is for 393216",
    ),
    "text.graphml": (("throughput",), lambda: HEAD + b"a" * (40 * MEGA), "a tag of more than"),
    "tables.graphml": (
        ("throughput",),
        lambda: b"<graphml>" + numbered('<key id="%d"/>', FEW),
        "4096",
    ),
    "elements.graphml": (
        ("throughput",),
        lambda: b"<graphml>" + numbered("<a%d/>", FEW),
        "4096 names",
    ),
    "spaces.graphml": (("throughput",), lambda: HEAD + numbered('<a xmlns:a%d="a"/>', FEW), "4096"),
    "words.edges": (("throughput",), lambda: b"a b " * (11 * MEGA), "line 1: longer than"),
    "empty.edges": (("throughput",), lambda: b"\n" * (45 * MEGA), "more than 4194304 lines"),
    "names.edges": (("throughput",), lambda: numbered("a%d b%d\n"), "more than 262144 nodes"),
    "long.edges": (("throughput",), lambda: numbered("a%099d b%099d\n", 230_000), "of more than"),
    "headers.edges": (("throughput",), lambda: numbered('#: name %d "%d"\n'), "headers of more"),
    "equal.json": (("throughput",), equal_links, "links are needed, not 8000000"),
    "noise.npz": (("verify",), lambda: bytes(250 * MEGA), "no whole .npz file"),
}


SAMPLE = ("table.json", "wide.json", "elements.graphml", "names.edges", "noise.npz",
          "header.npz", "keys.npz", "lists.json", "keys.json", "sizes.txt", "fields.csv",
          "demand.csv", "attributes.graphml", "words.edges")  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in SAMPLE else pytest.mark.slow) for n in FILES]
)
def test_hostile_files_are_refused_in_little_memory(name: str, tmp_path: Path) -> None:
    words, content, told = FILES[name]
    (tmp_path / name).write_bytes(content())
    panel = {"panels": [{"name": "P"}], "hosts": [
        {"name": host, "ports": [{"panel": "P", "position": place}]}
        for place, host in enumerate("ab", 1)
    ]}  # fmt: skip
    (tmp_path / "i.json").write_text(json.dumps(panel))
    ended = measured(*words, name, folder=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert ended.err.count("\n") == 0
    assert ended.memory < MOST


def listed(values: Iterable[bytes]) -> bytes:
    return b'{"a":[' + b",".join(values) + b"]}"


@pytest.mark.parametrize(
    "content",
    [
        lambda: listed(b"[]" for _ in range(250_000)),
        lambda: listed(b"%d" % n for n in range(500_000)),
        lambda: listed(b'"%x"' % n for n in range(250_000)),
        lambda: listed(b'{"":0}' for _ in range(110_000)),
        lambda: keys(16_000),
    ],
    ids=["lists", "integers", "texts", "objects", "keys"],
)
def test_what_is_parsed_takes_what_was_estimated(content: Callable[[], bytes]) -> None:
    """A sixth of what is read at all; estimates and memory grow in proportion to the values."""
    import tracemalloc

    text = content()
    assert memory_of(text) < MOST_TABLES
    tracemalloc.start()
    try:
        parse_object(text, MOST_TABLES)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < memory_of(text)


def test_documents_that_no_reader_agrees_on() -> None:
    for text, told in (
        (b'{"n": 1, "n": 2}', "the key 'n' is there twice in one object"),
        (b'{"a": {"b": [{"%s": 1, "%s": 2}]}}' % (b"x" * 99, b"x" * 99), "is there twice"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b'{"n": ' + b"7" * 5000 + b"}", "an integer of too many digits"),
        (b'{"n":\n "\xff"}', "line 2: not UTF-8 text at byte 8"),
        (b"\x1f\x8b\x08\x00", "line 1: not UTF-8 text at byte 1"),
        (b"PK\x03\x04", "line 1, column 1: expecting value"),
        (b" " * (MAX_JSON + 1), "larger than 33554432 bytes, the most of a JSON file"),
    ):
        with pytest.raises(InvalidInput) as refusal:
            parse_object(text)
        assert told in str(refusal.value)
        assert len(str(refusal.value)) < 120
    assert parse_object(b'\xef\xbb\xbf{"n": 1}') == {"n": 1}


def test_archives_are_checked_by_their_directory() -> None:
    for content, told in (
        (many(), f"members: more than {MOST_MEMBERS}"),
        (npz({"header": b"{}"}, zipfile.ZIP_LZMA), "only plain deflation is read"),
        (npz({"header": b"{}"}, zipfile.ZIP_BZIP2), "only plain deflation is read"),
        (npz({"header": b"{}", "a": bytes(20 * MEGA)}), "bytes that unpack to"),
        (b"\x1f\x8b\x08\x00", "no whole .npz file"),
        (b"", "no whole .npz file"),
    ):
        with pytest.raises(InvalidInput) as refusal:
            read_archive(content, lambda header: {"a": 20 * MEGA})
        assert told in str(refusal.value)
    assert read_header_text(npz({"header": b'{"n": 2}'})) == b'{"n": 2}'
    assert MOST_UNPACKED == 1 << 30


def test_a_large_file_with_a_single_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.edges"
    path.write_bytes(b"0 1\n1 0\n" * 100_000 + b"0 1 \xff\n")
    with pytest.raises(InvalidInput, match="line 200001: not UTF-8 text at byte 800004"):
        read_topology(path)
    path.write_text("0 1\n" + "# " + "x" * (5 * MEGA))
    with pytest.raises(InvalidInput, match="line 2: longer than 4194304 characters"):
        read_topology(path)
    sizes = tmp_path / "sizes.txt"
    sizes.write_bytes(b"\xef\xbb\xbf1MiB\n")
    assert read_sizes(sizes) == ((MEGA, 1),)
    fabric = port_map(inventory_for(hosts=2, ports=1))
    with (tmp_path / "w.csv").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(InvalidInput, match="larger than"):
        read_wiring(tmp_path / "w.csv", fabric)


@pytest.mark.parametrize("suffix", ["npz", "edges"])
def test_sparse_files_and_devices(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{suffix}"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    words = ("verify",) if suffix == "npz" else ("throughput",)
    ended = measured(*words, path, folder=tmp_path)
    assert ended.code == 2
    assert "larger than" in ended.err
    path.unlink()
    path.symlink_to("/dev/zero")
    ended = measured(*words, path, folder=tmp_path)
    assert ended.code == 2
    assert "is a device or a named pipe, not a file" in ended.err
    assert ended.memory < MOST


def test_a_large_schedule_is_still_read() -> None:
    """Half a million rows, and the graph of twenty thousand nodes, are within the limits."""
    row = b"[1023,4095,1023,0,1],\n"
    assert memory_of(row * 1000) * 512 < MOST_TABLES
    edge = b'{"source": 19999, "target": 19999, "key": 79999},\n'
    node = b'{"id": 19999},\n'
    assert memory_of(edge * 120_000 + node * 20_000) < MOST_MEMORY


def test_large_graphs_are_still_read(tmp_path: Path) -> None:
    """2^16 nodes of degree 8: a file of 6 MB."""
    lines = (f"{u} {(u + jump) % 65536}\n" for jump in range(1, 9) for u in range(65536))
    path = tmp_path / "a.edges"
    path.write_text("#: nodes 65536\n" + "".join(lines))
    read = read_topology(path)
    assert (read.n, read.arcs, read.degree) == (65536, 8 * 65536, 8)


def test_what_would_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    ring = np.arange(MOST_NODES + 1)
    large = Topology(n=len(ring), tail=ring, head=np.roll(ring, 1))
    with pytest.raises(InvalidInput, match="nodes: a file has at most 262144, not 262145"):
        write_topology(large, tmp_path / "a.edges")
    assert not list(tmp_path.iterdir())


def test_lines_are_read_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf" + b"a\r\nb\n" * 50_000 + b"c \xff d\n" + b"e\n" * 50_000)
    read = read_lines(path)
    assert [next(read) for _ in range(3)] == ["a\n", "b\n", "a\n"]
    with pytest.raises(InvalidInput, match=r"^line 100001: not UTF-8 text at byte 250005$"):
        list(read)
    path.write_bytes(b"ab\n" * 3)
    assert list(read_lines(path, 9, 3)) == ["ab\n"] * 3
    with pytest.raises(InvalidInput, match="larger than 8 bytes"):
        list(read_lines(path, 8))
    with pytest.raises(InvalidInput, match=r"^line 1: longer than 2 characters$"):
        list(read_lines(path, 9, 2))
