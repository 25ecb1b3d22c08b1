"""What a merge of databases, or of a graph, did, as text and as JSON."""

from dataclasses import asdict
from typing import Any

from db.merging import MergeCounts
from db.rows import CandidateRow
from reports.text import cut_recipe, plain

_SIZES = {
    "added": "added",
    "same": "the same",
    "replaced": "replaced by those of a newer engine",
    "older": "left out, since newer ones are stored",
}
MOST_LINES = 20
"""Conflicts, and refused rows, that are listed as text; of the rest the number is told."""

_ROWS = ("throughputs", "finds", "reversals", "trainings")


def merge_text(told: MergeCounts, *, brief: bool = False) -> str:
    """A line for the sizes, one for other rows, for what is left, for each conflict and refusal.

    `brief` tells conflicts and refused rows only.

    >>> print(merge_text(MergeCounts(added=2, conflicts=["n 8, d 2, duplex: ..."])))
    sizes: 2 added, 0 the same
    conflict: n 8, d 2, duplex: ...
    """
    lines = [*_list_lines("conflict", told.conflicts), *_list_lines("refused", told.refused)]
    if brief:
        return "\n".join(lines)
    sizes = [
        f"{getattr(told, name)} {words}"
        for name, words in _SIZES.items()
        if getattr(told, name) or name in ("added", "same")
    ]
    rows = [f"{name} {getattr(told, name)}" for name in _ROWS if getattr(told, name)]
    added = [f"added or narrowed: {', '.join(rows)}"] if rows else []
    left = [f"left: {told.left} sizes and rows, for want of time"] if told.left else []
    return "\n".join([f"sizes: {', '.join(sizes)}", *added, *left, *lines])


def _list_lines(word: str, lines: list[str]) -> list[str]:
    """The first lines, and the number of the rest."""
    shown = [f"{word}: {plain(line)}" for line in lines[:MOST_LINES]]
    more = len(lines) - MOST_LINES
    return [*shown, f"{word}: {more} more, listed by --json"] if more > 0 else shown


def merge_fields(told: MergeCounts) -> dict[str, Any]:
    """The same as the fields of a JSON object."""
    return asdict(told)


def merged_graph_text(name: str, row: CandidateRow, better: CandidateRow | None) -> str:
    """What a graph costs, and whether it stands on the frontier of its size now."""
    size = f"N = {row.n}, d = {row.d}, {row.links} links"
    costs = f"{name}: {size}, {_cost_words(row)}, costed anew"
    if better is None:
        return f"{costs}\non the frontier as {plain(cut_recipe(row.recipe, row.id))}"
    known = f"{plain(cut_recipe(better.recipe, better.id))} takes {_cost_words(better)}"
    return f"{costs}\nnot on the frontier, and not stored: {known}"


def _cost_words(row: CandidateRow) -> str:
    return f"T_L {row.steps} alpha, T_B {row.bandwidth} M/B"
