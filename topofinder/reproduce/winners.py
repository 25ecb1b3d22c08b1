"""Figure 15: which family has the quickest allreduce at each N."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from db.rows import CandidateRow
from reports.reproduced import Compared, Reproduced, exactly
from topofinder.candidate import Links
from topofinder.finder.sweep import sweep
from topofinder.range_report import kind_of
from topofinder.reproduce.drawn import Groups, plotted
from topofinder.reproduce.sources import (
    ALPHA,
    BANDWIDTH,
    LATEST,
    MEGABYTE,
    Sources,
    published,
)
from topofinder.storage import ENGINE

WORKLOADS = (1, 100)
"""Sizes of the allreduce, in MiB."""
D = 4

BySize = dict[int, list[CandidateRow]]


def figure15(sources: Sources) -> Reproduced:
    """Figure 15: the family of the quickest allreduce at each N, d = 4, for 1 MB and 100 MB.

    Once among the families that the paper has, once among all; the plot shows all at 1 MB.
    """
    sizes = sources.sizes or tuple(range(5, LATEST + 1))
    sides = {"paper's families": _published(sources, sizes), "all families": _ours(sources, sizes)}
    found: list[Compared] = []
    for label, by_size in sides.items():
        for times in WORKLOADS:
            best = [_quickest(rows, times * MEGABYTE) for rows in by_size.values() if rows]
            found += _wins(f"{label}, {times} MiB", best, published()["figure15"][str(times)])
    title = f"Figure 15: d = 4, alpha = 10 us, B = 100 Gbps, N = {min(sizes)} to {max(sizes)}"
    draw = plotted("Figure 15: 1 MiB", _groups(sides["all families"]), "time [us]")
    return Reproduced(name="figure15", title=title, rows=tuple(found), draw=draw)


def _ours(sources: Sources, sizes: Sequence[int]) -> BySize:
    """The candidates of the database; sizes that are missing are searched and stored."""
    sweep([(n, D) for n in sizes], Links.SIMPLEX, sources.store.path)
    rows = sources.store.candidates(n=(min(sizes), max(sizes)), d=D, links="simplex", engine=ENGINE)
    by_size: BySize = {n: [] for n in sizes}
    for row in rows:
        if row.n in by_size:
            by_size[row.n].append(row)
    return by_size


def _published(sources: Sources, sizes: Sequence[int]) -> BySize:
    """The candidates of the paper's families and theorems."""
    by_size: BySize = {}
    for done, n in enumerate(sizes):
        sources.tell(done, len(sizes))
        by_size[n] = sources.paper(n, D)
    return by_size


def _groups(by_size: BySize) -> Groups:
    groups: Groups = {}
    for n, rows in by_size.items():
        if rows:
            row = _quickest(rows, MEGABYTE)
            spent = float(10**6 * row.allreduce.runtime(ALPHA, MEGABYTE, BANDWIDTH))
            groups.setdefault(_kind(row), []).append((n, spent))
    return groups


def _wins(label: str, best: Sequence[CandidateRow], printed: str) -> Iterator[Compared]:
    """How many sizes each family wins, and which one wins the most."""
    kinds = Counter(map(_kind, best))
    named = sorted(kinds, key=lambda kind: (-kinds[kind], kind))
    yield Compared(
        subject=label,
        quantity="most popular",
        unit="",
        ours=named[0] if named else "none",
        published=printed,
    )
    for kind in named:
        yield Compared(
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
