"""Files of strangers that would take minutes and gigabytes: refused in little memory."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.formats import read_topology
from generators.formats.archive import MOST_MEMBERS, MOST_UNPACKED, read_archive, read_header
from generators.formats.document import MAX_JSON, MOST_MEMORY, MOST_TABLES, memory_of, parse_object
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


FILES: dict[str, tuple[tuple[str, ...], Callable[[], bytes], str]] = {
    "header.npz": (("verify",), lambda: npz({"header": b"[" + b"[]," * (21 * MEGA)}), "unpack"),
    "keys.npz": (("verify",), lambda: npz({"header": keys(2_000_000)}), "header"),
    "zeros.npz": (("verify",), zeros, "unpack to"),
    "many.npz": (("verify",), many, "members: more than 64"),
    "lists.json": (("verify",), lambda: b'{"a":[' + b"[]," * (10 * MEGA), "more values"),
    "objects.json": (("verify",), lambda: b'{"a":[' + b"{}," * (10 * MEGA), "more values"),
    "long.json": (("verify",), lambda: b" " * (200 * MEGA), "larger than"),
    "keys.json": (("throughput",), lambda: keys(2_000_000), "more values"),
    "numbers.json": (("throughput",), lambda: b"[" + b"1000," * (6 * MEGA), "more values"),
    "sizes.txt": (SEARCH, lambda: b"1kB\n" * (14 * MEGA // 4), "larger than"),
    "line.csv": (PLAN, lambda: b"port_a,port_b\n" + b"," * (200 * MEGA), "larger than"),
    "fields.csv": (PLAN, lambda: b"port_a,port_b\n" + b"," * (15 * MEGA), "longer than"),
    "demand.csv": (("throughput", "K(4)", "--demand"), lambda: b"1," * (40 * MEGA), "longer"),
    "rows.csv": (("throughput", "K(4)", "--demand"), lambda: b"1\n" * (40 * MEGA), "1 in a row"),
    "attributes.graphml": (
        ("throughput",),
        lambda: HEAD + b"<node " + b" ".join(b'a%d=">"' % n for n in range(3 * MEGA)),
        "a tag of more than",
    ),
    "tags.graphml": (("throughput",), lambda: HEAD + b"<a/>" * (10 * MEGA), "tags; at most"),
    "text.graphml": (("throughput",), lambda: HEAD + b"a" * (100 * MEGA), "a tag of more than"),
    "words.edges": (("throughput",), lambda: b"a b " * (25 * MEGA), "line 1: longer than"),
}


SAMPLE = ("header.npz", "keys.npz", "lists.json", "keys.json", "sizes.txt", "fields.csv",
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


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (b'{"a":[' + b",".join(b"[]" for _ in range(2_000_000)) + b"]}", MOST_TABLES),
        (b'{"a":[' + b",".join(b"%d" % n for n in range(3_000_000)) + b"]}", MOST_TABLES),
        (b'{"a":[' + b",".join(b'"%x"' % n for n in range(1_800_000)) + b"]}", MOST_TABLES),
        (b'{"a":[' + b",".join(b'{"":0}' for _ in range(700_000)) + b"]}", MOST_TABLES),
        (keys(400_000), MOST_TABLES),
    ],
    ids=["lists", "integers", "texts", "objects", "keys"],
)
def test_what_is_parsed_takes_what_was_estimated(text: bytes, most: int) -> None:
    import tracemalloc

    assert memory_of(text) < most
    tracemalloc.start()
    try:
        parse_object(text, most)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.25 * memory_of(text)


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
    assert read_header(npz({"header": b'{"n": 2}'})) == {"n": 2}
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
    """What the documents of a thousand nodes need is within the limits."""
    row = b"[1023,4095,1023,0,1],\n"
    assert memory_of(row) * 1024 * 1023 < MOST_TABLES
    edge = b'{"source": 19999, "target": 19999, "key": 79999},\n'
    node = b'{"id": 19999},\n'
    assert 80_000 * 2 * memory_of(edge) + 20_000 * memory_of(node) < MOST_MEMORY
