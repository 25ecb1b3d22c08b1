"""Hosts from JSON files, hostile ones too."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.hosts.documents import host_of
from generators.hosts.host_files import read_host_file

PLAIN = {
    "format": "topofinder-host",
    "version": 1,
    "accelerators": 4,
    "inner": {"kind": "links", "rate": "50GB/s", "links": [[0, 1], [0, 2, 2], [1, 3], [2, 3]]},
    "ports": {"owners": [3, 0, 0], "rate": "400Gbps", "latency": "1us"},
}
SWITCH = {
    **PLAIN,
    "inner": {"kind": "switch", "rate": "450GB/s", "latency": "500ns", "multicast": True},
    "ports": {"each": 2, "rate": "25GB/s"},
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (PLAIN, "Host(4;links:0-1.0-2*2.1-3.2-3@50GB/s;ports:0.0.3@50GB/s~1us)"),
        (SWITCH, "Host(4;switch+m@450GB/s~0.5us;2@25GB/s)"),
    ],
)
def test_a_file_is_read(document: dict[str, object], text: str, tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert str(read_host_file(path)) == text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 2}, "format, version: topofinder-host, 1 is known"),
        ({"acceleraters": 4}, "document: 'acceleraters' is none of"),
        ({"accelerators": True}, "accelerators: an integer is needed, not True"),
        ({"accelerators": 10**9}, "accelerators: 1 to 1024"),
        ({"inner": []}, "inner: an object is needed"),
        ({"inner": {"kind": "ring"}}, "inner: kind: one of switch, mesh, links, none, not 'ring'"),
        ({"inner": {"kind": "mesh"}}, "inner: rate: a text such as 50GB/s, not None"),
        ({"inner": {"kind": "mesh", "rate": "5GB/s", "reduce": 1}}, "inner: reduce: true or false"),
        ({"inner": {"kind": "links", "rate": "5GB/s", "links": [[0]]}}, "inner: links: [u, v]"),
        ({"inner": {"kind": "links", "rate": "5GB/s", "links": [[0, 9]]}}, "joins no two of 4"),
        ({"ports": {"rate": "5GB/s"}}, "ports: each or owners"),
        ({"ports": {"each": 10**12, "rate": "5GB/s"}}, "ports: each: an integer above 0"),
        ({"ports": {"owners": [4], "rate": "5GB/s"}}, "ports: owner 4 is not in 0..3"),
        ({"ports": {"each": 1, "rate": 5}}, "ports: rate: a text such as 50GB/s, not 5"),
        ({"ports": {"each": 1, "rate": "5GB/s", "latency": 1}}, "ports: latency: a text"),
    ],
)
def test_what_is_no_host_is_refused(change: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        host_of({**PLAIN, **change})
    assert told in str(error.value)


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"host\.json: an object is needed"):
        read_host_file(path)


@given(st.sampled_from(["accelerators", "inner", "ports"]), json_values)
def test_any_value_is_read_or_refused(field: str, value: object) -> None:
    refused = False
    try:
        host_of({**PLAIN, field: value})
    except InvalidInput:
        refused = True
    assert refused or value is not None
