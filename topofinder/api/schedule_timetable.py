"""`topofinder schedule --method timed`: a timetable of chunks, written and remembered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from os import PathLike
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from expansions.collective import Collective
from generators.damage.apply import Damage, apply_damage
from generators.damage.links import Names
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.unwinding import unwind_switches
from generators.formats.container import container_suffix
from generators.host_limits import split_hosts
from generators.topology import Topology
from reports.method_times import MethodTime
from topofinder.api.schedule_forest import read_weights
from topofinder.api.shared.damage_texts import damage_text
from topofinder.api.shared.forest_times import Transfer
from topofinder.api.shared.places import check_places, store_after_all
from topofinder.api.shared.subjects import Subject, forest_subject, subject_name
from topofinder.forests.clock import Clock, TellLine, tell_nobody
from topofinder.interrupts import end_early
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.forest import GATHERING
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import MAX_SENDS
from topofinder.model.timetable_files import write_timetable
from topofinder.model.workload import link_rate
from topofinder.timetables.exchange import Exchange
from topofinder.timetables.portfolio import Synthesis, Trial, synthesize
from topofinder.timetables.rounds import LIFTS
from topofinder.timetables.task import LabelledTask, Matching, TimedTask

if TYPE_CHECKING:
    from topofinder.api.schedule_rounds import RoundAnswer
    from topofinder.api.timetable_records import TimetableAnswer


TRIES = 3
"""Seeds that are tried unless told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimetableRequest:
    """A collective on a recipe, a fabric or a topology file, after some damage, in chunks.

    `root` is the name or number of a node; `weights` lists NODE=NUMBER, other nodes weigh 1;
    `pattern` or the file `demand` says who sends how much to whom in an all-to-all. Switches are
    crossed at their ports unless `unwind` asks for TACOS's way of so many neighbours each.
    """

    subject: Subject
    transfer: Transfer | None
    collective: Collective = Collective.ALLGATHER
    root: str | None = None
    damage: Damage = Damage()  # noqa: RUF009 - frozen
    weights: Sequence[str] = ()
    pattern: str | None = None
    demand: str | PathLike[str] | None = None
    unwind: int | None = None
    chunks: int | None = None
    tries: int = TRIES
    seed: int = 0
    model: TimeModel = TimeModel.PIPELINED
    matching: Matching = "best"
    time: float | None = None
    tell: TellLine = tell_nobody


def answer_timetable(
    subject: Subject,
    file: Path | None,
    collective: Collective,
    root: int | str | None,
    options: Mapping[str, Any],
    db: str | PathLike[str] | None,
    transfer: Transfer | None,
    tell: TellLine | None,
) -> "TimetableAnswer | RoundAnswer":
    """Make a timetable, write it, and remember it; `options` are those of `schedule` by name."""
    if file is not None:
        container_suffix(file)
    check_places(db, file)
    request = request_of(subject, collective, root, options, transfer, tell)
    begun = process_time()
    asked = label_task(request)
    if needs_blocks(asked.task):
        if not options["large"]:
            raise Unsupported(f"sends: more than {MAX_SENDS}; {LIFTS}")
        from topofinder.api.schedule_rounds import answer_rounds

        return answer_rounds(asked, subject_name(subject), file, db)
    with end_early():
        found = synthesize_labelled(asked)
    return keep_timetable(found, request, file, db, process_time() - begun)


def request_of(
    subject: Subject,
    collective: Collective,
    root: int | str | None,
    options: Mapping[str, Any],
    transfer: Transfer | None,
    tell: TellLine | None,
) -> TimetableRequest:
    """The request that options of `schedule` make."""
    names = ("weights", "pattern", "demand", "unwind", "chunks", "seed", "time")
    tries = options.get("tries")
    return TimetableRequest(
        subject=subject,
        transfer=transfer,
        collective=collective,
        root=None if root is None else str(root),
        damage=Damage(
            **{name: options[name] for name in ("fail_links", "fail_nodes", "degrade")},
            seed=options["seed"],
        ),
        model=TimeModel(options["model"]),
        matching=options["matching"],
        tell=tell or tell_nobody,
        tries=TRIES if tries is None else tries,
        **{name: options[name] for name in names},
    )


def keep_timetable(
    found: Synthesis,
    request: TimetableRequest,
    file: Path | None,
    db: str | PathLike[str] | None,
    seconds: float,
    methods: tuple[MethodTime, ...] = (),
) -> "TimetableAnswer":
    """Write a timetable, remember it, and say what there is to say of it."""
    from topofinder.api.timetable_records import (
        TimetableAnswer,
        describe_timetable,
        timetable_row,
    )

    made = found.timetable
    if file is not None:
        write_timetable(made, file)
        store_after_all(db, lambda store: store.save_timetable(timetable_row(made, file)))
    record = describe_timetable(
        made,
        subject_name(request.subject),
        seconds=seconds,
        file=None if file is None else str(file),
    )
    told = replace(
        record,
        bounds=tuple((name, seconds + made.overhead) for name, seconds in found.bounds.known),
        trials=tuple(_trial_time(trial, made.overhead) for trial in found.trials),
        methods=methods,
    )
    return TimetableAnswer(timetable=made, record=told)


def _trial_time(trial: Trial, overhead: Fraction) -> MethodTime:
    seconds = None if trial.seconds is None else trial.seconds + overhead
    return MethodTime(method=trial.method, seconds=seconds, reason=trial.reason)


def schedule_timetable(request: TimetableRequest) -> Synthesis:
    """The quickest timetable that the makers find.

    Raises InvalidInput for subjects that cannot be read, for missing units and for nodes that
    cannot be reached, Unsupported where no maker is implemented.
    """
    return synthesize_labelled(label_task(request))


def synthesize_labelled(asked: LabelledTask) -> Synthesis:
    """The quickest timetable for a task, with its labels."""
    found = synthesize(asked.task)
    made = replace(found.timetable, recipe=asked.recipe, damage=asked.damage)
    return replace(found, timetable=made)


def label_task(request: TimetableRequest) -> LabelledTask:
    """The task of a request, with what names its topology."""
    recipe, whole = forest_subject(request.subject)
    task = _task(request, whole)
    if len(task.topology.switches) > len(whole.switches):
        recipe = None  # limits of hosts are links, which its graph has not
    return LabelledTask(task=task, recipe=recipe, damage=damage_text(request.damage))


def needs_blocks(task: TimedTask, most_sends: int = MAX_SENDS) -> bool:
    """Whether the sends are more than are kept, of an allgather that only rounds are made for."""
    return (
        task.collective is Collective.ALLGATHER
        and task.matching == "best"
        and task.weights is None
        and task.has_equal_links
        and task.topology.translation is None
        and task.hosts * (task.hosts - 1) * (task.chunks or 1) > most_sends
    )


def _task(request: TimetableRequest, whole: Topology) -> TimedTask:
    units = link_units(whole, request.transfer, request.collective)
    assert request.transfer is not None, "link_units requires one"
    topology = apply_damage(whole, request.damage)
    if request.unwind is not None:
        topology = unwind_switches(topology, request.unwind)
    topology = _with_hosts(topology, request.transfer)
    names = Names(topology)
    return TimedTask(
        topology=topology,
        collective=request.collective,
        size=request.transfer.size,
        units=units,
        model=request.model,
        root=None if request.root is None else names.node(request.root, "--root"),
        weights=_whole_weights(topology, names, request.weights),
        exchange=_exchange(topology, request, units),
        chunks=request.chunks,
        tries=request.tries,
        seed=request.seed,
        matching=request.matching,
        clock=Clock.of(request.time, request.tell),
    )


def _with_hosts(topology: Topology, transfer: Transfer) -> Topology:
    """The topology with the limits of its hosts as links, and what a collective takes besides."""
    overhead = transfer.host_costs(topology).overhead
    return replace(split_hosts(transfer.limit_hosts(topology)), epsilon=overhead or None)


def _whole_weights(
    topology: Topology, names: Names, texts: Sequence[str]
) -> tuple[int, ...] | None:
    """Weights as the least integers in their proportions."""
    found = read_weights(topology, names, texts)
    if found is None:
        return None
    scale = lcm(*(value.denominator for value in found))
    return tuple(int(value * scale) for value in found)


def _exchange(topology: Topology, request: TimetableRequest, units: LinkUnits) -> Exchange | None:
    """The paths of an all-to-all, from its certified flow; None for other collectives."""
    if request.collective is Collective.ALLTOALL:
        from topofinder.api.exchange_routes import exchange_by_flow

        assert request.transfer is not None, "link_units requires one"
        return exchange_by_flow(
            topology, size=request.transfer.size, units=units, pattern=request.pattern,
            demand=request.demand, time=request.time,
        )  # fmt: skip
    if request.pattern is not None or request.demand is not None:
        raise InvalidInput("--pattern and --demand are for --collective all-to-all")
    return None


def link_units(topology: Topology, transfer: Transfer | None, collective: Collective) -> LinkUnits:
    """What latency 1 and capacity 1 of a topology stand for.

    Raises InvalidInput for what is missing, and for what the topology tells itself.

    >>> from fractions import Fraction
    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> sent = Transfer(size=Fraction(8), alpha=Fraction(1), bandwidth=Fraction(4))
    >>> link_units(ring, sent, Collective.ALLGATHER)
    LinkUnits(latency=Fraction(1, 1), rate=Fraction(4, 1))
    """
    if transfer is None:
        raise InvalidInput("--method timed needs --size")
    transfer.require_fit(topology)
    if collective in GATHERING and transfer.host_costs(topology).reduction:
        raise InvalidInput("--reduce-rate: --method timed knows no time of combining")
    latency = topology.unit_latency if transfer.alpha is None else transfer.alpha
    if latency is None:
        raise InvalidInput("--method timed needs --alpha: the topology tells no latency of links")
    return LinkUnits(latency=latency, rate=link_rate(topology, transfer.bandwidth))
