"""Quantities with units: exact values, and one line for whatever is none."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.quantities import LARGEST, LENGTHS, RATES, SIZES, TIMES, length, rate, seconds, size

READERS = ((seconds, TIMES), (size, SIZES), (rate, RATES), (length, LENGTHS))


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (seconds("10us"), Fraction(1, 10**5)),
        (seconds("10µs"), Fraction(1, 10**5)),
        (seconds("10μs"), Fraction(1, 10**5)),
        (seconds("1.5ms"), Fraction(3, 2000)),
        (seconds("250 ns"), Fraction(1, 4 * 10**6)),
        (seconds(".5min"), Fraction(30)),
        (seconds("2h"), Fraction(7200)),
        (seconds("1e-5s"), Fraction(1, 10**5)),
        (size("1MiB"), Fraction(2**20)),
        (size("1MB"), Fraction(10**6)),
        (size("25 kB"), Fraction(25000)),
        (size("1.5KiB"), Fraction(1536)),
        (size("1e3B"), Fraction(1000)),
        (size("2TiB"), Fraction(2**41)),
        (rate("100Gbps"), Fraction(125 * 10**8)),
        (rate("100Gbit/s"), Fraction(125 * 10**8)),
        (rate("100Gb/s"), Fraction(125 * 10**8)),
        (rate("12.5GB/s"), Fraction(125 * 10**8)),
        (rate("1GiB/s"), Fraction(2**30)),
        (rate("8bps"), Fraction(1)),
        (rate("1Tbps"), Fraction(10**12, 8)),
        (rate("50/3GB/s"), Fraction(50 * 10**9, 3)),
        (seconds("1/3 us"), Fraction(1, 3 * 10**6)),
    ],
)
def test_values(found: Fraction, wanted: Fraction) -> None:
    assert found == wanted
    assert isinstance(found, Fraction)


@given(
    st.sampled_from(READERS),
    st.decimals(min_value="0.000001", max_value="999999", places=6),
    st.data(),
)
def test_decimals_are_read_exactly(reader: tuple, number: Decimal, draw: st.DataObject) -> None:
    read, units = reader
    unit = draw.draw(st.sampled_from(sorted(units)))
    blank = draw.draw(st.sampled_from(["", " ", "\t"]))
    assert read(f" {number:f}{blank}{unit} ") == Fraction(number) * units[unit]


@given(st.sampled_from(READERS), st.integers(1, 10**6), st.integers(-12, 12))
def test_exponents_are_read_exactly(reader: tuple, number: int, exponent: int) -> None:
    read, units = reader
    for unit in units:
        value = number * Fraction(10) ** exponent * units[unit]
        if value <= LARGEST:
            assert read(f"{number}e{exponent}{unit}") == value
            continue
        with pytest.raises(InvalidInput, match="is out of range"):
            read(f"{number}e{exponent}{unit}")


@given(st.sampled_from(READERS), st.text(max_size=20))
def test_any_other_text_is_refused_in_one_line(reader: tuple, text: str) -> None:
    read, _ = reader
    told = ""
    try:
        assert read(text, "--size") > 0
    except InvalidInput as error:
        told = str(error)
    assert not told or told.startswith("--size: ")
    assert "\n" not in told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("10", "'10' has no unit; write for example 10us or 1.5ms"),
        ("", "'' is not a quantity; write for example 10us or 1.5ms"),
        ("us", "'us' is not a quantity; write for example 10us or 1.5ms"),
        ("-1us", "'-1us' is not a quantity; write for example 10us or 1.5ms"),
        ("1,5us", "unknown unit ',5us' in '1,5us'; known are ns, us, µs, μs, ms, s, min, h"),
        ("1.5.5us", "'1.5.5us' is not a quantity; write for example 10us or 1.5ms"),
        ("nan s", "'nan s' is not a quantity; write for example 10us or 1.5ms"),
        ("1/0us", "unknown unit '/0us' in '1/0us'; known are ns, us, µs, μs, ms, s, min, h"),
        ("1/-2us", "unknown unit '/-2us' in '1/-2us'; known are ns, us, µs, μs, ms, s, min, h"),
        ("1/2e3us", "unknown unit 'e3us' in '1/2e3us'; known are ns, us, µs, μs, ms, s, min, h"),
        ("inf s", "'inf s' is not a quantity; write for example 10us or 1.5ms"),
        ("1MiB", "unknown unit 'MiB' in '1MiB'; known are ns, us, µs, μs, ms, s, min, h"),
        ("1US", "unknown unit 'US' in '1US'; known are ns, us, µs, μs, ms, s, min, h"),
        ("0us", "'0us' is not above zero"),
        ("1e999s", "'1e999s' is out of range"),
        ("1e-999s", "'1e-999s' is out of range"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    with pytest.raises(InvalidInput) as error:
        seconds(text, "--alpha")
    assert str(error.value) == f"--alpha: {reason}"


def test_endless_digits_are_refused() -> None:
    with pytest.raises(InvalidInput, match="is not a quantity"):
        size("1" * 5000 + "B")
