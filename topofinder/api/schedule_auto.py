"""`topofinder schedule` of a size of data: the quickest of all methods, in the user's model."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, TypeAlias

from expansions.collective import Collective
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput, TopofinderError, Unsupported
from reports.method_times import MethodTime
from topofinder.api.schedule_forest import ForestRequest, keep_forest, weigh_forest
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule, read_root_number
from topofinder.api.schedule_pipeline import PipelineParts, pipeline_made
from topofinder.api.schedule_records import keep_answer
from topofinder.api.schedule_timetable import (
    TimetableRequest,
    keep_timetable,
    request_of,
    schedule_timetable,
)
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.api.shared.schedule_times import row_workload, schedule_seconds
from topofinder.api.shared.subjects import Subject, forest_subject
from topofinder.forests.clock import TellLine, tell_nobody
from topofinder.interrupts import end_early, is_ending
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import Workload
from topofinder.schedules.baselines.register import BASELINES_PLACE
from topofinder.schedules.collectives import KnownIsomorphism
from topofinder.schedules.register import (
    AUTO,
    SCHEDULE_METHODS,
    MadeSchedule,
    schedule_method_names,
)

if TYPE_CHECKING:
    from topofinder.api.forest_records import ForestAnswer
    from topofinder.api.schedule_records import ScheduleAnswer
    from topofinder.api.timetable_records import TimetableAnswer

    MethodAnswer: TypeAlias = ScheduleAnswer | ForestAnswer | TimetableAnswer

LEFT_OUT = "interrupted"
BY_NAME = ("composed", "synthesis")
"""Methods that are asked for by name alone: they take no size, or may search for minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """What a method would take, and how its answer is written and told with all times beside it."""

    method: str
    seconds: Fraction
    keep: Callable[[tuple[MethodTime, ...]], "MethodAnswer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoRequest:
    """A collective of a size on a subject, by whichever method is the quickest in a time model.

    `options` are those of `schedule` by name; `known` tells isomorphisms to the transpose.
    """

    subject: Subject
    collective: Collective
    transfer: Transfer
    root: int | str | None
    options: Mapping[str, Any]
    file: Path | None
    most_rows: int | None
    compact: bool | None
    db: str | PathLike[str] | None
    known: KnownIsomorphism
    pipeline: PipelineParts | None = None
    tell: TellLine = tell_nobody

    @property
    def model(self) -> TimeModel:
        """The time model."""
        return TimeModel(self.options["model"])


def answer_quickest(request: AutoRequest) -> "MethodAnswer":
    """The answer of the quickest method, and what each would take.

    Raises the first refusal where no method makes anything. Ctrl-C ends it with the quickest of
    those that are there; where there is none, it is raised.
    """
    with end_early():
        offers, refused = _collect_offers(request)
    offers.sort(key=lambda offer: offer.seconds)
    times = [MethodTime(method=offer.method, seconds=offer.seconds) for offer in offers]
    times += [
        MethodTime(method=method, seconds=None, reason=str(error).splitlines()[0])
        for method, error in refused
        if SCHEDULE_METHODS[method].place < BASELINES_PLACE
    ]
    return offers[0].keep(tuple(times))


def _collect_offers(
    request: AutoRequest,
) -> tuple[list[_Offer], list[tuple[str, TopofinderError]]]:
    """What the methods offer, and what they refuse; raises the first refusal if nothing is offered.

    Once Ctrl-C asks for the best so far, no other method begins.
    """
    offers: list[_Offer] = []
    refused: list[tuple[str, TopofinderError]] = []
    for method in _method_names(request):
        if offers and is_ending():
            refused.append((method, Unsupported(LEFT_OUT)))
            continue
        request.tell(f"{method}: looking for a schedule")
        try:
            offers.append(_MAKERS.get(method, _offer_rows)(request, method))
        except (InvalidInput, Unsupported) as error:
            refused.append((method, error))
        except KeyboardInterrupt:  # there was nothing of it as yet
            if not is_ending():
                raise
            refused.append((method, Unsupported(LEFT_OUT)))
    if not offers:
        raise refused[0][1]
    return offers, refused


def _method_names(request: AutoRequest) -> Iterator[str]:
    """Timed schedules first, for they find out what cannot be reached at all; then by their place.

    Rows carry out no all-to-all.
    """
    yield "timed"
    if request.collective is not Collective.ALLTOALL:
        for name in schedule_method_names():
            mapped = SCHEDULE_METHODS[name].make is None and name not in _MAKERS
            if name not in (AUTO, "timed", *BY_NAME) and not mapped:
                yield name


def _offer_rows(request: AutoRequest, method: str) -> _Offer:
    workload = row_workload(forest_subject(request.subject)[1], request.transfer)

    def judge(saved: SavedSchedule) -> Fraction:
        taken = schedule_seconds(saved, workload, request.model)
        if request.pipeline is None:
            return taken
        return _in_parts(request, MadeSchedule(saved=saved), taken, workload)[1]

    asked = ScheduleRequest(
        subject=request.subject,
        collective=request.collective,
        method=method,
        root=read_root_number(request.root),
        transfer=request.transfer,
        compact=request.compact,
        most_rows=request.most_rows,
        seconds=judge,
    )
    begun = perf_counter()
    made = make_schedule(asked, request.known)
    seconds = schedule_seconds(made.saved, workload, request.model)
    if request.pipeline is not None:
        made, seconds = _in_parts(request, made, seconds, workload)
    spent = perf_counter() - begun

    def keep(times: tuple[MethodTime, ...]) -> "ScheduleAnswer":
        return keep_answer(asked, made, spent, request.file, request.db, times)

    return _Offer(method=method, seconds=seconds, keep=keep)


def _in_parts(
    request: AutoRequest, made: MadeSchedule, seconds: Fraction, workload: Workload
) -> tuple[MadeSchedule, Fraction]:
    """The same as a pipeline, unless "auto" and it takes no less in the time model."""
    assert request.pipeline is not None, "asked for"
    cut = pipeline_made(made, request.pipeline, workload, request.most_rows)
    taken = schedule_seconds(cut.saved, workload, request.model)
    if request.pipeline == "auto" and taken >= seconds:
        return replace(made, parts=(1,), without_pipeline=seconds), seconds
    return replace(cut, runtime=taken, without_pipeline=seconds), taken


def _offer_forest(request: AutoRequest, method: str) -> _Offer:
    asked = ForestRequest.from_options(
        request.subject, request.collective, request.root, request.options, request.transfer,
        request.tell,
    )  # fmt: skip
    begun = perf_counter()
    made = weigh_forest(asked)
    spent = perf_counter() - begun
    assert asked.transfer is not None, "there is a size"
    best = forest_time(made.forest, asked.transfer).best
    if best is None:
        raise Unsupported("forest: links without latency leave no best number of chunks")

    def keep(times: tuple[MethodTime, ...]) -> "ForestAnswer":
        return keep_forest(made, asked, request.file, request.db, spent, times)

    return _Offer(method=method, seconds=best, keep=keep)


def _offer_timetable(request: AutoRequest, method: str) -> _Offer:
    asked: TimetableRequest = request_of(
        request.subject, request.collective, request.root, request.options, request.transfer,
        request.tell,
    )  # fmt: skip
    begun = process_time()
    found = schedule_timetable(asked)
    spent = process_time() - begun

    def keep(times: tuple[MethodTime, ...]) -> "TimetableAnswer":
        return keep_timetable(found, asked, request.file, request.db, spent, times)

    taken = found.timetable.seconds + found.timetable.overhead
    return _Offer(method=method, seconds=taken, keep=keep)


_MAKERS: dict[str, Callable[[AutoRequest, str], _Offer]] = {
    "forest": _offer_forest,
    "timed": _offer_timetable,
}
