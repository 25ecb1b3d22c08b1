"""Bills for reports: of fabrics, and of inventories."""

from os import PathLike

from reports.bill import BillRow
from topofinder.model.inventory.ports import PortMap
from topofinder.model.prices import Bill, bill_ports, read_prices


def bill_rows(bill: Bill | None) -> tuple[BillRow, ...]:
    """A bill as rows; none where there is none."""
    if bill is None:
        return ()
    return tuple(
        BillRow(part=part.name, count=count, price=part.price, watts=part.watts, source=part.source)
        for part, count in bill.lines
    )


def inventory_bill(fabric: PortMap, prices: str | PathLike[str] | None) -> tuple[BillRow, ...]:
    """What the ports and panels of an inventory cost; nothing without a file of prices."""
    return () if prices is None else bill_rows(bill_ports(fabric.by_fibre, read_prices(prices)))
