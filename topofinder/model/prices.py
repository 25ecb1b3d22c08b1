"""The nouns PriceList and Bill: what the parts of a fabric cost, and draw.

    part,price,watts,ports,source
    transceiver,900,12,,an offer of October 2026
    panel,75000,60,1008,the maker's list

Parts are transceiver, fibre, panel, switch and host. `price` is in any currency, the same in all
lines; `ports` are those of a panel or switch. None is known unless a file tells it.
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from os import PathLike

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_lines
from topofinder.model.inventory.ports import PortMap

PARTS = ("transceiver", "fibre", "panel", "switch", "host")
WITH_PORTS = ("panel", "switch")
COLUMNS = ("part", "price", "watts", "ports", "source")
MOST_BYTES, MOST_LINE, MOST_LINES = 1 << 16, 1 << 12, 100
LARGEST = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedPart:
    """A part with its unit price and watts, and where the figures are from."""

    name: str
    price: Fraction
    watts: Fraction
    ports: int | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """How many of each part a fabric takes; parts that it takes none of are left out.

    >>> parts = parse_prices(["part,price,watts,ports,source", "fibre,1.50,0,,an offer"])
    >>> Bill(lines=((parts["fibre"], 4),)).cost
    Fraction(6, 1)
    """

    lines: tuple[tuple[PricedPart, int], ...]

    @property
    def cost(self) -> Fraction:
        """The price of all parts."""
        return sum((part.price * count for part, count in self.lines), Fraction())

    @property
    def power(self) -> Fraction:
        """The watts of all parts."""
        return sum((part.watts * count for part, count in self.lines), Fraction())


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """Parts by name, and the file they are from."""

    parts: Mapping[str, PricedPart]
    file: str = "prices"

    def __getitem__(self, name: str) -> PricedPart:
        if name not in self.parts:
            raise InvalidInput(f"{self.file}: there is no line of {name}")
        return self.parts[name]

    def bill(self, **counts: int) -> Bill:
        """What so many parts cost, with `host` left out where it has no line.

        Raises InvalidInput for a part without a line.
        """
        needed = {name: count for name, count in counts.items() if count}
        if "host" not in self.parts:
            needed.pop("host", None)
        return Bill(lines=tuple((self[name], count) for name, count in needed.items()))

    def ports(self, name: str) -> int:
        """Ports of a panel or switch."""
        return self[name].ports or 1


def bill_ports(fabric: PortMap, prices: PriceList) -> Bill:
    """An inventory: a transceiver and a fibre for each port, and its panels.

    A panel of more ports than that of the list counts as several.
    """
    each = prices.ports("panel")
    panels = sum(ceil(panel.limit / each) for panel in fabric.panels)
    ports = fabric.ports
    return prices.bill(transceiver=ports, fibre=ports, panel=panels, host=len(fabric.hosts))


def read_prices(path: str | PathLike[str]) -> PriceList:
    """The prices of a file. Raises InvalidInput with file and line."""
    try:
        lines = read_lines(path, limit=MOST_BYTES, longest=MOST_LINE, most=MOST_LINES)
        return PriceList(parts=parse_prices(lines), file=str(path))
    except (InvalidInput, TextError) as error:
        told = str(error)
        raise InvalidInput(told if told.startswith(str(path)) else f"{path}: {told}") from None


def parse_prices(lines: Iterable[str]) -> dict[str, PricedPart]:
    """The parts of lines of CSV.

    >>> parse_prices(["part,price,watts,ports,source", "switch,40000,900,64,list"])["switch"].ports
    64
    """
    rows = csv.reader(lines, strict=True)
    found: dict[str, PricedPart] = {}
    try:
        head = [name.strip() for name in next(rows, [])]
        if tuple(head) != COLUMNS:
            raise InvalidInput(f"line 1: the columns are {','.join(COLUMNS)}")
        for row in rows:
            if any(row) and not row[0].startswith("#"):
                part = _part_of([value.strip() for value in row], rows.line_num)
                if part.name in found:
                    raise InvalidInput(f"line {rows.line_num}: {part.name} comes twice")
                found[part.name] = part
    except csv.Error as error:
        raise InvalidInput(f"line {rows.line_num}: {error}") from None
    return found


def _part_of(row: list[str], line: int) -> PricedPart:
    where = f"line {line}"
    if len(row) != len(COLUMNS):
        raise InvalidInput(f"{where}: {len(row)} values for {len(COLUMNS)} columns")
    name, price, watts, ports, source = row
    if name not in PARTS:
        raise InvalidInput(f"{where}: part: one of {', '.join(PARTS)}, not {excerpt(name)}")
    if not source:
        raise InvalidInput(f"{where}: source: where the figures are from is needed")
    if (name in WITH_PORTS) != bool(ports):
        raise InvalidInput(f"{where}: ports: those of a {' or '.join(WITH_PORTS)} are needed")
    if ports and not (ports.isascii() and ports.isdigit() and 2 <= int(ports[:9]) <= 1 << 17):
        raise InvalidInput(f"{where}: ports: a whole number from 2 on, not {excerpt(ports)}")
    return PricedPart(
        name=name,
        price=_number(price, f"{where}: price"),
        watts=_number(watts, f"{where}: watts"),
        ports=int(ports) if ports else None,
        source=source,
    )


def _number(text: str, name: str) -> Fraction:
    """A decimal of at most twenty characters; an exponent could make it of any length."""
    digits = text.replace(".", "", 1)
    if not (digits.isascii() and digits.isdigit() and len(text) <= 20):
        raise InvalidInput(f"{name}: a number of at least 0 is needed, not {excerpt(text)}")
    value = Fraction(text)
    if value > LARGEST:
        raise InvalidInput(f"{name}: at most {LARGEST}, not {excerpt(text)}")
    return value
