"""Figure 7: allreduce and all-to-all at large N beside rings, trees and tori."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from expansions.recipe import Base
from generators.families.register_all import FAMILIES
from reports.reproduced import ComparisonRow, ReproductionRecord
from topofinder.alltoall.solver.bounds import moore_rate
from topofinder.api.reproduce.drawn import Groups, Part, plot_over_n
from topofinder.api.reproduce.sources import (
    ALPHA,
    BANDWIDTH,
    MEGABYTE,
    Sources,
    exchange_time,
    read_published,
)
from topofinder.api.shared.candidate_rows import ENGINE
from topofinder.api.sweep import fill_sizes
from topofinder.model.candidate import LinkMode
from topofinder.schedules.baselines.register import baseline_named

D = 4
SAMPLE = (900, 961, 1000)
"""Sizes that are looked at if none are asked for: 900 and 961 have a square torus."""
RIVALS = {
    "shifted-ring": "shifted-ring",
    "double-binary-tree": "double-binary-tree",
    "2D torus": "torus-by-dimension",
}
"""Baselines by the name that the paper gives them."""
ALL, PAPER = "all families", "paper's families"

NOTES = {
    "shifted-ring allreduce ratio": "printed: near N = 1000",
    "double-binary-tree allreduce ratio": "the paper's own table 4 has 1434 / 291.0 = 4.9",
    "2D torus allreduce ratio": "only at square N",
}

Spans = dict[tuple[str, str], list[tuple[Fraction, Fraction]]]
"""Intervals by what is compared, and by whose topologies are."""


def figure7(sources: Sources) -> ReproductionRecord:
    """Figure 7: the best allreduce and all-to-all beside baselines, N = 900 to 1000, d = 4.

    The best of the paper's families, and of all. Its all-to-all is that of generalized Kautz
    graphs and of circulants.
    """
    sizes = sources.sizes or SAMPLE
    ratios: Spans = {}
    reduced: Groups = {}
    exchanged: Groups = {}
    fill_sizes(
        [(n, D) for n in sizes], LinkMode.SIMPLEX, sources.store.path, progress=sources.tell_filling
    )
    for n in sources.each(sizes):
        for name, value in _allreduces(sources, n, reduced):
            ratios.setdefault(name, []).append((value, value))
        for subject, span in _exchanges(sources, n, exchanged).items():
            ratios.setdefault((subject, ""), []).append(span)
    title = "Figure 7: d = 4, alpha = 10 us, M/B = 1 MiB / 100 Gbps"
    draw = plot_over_n(
        *(
            Part(
                title=f"Figure 7: {name}",
                groups=groups,
                up="time [us]",
                logarithmic=True,
                joined=True,
            )
            for name, groups in (("allreduce", reduced), ("all-to-all, at most", exchanged))
        )
    )
    return ReproductionRecord(
        name="figure7", title=title, rows=tuple(_rows(ratios, sizes)), draw=draw
    )


def _rows(ratios: Spans, sizes: Sequence[int]) -> Iterator[ComparisonRow]:
    shown = f"mean of N = {', '.join(map(str, sizes))}" if len(sizes) < 6 else "mean"
    for subject, value in read_published()["figure7"].items():
        for whose in (PAPER, ALL, ""):
            if (subject, whose) in ratios:
                yield ComparisonRow(
                    subject=subject,
                    quantity=f"{shown}, {whose}" if whose else shown,
                    unit="%" if subject.endswith("%") else "times",
                    ours=_mean(ratios[subject, whose]),
                    published=value,
                    note=NOTES.get(subject, ""),
                )


def _mean(spans: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    least, most = (sum((span[end] for span in spans), Fraction()) for end in (0, 1))
    return least / len(spans), most / len(spans)


def _allreduces(
    sources: Sources, n: int, groups: Groups
) -> Iterator[tuple[tuple[str, str], Fraction]]:
    """How many times as long as the best each baseline takes for an allreduce of 1 MiB."""
    stored = sources.store.candidates(n=n, d=D, links="simplex", engine=ENGINE)
    best = {}
    for whose, rows in ((ALL, stored), (PAPER, sources.paper(n, D))):
        best[whose] = min(row.allreduce.runtime(ALPHA, MEGABYTE, BANDWIDTH) for row in rows)
        groups.setdefault(f"best of {whose}", []).append((n, float(10**6 * best[whose])))
    for label, name in RIVALS.items():
        baseline = baseline_named(name)
        bases = [base for base in baseline.wirings(n, D) if name[:5] != "torus" or _square(base)]
        if bases:
            spent = baseline.seconds(bases[0], ALPHA, MEGABYTE, BANDWIDTH)
            groups.setdefault(label, []).append((n, float(10**6 * spent)))
            for whose, least in best.items():
                yield (f"{label} allreduce ratio", whose), spent / least


def _square(base: Base) -> bool:
    return len(base.arguments) == 2 and len(set(base.arguments)) == 1


def _exchanges(sources: Sources, n: int, groups: Groups) -> dict[str, tuple[Fraction, Fraction]]:
    """Ratios of all-to-all times, as intervals: the times are known as intervals."""
    least = exchange_time(n, D, moore_rate(n, D))
    graphs = {
        "Pi": f"Pi({D},{n})",
        "shifted-ring": f"ShiftedRing({n})",
        "double-binary-tree": f"DoubleBinaryTree({n})",
    }
    for arguments in FAMILIES["C"].members(n, D):
        graphs["circulant"] = str(Base("C", arguments))
    times = {name: sources.exchange(recipe, n, D) for name, recipe in graphs.items()}
    for name, spent in (*times.items(), ("lower bound", (least, least))):
        groups.setdefault(name, []).append((n, float(spent[1])))
    found = {
        f"{one} over {other}": (times[other][0] / times[one][1], times[other][1] / times[one][0])
        for one in ("Pi", "circulant")
        if one in times
        for other in ("shifted-ring", "double-binary-tree")
    }
    low, high = times["Pi"]
    found["Pi above the bound, %"] = (100 * (low / least - 1), 100 * (high / least - 1))
    return found
