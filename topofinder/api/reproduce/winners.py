"""Figure 15: which family has the quickest allreduce at each N."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from db.rows import CandidateRow, SizeRow
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.report_range import kind_of
from topofinder.api.reproduce.drawn import Groups, Part, plot_over_n
from topofinder.api.reproduce.sources import (
    ALPHA,
    BANDWIDTH,
    LATEST,
    MEGABYTE,
    Sources,
    read_published,
)
from topofinder.api.shared.stored_ranges import candidates_at
from topofinder.api.sweep import fill_sizes
from topofinder.model.candidate import LinkMode

WORKLOADS = (1, 100)
"""Sizes of the allreduce, in MiB."""
D = 4

BySize = dict[int, list[CandidateRow]]


def figure15(sources: Sources) -> ReproductionRecord:
    """Figure 15: the family of the quickest allreduce at each N, d = 4, for 1 MB and 100 MB.

    Once among the families that the paper has, once among all.
    """
    sizes = sources.sizes or tuple(range(5, LATEST + 1))
    sides = {
        "paper's families": _published_candidates(sources, sizes),
        "all families": _ours(sources, sizes),
    }
    found: list[ComparisonRow] = []
    parts = []
    for label, by_size in sides.items():
        for times in WORKLOADS:
            size, name = times * MEGABYTE, f"{label}, {times} MiB"
            best = [_quickest(rows, size) for rows in by_size.values() if rows]
            found += _wins(name, best, read_published()["figure15"][str(times)])
            parts.append(
                Part(title=f"Figure 15: {name}", groups=_groups(best, size), up="time [us]")
            )
    title = f"Figure 15: d = 4, alpha = 10 us, B = 100 Gbps, N = {min(sizes)} to {max(sizes)}"
    return ReproductionRecord(
        name="figure15", title=title, rows=tuple(found), draw=plot_over_n(*parts)
    )


def _ours(sources: Sources, sizes: Sequence[int]) -> BySize:
    """The candidates of the database; sizes that are missing are searched and stored."""
    unsaved: list[SizeRow] = []
    wanted = [(n, D) for n in sizes]
    fill_sizes(
        wanted,
        LinkMode.SIMPLEX,
        sources.store.path,
        progress=sources.tell_filling,
        unsaved=unsaved.append,
    )
    by_size: BySize = {n: [] for n in sizes}
    for row in candidates_at(sources.store, by_size, D, LinkMode.SIMPLEX, unsaved):
        by_size[row.n].append(row)
    return by_size


def _published_candidates(sources: Sources, sizes: Sequence[int]) -> BySize:
    """The candidates of the paper's families and theorems."""
    return {n: sources.paper(n, D) for n in sources.each(sizes)}


def _groups(best: Sequence[CandidateRow], size: Fraction) -> Groups:
    groups: Groups = {}
    for row in best:
        spent = float(10**6 * row.allreduce.runtime(ALPHA, size, BANDWIDTH))
        groups.setdefault(_kind(row), []).append((row.n, spent))
    return groups


def _wins(label: str, best: Sequence[CandidateRow], printed: str) -> Iterator[ComparisonRow]:
    """How many sizes each family wins, and which one wins the most."""
    kinds = Counter(map(_kind, best))
    named = sorted(kinds, key=lambda kind: (-kinds[kind], kind))
    yield ComparisonRow(
        subject=label,
        quantity="most popular",
        unit="",
        ours=named[0] if named else "none",
        published=printed,
    )
    for kind in named:
        yield ComparisonRow(
            subject=label,
            quantity=f"won by {kind}",
            unit="sizes",
            ours=exactly(kinds[kind]),
            published=None,
        )


def _kind(row: CandidateRow) -> str:
    return kind_of(row.family or row.recipe)


def _quickest(rows: Sequence[CandidateRow], size: Fraction) -> CandidateRow:
    return min(rows, key=lambda row: (row.allreduce.runtime(ALPHA, size, BANDWIDTH), row.recipe))
