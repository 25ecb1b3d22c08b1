"""`topofinder show --fabrics`: the systems that have a name, and where their figures are from."""

from dataclasses import dataclass
from inspect import getdoc
from typing import Any

from generators.fabrics.register import FABRICS
from reports.text import table
from topofinder.api.shared.answer import Answer


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FabricCatalogue(Answer):
    """Every registered fabric by name: signature, title, source and what its maker says.

    >>> from topofinder.api.show_fabrics import list_fabrics
    >>> list_fabrics().to_dict()[0]["signature"]
    'DGX1'
    """

    rows: tuple[dict[str, str], ...]

    def summary(self) -> dict[str, Any]:
        """How many there are."""
        return {"fabrics": len(self.rows)}

    def to_dict(self) -> list[dict[str, str]]:
        """What `show --fabrics --json` prints."""
        return list(self.rows)

    def __str__(self) -> str:
        cells = [[row["signature"], row["title"], row["source"]] for row in self.rows]
        return table(["name", "fabric", "source"], cells)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each fabric."""
        return self.to_dict()


def list_fabrics() -> FabricCatalogue:
    """The catalogue of fabrics, in the order of their names."""
    return FabricCatalogue(rows=tuple(map(_row, sorted(FABRICS))))


def _row(name: str) -> dict[str, str]:
    fabric = FABRICS[name]
    told = (getdoc(fabric.build) or "").split("\n>>>")[0].strip()
    return {
        "name": name,
        "signature": fabric.signature,
        "title": fabric.title,
        "source": fabric.source,
        "description": told,
    }
