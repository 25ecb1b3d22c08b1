"""Table 5 and figures 6, 12 and 13: collectives on 5 to 12 hosts, by the fitted cost model.

The figures were measured, and the text tells some means of them; they have no printed numbers. Ours
are what the schedules take with the alpha, epsilon and 1/B that were fitted on that testbed (figure
14). The rows of table 5 cannot be read in the copy at hand: what it says of all of them is looked
for, that they are bandwidth-optimal; of two-way graphs the quickest such are taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from db.rows import CandidateRow
from expansions.collective import Collective
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Base
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.fits import ALPHA, EPSILON, INVERSE_BANDWIDTH
from topofinder.api.reproduce.sources import Sources
from topofinder.api.shared.frontiers import search_size
from topofinder.model.candidate import LinkMode
from topofinder.schedules.baselines.register import baseline_named

DEGREE = 4
HOSTS = range(5, 13)
SIZES = {"1 KB": 10**3, "1 MB": 10**6, "1 GB": 10**9}
OURS = "ours"
BASELINES = {
    "ShiftedRing": ("shifted-ring", "ShiftedRing"),
    "ShiftedBFBRing": ("shifted-ring-bfb", "ShiftedRing"),
    "DBT": ("double-binary-tree", "DoubleBinaryTree"),
}
Costs = Mapping[str, tuple[Cost, ...]]
Claim = tuple[str, str, str, tuple[int, ...], float]
CLAIMS: tuple[Claim, ...] = (
    (OURS, "ShiftedRing", "1 KB", (12,), 0.75),
    (OURS, "DBT", "1 KB", (8, 10, 12), 0.20),
    ("ShiftedBFBRing", "ShiftedRing", "1 KB", (12,), 0.40),
    (OURS, "DBT", "1 GB", (8, 10, 12), 0.50),
    (OURS, "ShiftedRing", "1 GB", (8, 10, 12), 0),
    (OURS, "ShiftedRing", "1 MB", (12,), 0.50),
    (OURS, "DBT", "1 MB", (8, 10, 12), 0.45),
    ("ShiftedBFBRing", "ShiftedRing", "1 MB", (12,), 0.35),
)
"""What is quicker than what, at which size and hosts, by how much of the other's time."""
MEASURED = "measured, not compared"


def table5(sources: Sources) -> ReproductionRecord:
    """Table 5: the best two-way topologies of degree 4, which are all bandwidth-optimal."""
    rows: list[ComparisonRow] = []
    for n in sources.each(HOSTS):
        own, subject = best_topology(n), f"N={n} {best_topology(n).recipe}"
        optimal = "yes" if own.bandwidth == least_bandwidth(n) else "no"
        rows += [
            ComparisonRow(subject=subject, quantity="T_L", unit="alpha", ours=exactly(own.steps),
                          published=None),
            ComparisonRow(subject=subject, quantity="bandwidth-optimal", unit="", ours=optimal,
                          published="yes"),
        ]  # fmt: skip
    title = "Table 5: the best topologies, d = 4; printed names cannot be read in the copy at hand"
    return ReproductionRecord(name="table5", title=title, rows=tuple(rows))


def figure6(sources: Sources) -> ReproductionRecord:
    """Figure 6: allreduces of 1 KB, 1 MB and 1 GB on 5 to 12 hosts."""
    rows = _grid(sources, {Collective.ALLREDUCE: (OURS, *BASELINES)})
    title = "Figure 6: allreduce on the testbed, by its fitted alpha, epsilon and 1/B"
    return ReproductionRecord(name="figure6", title=title, rows=(*_claims(), *rows))


def figure12(sources: Sources) -> ReproductionRecord:
    """Figure 12: reduce-scatters and allgathers of the same; trees have none."""
    kinds = (OURS, "ShiftedRing", "ShiftedBFBRing")
    rows = _grid(sources, {Collective.REDUCE_SCATTER: kinds, Collective.ALLGATHER: kinds})
    title = "Figure 12: reduce-scatter and allgather on the testbed, by the fitted cost model"
    return ReproductionRecord(name="figure12", title=title, rows=tuple(rows))


def figure13(sources: Sources) -> ReproductionRecord:
    """Figure 13: allreduces on 8 hosts of degree 3 over that of recursive halving and doubling."""
    d, n = 3, 8
    halving = Cost(2 * d, 2 * d * least_bandwidth(n))  # one link of three at every step
    printed = {"Q(3)": (None, 0.40), "TwistedQ(3)": (0.80, 0.40)}
    rows: list[ComparisonRow] = []
    for recipe in sources.each(tuple(printed)):
        own = sources.candidate(recipe)
        cost = own.allgather + own.reduce_scatter
        for place, name in enumerate(("1 KB", "1 GB")):
            share = _model(cost, SIZES[name]) / _model(halving, SIZES[name])
            note = f"{MEASURED}; T_L {cost.steps} of {halving.steps} alpha, T_B 1/{d}"
            rows.append(_row(recipe, f"BFB over RH&D, {name}", share, printed[recipe][place], note))
    title = (
        "Figure 13: BFB against recursive halving and doubling, N = 8, d = 3, by the fitted model"
    )
    return ReproductionRecord(name="figure13", title=title, rows=tuple(rows))


def best_topology(n: int) -> CandidateRow:
    """The bandwidth-optimal two-way candidate with the fewest steps.

    >>> best_topology(8).bandwidth
    Fraction(7, 8)
    """
    members = search_size(n, DEGREE, LinkMode.DUPLEX, None).frontier.members
    return next(row for row in members if row.bandwidth == least_bandwidth(n))


def _costs(n: int, collective: Collective, kinds: Sequence[str]) -> Costs:
    own = best_topology(n)
    known = {
        Collective.ALLREDUCE: own.allreduce,
        Collective.ALLGATHER: own.allgather,
        Collective.REDUCE_SCATTER: own.reduce_scatter,
    }
    found: dict[str, tuple[Cost, ...]] = {OURS: (known[collective],)}
    for kind in kinds:
        if kind != OURS:
            name, family = BASELINES[kind]
            found[kind] = baseline_named(name).costs(Base(family, (n,)), collective)
    return found


def _grid(sources: Sources, kinds: Mapping[Collective, Sequence[str]]) -> Iterator[ComparisonRow]:
    for n in sources.each(HOSTS):
        for collective, names in kinds.items():
            costs = _costs(n, collective, names)
            for size, count in SIZES.items():
                for kind in names:
                    spent = 10**6 * _seconds(costs[kind], count)
                    quantity = f"{collective} of {size}, {kind}"
                    yield _row(f"N={n}", quantity, spent, None, "", unit="us")


def _claims() -> Iterator[ComparisonRow]:
    for kind, other, size, hosts, printed in CLAIMS:
        saved = []
        for n in hosts:
            costs = _costs(n, Collective.ALLREDUCE, (kind, other))
            saved.append(
                1 - _seconds(costs[kind], SIZES[size]) / _seconds(costs[other], SIZES[size])
            )
        subject = f"N={', '.join(map(str, hosts))}"
        quantity = f"allreduce of {size}: {kind} saves against {other}"
        yield _row(subject, quantity, sum(saved, Fraction()) / len(saved), printed, MEASURED)


def _model(cost: Cost, size: int) -> Fraction:
    return EPSILON + cost.runtime(ALPHA, Fraction(size), 1 / INVERSE_BANDWIDTH)


def _seconds(costs: Sequence[Cost], size: int) -> Fraction:
    return min(_model(cost, size) for cost in costs)


def _row(
    subject: str, quantity: str, ours: Fraction, published: float | None, note: str, unit: str = ""
) -> ComparisonRow:
    return ComparisonRow(
        subject=subject,
        quantity=quantity,
        unit=unit,
        ours=exactly(ours),
        published=published,
        note=note,
        compared=False,
    )
