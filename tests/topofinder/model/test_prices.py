"""Price lists: what is read, and what is refused."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from topofinder.model.prices import PriceList, parse_prices, read_prices

HEAD = "part,price,watts,ports,source"


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(f"{HEAD}\n# a remark\nfibre, 1.50 ,0,,list\npanel,9,2,64,offer\n")
    found = read_prices(path)
    assert found["fibre"].price == Fraction(3, 2)
    assert (found.ports("panel"), found["panel"].source) == (64, "offer")
    bill = found.bill(fibre=4, panel=2, host=9)
    assert (bill.cost, bill.power) == (24, 4)
    with pytest.raises(InvalidInput, match=r"prices\.csv: there is no line of switch"):
        found.bill(switch=1)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("fibre,1,0,", "line 2: 4 values for 5 columns"),
        ("cable,1,0,,a", "part: one of transceiver"),
        ("fibre,1,0,,", "source: where the figures are from"),
        ("fibre,1,0,8,a", "ports: those of a panel or switch"),
        ("panel,1,0,,a", "ports: those of a panel or switch"),
        ("panel,1,0,1,a", "ports: a whole number from 2 on, not '1'"),
        ("fibre,-1,0,,a", "price: a number of at least 0 is needed, not '-1'"),
        ("fibre,1e9,0,,a", "price: a number of at least 0 is needed"),
        ("fibre,1,nan,,a", "watts: a number of at least 0 is needed"),
        ("fibre,9999999999999,0,,a", "price: at most"),
        ("fibre,1,0,,a\nfibre,1,0,,a", "line 3: fibre comes twice"),
        ('"fibre', "line 2: unexpected end of data"),
    ],
)
def test_what_is_no_price_is_refused(line: str, told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse_prices([HEAD, *line.splitlines()])
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@given(st.lists(st.text(max_size=12), max_size=6))
def test_any_line_is_read_or_refused(cells: list[str]) -> None:
    told = ""
    try:
        PriceList(parts=parse_prices([HEAD, ",".join(cells)]))
    except InvalidInput as error:
        told = str(error)
    assert "\n" not in told
