"""The patch moves of a report of one size: each stored plan in words, as a picture, in a table."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from db.plan_rows import MoveRow, PlanRow
from reports.pages.document import Block, PageColumn, Plot, Table, TableRow
from reports.plan import duration
from reports.size_report import SizeReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = ("move", "stage", "panel", "action", "mode", "port", "other port")
_NUMBERS = re.compile(r"(\d+)")


def plan_blocks(report: SizeReport) -> Iterator[Block]:
    """The stored plans that lead to a recommended topology."""
    if not report.plans:
        yield "No plan of patch moves to a recommended topology is stored (topofinder plan)."
    for place, plan in enumerate(report.plans, 1):
        bounds = f"at least {plan.lower_bound} are needed"
        yield (
            f"Plan {place}, {plan.path}: {plan.moves} moves to {plan.target} ({bounds}), in "
            f"{plan.stages} stages, about {duration(plan.estimated)}; {plan.kept} circuits "
            f"stay. Its row id is plans.content = {plan.content}."
        )
        if plan.listed:
            caption = (
                f"Plan {place}: {plan.moves} circuits are made and {plan.disconnects} taken out, "
                "from the transmitter of a row's port to the receiver of a column's; ports that no "
                "move touches are left out"
            )
            draw = partial(_moves_drawing, f"plan {place}: {plan.moves} moves", plan.listed)
            yield Plot(name=f"moves-{place}", caption=caption, draw=draw)
        yield _moves_table(plan, place)


def _moves_table(plan: PlanRow, place: int) -> Table:
    return Table(
        name=f"plan-{place}",
        caption=f"Moves of plan {place}",
        columns=tuple(PageColumn(name=name) for name in COLUMNS),
        lines=tuple(
            TableRow(
                cells=(
                    *(str(move.move), str(move.stage), move.panel, move.action, move.mode),
                    *(move.port_a, move.port_b),
                ),
                key=plan.content,
            )
            for move in plan.listed
        ),
    )


def _moves_drawing(title: str, moves: Sequence[MoveRow]) -> "Figure":
    from reports.plots.ports import moves_figure

    names = touched_ports(moves)
    hosts = [name.rpartition(":")[0] for name in names]
    number = {name: place for place, name in enumerate(names)}
    ends = {"disconnect": list[tuple[int, int]](), "connect": list[tuple[int, int]]()}
    for move in moves:
        a, b = number[move.port_a], number[move.port_b]
        ends[move.action] += [(a, b), (b, a)] if move.mode == "duplex" else [(a, b)]
    freed, made = (np.array(some, np.int64).reshape(-1, 2) for some in ends.values())
    return moves_figure(title, names, hosts, freed, made)


def touched_ports(moves: Sequence[MoveRow]) -> list[str]:
    """The ports that moves name, hosts by their numbers.

    >>> ends = [("h10:0", "h2:1"), ("h2:0", "h2:1")]
    >>> touched_ports(
    ...     [
    ...         MoveRow(
    ...             move=1, stage=1, panel="P", action="connect", mode="simplex", port_a=a, port_b=b
    ...         )
    ...         for a, b in ends
    ...     ]
    ... )
    ['h2:0', 'h2:1', 'h10:0']
    """
    found = {port for move in moves for port in (move.port_a, move.port_b)}
    return sorted(found, key=_natural)


def _natural(name: str) -> list[tuple[int, str]]:
    words = _NUMBERS.split(name)
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in words]
