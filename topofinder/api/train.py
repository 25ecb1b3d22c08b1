"""`topofinder train`: which wiring makes a model train fastest, and where the time goes."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from db.rows import CandidateRow, SizeRow
from db.store import Store
from db.training_rows import StoredTraining
from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import require_place, write_whole
from reports.trace import TraceSpan, trace_text
from reports.training import TrainingRecord, training_fields, training_text
from topofinder.alltoall.demand.files import read_amounts
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.clusters import cluster_workers
from topofinder.api.shared.frontiers import all_candidates, check_size, search_size
from topofinder.api.shared.workloads import read_seconds
from topofinder.api.train_answers import TrainingTask, training_answer
from topofinder.api.train_fabrics import RateEnds
from topofinder.api.train_records import training_question
from topofinder.model.candidate import LinkMode
from topofinder.model.training_files import (
    read_measured_model,
    read_profile,
    read_training_model,
)
from topofinder.model.training_model import DataType, TrainingModel
from topofinder.simulation.training.accelerators import (
    DEFAULT_ACCELERATOR,
    DEFAULT_EFFICIENCY,
    accelerator_named,
)
from topofinder.simulation.training.experts import ExpertSkew, HostAmounts, read_zipf
from topofinder.simulation.training.job import BUCKETS, TrainingJob
from topofinder.simulation.training.models import model_named
from topofinder.simulation.training.roofline import ComputeRates

LARGEST_SEARCHED = 256
"""Hosts up to which all candidates of a search are rated where all-to-alls matter."""
GAP = Fraction(1, 1000)
SECONDS, SHARE = 60.0, 3
"""How close throughputs are worked out, for how long in all where none is stored, and which part of
it each gets at most."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Training(Answer):
    """One iteration of a model on every wiring, the quickest first."""

    record: TrainingRecord

    def summary(self) -> dict[str, Any]:
        """The model, the best wiring and its seconds at most."""
        best = self.record.best
        return {
            "model": self.record.model,
            "best": best.recipe,
            "seconds": float(best.seconds[1]),
        }

    def to_dict(self) -> dict[str, Any]:
        """What `train --json` prints."""
        return training_fields(self.record)

    def __str__(self) -> str:
        return training_text(self.record)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each wiring."""
        rows: list[dict[str, Any]] = self.to_dict()["rows"]
        return [{name: row[name] for name in row if name != "by_bucket"} for row in rows]


def train(
    model: "str | PathLike[str] | TrainingModel | None",
    n: int,
    d: int,
    *,
    alpha: str,
    bandwidth: str,
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] | None = None,
    profile: str | PathLike[str] | None = None,
    batch: int | None = None,
    accelerator: str = DEFAULT_ACCELERATOR,
    efficiency: float | Fraction = DEFAULT_EFFICIENCY,
    rate: str | None = None,
    dtype: str | None = None,
    buckets: Sequence[str] | None = None,
    split_buckets: bool = False,
    sharded: bool = False,
    accumulate: int = 1,
    experts_skew: str | None = None,
    demand: str | PathLike[str] | None = None,
    everything: bool | None = None,
    trace: str | PathLike[str] | None = None,
    output: str | PathLike[str] | None = None,
    time: float | str = SECONDS,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Training:
    """Rate the frontier of n hosts with d ports, and baselines, by a model's iteration time.

    `model` is one of those that come with topofinder, or a .json or .csv table of layers. Its
    compute times are measured ones, those of `profile`, which may be a table and then be the model
    itself, or estimates: a part, `efficiency`, of the peak of an `accelerator`, or a flat `rate`
    such as "60TFLOPS". `batch` are samples or tokens of one host an iteration, in `accumulate`
    microbatches. Of `buckets`, such as "25MiB", the best is taken; with `split_buckets` all have
    exactly that size. `sharded` spreads parameters over the hosts (FSDP, ZeRO-3). Experts' loads
    are even, follow Zipf's law with `experts_skew`, such as "zipf:1.2", or a `demand`, a .csv or
    .npz matrix of hosts by hosts.

    Beside the frontier all candidates take part that the search kept. For experts' all-to-alls one
    may win that costs more than another: so with `everything`, as for up to LARGEST_SEARCHED hosts
    where nothing is said, all take part that it came across. Exact bounds exclude most. Throughputs
    that the database holds are taken as they are; others are worked out, for `time` seconds in all.
    The answer is stored, and looked up while the candidates and throughputs are the same. After
    Ctrl-C throughputs that are left get next to no time, candidates that were not looked at are
    left out, and the answer is not stored. The timeline on the best wiring is written to `trace`, a
    .json file in the trace-event format, and drawn to `output`, a .svg or .png file. With a
    `backend` its workers work out the throughputs of the frontier's members side by side, as in
    `search`.

    Raises InvalidInput for whatever cannot be read, for experts that cannot be spread over n hosts
    and for types that the accelerator lacks.

    >>> train("resnet-50", 8, 2, alpha="10us", bandwidth="100Gbps").record.best.kind
    'candidate'
    """
    egress = quantities.rate(bandwidth, "--bandwidth")
    late = quantities.seconds(alpha, "--alpha")
    table = read_model(model, profile, dtype)
    job = TrainingJob(
        model=table,
        n=n,
        units=units_of_host(table, batch, n) / max(accumulate, 1),
        rates=_compute_rates(accelerator, efficiency, rate),
        buckets=_bucket_sizes(buckets),
        splits=split_buckets,
        sharded=sharded,
        microbatches=accumulate,
        skew=_read_skew(experts_skew, demand, n),
    )
    seconds = read_seconds(time)
    _require_files(trace, output)
    mode = check_size(n, d, links)
    found = search_size(n, d, mode, db)
    if everything is None:
        everything = bool(job.demands) and n <= LARGEST_SEARCHED
    others = partial(_other_candidates, found, mode, db, everything)
    question = training_question(job, d, mode, late, egress, everything=everything)
    has_timeline = trace is not None or output is not None
    with ExitStack() as stack:
        stack.enter_context(cluster_workers(backend, scheduler))
        store = stack.enter_context(Store(db)) if db is not None else None
        demands = job.demands
        ends = RateEnds(store, GAP, seconds / SHARE, seconds, demands) if demands else None
        stored, spans, interrupted = training_answer(
            TrainingTask(job=job, question=question, found=found), others, store, ends,
            has_timeline=has_timeline, by_workers=backend is not None,
        )  # fmt: skip
    if trace is not None:
        write_whole(trace, trace_text(f"{table.name} on {stored.best.recipe}", spans))
    if output is not None:
        _draw_timeline(f"{table.name} on {n} hosts", spans, output)
    return Training(record=_record(job, stored, everything, interrupted))


def _other_candidates(
    found: SizeRow, links: LinkMode, db: str | PathLike[str] | None, everything: bool
) -> list[CandidateRow]:
    """What is kept beside the frontier, or all that a search comes across."""
    kept = found.pool or ()
    if not everything:
        return list(kept)
    return list(
        dict.fromkeys((*kept, *all_candidates(found.frontier.n, found.frontier.d, links, db)))
    )


def _record(
    job: TrainingJob, stored: StoredTraining, everything: bool, interrupted: bool
) -> TrainingRecord:
    asked = stored.question
    return TrainingRecord(
        model=asked.model,
        parameters=stored.parameters,
        n=asked.n,
        d=asked.d,
        links=asked.links,
        unit=stored.unit,
        units=stored.units,
        microbatches=job.microbatches,
        sharded=job.sharded,
        splits=job.splits,
        alpha=asked.alpha,
        bandwidth=asked.bandwidth,
        estimate=stored.estimate,
        experts=_skew_words(job),
        rows=stored.rows,
        left_out=stored.left_out,
        considered=stored.considered,
        excluded=stored.excluded,
        is_partial=bool(job.demands) and not everything,
        interrupted=interrupted,
    )


def _require_files(trace: str | PathLike[str] | None, output: str | PathLike[str] | None) -> None:
    """Refuse files of a timeline that cannot be written, before the work."""
    kinds = (trace, (".json",)), (output, (".svg", ".png"))
    for path, suffixes in ((path, suffixes) for path, suffixes in kinds if path is not None):
        if Path(path).suffix.lower() not in suffixes:
            raise InvalidInput(f"{path}: a timeline is written to a {' or '.join(suffixes)} file")
        require_place(path)


def _draw_timeline(title: str, spans: Sequence[TraceSpan], output: str | PathLike[str]) -> None:
    from reports.pages.files import write_plot
    from reports.plots.timeline import timeline_figure

    write_plot(timeline_figure(title, spans), "timeline", Path(output))


def read_model(
    model: "str | PathLike[str] | TrainingModel | None",
    profile: str | PathLike[str] | None,
    dtype: str | None,
) -> TrainingModel:
    """A table of layers, with measured times and of another type where these are given."""
    if model is None:
        if profile is None:
            raise InvalidInput("model: a name, a table of layers, or a .json profile is needed")
        found, profile = read_measured_model(profile), None
    elif isinstance(model, TrainingModel):
        found = model
    elif Path(model).suffix.lower() in (".json", ".csv"):
        found = read_training_model(model)
    else:
        found = model_named(str(model))
    if dtype is not None:
        if dtype not in set(DataType):
            choices = ", ".join(DataType)
            raise InvalidInput(f"dtype: {excerpt(dtype)} is unknown; the choices are {choices}")
        found = found.with_dtype(DataType(dtype))
    return found if profile is None else read_profile(profile, found)


def units_of_host(model: TrainingModel, batch: int | None, hosts: int) -> Fraction:
    """Samples or tokens of one host an iteration. Raises InvalidInput where neither tells."""
    if batch is not None:
        if batch < 1:
            raise InvalidInput(f"batch: at least 1 {model.unit}, not {excerpt(batch)}")
        return Fraction(batch)
    if model.global_batch is not None:
        return Fraction(model.global_batch, max(hosts, 1))
    if model.batch is None:
        raise InvalidInput(f"batch: {model.name} tells none; --batch is needed")
    return Fraction(model.batch)


def _compute_rates(
    accelerator: str, efficiency: float | Fraction, rate: str | None
) -> ComputeRates:
    return ComputeRates(
        accelerator=accelerator_named(accelerator),
        efficiency=Fraction(str(efficiency)),
        flat=None if rate is None else quantities.work_rate(rate, "--rate"),
    )


def _bucket_sizes(buckets: Sequence[str] | None) -> tuple[int, ...]:
    if buckets is None:
        return BUCKETS
    sizes = (quantities.size(text, "--bucket") for text in buckets)
    return tuple(dict.fromkeys(max(int(size), 1) for size in sizes))


def _read_skew(
    text: str | None, demand: str | PathLike[str] | None, hosts: int
) -> ExpertSkew | None:
    if text is not None and demand is not None:
        raise InvalidInput("--experts-skew and --demand exclude each other")
    if demand is None:
        return None if text is None else read_zipf(text)
    values, place = read_amounts(demand, hosts)
    return ExpertSkew(label="matrix", amounts=HostAmounts(values=values, place=place))


def _skew_words(job: TrainingJob) -> str | None:
    """How uneven experts' loads are; None where they are even."""
    if job.skew is None:
        return None
    busiest = max(forth.busiest for forth, _ in job.exchanges.values())
    return f"{job.skew.label}, the busiest host takes {float(busiest):.2f} times the mean"
