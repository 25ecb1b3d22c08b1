"""Tables and units as a person reads them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.text import plain, table
from reports.units import rate_text, size_text, time_text

cells = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=9)


@given(st.lists(st.tuples(cells, cells, cells), max_size=5))
def test_columns_start_where_the_head_says(rows: list[tuple[str, str, str]]) -> None:
    columns = ("steps", "recipe", "a note")
    lines = table(columns, rows).split("\n")
    assert len(lines) == 2 + len(rows)
    starts = [0]
    for column, offered in zip(columns[:2], list(zip(*rows, strict=True)) or [(), ()]):  # noqa: B905
        starts.append(starts[-1] + max(map(len, (column, *offered))) + 2)
    for row, line in zip(rows, lines[2:], strict=True):
        padded = line.ljust(starts[-1] + 9)
        for cell, start, end in zip(row, starts, [*starts[1:], None], strict=True):
            assert padded[start:end].strip() == cell.strip()
        assert line == line.rstrip()


def test_numbers_align_on_the_right() -> None:
    assert table(["n", "name"], [["7", "a"], ["1000", "b"]]).split("\n") == [
        "n     name",
        "----  ----",
        "   7  a",
        "1000  b",
    ]


@given(st.text())
def test_no_control_character_is_shown(text: str) -> None:
    shown = plain(text)
    assert shown.isprintable()
    assert len(shown) == len(text)
    assert plain(shown) == shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (Fraction(40, 10**9), "40.0 ns"),
        (Fraction(1, 10**10), "0.1 ns"),
        (Fraction(1, 10**6), "1.0 us"),
        (Fraction(2910, 10**7), "291.0 us"),
        (Fraction(1, 1000), "1.000 ms"),
        (Fraction(1), "1.000 s"),
        (Fraction(12345), "12345.000 s"),
        (Fraction(0), "0.0 ns"),
    ],
)
def test_times(seconds: Fraction, text: str) -> None:
    assert time_text(seconds) == text


@given(st.fractions(min_value=Fraction(1, 10**8), max_value=10**6))
def test_a_time_is_rounded_by_less_than_a_part_in_ten(seconds: Fraction) -> None:
    number, unit = time_text(seconds).split()
    factor = {"ns": 10**9, "us": 10**6, "ms": 1000, "s": 1}[unit]
    assert abs(Fraction(number) / factor - seconds) <= seconds / 10


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (Fraction(1), "1 B"),
        (Fraction(1024), "1 KiB"),
        (Fraction(1500), "1500 B"),
        (Fraction(3 * 2**30), "3 GiB"),
        (Fraction(2**40), "1 TiB"),
        (Fraction(3, 2), "1.5 B"),
    ],
)
def test_sizes(size: Fraction, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("rate", "text"), [(Fraction(125 * 10**8), "100 Gbps"), (Fraction(10**8, 8), "0.1 Gbps")]
)
def test_rates(rate: Fraction, text: str) -> None:
    assert rate_text(rate) == text
