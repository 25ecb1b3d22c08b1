"""The moves of a plan as a list for crews: CSV, by crew and in the order of the work."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO

from reports.units import metres_text

COLUMNS = (
    *("crew", "stage", "panel", "panel_rack", "move", "action", "mode"),
    *("port_a", "port_b", "position_a", "position_b", "rack_a", "rack_b"),
    *("label_a", "label_b", "cable_a", "cable_b", "length_m", "starts_s", "ends_s", "done"),
)

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """A move for a crew, or for none where a switch makes it; pairs are of its two ports.

    `length` is in millimetres, where it is known. `starts` and `ends` are those of the work at its
    panel in its stage, in seconds from the start.
    """

    crew: int | None
    stage: int
    panel: str
    panel_rack: str
    move: int
    action: str
    mode: str
    ports: Pair
    positions: Pair
    racks: Pair
    labels: Pair
    cables: Pair
    length: int | None
    starts: Fraction
    ends: Fraction


def work_list_csv(items: Iterable[WorkItem]) -> str:
    """The list, crew by crew; a last column is left empty for what is done."""
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for item in sorted(items, key=_order):
        pairs = (item.ports, item.positions, item.racks, item.labels, item.cables)
        rows.writerow(
            [
                "" if item.crew is None else item.crew + 1,
                *(item.stage, item.panel, item.panel_rack, item.move, item.action, item.mode),
                *(end for pair in pairs for end in pair),
                "" if item.length is None else metres_text(item.length),
                *(f"{float(time):.15g}" for time in (item.starts, item.ends)),
                "",
            ]
        )
    return text.getvalue()


def _order(item: WorkItem) -> tuple[bool, int, Fraction, int]:
    return item.crew is None, item.crew or 0, item.starts, item.move
