"""Figure 7: allreduce and all-to-all at large N beside rings, trees and tori."""

from collections.abc import Sequence
from fractions import Fraction

from expansions.recipe import Base
from reports.reproduced import Compared, Reproduced
from topofinder.baselines import baseline_named
from topofinder.candidate import Links
from topofinder.finder.sweep import sweep
from topofinder.reproduce.drawn import Groups, plotted
from topofinder.reproduce.sources import (
    ALPHA,
    BANDWIDTH,
    MEGABYTE,
    Sources,
    exchange_time,
    moore_rate,
    published,
)
from topofinder.storage import ENGINE

D = 4
SAMPLE = (900, 961, 1000)
"""Sizes that are looked at if none are asked for: 900 and 961 have a square torus."""
RIVALS = (
    ("shifted-ring", "shifted-ring"),
    ("double-binary-tree", "double-binary-tree"),
    ("2D torus", "torus-by-dimension"),
)

NOTES = {
    "double-binary-tree allreduce ratio": "the paper's own table 4 has 1434 / 291.0 = 4.9",
    "2D torus allreduce ratio": "only at square N",
}


def figure7(sources: Sources) -> Reproduced:
    """Figure 7: the best allreduce and all-to-all beside baselines, N = 900 to 1000, d = 4."""
    sizes = sources.sizes or SAMPLE
    ratios: dict[str, list[tuple[Fraction, Fraction]]] = {}
    groups: Groups = {}
    sources.tell(0, len(sizes))
    sweep([(n, 4) for n in sizes], Links.SIMPLEX, sources.store.path)
    for done, n in enumerate(sizes, 1):
        for name, value in _allreduces(sources, n, groups).items():
            ratios.setdefault(name, []).append((value, value))
        for name, span in _exchanges(sources, n).items():
            ratios.setdefault(name, []).append(span)
        sources.tell(done, len(sizes))
    shown = f"mean of N = {', '.join(map(str, sizes))}" if len(sizes) < 6 else "mean"
    rows = [
        Compared(
            subject=name,
            quantity=shown,
            unit="%" if name.endswith("%") else "times",
            ours=_mean(ratios[name]),
            published=value,
            note=NOTES.get(name, ""),
        )
        for name, value in published()["figure7"].items()
        if name in ratios
    ]
    title = "Figure 7: d = 4, alpha = 10 us, M/B = 1 MiB / 100 Gbps"
    draw = plotted("Figure 7: allreduce", groups, "time [us]", logarithmic=True)
    return Reproduced(name="figure7", title=title, rows=tuple(rows), draw=draw)


def _mean(spans: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    least, most = (sum((span[end] for span in spans), Fraction()) for end in (0, 1))
    return least / len(spans), most / len(spans)


def _allreduces(sources: Sources, n: int, groups: Groups) -> dict[str, Fraction]:
    """How many times as long as ours each baseline takes for an allreduce of 1 MiB."""
    rows = sources.store.candidates(n=n, d=4, links="simplex", engine=ENGINE)
    ours = min(row.allreduce.runtime(ALPHA, MEGABYTE, BANDWIDTH) for row in rows)
    groups.setdefault("best", []).append((n, float(10**6 * ours)))
    found = {}
    for label, name in (
        ("shifted-ring", "shifted-ring"),
        ("double-binary-tree", "double-binary-tree"),
        ("2D torus", "torus-by-dimension"),
    ):
        baseline = baseline_named(name)
        bases = [base for base in baseline.wirings(n, 4) if name[:5] != "torus" or _square(base)]
        if bases:
            spent = baseline.seconds(bases[0], ALPHA, MEGABYTE, BANDWIDTH)
            groups.setdefault(label, []).append((n, float(10**6 * spent)))
            found[f"{label} allreduce ratio"] = spent / ours
    return found


def _square(base: Base) -> bool:
    return len(base.arguments) == 2 and len(set(base.arguments)) == 1


def _exchanges(sources: Sources, n: int) -> dict[str, tuple[Fraction, Fraction]]:
    """Ratios of all-to-all times, as intervals: the times are known as intervals."""
    least = exchange_time(n, 4, moore_rate(n, 4))
    graphs = {
        "Pi": f"Pi({D},{n})",
        "shifted-ring": f"ShiftedRing({n})",
        "double-binary-tree": f"DoubleBinaryTree({n})",
    }
    rows = sources.store.candidates(n=n, d=D, links="simplex", engine=ENGINE)
    circulants = [row.recipe for row in rows if row.family == "C"]
    graphs |= {"circulant": circulants[0]} if circulants else {}
    times = {name: sources.exchange(recipe, n, 4) for name, recipe in graphs.items()}
    found = {
        f"{one} over {other}": (times[other][0] / times[one][1], times[other][1] / times[one][0])
        for one in ("Pi", "circulant")
        if one in times
        for other in ("shifted-ring", "double-binary-tree")
    }
    low, high = times["Pi"]
    found["Pi above the bound, %"] = (100 * (low / least - 1), 100 * (high / least - 1))
    return found
