"""Figure 9: simulated expert-parallel training of Switch Transformers (section 8.4, appendix A.4).

The paper's compute times are not printed. Ours are operations at a flat rate, assumed as 60 TFLOPS
with activations and gradients of 2 bytes; what other rates change is told beside. Nothing else is
assumed: of the topologies of table 7 the one with the least iteration time is taken, as there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from expansions.collective import Collective
from expansions.parser import parse
from expansions.recipe import Base
from reports.reproduced import ComparisonRow, Interval, ReproductionRecord
from topofinder.api.reproduce.sources import ALPHA, BANDWIDTH, Sources, read_published
from topofinder.api.train_fabrics import bound_fabric
from topofinder.model.candidate import LinkMode
from topofinder.schedules.baselines.register import baseline_named
from topofinder.simulation.training.accelerators import ACCELERATORS
from topofinder.simulation.training.experts import UNIFORM, exchange_demands
from topofinder.simulation.training.job import FabricCosts, TrainingJob, TrainingTimes, rate_job
from topofinder.simulation.training.models import model_named
from topofinder.simulation.training.roofline import ComputeRates

RATE, OTHER_RATES = 60, (30, 120)
"""TFLOPS that are assumed, and others, which show what follows from it."""
DEGREE = 4
EVEN = exchange_demands(experts=1, n=1, skew=None)
OURS, TORUS, RING, BOUND = "ours", "2D torus", "ShiftedRing", "bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchCase:
    """A model on so many nodes; of each ratio, share or bound what is printed."""

    model: str
    n: int
    side: int
    ratios: tuple[tuple[str, float, float], ...]
    shares: tuple[tuple[str, float], ...] = ()


CASES = (
    SwitchCase(model="switch-base", n=256, side=16, ratios=((RING, 8, 4), (TORUS, 2, 1.5))),
    SwitchCase(
        model="switch-1.6t",
        n=1024,
        side=32,
        ratios=((RING, 27, 9), (TORUS, 3.3, 1.7)),
        shares=((RING, 0.91), (TORUS, 0.58), (OURS, 0.30)),
    ),
)
NOTES = {
    "L^3(C(16,{3,4}))": "; printed follows from f = 8.12e-4 of table 7, which it cannot reach",
}
Times = dict[str, TrainingTimes]


def figure9(sources: Sources) -> ReproductionRecord:
    """Figure 9: iteration times of Switch Transformers, and where they go."""
    from reports.plots.training import TrainingBar, training_bars

    rows: list[ComparisonRow] = []
    bars: list[TrainingBar] = []
    for case in sources.each(CASES):
        fabrics = switch_fabrics(sources, case)
        times = _case_times(case, fabrics, RATE)
        rows += _printed_rows(case, times)
        for rate in OTHER_RATES:
            rows += _sensitivity_rows(case, _case_times(case, fabrics, rate), rate)
        for name in (OURS, TORUS, RING, BOUND):
            own = times[name]
            parts = float(own.compute), float(own.exposed[1]), float(own.exchange[1])
            bars.append(TrainingBar(f"{case.model}, N = {case.n}", name, parts))
    title = "Figure 9: simulated training of Switch Transformers"
    return ReproductionRecord(
        name="figure9",
        title=f"{title}, computed at {RATE} TFLOPS with 2 bytes a number, which is assumed",
        rows=tuple(rows),
        draw=partial(training_bars, title, bars),
    )


def switch_fabrics(
    sources: Sources, case: SwitchCase, names: Sequence[str] = (OURS, TORUS, RING, BOUND)
) -> dict[str, list[FabricCosts]]:
    """What is compared, each name with the wirings of which the quickest counts."""
    torus, ring = Base("Torus", (case.side, case.side)), Base("ShiftedRing", (case.n,))
    listed: dict[str, Callable[[], list[FabricCosts]]] = {
        OURS: lambda: [
            _candidate_costs(sources, row[0]) for row in read_published()["table7"][str(case.n)]
        ],
        TORUS: lambda: [_baseline_costs(sources, "torus-by-dimension", torus, case.n)],
        RING: lambda: [_baseline_costs(sources, "shifted-ring", ring, case.n)],
        BOUND: lambda: [
            bound_fabric(case.n, DEGREE, LinkMode.SIMPLEX, ALPHA, BANDWIDTH, EVEN).costs
        ],
    }
    return {name: listed[name]() for name in names}


def _candidate_costs(sources: Sources, recipe: str) -> FabricCosts:
    row = sources.candidate(recipe)
    return FabricCosts(
        name=str(parse(recipe)),
        n=row.n,
        d=row.d,
        alpha=ALPHA,
        bandwidth=BANDWIDTH,
        allreduce=(row.allreduce,),
        rates={UNIFORM: sources.rate(recipe)},
    )


def _baseline_costs(sources: Sources, name: str, base: Base, n: int) -> FabricCosts:
    return FabricCosts(
        name=str(base),
        n=n,
        d=DEGREE,
        alpha=ALPHA,
        bandwidth=BANDWIDTH,
        allreduce=baseline_named(name).costs(base, Collective.ALLREDUCE),
        rates={UNIFORM: sources.rate(str(base))},
    )


def switch_job(case: SwitchCase, rate: int) -> TrainingJob:
    """The training of a case at so many TFLOPS."""
    model = model_named(case.model)
    flat = Fraction(rate * 10**12)
    return TrainingJob(
        model=model,
        n=case.n,
        units=Fraction(model.global_batch or 0, case.n),
        rates=ComputeRates(accelerator=ACCELERATORS["a100"], flat=flat),
        splits=True,
    )


def _case_times(case: SwitchCase, fabrics: dict[str, list[FabricCosts]], rate: int) -> Times:
    job = switch_job(case, rate)
    return {
        name: min((rate_job(job, costs) for costs in listed), key=lambda each: each.seconds[1])
        for name, listed in fabrics.items()
    }


def _printed_rows(case: SwitchCase, times: Times) -> list[ComparisonRow]:
    ours = times[OURS]
    rows = []
    for name, exchange, seconds in case.ratios:
        other = times[name]
        against = f"x ours, {ours.fabric}"
        why = f"{against}{NOTES.get(ours.fabric, '')}"
        rows += [
            _row(case, f"all-to-all of {name}", _ratio(other.exchange, ours.exchange), exchange,
                 why),
            _row(case, f"iteration of {name}", _ratio(other.seconds, ours.seconds), seconds,
                 against),
        ]  # fmt: skip
    rows += [
        _row(case, f"share of all-to-all, {name}", _share(times[name]), printed)
        for name, printed in case.shares
    ]
    over = _ratio(ours.seconds, times[BOUND].seconds)
    return [*rows, _row(case, "iteration of ours over bound", over, 1.05, "printed: within 5 %")]


def _sensitivity_rows(case: SwitchCase, times: Times, rate: int) -> Sequence[ComparisonRow]:
    """The ratios at another rate, beside nothing that is printed."""
    note = f"at {rate} TFLOPS, for comparison"
    return [
        _row(case, f"iteration of {name}", _ratio(times[name].seconds, times[OURS].seconds), None,
             note)
        for name, _, _ in case.ratios
    ]  # fmt: skip


def _row(
    case: SwitchCase, quantity: str, ours: Interval, published: float | None, note: str = ""
) -> ComparisonRow:
    return ComparisonRow(
        subject=f"{case.model} N={case.n}",
        quantity=quantity,
        unit="",
        ours=ours,
        published=published,
        note=note,
    )


def _ratio(above: Interval, below: Interval) -> Interval:
    return above[0] / below[1], above[1] / below[0]


def _share(times: TrainingTimes) -> Interval:
    """What part of the iteration all-to-alls are."""
    most = min(times.exchange[1] / times.seconds[0], Fraction(1))
    return times.exchange[0] / times.seconds[1], most
