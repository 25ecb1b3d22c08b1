"""What a discovery found, as text for a person and as JSON for a program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from db.discovery_rows import FindRow
from expansions.cost import Cost
from reports.bounds import bound_fields, source_words
from reports.text import cut_recipe, plain, table


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryRecord:
    """One search: its size, seed and bound; graphs judged, also by earlier runs; the best ones.

    `sources` tell by recipe what found them: a kind, or `search`; `ids`, of which candidates in the
    database they are.
    """

    n: int
    d: int
    links: str
    both: bool
    seed: int
    kinds: Sequence[str]
    bound: Cost
    judged: int
    judged_before: int
    finds: Sequence[FindRow]
    sources: Mapping[str, str]
    ids: Mapping[str, str]


def discovery_text(found: DiscoveryRecord) -> str:
    """A table of the finds with the lower bounds, and who proved these."""
    head = f"N = {found.n}, d = {found.d}, {found.links} links, seed {found.seed}"
    told = f"{head}: {found.judged:,} graphs judged"
    if found.judged_before:
        told += f", {found.judged_before:,} before"
    if not found.finds:
        return f"{told}; nothing is found"
    columns = ["T_L", "T_B", "T_B exact", "RS T_B", "RS exact", "by", "trials", "recipe"]
    rows = [
        [
            str(find.steps),
            f"{float(find.bandwidth):.3f}",
            str(find.bandwidth),
            f"{float(find.rs_bandwidth):.3f}",
            str(find.rs_bandwidth),
            found.sources[find.recipe],
            "" if found.sources[find.recipe] == "search" else str(find.trials),
            cut_recipe(find.recipe, found.ids.get(find.recipe, "")),
        ]
        for find in found.finds
    ]
    least = f"{float(found.bound.bandwidth):.3f}", str(found.bound.bandwidth)
    rows.append([str(found.bound.steps), *least, *least, "", "", "lower bound"])
    sources = source_words(found.n, found.d, found.links, found.bound.steps)
    return f"{told}\n\n{table(columns, rows)}\n\nLower bounds: {sources}"


def discovery_fields(found: DiscoveryRecord) -> dict[str, Any]:
    """The search as the fields of a JSON object; fractions are strings."""
    known: dict[str, Any] = {
        "n": found.n,
        "d": found.d,
        "links": found.links,
        "both_ways": found.both,
        "seed": found.seed,
        "kinds": list(found.kinds),
        "judged": found.judged,
        "judged_before": found.judged_before,
        "bound": bound_fields(found.n, found.d, found.links, found.bound),
        "finds": [_fields(find, found) for find in found.finds],
    }
    return known


def best_line(finds: Sequence[FindRow]) -> str:
    """The costs of the best finds in a few words, for a line of progress.

    >>> best_line([])
    'nothing yet'
    """
    shown = ", ".join(f"({find.steps}, {float(find.bandwidth):.4f})" for find in finds)
    return plain(shown) or "nothing yet"


def _fields(find: FindRow, found: DiscoveryRecord) -> dict[str, Any]:
    return {
        "id": found.ids.get(find.recipe),
        "recipe": find.recipe,
        "by": found.sources[find.recipe],
        "base": find.base,
        "steps": find.steps,
        "bandwidth": str(find.bandwidth),
        "reduce_scatter": {"steps": find.steps, "bandwidth": str(find.rs_bandwidth)},
        "seed": find.seed,
        "trials": find.trials,
    }
