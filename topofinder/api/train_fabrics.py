"""What collectives cost on the wirings that a training is rated on: frontier, baselines, bound."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from db.rows import CandidateRow
from db.store import Store
from db.training_rows import BASELINE, BOUND, CANDIDATE
from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from expansions.recipe import Base
from generators.errors import Unsupported
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.demand.patterns import pattern_matrix
from topofinder.alltoall.solver.bounds import moore_demand_rate, moore_rate
from topofinder.api.throughput_rates import Rates
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.schedules.baselines.register import Baseline, Costs, baselines_at
from topofinder.simulation.training.experts import UNIFORM, ExchangeDemand, HostAmounts
from topofinder.simulation.training.job import FabricCosts
from topofinder.simulation.training.pruning import Prospect


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedFabric:
    """The costs of a wiring, and what it is: the id of a candidate, or a baseline's `schedule`."""

    kind: str
    costs: FabricCosts
    schedule: str = ""
    candidate: str | None = None


class RateEnds:
    """Both ends of the throughputs of recipes; what the store holds is taken, however wide.

    What is not stored is worked out to a relative `gap`, or for `time` seconds each and `total`
    together, and stored. They are those of each of `demands`, by its label.
    """

    def __init__(
        self,
        store: Store | None,
        gap: Fraction,
        time: float,
        total: float,
        demands: Sequence[ExchangeDemand],
    ) -> None:
        each = total / max(len(demands), 1)
        self._demands = demands
        self._rates = {
            one.label: Rates(store, gap, time, each, demand=demand_of(one.amounts))
            if one.amounts is not None
            else Rates(store, gap, time, each, pattern=one.label)
            for one in demands
        }

    def __getitem__(self, recipe: str) -> dict[str, tuple[Fraction, Fraction]]:
        found: dict[str, tuple[Fraction, Fraction]] = {}
        for one in self._demands:
            if one.reverses in found and build(parse(recipe)).is_bidirectional:
                found[one.label] = found[one.reverses]
                continue
            row = self._rates[one.label].stored_interval(recipe) or self._rates[one.label][recipe]
            if row.lower:
                found[one.label] = row.lower, row.upper
        return found

    def work_out(self, recipes: Iterable[str]) -> None:
        """Work out the throughputs of some recipes side by side, by the backend of joblib's."""
        listed = list(recipes)
        for rates in self._rates.values():
            rates.work_out(recipe for recipe in listed if rates.stored_interval(recipe) is None)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search for one."""
        return any(rates.interrupted for rates in self._rates.values())

    def bounds(self, recipe: str) -> dict[str, tuple[Fraction, Fraction]]:
        """What throughputs cannot exceed: the ends of stored intervals, or the bounds by hops."""
        found = {label: rates.bound(recipe) for label, rates in self._rates.items()}
        return {label: (most, most) for label, most in found.items()}


def demand_of(amounts: HostAmounts) -> Demand:
    """What hosts send each other, without what stays, for the throughput engine."""
    place = amounts.place.copy()
    np.fill_diagonal(place, 0)
    return Demand.of_values([Fraction(value) for value in amounts.values], place)


def member_fabrics(
    members: Iterable[CandidateRow], alpha: Fraction, bandwidth: Fraction, ends: RateEnds | None
) -> Iterator[RatedFabric]:
    """The frontier's members, each with its own schedules; throughputs where `ends` are given."""
    for row in members:
        rates = {} if ends is None else ends[row.recipe]
        costs = replace(candidate_costs(row, alpha, bandwidth), rates=rates)
        yield RatedFabric(kind=CANDIDATE, costs=costs, candidate=row.id)


def candidate_costs(row: CandidateRow, alpha: Fraction, bandwidth: Fraction) -> FabricCosts:
    """What collectives cost on a candidate by its own schedules, without a throughput."""
    return FabricCosts(
        name=row.recipe,
        n=row.n,
        d=row.d,
        alpha=alpha,
        bandwidth=bandwidth,
        allreduce=(row.allreduce,),
        allgather=(row.allgather,),
        reduce_scatter=(row.reduce_scatter,),
    )


def candidate_prospects(
    rows: Iterable[CandidateRow],
    alpha: Fraction,
    bandwidth: Fraction,
    ends: RateEnds | None,
    bound: FabricCosts,
) -> Iterator[Prospect[CandidateRow]]:
    """Candidates that are rated where they may win: by the ideal throughput, by hops, by their own.

    `bound` has throughputs that no wiring of the size exceeds. Nothing depends on them without
    `ends`.
    """
    for row in rows:
        plain = candidate_costs(row, alpha, bandwidth)
        limits = [partial(replace, plain, rates=bound.rates)]
        if ends is not None:
            limits.append(partial(_costs_by_hops, plain, ends))
        own = partial(_costs_by_ends, plain, ends)
        yield Prospect(of=row, limits=limits, costs=own)


def _costs_by_hops(plain: FabricCosts, ends: RateEnds) -> FabricCosts:
    return replace(plain, rates=ends.bounds(plain.name))


def _costs_by_ends(plain: FabricCosts, ends: RateEnds | None) -> FabricCosts:
    return replace(plain, rates={} if ends is None else ends[plain.name])


def baseline_fabrics(
    n: int, d: int, alpha: Fraction, bandwidth: Fraction, ends: RateEnds | None
) -> Iterator[RatedFabric]:
    """Every baseline on every wiring of that size; without an own schedule of a collective none."""
    for baseline, base in baselines_at(n, d):
        allreduce = _baseline_costs(baseline, base, Collective.ALLREDUCE)
        if not allreduce:
            continue
        costs = FabricCosts(
            name=str(base),
            n=n,
            d=d,
            alpha=alpha,
            bandwidth=bandwidth,
            allreduce=allreduce,
            allgather=_baseline_costs(baseline, base, Collective.ALLGATHER),
            reduce_scatter=_baseline_costs(baseline, base, Collective.REDUCE_SCATTER),
            rates={} if ends is None else ends[str(base)],
        )
        yield RatedFabric(kind=BASELINE, costs=costs, schedule=baseline.name)


def bound_fabric(
    n: int,
    d: int,
    links: LinkMode,
    alpha: Fraction,
    bandwidth: Fraction,
    demands: Iterable[ExchangeDemand] = (),
) -> RatedFabric:
    """A wiring that is optimal in all: T_L*, T_B*, and the throughput of a Moore graph.

    That is for each of `demands`. There need be no such wiring; no reduce-scatter and allgather on
    n hosts with d ports take less.
    """
    once = cost_lower_bound(n, d, links)
    rates = {one.label: _moore_limit(one, n, d, links is LinkMode.DUPLEX) for one in demands}
    costs = FabricCosts(
        name="ideal bound",
        n=n,
        d=d,
        alpha=alpha,
        bandwidth=bandwidth,
        allreduce=(once + once,),
        allgather=(once,),
        reduce_scatter=(once,),
        rates={label: (rate, rate) for label, rate in rates.items()},
    )
    return RatedFabric(kind=BOUND, costs=costs)


def _moore_limit(one: ExchangeDemand, n: int, d: int, two_way: bool) -> Fraction:
    if one.label == UNIFORM:
        return moore_rate(n, d, two_way=two_way)
    if one.amounts is not None:
        return moore_demand_rate(demand_of(one.amounts), d, two_way=two_way)
    return moore_demand_rate(Demand.of(pattern_matrix(one.label, n)), d, two_way=two_way)


def _baseline_costs(baseline: Baseline, base: Base, collective: Collective) -> Costs:
    try:
        return baseline.costs(base, collective)
    except Unsupported:
        return ()
