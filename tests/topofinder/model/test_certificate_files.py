"""Certificates in files: what is written is read back, and what is damaged is refused."""

import json
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.formats.archive import read_archive
from generators.topology import Topology
from tests.certificates import tree_certificate
from topofinder.model.certificate import Certificate, DemandBounds
from topofinder.model.certificate_files import (
    CERTIFICATE_FILES,
    read_certificate,
    write_certificate,
)
from topofinder.model.file_register import CERTIFICATE, declared_kind

KAUTZ = build(parse("Kautz(2,1)"))
UNEQUAL = Topology.from_arcs(
    4,
    [(0, 1), (1, 0), (2, 1), (1, 2), (3, 1), (1, 3)],
    switches=(1,),
    capacity=[Fraction(1), Fraction(2), Fraction(1, 3), 1, 1, 1],
    names=["a", "b", "c", "d"],
)


def demanded(n: int) -> DemandBounds:
    high = np.arange(n * n, dtype=np.int64).reshape(n, n)
    return DemandBounds(low=np.maximum(high - 1, 0), high=high, unit=Fraction(1, 7))


SAMPLES = {
    "whole": tree_certificate(KAUTZ, recipe="Kautz(2,1)"),
    "lifted": tree_certificate(build(parse("C(8,{1,2})")), recipe="C(8,{1,2})", lift=True),
    "unequal": tree_certificate(UNEQUAL),
    "demand": tree_certificate(KAUTZ, demanded(6), pattern="matrix"),
}


def parts(saved: Certificate) -> list[object]:
    """All that a certificate says, as plain values."""
    found: list[object] = [saved.lower, saved.upper, saved.quantum, saved.recipe, saved.pattern]
    found += [saved.method, saved.lengths.tolist(), saved.sources.tolist(), saved.rows.tolist()]
    if saved.demand is not None:
        found += [saved.demand.low.tolist(), saved.demand.high.tolist(), saved.demand.unit]
    if saved.lifted is not None:
        lifted = saved.lifted
        found += [lifted.motions.tolist(), lifted.parent.tolist(), lifted.motion.tolist()]
    return found


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("name", SAMPLES)
def test_round_trip(name: str, suffix: str, tmp_path: Path) -> None:
    saved, path = SAMPLES[name], tmp_path / f"a{suffix}"
    write_certificate(saved, path)
    again = read_certificate(path)
    assert again.topology.same_wiring(saved.topology)
    assert parts(again) == parts(saved)
    assert again.digest == saved.digest
    assert declared_kind(path) is CERTIFICATE
    content = path.read_bytes()
    if suffix == ".npz":  # what is asked of large ones holds of all
        read_archive(content, CERTIFICATE_FILES.lengths, CERTIFICATE_FILES.ranges, free=0)
    write_certificate(again, path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("field", ["lower", "upper", "lengths", "rows", "quantum", "lifted"])
def test_the_hash_covers_the_numbers(field: str) -> None:
    saved = SAMPLES["lifted"]
    changed = {
        "lower": saved.lower / 2,
        "upper": saved.upper * 2,
        "lengths": saved.lengths * 2,
        "rows": saved.rows + 1,
        "quantum": saved.quantum / 2,
        "lifted": None,
    }
    assert replace(saved, **{field: changed[field]}).digest != saved.digest
    assert replace(saved, recipe=None, method="other").digest == saved.digest


def test_labels_of_demands() -> None:
    assert SAMPLES["whole"].demand_label == "uniform"
    label = SAMPLES["demand"].demand_label
    assert label.startswith("matrix ")
    assert len(label) == 7 + 64
    assert replace(SAMPLES["demand"], pattern="ring:1").demand_label == "ring:1"


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("lengths", np.zeros(3, dtype=np.int64), r"lengths: int64 of shape \(12,\) is needed"),
        ("lengths", np.full(12, -1), "lengths: entries from 0 to 2\\^52 are needed, not -1"),
        ("lengths", np.full(12, 1 << 60), "lengths: entries from 0 to 2"),
        ("lengths", np.zeros(12), "lengths: int64 of shape"),
        ("rows", np.zeros((2, 12), dtype=np.int64), r"rows: int64 of shape \(6, 12\)"),
        ("quantum", Fraction(0), "quantum: must be above 0"),
        ("lower", Fraction(5), "lower, upper: 5 to"),
        ("method", "two\nlines", "method: up to 100 printable characters"),
        ("pattern", None, "pattern: up to 100 printable characters"),
        ("recipe", "K(5)", "recipe: K\\(5\\) has 5 nodes, but the topology 6"),
        ("recipe", "Frob(5)", "recipe: "),
    ],
)
def test_nonsense_is_refused(field: str, value: object, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        replace(SAMPLES["whole"], **{field: value})


def document(tmp_path: Path, name: str = "whole") -> dict:
    path = tmp_path / "a.json"
    write_certificate(SAMPLES[name], path)
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("format", "other", "format: topofinder-throughput is needed, not 'other'"),
        ("version", 99, "version: 1 can be read, not 99"),
        ("n", 10**9, "n: an integer in 1..1048576 is needed"),
        ("rows", 1 << 19, "lengths: a list of|flow: a file holds at most|flow: JSON is for"),
        ("rows", -1, "rows: an integer in 1..1048576 is needed, not -1"),
        ("lower", "x", "lower: a number such as"),
        ("lower", 0.5, "lower: text such as '3/2' is needed, not 0.5"),
        ("upper", "1/99", "lower, upper: "),
        ("content", "0" * 64, "content: the file says '000"),
        ("topology", "0" * 64, "topology: the file says '000"),
        ("lengths", [1] * 11, "lengths: a list of 12 integers is needed, not a list of 11"),
        ("lengths", [1.5] * 12, r"lengths\[0\]: an integer is needed, not 1.5"),
        ("lengths", [2] * 12, "content: the file says"),
        ("flow", None, "flow: a list of 72 integers is needed, not None"),
        ("tail", [99] * 12, "tail: node 99 is not in 0..5"),
        ("motion_count", 3, "motions: a list of 36 integers is needed, not None"),
        ("unit", "1", "demand: a list of 36 integers is needed"),
    ],
)
def test_documents_that_are_refused(tmp_path: Path, field: str, value: object, line: str) -> None:
    changed = document(tmp_path) | {field: value}
    path = tmp_path / "b.json"
    path.write_text(json.dumps(changed))
    with pytest.raises(InvalidInput, match=line) as refused:
        read_certificate(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("field", ["format", "lower", "flow", "lengths", "sources", "content", "n"])
def test_a_missing_field_is_refused(tmp_path: Path, field: str) -> None:
    changed = document(tmp_path)
    del changed[field]
    path = tmp_path / "b.json"
    path.write_text(json.dumps(changed))
    with pytest.raises(InvalidInput, match=field):
        read_certificate(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_archive_is_refused_or_the_same(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "a.npz"
    write_certificate(SAMPLES["lifted"], path)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    with suppress(InvalidInput):
        assert read_certificate(path).digest == SAMPLES["lifted"].digest


def test_other_files_are_no_certificates(tmp_path: Path) -> None:
    for name, text in (("a.json", "[1]"), ("b.json", "{"), ("c.npz", "x"), ("d.txt", "")):
        (tmp_path / name).write_text(text)
        assert declared_kind(tmp_path / name) is None
    assert declared_kind(tmp_path / "missing.npz") is None


def test_a_large_one_is_not_for_json(tmp_path: Path) -> None:
    large = build(parse("UniRing(1,1100)"))
    flow = np.ones((1100, 1100), dtype=np.int64)
    saved = Certificate(
        topology=large,
        lower=Fraction(0),
        upper=Fraction(1),
        lengths=np.ones(1100, dtype=np.int64),
        sources=np.arange(1100),
        rows=flow,
        quantum=Fraction(1),
    )
    with pytest.raises(InvalidInput, match="flow: JSON is for at most 1048576 numbers"):
        write_certificate(saved, tmp_path / "a.json")
