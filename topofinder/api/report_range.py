"""What a report of many sizes needs: the quickest candidates, and families beside T_B*."""

import logging
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf
from os import PathLike

from db.rows import CandidateRow, SizeRow
from db.store import Store
from expansions.collective import Collective
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from expansions.register import EXPANSIONS, expansions_by_letter, split_family
from generators.errors import InvalidInput, Unsupported
from reports.allreduce_limits import AllreduceLimitRecord
from reports.baselines import BaselineRow
from reports.range_report import (
    CustomaryTime,
    Degreewise,
    LimitedWinner,
    RangeReport,
    Ratio,
    Winner,
)
from reports.size_report import WorkloadSummary
from topofinder.api.report_size import asked_of, least_cost
from topofinder.api.shared.allreduce_bounds import recipe_record
from topofinder.api.shared.baseline_rows import baseline_rows
from topofinder.api.shared.frontiers import can_connect
from topofinder.api.shared.stored_ranges import candidates_at
from topofinder.api.sweep import Progress
from topofinder.api.sweep import fill_sizes as fill
from topofinder.finder.parallel import Size
from topofinder.interrupts import end_early
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.model.workload import Workload

LOGGER = logging.getLogger("topofinder.api")

LARGE = 100
"""Without a workload, the usual one and one of so many times its size are told, as in figure 15."""

CUT_NODES = 8192
"""Cuts are looked for in the winners of a degree, the smallest first, of so many nodes together."""

KINDS = {
    "Pi": "generalized Kautz",
    "Kautz": "Kautz",
    "C": "circulant",
    "BiRing": "ring",
    "UniRing": "ring",
    "DirC": "directed circulant",
    "DistReg": "distance-regular",
    "H": "Hamming",
    "Q": "hypercube",
    "TwistedTorus": "torus",
    "TwistedTorus3": "torus",
    "Cay": "Cayley",
    "Coset": "Cayley",
    "CyclePrefix": "Cayley",
    "DBJ": "de Bruijn",
    "DBJMod": "de Bruijn",
    "Small": "small",
    "Torus": "torus",
    "K": "complete",
}
"""What a base graph counts as; the others count under their own names."""


def range_report(
    hosts: Sequence[int],
    ports: Sequence[int],
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] = ":memory:",
    workload: Workload | None = None,
    *,
    progress: Progress = lambda done, total: None,
    time: float = inf,
) -> RangeReport:
    """The report of many sizes; frontiers that are not stored are searched for and stored.

    `progress` is called with the sizes that are finished and all there are. After `time` seconds
    of searching, or Ctrl-C, it is of those that are finished by then. Raises InvalidInput for
    impossible sizes and files that are no topofinder database, Unsupported where none is finished.
    """
    mode = LinkMode(links)
    if str(db) == ":memory:":
        raise InvalidInput("db: a report of a range needs a database file")
    unsaved: list[SizeRow] = []
    sizes = [(n, d) for n in hosts for d in ports]
    with end_early():
        fill(sizes, mode, db, progress=progress, unsaved=unsaved.append, seconds=time)
        finished = _finished_hosts(sizes, mode, db, unsaved)
    given = asked_of(workload)
    asked = (given,) if workload is not None else (given, _larger(given))
    with Store(db) as store:
        parts = [
            _degreewise(d, mode, candidates_at(store, some, d, mode, unsaved), asked)
            for d, some in finished.items()
        ]
    every = sorted(frozenset().union(*finished.values()))
    return RangeReport(hosts=tuple(every), links=mode.value, asked=asked, parts=tuple(parts))


def _finished_hosts(
    sizes: Sequence[Size], links: LinkMode, db: str | PathLike[str], unsaved: Iterable[SizeRow]
) -> dict[int, frozenset[int]]:
    """The hosts of the sizes that are stored, or were found and not stored, by their ports."""
    done = {(size.frontier.n, size.frontier.d) for size in unsaved}
    with Store(db) as store:
        done |= store.finished_sizes(links.value)
    possible = [size for size in sizes if can_connect(*size, links)]
    kept = [size for size in possible if size in done]
    if not kept:
        raise Unsupported("report: no size was finished in the time")
    if len(kept) < len(possible):
        LOGGER.warning("the report is of the %d of %d sizes in time", len(kept), len(possible))
    ports = dict.fromkeys(d for _, d in kept)
    return {d: frozenset(n for n, other in kept if other == d) for d in ports}


@lru_cache(maxsize=1 << 12)
def kind_of(family: str) -> str:
    """What a family counts as (expansions.recipe.family): its operators, else its base graph.

    L, D, P, C and Bi stand for line graph, degree expansion, Cartesian power, Cartesian product
    and two-way version, as in figure 15.

    >>> kind_of("L^Diamond"), kind_of("C"), kind_of("BiLK"), kind_of("CyclePrefixxUniRing")
    ('LP', 'circulant', 'LBi', 'C')
    """
    used = EXPANSIONS.keys() & split_family(family)
    if not used:
        return KINDS.get(family, family)
    return "".join(one.letter for one in expansions_by_letter() if one.symbol in used)


def _larger(asked: WorkloadSummary) -> WorkloadSummary:
    return WorkloadSummary(
        collective=asked.collective,
        alpha=asked.alpha,
        bandwidth=asked.bandwidth,
        sizes=tuple((LARGE * size, count) for size, count in asked.sizes),
        assumed=True,
    )


def _degreewise(
    d: int, links: LinkMode, rows: Iterable[CandidateRow], asked: Sequence[WorkloadSummary]
) -> Degreewise:
    """The winners of one degree for each workload, and the ratios of families."""
    by_size: dict[int, list[CandidateRow]] = {}
    for row in rows:
        by_size.setdefault(row.n, []).append(row)
    winners = tuple(
        tuple(_winner(n, d, links, some, one) for n, some in by_size.items()) for one in asked
    )
    customary = tuple(
        tuple(each for one in found for each in _customary_times(one, work))
        for found, work in zip(winners, asked, strict=True)
    )
    return Degreewise(
        d=d,
        winners=winners,
        ratios=tuple(_ratios(by_size)),
        customary=customary,
        limited=tuple(_limited_winners(winners)),
    )


def _limited_winners(winners: Iterable[Iterable[Winner]]) -> Iterable[LimitedWinner]:
    """What no allreduce beats on each winner; without cuts where `CUT_NODES` are used up."""
    rows = {(one.row.n, one.row.recipe): one.row for found in winners for one in found}
    nodes = 0
    for (n, recipe), row in sorted(rows.items()):
        nodes += n
        limits = _limits(recipe, n if nodes <= CUT_NODES else 0)
        if limits is not None:
            yield LimitedWinner(row=row, limits=limits)


def _limits(recipe: str, most_cut_nodes: int) -> AllreduceLimitRecord | None:
    """None of what a newer version stored and this one cannot read."""
    try:
        return recipe_record(parse(recipe), most_cut_nodes=most_cut_nodes)
    except InvalidInput:
        return None


def _customary_times(winner: Winner, asked: WorkloadSummary) -> Iterable[CustomaryTime]:
    """The quickest wiring of each baseline at the winner's size."""
    workload = Workload(
        alpha=asked.alpha,
        bandwidth=asked.bandwidth,
        sizes=asked.sizes,
        collective=Collective(asked.collective),
    )
    first: dict[str, BaselineRow] = {}
    for row in baseline_rows(winner.row.n, winner.row.d, workload):  # the quickest first
        first.setdefault(row.name, row)
    for name, row in sorted(first.items()):
        if row.seconds is not None and winner.seconds:
            yield CustomaryTime(
                n=winner.row.n,
                name=name,
                recipe=row.recipe,
                seconds=row.seconds,
                quickest=winner.seconds,
            )


def _winner(
    n: int, d: int, links: LinkMode, rows: Sequence[CandidateRow], asked: WorkloadSummary
) -> Winner:
    row = min(rows, key=lambda row: (asked.seconds(asked.cost(row)), row.recipe, row.method))
    least = least_cost(cost_lower_bound(n, d, links), asked.collective)
    return Winner(
        row=row,
        kind=kind_of(row.family or row.recipe),
        seconds=asked.seconds(asked.cost(row)),
        least=asked.seconds(least),
    )


def _ratios(by_size: dict[int, list[CandidateRow]]) -> Iterable[Ratio]:
    """The least T_B/T_B* of each family at each size; the first row among equals."""
    for n, rows in by_size.items():
        best: dict[str, tuple[Fraction, CandidateRow]] = {}
        for row in rows:
            least = least_bandwidth(n, row.d, two_way=row.links == LinkMode.DUPLEX.value)
            kind, ratio = kind_of(row.family or row.recipe), row.bandwidth / least
            if kind not in best or ratio < best[kind][0]:
                best[kind] = ratio, row
        for kind, (ratio, row) in sorted(best.items(), key=lambda item: item[0]):
            yield Ratio(row=row, kind=kind, ratio=ratio)
