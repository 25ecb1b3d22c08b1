"""The quickest wiring that a number of moves leads to, as text and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reports.plan_targets import TargetRow, target_fields, targets_text
from reports.text import table

LISTED = 40
"""Moves that a text lists one by one."""
COLUMNS = ("move", "stage", "panel", "action", "port_a", "port_b")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedSummary:
    """What was chosen of the `targets` within `max_moves`, the quickest first.

    `listed` are its moves, each in `COLUMNS`; `proved` says that no plan of it has fewer. Written
    are the `files` of the plan.
    """

    n: int
    d: int
    links: str
    max_moves: int
    targets: tuple[TargetRow, ...]
    moves: int
    taken_out: int
    proved: bool
    listed: tuple[tuple[str, ...], ...]
    files: tuple[str, ...]

    @property
    def chosen(self) -> TargetRow:
        """The target that is reached."""
        return next(row for row in self.targets if row.chosen)


def reached_text(reached: ReachedSummary) -> str:
    """The wiring, what it was chosen from, and its moves."""
    chosen, cost = reached.chosen, reached.chosen.allreduce
    fewest = "no plan has fewer" if reached.proved else f"at least {chosen.bound}"
    lines = [
        f"Within {reached.max_moves} moves of the wiring in place, {reached.n} hosts with "
        f"{reached.d} ports, {reached.links}:",
        "",
        f"{chosen.name}: {reached.moves} moves ({fewest}), {reached.taken_out} circuits taken out",
        f"  an allreduce takes {float(chosen.seconds) * 1e6:.1f} us by {chosen.method}: T_L "
        f"{cost.steps} alpha, T_B {float(cost.bandwidth):.3f} M/B",
    ]
    if reached.files:
        lines.append(f"  written to {', '.join(reached.files)}")
    lines += ["", targets_text(reached.targets)]
    if reached.listed:
        lines += ["", *_listed_moves(reached.listed)]
    return "\n".join(lines)


def _listed_moves(rows: Sequence[tuple[str, ...]]) -> list[str]:
    shown = table(list(COLUMNS), [list(row) for row in rows[:LISTED]])
    left = len(rows) - LISTED
    return [shown, f"{left} more: -o plan.csv writes all"] if left > 0 else [shown]


def reached_fields(reached: ReachedSummary) -> dict[str, Any]:
    """What `search --max-moves --json` prints."""
    return {
        "n": reached.n,
        "d": reached.d,
        "links": reached.links,
        "max_moves": reached.max_moves,
        "reached": target_fields(reached.chosen),
        "moves": reached.moves,
        "disconnects": reached.taken_out,
        "proved": reached.proved,
        "listed": [dict(zip(COLUMNS, row, strict=True)) for row in reached.listed],
        "targets": [target_fields(row) for row in reached.targets],
        "files": list(reached.files),
    }
