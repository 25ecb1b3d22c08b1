"""Figure 8: data-parallel training on the testbed, analytically (section 8.4, appendix A.2).

The figure was measured on 8 and 12 A100 and has no numbers; the text has the means that stand
here. Collectives take alpha, epsilon and 1/B as fitted on that testbed (figure 14). Compute times
are operations at a flat rate, assumed as in figure 9, and numbers have 2 bytes. The names of the
small models are not printed: ours are convolutional networks of that time. Table 5, which
cannot be read in the copy at hand, has BW-optimal topologies: of two-way ones the quickest are
taken, which the search finds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from expansions.collective import Collective
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Base
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.fits import ALPHA, EPSILON, INVERSE_BANDWIDTH
from topofinder.api.reproduce.sources import Sources
from topofinder.api.reproduce.training import OTHER_RATES, RATE
from topofinder.api.shared.frontiers import search_size
from topofinder.model.candidate import LinkMode
from topofinder.model.training_model import DataType, TrainingModel
from topofinder.schedules.baselines.register import baseline_named
from topofinder.simulation.training.accelerators import ACCELERATORS
from topofinder.simulation.training.job import FabricCosts, TrainingJob, TrainingTimes, rate_job
from topofinder.simulation.training.models import model_named
from topofinder.simulation.training.roofline import ComputeRates

DEGREE = 4
OURS, RING, TREE = "ours", "ShiftedRing", "DoubleBinaryTree"
BASELINES = {RING: "shifted-ring", TREE: "double-binary-tree"}
Saved = dict[str, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelGroup:
    """Models on so many hosts; the parts of times that ours are printed to save, in the mean."""

    group: str
    n: int
    models: tuple[str, ...]
    allreduce: Sequence[tuple[str, float]]
    iteration: Sequence[tuple[str, float]]


CASES = (
    ModelGroup(
        group="small models",
        n=8,
        models=("alexnet", "resnet-18", "resnet-50", "resnet-101", "vgg-16"),
        allreduce=((RING, 0.30), (TREE, 0.50)),
        iteration=((RING, 0.10), (TREE, 0.25)),
    ),
    ModelGroup(
        group="GPT-2",
        n=12,
        models=("gpt2-small", "gpt2-medium", "gpt2-large"),
        allreduce=(),
        iteration=((RING, 0.07), (TREE, 0.25)),
    ),
)
NOTES = {
    RING: "both are BW-optimal: only steps are saved in the alpha-beta model",
    TREE: "the tree takes the time of table 4's formula",
}


def figure8(sources: Sources) -> ReproductionRecord:
    """Figure 8: allreduce and iteration times against ShiftedRing and double binary trees."""
    from reports.plots.training import TrainingBar, training_bars

    rows: list[ComparisonRow] = []
    bars: list[TrainingBar] = []
    for case in sources.each(CASES):
        fabrics = small_fabrics(case.n)
        for name in case.models:
            times = _times(name, fabrics, RATE)
            bars += [
                TrainingBar(f"{name}, N = {case.n}", kind, (float(own.compute),
                            float(own.exposed[1]), 0.0))
                for kind, own in times.items()
            ]  # fmt: skip
        rows += _case_rows(case, fabrics)
    title = "Figure 8: data-parallel training on the testbed"
    return ReproductionRecord(
        name="figure8",
        title=f"{title}, by its fitted alpha, epsilon and 1/B, computed at {RATE} TFLOPS with 2"
        " bytes a number, which is assumed",
        rows=tuple(rows),
        draw=partial(training_bars, title, bars),
    )


def small_fabrics(n: int) -> dict[str, FabricCosts]:
    """What collectives cost on the testbed: ours, BW-optimal and two-way, and the baselines."""
    members = search_size(n, DEGREE, LinkMode.DUPLEX, None).frontier.members
    own = next(row for row in members if row.bandwidth == least_bandwidth(n))
    found = {OURS: _fabric(own.recipe, n, (own.allreduce,))}
    for name, kind in BASELINES.items():
        base = Base(name, (n,))
        found[name] = _fabric(str(base), n, baseline_named(kind).costs(base, Collective.ALLREDUCE))
    return found


def _fabric(name: str, n: int, allreduce: tuple[Cost, ...]) -> FabricCosts:
    return FabricCosts(
        name=name,
        n=n,
        d=DEGREE,
        alpha=ALPHA,
        bandwidth=1 / INVERSE_BANDWIDTH,
        allreduce=allreduce,
        overhead=EPSILON,
    )


def _case_rows(case: ModelGroup, fabrics: dict[str, FabricCosts]) -> Iterator[ComparisonRow]:
    """The parts that are saved by each model, and in the mean; other rates for comparison."""
    subject = f"{case.group} N={case.n}, {fabrics[OURS].name}"
    totals = {name: _saved_parts(_total_seconds(name, fabrics)) for name in case.models}
    if case.allreduce:
        yield from _mean_rows(subject, "allreduces", totals, case.allreduce)
    for rate in (RATE, *OTHER_RATES):
        spent = {
            name: _saved_parts({kind: own.seconds[1] for kind, own in found.items()})
            for name, found in ((name, _times(name, fabrics, rate)) for name in case.models)
        }
        if rate == RATE:
            yield from _mean_rows(subject, "iteration", spent, case.iteration)
        else:
            for kind, _ in case.iteration:
                quantity = f"iteration: saved against {kind}"
                yield _row(subject, quantity, _mean(spent, kind), None, f"at {rate} TFLOPS")


def _mean_rows(
    subject: str, what: str, saved: dict[str, Saved], printed: Sequence[tuple[str, float]]
) -> Iterator[ComparisonRow]:
    """The mean over models beside what is printed, then each model."""
    for kind, published in printed:
        quantity = f"{what}: saved against {kind}"
        yield _row(subject, quantity, _mean(saved, kind), published, NOTES[kind])
    for name, each in saved.items():
        for kind, _ in printed:
            yield _row(name, f"{what}: saved against {kind}", each[kind], None, "")


def _mean(saved: dict[str, Saved], kind: str) -> Fraction:
    return sum((each[kind] for each in saved.values()), Fraction()) / len(saved)


def _total_seconds(name: str, fabrics: dict[str, FabricCosts]) -> dict[str, Fraction]:
    """All layers' own allreduces one after the other, as figure 8a counts them."""
    sizes = [layer.gradient_bytes for layer in _model(name).layers]
    return {
        kind: sum((_seconds(fabric, size) for size in sizes if size), Fraction())
        for kind, fabric in fabrics.items()
    }


def _seconds(fabric: FabricCosts, size: int) -> Fraction:
    whole = Fraction(size)
    costs = fabric.allreduce
    return fabric.overhead + min(c.runtime(fabric.alpha, whole, fabric.bandwidth) for c in costs)


def _saved_parts(spent: dict[str, Fraction]) -> Saved:
    return {kind: 1 - spent[OURS] / spent[kind] for kind in BASELINES}


def _times(name: str, fabrics: dict[str, FabricCosts], rate: int) -> dict[str, TrainingTimes]:
    model = _model(name)
    found = {}
    for kind, fabric in fabrics.items():
        job = TrainingJob(
            model=model,
            n=fabric.n,
            units=Fraction(model.batch or 0),
            rates=ComputeRates(accelerator=ACCELERATORS["a100"], flat=Fraction(rate * 10**12)),
        )
        found[kind] = rate_job(job, fabric)
    return found


def _model(name: str) -> TrainingModel:
    return model_named(name).with_dtype(DataType.BFLOAT16)


def _row(
    subject: str, quantity: str, ours: Fraction, published: float | None, note: str
) -> ComparisonRow:
    return ComparisonRow(
        subject=subject,
        quantity=quantity,
        unit="",
        ours=exactly(ours),
        published=published,
        note=note,
    )
