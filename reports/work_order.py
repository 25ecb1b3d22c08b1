"""A plan as a page to print: crew by crew or panel by panel, with boxes to tick.

The page stands alone: no script, no font and no picture is fetched. What is ticked is what a
journal of the plan notes, move by move.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import NamedTuple

from reports.plan import duration
from reports.units import metres_text
from reports.work_list import Pair, WorkItem

MOST_DRAWN = 4096
"""Circuits of a panel, before and after, that its picture shows at most."""
SIDE = 360
"""Width of a picture."""
_STYLE = """body { font: 12px sans-serif; margin: 2em; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { border: 1px solid #999; padding: 2px 8px; text-align: left; }
h2 { break-before: page; } h2:first-of-type { break-before: auto; }
tr { break-inside: avoid; } svg { border: 1px solid #999; }
.stays { fill: #bbb; } .goes { fill: #c22; } .comes { fill: #282; }
"""

PositionPair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelWork:
    """The moves at a panel, and the positions that circuits join before and after.

    `rack` is where it stands, or empty.
    """

    name: str
    rack: str
    moves: tuple[WorkItem, ...]
    before: tuple[PositionPair, ...]
    after: tuple[PositionPair, ...]

    @property
    def made(self) -> int:
        """Circuits that are made."""
        return sum(move.action == "connect" for move in self.moves)

    @property
    def title(self) -> str:
        """What it is called, and where it stands."""
        return escape(f"{self.name}, rack {self.rack}" if self.rack else self.name)

    @property
    def taken_out(self) -> int:
        """Circuits that are taken out."""
        return len(self.moves) - self.made


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOrder:
    """What is to be wired, panel by panel; `ends` is when each stage is done, from the start."""

    target: str
    digest: str
    panels: tuple[PanelWork, ...]
    ends: tuple[Fraction, ...]

    @property
    def moves(self) -> list[WorkItem]:
        """All moves, panel by panel."""
        return [move for panel in self.panels for move in panel.moves]


class PairColumn(NamedTuple):
    """What is told of both ends of a move, where the inventory has it."""

    name: str
    pair: Callable[[WorkItem], Pair]


MORE = (
    PairColumn("label", lambda move: move.labels),
    PairColumn("cable", lambda move: move.cables),
    PairColumn("rack", lambda move: move.racks),
)
"""Columns that are left out where there is nothing in them."""


def work_order_html(order: WorkOrder) -> str:
    """The page."""
    return "\n".join(_lines(order)) + "\n"


def _lines(order: WorkOrder) -> Iterator[str]:
    title = f"Work order: {escape(order.target)}"
    yield "<!DOCTYPE html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield f"<style>{_STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>"
    yield f"<p>Plan {escape(order.digest[:12])}. A stage begins when the one before it is done on "
    yield "all panels; in a stage all that is to be taken out goes before anything is made.</p>"
    heads = ["panel", "to make", "to take out", "cords to add", "cords left over"]
    measured = any(move.length is not None for move in order.moves)
    yield _row("th", heads + ["metres to make", "metres to take out"] * measured, "<table>")
    for title, panels in [*((one.title, [one]) for one in order.panels), ("all", order.panels)]:
        lengths = _lengths(panels) if measured else []
        yield _row("td", [title, *map(str, _totals(panels)), *lengths])
    yield "</table>"
    yield _row("th", ["stage", "moves", "expected end"], "<table>")
    for number, end in enumerate(order.ends, 1):
        count = sum(move.stage == number for move in order.moves)
        yield _row("td", [str(number), str(count), f"start + {duration(end)}"])
    yield "</table>"
    columns = [column for column in MORE if any(any(column.pair(move)) for move in order.moves)]
    crews = {move.crew for move in order.moves if move.crew is not None}
    for crew in sorted(crews):
        yield from _crew_lines(order, crew, columns)
    for panel in order.panels:
        yield from _panel_lines(panel, columns)
    yield "</body></html>"


def _totals(panels: Sequence[PanelWork]) -> tuple[int, int, int, int]:
    """Circuits to make and to take out, and the cords that these lack or leave, panel by panel."""
    made, gone = sum(panel.made for panel in panels), sum(panel.taken_out for panel in panels)
    lacking = sum(max(0, panel.made - panel.taken_out) for panel in panels)
    return made, gone, lacking, sum(max(0, panel.taken_out - panel.made) for panel in panels)


def _lengths(panels: Sequence[PanelWork]) -> list[str]:
    """Metres of what is made and of what is taken out."""
    moves = [move for panel in panels for move in panel.moves]
    made = sum(move.length or 0 for move in moves if move.action == "connect")
    return [metres_text(made), metres_text(sum(move.length or 0 for move in moves) - made)]


def _crew_lines(order: WorkOrder, crew: int, columns: Sequence[PairColumn]) -> Iterator[str]:
    """What a crew does, visit by visit to a panel."""
    yield f"<h2>Crew {crew + 1}</h2>"
    visits: dict[tuple[Fraction, int, str], list[WorkItem]] = {}
    titles = {panel.name: panel.title for panel in order.panels}
    for move in order.moves:
        if move.crew == crew:
            visits.setdefault((move.starts, move.stage, move.panel), []).append(move)
    for (starts, stage, panel), moves in sorted(visits.items()):
        yield f"<h3>Stage {stage}, {titles[panel]}: from start + {duration(starts)}</h3>"
        yield from _moves_table(moves, columns)


def _panel_lines(panel: PanelWork, columns: Sequence[PairColumn]) -> Iterator[str]:
    """What is done at a panel, but for what is told of the crew that does it, and its picture."""
    yield f"<h2>{panel.title}</h2>"
    if not panel.moves:
        yield "<p>Nothing is touched here.</p>"
        return
    if alone := [move for move in panel.moves if move.crew is None]:
        yield from _moves_table(alone, columns)
    crews = sorted({move.crew + 1 for move in panel.moves if move.crew is not None})
    if crews:
        yield f"<p>By crew {', '.join(map(str, crews))}.</p>"
    yield from _picture(panel)


def _moves_table(moves: Sequence[WorkItem], columns: Sequence[PairColumn]) -> Iterator[str]:
    heads = ["done", "move", "stage", "", "from", "to", "port", "port", "mode"]
    heads += [f"{column.name}, {end}" for column in columns for end in ("from", "to")]
    measured = any(move.length is not None for move in moves)
    heads += ["length, m"] * measured
    yield _row("th", [*heads, "by", "failed at"], "<table>")
    for move in moves:
        action = "connect" if move.action == "connect" else "take out"
        cells = ["&#9744;", str(move.move), str(move.stage), action]
        cells += map(escape, (*move.positions, *move.ports))
        cells.append(move.mode)
        cells += [escape(text) for column in columns for text in column.pair(move)]
        cells += [metres_text(move.length or 0)] * measured
        yield _row("td", [*cells, f"start + {duration(move.ends)}", ""])
    yield "</table>"


def _row(tag: str, cells: Sequence[str], before: str = "") -> str:
    return before + "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _picture(panel: PanelWork) -> Iterator[str]:
    """The port matrix: positions against positions, what stays, goes and comes."""
    before, after = set(panel.before), set(panel.after)
    if len(before | after) > MOST_DRAWN:
        yield f"<p>No picture: {len(before | after)} circuits.</p>"
        return
    most = max((max(pair) for pair in before | after), default=1)
    size = max(SIDE / most, 1.5)
    yield "<p>Port matrix: grey stays, red goes, green comes.</p>"
    yield f'<svg width="{SIDE}" height="{SIDE}" viewBox="0 0 {SIDE} {SIDE}">'
    for a, b in sorted(before | after):
        kind = "stays" if (a, b) in before & after else "goes" if (a, b) in before else "comes"
        x, y = ((position - 1) * SIDE / most for position in (a, b))
        place = f'x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}"'
        yield f'<rect class="{kind}" {place}/>'
    yield "</svg>"
