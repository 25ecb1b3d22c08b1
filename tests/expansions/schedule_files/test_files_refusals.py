"""Files from strangers: whatever is wrong with them is said in one line."""

import io
import json
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from expansions.schedule_files import header
from expansions.schedule_files.files import SCHEDULE_FILES, read_schedule, write_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.saved import RING, SAVED, document, members, packed

UNEQUAL = Topology(n=4, tail=RING.tail, head=RING.head, capacity=(1, 2, 1, 1), switches=(1,))

FIELDS = [
    ({"format": "x"}, "format: topofinder-schedule is needed, not 'x'"),
    ({"version": 3}, "version: 1 or 2 can be read, not 3"),
    ({"version": None}, "version: 1 or 2 can be read, not None"),
    ({"version": 1.0}, "version: 1 or 2 can be read, not 1.0"),
    ({"version": 2}, "generators: an integer in"),
    ({"n": 0}, r"n: an integer in 1\.\.1048576 is needed, not 0"),
    ({"n": 1 << 40}, r"n: an integer in 1\.\.1048576"),
    ({"n": True}, "n: an integer in"),
    ({"arcs": 1 << 40}, r"arcs: an integer in 0\.\."),
    ({"rows": 1 << 40}, r"rows: an integer in 0\.\."),
    ({"n": 3}, r"tail: node 3 is not in 0\.\.2"),
    ({"denominator": 1}, r"begin, end: the piece of row \d+ is \[1/1, 2/1\)"),
    ({"denominator": "2"}, "denominator: an integer in"),
    ({"denominator": 0}, "denominator: an integer in"),
    ({"collective": "gossip"}, "collective: 'gossip' is none of"),
    ({"collective": ["x"]}, "collective: .* is none of"),
    ({"collective": "broadcast", "root": 0}, "source: row .* is about node"),
    ({"collective": "allreduce"}, "turn: None does not fit allreduce"),
    ({"root": "0"}, "root: an integer in"),
    ({"steps": 4}, "steps: the file says 4, but what it holds gives 3"),
    ({"bandwidth": "1/2"}, "bandwidth: the file says '1/2', but what it holds gives"),
    ({"topology": "0"}, "topology: the file says '0', but"),
    ({"content": None}, "content: the file says None, but"),
    ({"recipe": "K(4"}, "recipe: "),
    ({"recipe": "K(5)"}, r"recipe: K\(5\) has 5 nodes, but the topology 4"),
    ({"recipe": 5}, "recipe: text is needed, not 5"),
    ({"method": "two\nlines"}, "method: up to 100 printable characters"),
    ({"method": 1}, "method: up to 100 printable characters"),
    ({"switches": None}, "switches: a list of nodes"),
    ({"switches": [0.5]}, "switches: a list of nodes"),
    ({"switches": [4]}, r"switches: node 4 is not in 0\.\.3"),
    ({"names": "abcd"}, "names: a list or null"),
    ({"names": ["a"]}, "names: 1 names for 4 nodes"),
    ({"names": [1, 2, 3, 4]}, "names: node 0 is called 1"),
]


@pytest.mark.parametrize(("changed", "message"), FIELDS)
def test_wrong_fields(changed: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^x.json: {message}") as refused:
        SCHEDULE_FILES.decode("x.json", json.dumps(document() | changed).encode())
    assert "\n" not in str(refused.value)
    with pytest.raises(InvalidInput, match=f"^x.npz: {message}") as refused:
        SCHEDULE_FILES.decode("x.npz", packed(members(), **changed))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1, 4, 0, 0, 1], r"arc: 4 in row 0 is not in 0\.\.3"),
        ([1, -1, 0, 0, 1], "arc: -1 in row 0 is below 0"),
        ([1, 0, 4, 0, 1], r"source: 4 in row 0 is not in 0\.\.3"),
        ([0, 0, 0, 0, 1], "step: 0 in row 0 is below 1"),
        ([9, 0, 0, 0, 1], "step: nothing is sent at step 4 of 9"),
        ([1, 0, 0, 1, 1], r"the piece of row 0 is \[1/2, 1/2\)"),
        ([1, 0, 0, 1, 0], r"the piece of row 0 is \[1/2, 0/2\)"),
        ([1, 0, 0, 1, 3], r"the piece of row 0 is \[1/2, 3/2\)"),
        ([1, 0, 0, -1, 1], r"the piece of row 0 is \[-1/2, 1/2\)"),
        ([1, 0, 0, 0, 2], "bandwidth: the file says"),
        ([1, 0, 0, 0, 1 << 63], r"end\[0\]: an integer is needed"),
        ([1, 0, 0, 0, 1.0], r"end\[0\]: an integer is needed, not 1.0"),
        ([1, 0, 0, 0, True], r"end\[0\]: an integer is needed, not True"),
        ([1, 0, 0, 0], r"table\[0\]: step, arc, source, begin, end are needed, not a list of 4"),
        (7, r"table\[0\]: step, arc, source, begin, end are needed, not 7"),
    ],
)
def test_wrong_rows(row: object, message: str) -> None:
    wrong = document()
    wrong["table"][0] = row
    with pytest.raises(InvalidInput, match=message):
        SCHEDULE_FILES.decode("x.json", json.dumps(wrong).encode())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"table": []}, "table: a list of 24 rows is needed, not a list of 0"),
        ({"table": None}, "table: a list of 24 rows is needed, not None"),
        ({"tail": [0, 1, 2]}, "tail: a list of 4 integers is needed, not a list of 3"),
        ({"tail": [0, 1, 2, "3"]}, r"tail\[3\]: an integer is needed, not '3'"),
        ({"columns": ["step"]}, "columns: step, arc, source, begin, end, not a list of 1"),
        ({"capacity": ["1"]}, "capacity_of_arc: a list of 4 integers is needed, not None"),
        ({"capacity": "1", "capacity_of_arc": [0] * 4}, "capacity: a list of texts"),
        ({"capacity": ["0"], "capacity_of_arc": [0] * 4}, "capacity: must be above 0"),
        ({"latency": ["1"], "latency_of_arc": [0, 0, 0, 1]}, r"latency_of_arc: 1 is not in 0\.\.0"),
    ],
)
def test_wrong_documents(changed: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        SCHEDULE_FILES.decode("x.json", json.dumps(document() | changed).encode())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1, column 1: expecting value"),
        (b"[]", "an object is needed, not a list of 0"),
        (b"\xff", "line 1: not UTF-8 text at byte 0"),
        (b"[" * 100_000, "nested too deep"),
        (b"1" * 5000, "an integer of too many digits"),
    ],
)
def test_no_document(content: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"x.json: {message}"):
        SCHEDULE_FILES.decode("x.json", content)


def test_wrong_members() -> None:
    arrays = members()
    cases = [
        ({"tail": arrays["tail"][:3]}, r"tail: the shape \(3,\) is not what the header says"),
        ({"step": arrays["step"][:, None]}, r"step: the shape \(24, 1\) is not what"),
        ({"step": arrays["step"].astype(float)}, r"step: \|u1, <u2, <u4, <i8 needed, not <f8"),
        ({"step": arrays["step"].astype(">u2")}, "step: .* needed, not >u2"),
        ({"step": arrays["step"].astype(object)}, r"step: .* needed, not \|O"),
        ({"begin": arrays["begin"].astype(np.int64) - 9}, r"piece of row 0 is \[-9/2"),
        ({"extra": arrays["step"]}, "members: .* are needed, not"),
        ({"capacity_of_arc": arrays["tail"]}, "members: .* are needed, not"),
    ]
    for changed, message in cases:
        with pytest.raises(InvalidInput, match=f"^x.npz: .*{message}"):
            SCHEDULE_FILES.decode("x.npz", packed(arrays | changed))
    with pytest.raises(InvalidInput, match="members: "):
        SCHEDULE_FILES.decode("x.npz", packed({n: a for n, a in arrays.items() if n != "end"}))
    wide = packed(arrays | {"header": arrays["header"]})
    assert SCHEDULE_FILES.decode("x.npz", wide).digest == SAVED.digest


def test_headers_that_are_none() -> None:
    for header_bytes, message in (
        (b"[]", "header: an object is needed"),
        (b"{", "header: line 1, column 2"),
        (b"\xff", "header: line 1: not UTF-8 text"),
    ):
        content = io.BytesIO()
        np.savez(content, header=np.frombuffer(header_bytes, dtype=np.uint8))
        with pytest.raises(InvalidInput, match=message):
            SCHEDULE_FILES.decode("x.npz", content.getvalue())
    content = io.BytesIO()
    np.savez(content, step=np.arange(3))
    with pytest.raises(InvalidInput, match="no whole"):
        SCHEDULE_FILES.decode("x.npz", content.getvalue())


def test_sizes_are_bounded_before_anything_is_allocated() -> None:
    """A member that claims 2^50 rows, or holds more than it claims, is never read whole."""
    arrays = members()
    for shape in (1 << 50, 23, 25, -24):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w") as member:
                    claimed = (shape,) if name == "step" else array.shape
                    kind = np.lib.format.dtype_to_descr(array.dtype)
                    told = {"descr": kind, "fortran_order": False, "shape": claimed}
                    np.lib.format.write_array_header_1_0(member, told)
                    member.write(array.tobytes())
        with pytest.raises(InvalidInput, match="step: the shape"):
            SCHEDULE_FILES.decode("x.npz", content.getvalue())
    pickled = io.BytesIO()
    np.savez(pickled, header=np.array([{}], dtype=object))
    with pytest.raises(InvalidInput, match=r"header: \|u1 needed, not \|O"):
        SCHEDULE_FILES.decode("x.npz", pickled.getvalue())


def test_paths(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"suffix '\.txt' is none of \.npz, \.json"):
        write_schedule(SAVED, tmp_path / "a.txt")
    with pytest.raises(InvalidInput, match=r"suffix '' is none of"):
        read_schedule(tmp_path / "a")
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_schedule(tmp_path / "missing.npz")
    with pytest.raises(InvalidInput, match="there is no folder"):
        write_schedule(SAVED, tmp_path / "nowhere" / "a.npz")


def test_too_much_for_a_file() -> None:
    small = replace(SCHEDULE_FILES, most_text=10)
    with pytest.raises(InvalidInput, match=r"rows: JSON is for at most 10, not 24; write an \.npz"):
        small.text(SAVED)
    with pytest.raises(InvalidInput, match="JSON is for at most 10, not 24"):
        small.decode("x.json", json.dumps(document_of_old).encode())
    low = replace(
        SCHEDULE_FILES,
        pack=partial(header.pack, most_rows=10),
        lengths=partial(header.lengths, most_rows=10),
    )
    with pytest.raises(InvalidInput, match="rows: a file holds at most 10, not 24"):
        low.archive(SAVED)
    with pytest.raises(InvalidInput, match=r"rows: an integer in 0\.\.10 is needed, not 24"):
        low.decode("x.npz", packed_of_old)


document_of_old = document()
packed_of_old = SCHEDULE_FILES.archive(SAVED)


def test_labels_are_checked_before_they_are_written() -> None:
    known = {"topology": RING, "schedule": SAVED.schedule}
    assert SavedSchedule(**known, recipe="UniRing(1, 4)").recipe == "UniRing(1,4)"
    for wrong, message in (
        ({"recipe": "K(9)"}, "has 9 nodes"),
        ({"method": ""}, "method: up to 100"),
        ({"method": "x" * 101}, "method: up to 100"),
    ):
        with pytest.raises(InvalidInput, match=message):
            SavedSchedule(**known, **wrong)
    with pytest.raises(InvalidInput, match=r"source: 3 in row .* is not in 0\.\.2"):
        SavedSchedule(topology=jump_graph(3, [1]), schedule=SAVED.schedule)


def test_unequal_links_and_switches_survive() -> None:
    saved = SavedSchedule(topology=UNEQUAL, schedule=SAVED.schedule)
    archive, text = SCHEDULE_FILES.archive(saved), SCHEDULE_FILES.text(saved).encode()
    assert SCHEDULE_FILES.decode("x.npz", archive).topology.capacity == (1, 2, 1, 1)
    assert SCHEDULE_FILES.decode("x.json", text).topology.switches == (1,)
