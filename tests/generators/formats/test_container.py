"""The codec of headers and arrays, with a kind of file made up here."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.formats.archive import archive_content
from generators.formats.container import Container, content_hash, require_integer


@dataclass(frozen=True)
class Walk:
    """Nodes that are visited, and whose walk it is."""

    name: str
    nodes: np.ndarray

    @property
    def digest(self) -> str:
        return content_hash({"version": 1}, [self.nodes])


def pack(walk: Walk) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    header = {"version": 1, "name": walk.name, "steps": len(walk.nodes), "content": walk.digest}
    return header, {"nodes": walk.nodes}


WALKS: Container[Walk] = Container(
    format="walk",
    versions=(1,),
    pack=pack,
    lengths=lambda header: {"nodes": require_integer(header, "steps", 0, 1 << 20)},
    known=lambda header: ("name", "steps", "content"),
    restore=lambda header, arrays: Walk(header["name"], arrays["nodes"].astype(np.int64)),
    agreed=lambda walk: {"content": walk.digest},
)
WALK = Walk("mine", np.array([0, 3, 1]))


@pytest.mark.parametrize("suffix", [".npz", ".json", ".JSON"])
def test_files_come_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    WALKS.write(WALK, path)
    found = WALKS.read(path)
    assert (found.name, found.digest) == (WALK.name, WALK.digest)
    assert WALKS.decode(path, path.read_bytes()).digest == WALK.digest


def test_the_text_has_a_field_a_line() -> None:
    lines = WALKS.text(WALK).splitlines()
    assert lines[:2] == ["{", '"format": "walk",']
    assert lines[-2:] == ['"nodes": [0, 3, 1]', "}"]


WRONG = [
    ({"format": "talk"}, "format: walk is needed, not 'talk'"),
    ({"version": 2}, "version: 1 can be read, not 2"),
    ({"version": True}, "version: 1 can be read, not True"),
    ({"steps": -1}, r"steps: an integer in 0\.\.1048576 is needed, not -1"),
    ({"more": 1}, "'more': such files have no such field"),
    ({"content": "0"}, "content: the file says '0', but what it holds gives "),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_headers_that_are_wrong(changes: dict, message: str) -> None:
    header, arrays = WALKS.parts(WALK)
    document = header | {"nodes": WALK.nodes.tolist()} | changes
    with pytest.raises(InvalidInput, match=f"^a.json: {message}"):
        WALKS.decode("a.json", json.dumps(document).encode())
    with pytest.raises(InvalidInput, match=f"^a.npz: {message}"):
        WALKS.decode("a.npz", archive_content(header | changes, arrays))


def test_lengths_are_those_of_the_header() -> None:
    header, arrays = WALKS.parts(WALK)
    short = header | {"steps": 2}
    with pytest.raises(InvalidInput, match=r"nodes: a list of 2 integers is needed"):
        WALKS.decode("a.json", json.dumps(short | {"nodes": [0, 3, 1]}).encode())
    with pytest.raises(InvalidInput, match=r"nodes: the shape \(3,\) is not what the header says"):
        WALKS.decode("a.npz", archive_content(short, arrays))


def test_no_key_is_repeated() -> None:
    text = WALKS.text(WALK).replace('"version": 1,', '"version": 1, "version": 1,')
    with pytest.raises(InvalidInput, match="the key 'version' is there twice"):
        WALKS.decode("a.json", text.encode())


def test_json_is_for_so_many() -> None:
    few = replace(WALKS, most_text=2)
    with pytest.raises(InvalidInput, match=r"^nodes: JSON is for at most 2, not 3; write an \.npz"):
        few.text(WALK)
    with pytest.raises(InvalidInput, match=r"^a\.json: nodes: JSON is for at most 2, not 3$"):
        few.decode("a.json", WALKS.text(WALK).encode())
    counted = replace(few, text_counts=lambda walk: {"steps": 9})
    with pytest.raises(InvalidInput, match=r"^steps: JSON is for at most 2, not 9"):
        counted.text(WALK)


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    for call in (lambda path: WALKS.write(WALK, path), WALKS.read):
        with pytest.raises(InvalidInput, match=r"suffix '\.csv' is none of \.npz, \.json"):
            call(tmp_path / "a.csv")
    with pytest.raises(InvalidInput, match=r"missing\.npz: cannot be read: no such file"):
        WALKS.read(tmp_path / "missing.npz")
