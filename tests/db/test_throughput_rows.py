import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.store import Store
from db.throughput_rows import DIGITS, ThroughputRow
from generators.errors import InvalidInput

ROW = ThroughputRow(
    topology="a" * 64,
    recipe="K(4)",
    demand="uniform",
    n=4,
    d=3,
    lower=Fraction(1, 3),
    upper=Fraction(1, 2),
    method="lp",
    seconds=0.5,
)


def test_what_is_saved_is_read_back() -> None:
    other = replace(ROW, recipe=None, topology="b" * 64, demand="ring:1")
    with Store(":memory:") as store:
        for row in (ROW, other, ROW):
            store.save_throughput(row)
        assert store.throughputs() == [other, ROW]
        assert store.throughputs(recipe="K(4)") == [ROW]
        assert store.throughputs(topology="b" * 64) == [other]
        assert store.throughputs(demand="uniform", n=(2, 8)) == [ROW]
        assert store.throughputs(n=5) == []
        assert store.throughputs()[0].created is not None


@pytest.mark.parametrize(
    ("lower", "upper", "kept"),
    [
        ("1/4", "1/2", ("1/3", "1/2", "lp")),
        ("1/3", "2/3", ("1/3", "1/2", "lp")),
        ("1/4", "2/3", ("1/3", "1/2", "lp")),
        ("2/5", "2/3", ("2/5", "1/2", "bush")),
        ("1/4", "2/5", ("1/3", "2/5", "bush")),
        ("2/5", "2/5", ("2/5", "2/5", "bush")),
    ],
)
def test_an_interval_only_gets_narrower(lower: str, upper: str, kept: tuple[str, ...]) -> None:
    offered = replace(ROW, lower=Fraction(lower), upper=Fraction(upper), method="bush")
    with Store(":memory:") as store:
        store.save_throughput(ROW)
        store.save_throughput(offered)
        (found,) = store.throughputs()
    assert (str(found.lower), str(found.upper), found.method) == kept


@given(st.lists(st.tuples(st.fractions(0, 1), st.fractions(1, 2)), min_size=1, max_size=6))
def test_the_best_bounds_of_all_are_kept(bounds: list[tuple[Fraction, Fraction]]) -> None:
    with Store(":memory:") as store:
        for lower, upper in bounds:
            store.save_throughput(replace(ROW, lower=lower, upper=upper))
        (found,) = store.throughputs()
    assert found.lower == max(lower for lower, _ in bounds)
    assert found.upper == min(upper for _, upper in bounds)


def test_a_contradiction_is_refused() -> None:
    wrong = replace(ROW, lower=Fraction(3, 4), upper=Fraction(1))
    with Store(":memory:") as store:
        store.save_throughput(ROW)
        with pytest.raises(InvalidInput, match=r"\[0.333333, 0.5\] is stored, \[0.75, 1\] offered"):
            store.save_throughput(wrong)
        assert store.throughputs() == [ROW]


def test_another_graph_under_the_same_recipe_begins_anew() -> None:
    changed = replace(ROW, topology="c" * 64, lower=Fraction(1), upper=Fraction(2))
    with Store(":memory:") as store:
        store.save_throughput(ROW)
        store.save_throughput(changed)
        assert store.throughputs() == [changed]


def test_the_view() -> None:
    exact = replace(ROW, demand="ring:1", lower=Fraction(1, 3), upper=Fraction(1, 3))
    with Store(":memory:") as store:
        store.save_throughput(exact)
        store.save_throughput(ROW)
        query = "SELECT demand, lower, upper, exact, gap FROM throughput"
        found = store.connection.execute(query).fetchall()
    assert found[0] == ("ring:1", 1 / 3, 1 / 3, "1/3", 0)
    assert found[1] == ("uniform", 1 / 3, 1 / 2, None, pytest.approx(1 / 3))


def test_long_fractions_survive() -> None:
    lower = Fraction(1, 3**4000)
    with Store(":memory:") as store:
        store.save_throughput(replace(ROW, lower=lower))
        assert store.throughputs()[0].lower == lower


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("lower", 0.5, "lower must be a Fraction"),
        ("lower", Fraction(-1), "is no interval"),
        ("upper", Fraction(1, 9), "is no interval"),
        ("upper", Fraction(10**DIGITS), "upper has more than 4000 digits"),
        ("seconds", float("nan"), "seconds must be a time"),
        ("seconds", -1.0, "seconds must be a time"),
        ("topology", "A" * 64, "topology must be 64 hexadecimal digits"),
        ("n", 0, "n must be from 1"),
        ("demand", None, "demand must be text"),
    ],
)
def test_nonsense_is_refused(field: str, value: object, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        replace(ROW, **{field: value})


@pytest.mark.parametrize("value", ["", "x", "0", "-1", "1.5"])
def test_a_damaged_row_is_one_line(tmp_path: Path, value: str) -> None:
    path = tmp_path / "a.db"
    with Store(path) as store:
        store.save_throughput(ROW)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE throughputs SET upper_den = ?", [value])
        connection.commit()
    with Store(path) as store, pytest.raises(InvalidInput, match="upper is stored"):
        store.throughputs()
