"""`topofinder reproduce`: a table or figure of the paper, worked out anew, and its plot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.pages.markdown import csv_text
from reports.reproduced import (
    ComparisonRow,
    ReproductionRecord,
    reproduction_fields,
    reproduction_table,
    reproduction_text,
)
from topofinder.api.reproduce import register
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.frames import data_frame
from topofinder.api.shared.places import check_places
from topofinder.api.shared.workloads import read_seconds
from topofinder.interrupts import end_early

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Reproduction(Answer):
    """All figures of one table or plot of the paper, ours beside the published ones."""

    found: ReproductionRecord

    @property
    def rows(self) -> tuple[ComparisonRow, ...]:
        """One figure each."""
        return self.found.rows

    def summary(self) -> dict[str, Any]:
        """Which one it is, and how many figures it has."""
        return {"name": self.found.name, "rows": len(self.found.rows)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `reproduce --json` prints."""
        return reproduction_fields(self.found)

    def __str__(self) -> str:
        return reproduction_text(self.found)

    def to_csv(self) -> str:
        """The text that `reproduce --csv` prints."""
        return csv_text(reproduction_table(self.found))

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each figure."""
        rows: list[dict[str, Any]] = self.to_dict()["rows"]
        return rows

    def to_frame(self) -> "DataFrame":
        """The figures as a data frame; Unsupported where pandas is not installed."""
        rows = self.table_rows()
        return data_frame({name: [row[name] for row in rows] for name in rows[0]} if rows else {})


def reproduce(
    what: str,
    *,
    n: Sequence[int] | None = None,
    out: str | PathLike[str] | None = None,
    gap: Fraction | float = Fraction(1, 100),
    time: float | str = 15.0,
    db: str | PathLike[str] = ":memory:",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Reproduction:
    """Work out a table or figure of the paper anew, such as "table 7" or "figure 15".

    Those of TACOS are "tacos-table5" and the like. `n` are the sizes of figures 7, 15 and 18, and
    of systems of TACOS; `out` is a .svg or .png file for a figure's plot.
    Throughputs are found to a relative `gap`, or as close as `time` seconds for all of them give.
    What is found is stored in `db`. Ctrl-C leaves the rows that are worked out, and the title names
    what is missing. Raises InvalidInput for another name, and for sizes where none are taken.
    """
    name = register.reproduction_name(what)
    target = None if out is None else Path(out)
    _check_plot(name, target)
    check_places(None if str(db) == ":memory:" else db, target)
    with end_early(between=True):
        found = register.reproduce_named(
            name,
            db,
            sizes=n,
            gap=quantities.part(gap, "--gap"),
            time=read_seconds(time),
            progress=progress,
        )
        if target is not None and found.draw is not None:
            from reports.pages.files import write_plot

            write_plot(found.draw(), found.name, target)
    return Reproduction(found=found)


def _check_plot(name: str, out: Path | None) -> None:
    if out is None:
        return
    if name.startswith(("tacos", "forest")) or name in register.NOT_DRAWN:
        raise InvalidInput(f"--out: {name} has no plot")
    if name.startswith("table"):
        raise InvalidInput(f"--out: {name} is no figure")
    if out.suffix.lower() not in (".svg", ".png"):
        raise InvalidInput(f"--out: a plot is a .svg or .png file, not {excerpt(str(out))}")
