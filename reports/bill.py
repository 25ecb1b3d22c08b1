"""Bills of parts, as text for a person and as JSON for a program."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.text import table


@dataclass(frozen=True, slots=True, kw_only=True)
class BillRow:
    """So many of a part, with its unit price and watts, and where these are from."""

    part: str
    count: int
    price: Fraction
    watts: Fraction
    source: str


def bill_cost(bill: Sequence[BillRow]) -> Fraction:
    """The price of all parts."""
    return sum((row.price * row.count for row in bill), Fraction())


def bill_power(bill: Sequence[BillRow]) -> Fraction:
    """The watts of all parts."""
    return sum((row.watts * row.count for row in bill), Fraction())


def bill_text(bill: Sequence[BillRow]) -> str:
    """A line for each part, and all of them together."""
    told = f"{price_text(bill_cost(bill))} in all, {float(bill_power(bill) / 1000):.2f} kW"
    return f"{bill_table(bill)}\n{told}"


def bill_table(bill: Sequence[BillRow]) -> str:
    """A line for each part.

    >>> part = BillRow(part="fibre", count=4, price=Fraction(3), watts=Fraction(), source="list")
    >>> print(bill_table([part]))
    part   count  price  in all  watts  source
    -----  -----  -----  ------  -----  ------
    fibre      4      3      12      0  list
    """
    rows = [
        [line.part, str(line.count), price_text(line.price), price_text(line.price * line.count),
         f"{float(line.watts):g}", line.source]
        for line in bill
    ]  # fmt: skip
    return table(["part", "count", "price", "in all", "watts", "source"], rows)


def price_text(price: Fraction) -> str:
    """All digits before the point, and two behind it if there is a part.

    >>> price_text(Fraction(1234567)), price_text(Fraction(3, 2))
    ('1234567', '1.50')
    """
    return str(price) if price.denominator == 1 else f"{float(price):.2f}"


def bill_fields(bill: Sequence[BillRow]) -> dict[str, Any]:
    """Cost and power in all, and the lines, for JSON: fractions as text."""
    lines = [
        {"part": line.part, "count": line.count, "price": str(line.price),
         "watts": str(line.watts), "source": line.source}
        for line in bill
    ]  # fmt: skip
    return {"cost": str(bill_cost(bill)), "power": str(bill_power(bill)), "bill": lines}
