"""Demand files, with what is wrong in them."""

import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.alltoall.demand.files import _read_csv, read_amounts, read_demand

RING = build(parse("UniRing(1,8)"))

SWITCHED = Topology.from_arcs(
    4, [(0, 1), (1, 0), (2, 1), (1, 2), (3, 1), (1, 3)], switches=(1,)
)  # three hosts around switch 1


@given(st.lists(st.fractions(0, 100, max_denominator=50), min_size=12, max_size=12))
def test_a_csv_is_read_exactly(tmp_path_factory: pytest.TempPathFactory, values: list) -> None:
    among = np.zeros((4, 4), dtype=object)
    among[~np.eye(4, dtype=bool)] = values
    path = tmp_path_factory.getbasetemp() / "exact.csv"
    path.write_text("\n".join(", ".join(map(str, row)) for row in among))
    ring = Topology.from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    if not any(values):
        with pytest.raises(InvalidInput, match="no node wants anything"):
            read_demand(path, ring)
        return
    found = read_demand(path, ring)
    for amounts, holds in ((found.low, Fraction.__le__), (found.high, Fraction.__ge__)):
        for (u, v), amount in np.ndenumerate(amounts):
            assert holds(int(amount) * found.unit, Fraction(among[u, v]))
    if found.is_exact:
        assert (found.high.astype(object) * found.unit == among).all()


def test_all_nodes_or_all_hosts(tmp_path: Path) -> None:
    path = tmp_path / "hosts.csv"
    path.write_text("# three hosts\n0,1,2\n3,0,4\n5,6,0\n")
    found = read_demand(path, SWITCHED).high
    assert found[np.ix_([0, 2, 3], [0, 2, 3])].tolist() == [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    assert not found[1].any()


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_npz(tmp_path: Path, kind: type, order: str) -> None:
    path = tmp_path / "demand.npz"
    amounts = np.arange(64).reshape(8, 8)
    np.savez_compressed(path, demand=np.array(amounts, dtype=kind, order=order))
    found = read_demand(path, RING)
    np.fill_diagonal(amounts, 0)
    assert found.is_exact
    assert np.array_equal(found.high * float(found.unit), amounts)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0,1\n-1,0\n", "demand[1][0]: must be 0 or more, not '-1'"),
        ("0,nan\n1,0\n", "demand[0][1]: a number such as 3, 0.5 or 3/2 is needed, not 'nan'"),
        ("0,inf\n1,0\n", "demand[0][1]: a number such as 3, 0.5 or 3/2 is needed, not 'inf'"),
        ("0,\n1,0\n", "demand[0][1]: a number such as 3, 0.5 or 3/2 is needed, not ''"),
        ("0,1,1\n1,0,1\n", "demand: 2 x 2 is needed, not 3 in a row"),
        ("0,1\n1,0,1\n", "demand: row 1 has 3 numbers, not 2"),
        ("", "demand: 2 x 2 is needed, not 0 x 0"),
        ("0,0\n0,0\n", "demand: no node wants anything from another"),
        ("1,0\n0,1\n", "demand: no node wants anything from another"),
        ("0,1e999999\n1,0\n", "demand[0][1]: a number such as"),
    ],
)
def test_csv_files_that_are_refused(tmp_path: Path, text: str, line: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput) as refused:
        read_demand(path, Topology.from_arcs(2, [(0, 1), (1, 0)]))
    assert str(refused.value).startswith(f"{path}: {line}")


@pytest.mark.parametrize(
    ("members", "line"),
    [
        ({"demand": np.array([[0, -1], [1, 0]])}, "demand: [0, 1] is -1, which is negative"),
        ({"demand": np.array([[0, np.nan], [1, 0]])}, "demand: [0, 1] is nan"),
        ({"demand": np.array([[0, np.inf], [1, 0]])}, "demand: [0, 1] is inf"),
        ({"demand": np.zeros((2, 2))}, "demand: no node wants anything"),
        ({"demand": np.ones((3, 3))}, "demand: 2 x 2 is needed, not 3 x 3"),
        ({"demand": np.ones(4)}, "demand: 2 x 2 is needed, not 4"),
        ({"demand": np.array([["0", "1"], ["1", "0"]])}, "demand: integers or floats"),
        ({"demand": np.array([[None, 1], [1, 0]])}, "demand: integers or floats"),
        ({"demand": np.ones((2, 2), dtype=complex)}, "demand: integers or floats"),
        ({"other": np.ones((2, 2))}, "no .npz file with a member 'demand'"),
    ],
)
def test_npz_files_that_are_refused(tmp_path: Path, members: dict, line: str) -> None:
    path = tmp_path / "bad.npz"
    np.savez(path, **members)
    with pytest.raises(InvalidInput) as refused:
        read_demand(path, Topology.from_arcs(2, [(0, 1), (1, 0)]))
    assert str(refused.value).startswith(f"{path}: {line}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (None, "no node wants anything from another"),
        ((1499, 7), "demand: [1499, 7] is -3, which is negative"),
    ],
)
def test_an_npz_of_some_kb_is_refused_before_its_matrix_is_made(
    tmp_path: Path, order: str, wrong: tuple[int, int] | None, line: str
) -> None:
    n, path = 1500, tmp_path / "demand.npz"
    amounts = np.eye(n, dtype=np.int64, order=order) * -1  # the diagonal does not count
    if wrong is not None:
        amounts[wrong] = -3
    np.savez_compressed(path, demand=amounts)
    assert path.stat().st_size < 1 << 16
    ring = Topology.from_arcs(n, [(u, (u + 1) % n) for u in range(n)])
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput) as refused:
            read_demand(path, ring)
        assert tracemalloc.get_traced_memory()[1] < amounts.nbytes / 2
    finally:
        tracemalloc.stop()
    assert line in str(refused.value)


def test_other_files_are_refused(tmp_path: Path) -> None:
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK\x03\x04 not a zip")
    for path in (tmp_path / "demand.txt", tmp_path / "missing.csv", broken):
        with pytest.raises(InvalidInput, match=path.name):
            read_demand(path, pair)


def test_a_csv_that_is_too_large_for_text(tmp_path: Path) -> None:
    path = tmp_path / "demand.csv"
    path.write_text("0, 1,2\n 1,0,1 \n3,1 ,0\n")
    values, place = _read_csv(path, [3], entries=9, different=4)
    assert (values, place.tolist()) == ([0, 1, 2, 3], [[0, 1, 2], [1, 0, 1], [3, 1, 0]])
    with pytest.raises(InvalidInput, match="demand: 3 x 3 are more than 8 entries, the most of a"):
        _read_csv(path, [3], entries=8)
    with pytest.raises(InvalidInput, match="demand: more than 3 different numbers in text"):
        _read_csv(path, [3], different=3)


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
def test_amounts_keep_what_stays(tmp_path: Path, suffix: str) -> None:
    among = np.array([[3, 0.5], [2, 0]])
    path = tmp_path / f"m{suffix}"
    if suffix == ".csv":
        path.write_text("3,0.5\n2,0\n")
    else:
        np.savez(path, demand=among)
    values, place = read_amounts(path, 2)
    assert values[0] == 0
    assert [[values[each] for each in row] for row in place.tolist()] == among.tolist()


@pytest.mark.parametrize("stays", [-1.0, np.nan, np.inf])
def test_what_stays_is_an_amount_too(tmp_path: Path, stays: float) -> None:
    path = tmp_path / "m.npz"
    np.savez(path, demand=np.array([[0, 1], [1, stays]]))
    with pytest.raises(InvalidInput, match=r"m\.npz: demand: \[1, 1\] is"):
        read_amounts(path, 2)


def test_amounts_are_of_all_hosts(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("0,1\n1,0\n")
    with pytest.raises(InvalidInput, match="demand: 3 x 3 is needed, not 2 in a row"):
        read_amounts(path, 3)
    with pytest.raises(InvalidInput, match=r"m\.txt: suffix '\.txt' is none of \.csv, \.npz"):
        read_amounts(tmp_path / "m.txt", 3)
