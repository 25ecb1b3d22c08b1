"""What collectives cost on the wirings that a training is rated on: frontier, baselines, bound."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from db.rows import CandidateRow
from db.store import Store
from expansions.collective import Collective
from expansions.recipe import Base
from generators.errors import Unsupported
from reports.training import BASELINE, BOUND, CANDIDATE
from topofinder.alltoall.solver.bounds import moore_rate
from topofinder.api.shared.stored_throughputs import stored_rates
from topofinder.api.throughput_rates import Rates
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.schedules.baselines.register import Baseline, Costs, baselines_at
from topofinder.simulation.training.job import FabricCosts


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedFabric:
    """The costs of a wiring, and what it is; `schedule` is the name of a baseline."""

    kind: str
    costs: FabricCosts
    schedule: str = ""


class RateEnds:
    """Both ends of the throughputs of recipes; what the store holds is taken, however wide.

    What is not stored is worked out to a relative `gap`, or for `time` seconds each and `total`
    together, and stored.
    """

    def __init__(self, store: Store | None, gap: Fraction, time: float, total: float) -> None:
        self._store = store
        self._rates = Rates(store, gap, time, total)

    def __getitem__(self, recipe: str) -> tuple[Fraction, Fraction] | None:
        stored = {} if self._store is None else stored_rates(self._store, [recipe])
        row = stored.get(recipe) or self._rates[recipe]
        return (row.lower, row.upper) if row.lower else None


def member_fabrics(
    members: Iterable[CandidateRow], alpha: Fraction, bandwidth: Fraction, ends: RateEnds | None
) -> Iterator[RatedFabric]:
    """The frontier's members, each with its own schedules; throughputs where `ends` are given."""
    for row in members:
        costs = FabricCosts(
            name=row.recipe,
            n=row.n,
            d=row.d,
            alpha=alpha,
            bandwidth=bandwidth,
            allreduce=(row.allreduce,),
            allgather=(row.allgather,),
            reduce_scatter=(row.reduce_scatter,),
            rate=None if ends is None else ends[row.recipe],
        )
        yield RatedFabric(kind=CANDIDATE, costs=costs)


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
            rate=None if ends is None else ends[str(base)],
        )
        yield RatedFabric(kind=BASELINE, costs=costs, schedule=baseline.name)


def bound_fabric(
    n: int, d: int, links: LinkMode, alpha: Fraction, bandwidth: Fraction
) -> RatedFabric:
    """A wiring that is optimal in all: T_L*, T_B*, and the throughput of a Moore graph.

    There need be none; no reduce-scatter and allgather on n hosts with d ports take less.
    """
    once = cost_lower_bound(n, d, links)
    rate = moore_rate(n, d, two_way=links is LinkMode.DUPLEX)
    costs = FabricCosts(
        name="ideal bound",
        n=n,
        d=d,
        alpha=alpha,
        bandwidth=bandwidth,
        allreduce=(once + once,),
        allgather=(once,),
        reduce_scatter=(once,),
        rate=(rate, rate),
    )
    return RatedFabric(kind=BOUND, costs=costs)


def _baseline_costs(baseline: Baseline, base: Base, collective: Collective) -> Costs:
    try:
        return baseline.costs(base, collective)
    except Unsupported:
        return ()
