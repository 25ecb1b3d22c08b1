"""Figures 3 and 18: how near line graphs and generalized Kautz graphs come to T_B*."""

from collections.abc import Sequence
from fractions import Fraction

from db.rows import CandidateRow
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth, moore_steps
from expansions.parser import parse
from expansions.recipe import Line, Recipe
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.drawn import Groups, Part, plot_over_n
from topofinder.api.reproduce.sources import LATEST, Sources
from topofinder.api.shared.candidate_rows import ENGINE

BASES = ("K(4,4)", "K(5)", "DirC(4)", "H(2,3)")
EXPANSIONS = 5
DEGREES = (2, 4, 8, 16)


def figure3(sources: Sources) -> ReproductionRecord:
    """Figure 3: T_B/T_B* of repeated line graphs of Moore- and BW-optimal graphs of degree 4."""
    rows: list[ComparisonRow] = []
    groups: Groups = {}
    for base in sources.each(BASES):
        inner, theory = parse(base), sources.candidate(base).bandwidth
        for times in range(EXPANSIONS):
            recipe: Recipe = Line(inner, times) if times else inner
            row = sources.candidate(str(recipe))
            rows += _compare_expansions(row, theory, sources.key(row))
            ratio = row.bandwidth / least_bandwidth(row.n)
            groups.setdefault(base, []).append((row.n, float(ratio)))
            theory += Fraction(1, row.n)
    title = "Figure 3: line graph expansion, d = 4; published: theorem 7 and the Moore bound"
    draw = plot_over_n(
        Part(title="Figure 3: line graph expansion", groups=groups, up="T_B/T_B*", joined=True)
    )
    return ReproductionRecord(name="figure3", title=title, rows=tuple(rows), draw=draw)


def _compare_expansions(row: CandidateRow, theory: Fraction, key: str) -> Sequence[ComparisonRow]:
    steps = moore_steps(row.n, row.d)
    ratio, claimed = (value / least_bandwidth(row.n) for value in (row.bandwidth, theory))
    figures = (
        ("T_L", "alpha", Fraction(row.steps), Fraction(steps)),
        ("T_B/T_B*", "", ratio, claimed),
    )
    return [
        ComparisonRow(
            subject=f"{row.recipe} N={row.n}",
            quantity=name,
            unit=unit,
            ours=exactly(ours),
            published=int(value) if value.denominator == 1 else round(float(value), 6),
            key=key,
        )
        for name, unit, ours, value in figures
    ]


def figure18(sources: Sources) -> ReproductionRecord:
    """Figure 18: T_B/T_B* of generalized Kautz graphs up to N = 2000; at most 2 everywhere."""
    rows: list[ComparisonRow] = []
    groups: Groups = {}
    for d in DEGREES:
        costs = _kautz(sources, d)
        if not costs:
            continue
        ratios = {n: cost.bandwidth / least_bandwidth(n) for n, cost in costs.items()}
        groups[f"d = {d}"] = [(n, float(ratio)) for n, ratio in ratios.items()]
        worst = max(ratios, key=lambda n: ratios[n])
        late = max(cost.steps - moore_steps(n, d) for n, cost in costs.items())
        figures = (
            ("greatest T_B/T_B*", exactly(ratios[worst]), 2, f"at N = {worst}; printed: at most"),
            ("mean T_B/T_B*", exactly(sum(ratios.values(), Fraction()) / len(ratios)), None, ""),
            ("greatest T_L - T_L*", exactly(late), 1, "printed: at most (theorem 21)"),
        )
        for name, ours, value, note in figures:
            unit = "alpha" if "T_L" in name else ""
            rows.append(
                ComparisonRow(
                    subject=f"Pi({d},N), {len(costs)} sizes",
                    quantity=name,
                    unit=unit,
                    ours=ours,
                    published=value,
                    note=note,
                )
            )
    title = "Figure 18: T_B/T_B* of generalized Kautz graphs"
    draw = plot_over_n(Part(title=title, groups=groups, up="T_B/T_B*"))
    return ReproductionRecord(name="figure18", title=title, rows=tuple(rows), draw=draw)


def _kautz(sources: Sources, d: int) -> dict[int, Cost]:
    """The cost of Pi(d,n) at each size: stored, or worked out."""
    from expansions.build import build
    from topofinder.schedules.bfb.evaluation import evaluate

    sizes = [n for n in sources.sizes or range(2, LATEST + 1) if n > d]
    if not sizes:
        return {}
    stored = sources.store.candidates(
        n=(min(sizes), max(sizes)), d=d, links="simplex", method="bfb", engine=ENGINE
    )
    known = {row.recipe: row.allgather for row in stored}
    found = {}
    for n in sources.each(sizes):
        name = str(parse(f"Pi({d},{n})"))
        found[n] = known[name] if name in known else evaluate(build(parse(name))).cost
    return found
