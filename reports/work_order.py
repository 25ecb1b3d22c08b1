"""A plan as a page to print: panel by panel and stage by stage, with boxes to tick.

The page stands alone: no script, no font and no picture is fetched. What is ticked is what a
journal of the plan notes, move by move.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from reports.plan import duration

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

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMove:
    """A move by its number in the plan: `connect` says whether a circuit is made or taken out."""

    move: int
    stage: int
    connect: bool
    mode: str
    ports: tuple[str, str]
    positions: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelWork:
    """The moves at a panel, and the positions that circuits join before and after."""

    name: str
    moves: tuple[WorkMove, ...]
    before: tuple[Pair, ...]
    after: tuple[Pair, ...]

    @property
    def made(self) -> int:
        """Circuits that are made."""
        return sum(move.connect for move in self.moves)

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
    yield _row(
        "th", ["panel", "to make", "to take out", "cords to add", "cords left over"], "<table>"
    )
    for panel in order.panels:
        yield _row("td", [escape(panel.name), *map(str, _totals([panel]))])
    yield _row("td", ["all", *map(str, _totals(order.panels))])
    yield "</table>"
    yield _row("th", ["stage", "moves", "expected end"], "<table>")
    for number, end in enumerate(order.ends, 1):
        count = sum(move.stage == number for panel in order.panels for move in panel.moves)
        yield _row("td", [str(number), str(count), f"start + {duration(end)}"])
    yield "</table>"
    for panel in order.panels:
        yield from _panel_lines(panel, order.ends)
    yield "</body></html>"


def _totals(panels: Sequence[PanelWork]) -> tuple[int, int, int, int]:
    """Circuits to make and to take out, and the cords that these lack or leave, panel by panel."""
    made, gone = sum(panel.made for panel in panels), sum(panel.taken_out for panel in panels)
    lacking = sum(max(0, panel.made - panel.taken_out) for panel in panels)
    return made, gone, lacking, sum(max(0, panel.taken_out - panel.made) for panel in panels)


def _panel_lines(panel: PanelWork, ends: Sequence[Fraction]) -> Iterator[str]:
    yield f"<h2>{escape(panel.name)}</h2>"
    if not panel.moves:
        yield "<p>Nothing is touched here.</p>"
        return
    heads = ["done", "move", "stage", "", "from", "to", "port", "port", "mode", "by", "failed at"]
    yield _row("th", heads, "<table>")
    for move in panel.moves:
        action = "connect" if move.connect else "take out"
        ends_of = [escape(text) for text in (*move.positions, *move.ports)]
        cells = ["&#9744;", str(move.move), str(move.stage), action, *ends_of, move.mode]
        yield _row("td", [*cells, f"start + {duration(ends[move.stage - 1])}", ""])
    yield "</table>"
    yield from _picture(panel)


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
