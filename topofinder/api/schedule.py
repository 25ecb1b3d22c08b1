"""`topofinder schedule`: the schedule of a collective, made, written to a file and remembered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from expansions.collective import Collective
from expansions.hosts import is_host_fabric
from expansions.schedule_files.files import most_rows
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.api import registers as registers
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule, read_root_number
from topofinder.api.schedule_pipeline import PipelineParts, read_parts
from topofinder.api.schedule_records import (
    ScheduleAnswer,
    keep_answer,
    stored_reversals,
)
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.places import check_places
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.api.shared.subjects import Subject
from topofinder.api.shared.tree_aims import read_loss
from topofinder.api.shared.workloads import (
    read_host_costs,
    read_row_transfer,
    read_seconds,
    read_transfer,
)
from topofinder.forests.clock import TellLine, tell_nobody
from topofinder.model.file_register import TOPOLOGY
from topofinder.model.time_model import TimeModel
from topofinder.schedules.collectives import no_known_isomorphism
from topofinder.schedules.register import AUTO, SCHEDULE_METHODS

if TYPE_CHECKING:
    from topofinder.api.forest_counts import ForestCountsAnswer
    from topofinder.api.forest_records import ForestAnswer
    from topofinder.api.schedule_rounds import RoundAnswer
    from topofinder.api.shared.forest_times import Transfer
    from topofinder.api.timetable_records import TimetableAnswer

_OPTIONS: Mapping[str, object] = {
    "chunks": None,
    "k": None,
    "loss": None,
    "prefer": None,
    "table": False,
    "weights": (),
    "fail_links": (),
    "fail_nodes": (),
    "degrade": (),
    "seed": 0,
    "multicast": True,
    "overlap": False,
    "routing": None,
    "time": None,
    "model": "pipelined",
    "tries": None,
    "matching": "best",
    "unwind": None,
    "pattern": None,
    "demand": None,
    "large": False,
}
"""The options that only some methods have, and what they are unless given."""


def schedule(
    subject: Subject,
    output: str | PathLike[str] | None = None,
    *,
    collective: Collective | str = Collective.ALLGATHER,
    method: str = AUTO,
    chunks: int | None = None,
    root: int | str | None = None,
    k: int | str | None = None,
    loss: float | str | None = None,
    prefer: str | None = None,
    table: bool = False,
    weights: Sequence[str] = (),
    fail_links: Sequence[str] = (),
    fail_nodes: Sequence[str] = (),
    degrade: Sequence[str] = (),
    seed: int = 0,
    multicast: bool = True,
    overlap: bool = False,
    routing: str | None = None,
    time: float | str | None = None,
    model: TimeModel | str = TimeModel.PIPELINED,
    tries: int | None = None,
    matching: str = "best",
    unwind: int | None = None,
    pattern: str | None = None,
    demand: str | PathLike[str] | None = None,
    compact: bool | None = None,
    db: str | PathLike[str] | None = None,
    alpha: str | None = None,
    size: str | None = None,
    bandwidth: str | None = None,
    epsilon: str | None = None,
    reduce_rate: str | None = None,
    injection: str | None = None,
    pipeline: int | str | None = None,
    large: bool = False,
    tell: Callable[[str], None] | None = None,
) -> "ScheduleAnswer | ForestAnswer | ForestCountsAnswer | TimetableAnswer | RoundAnswer":
    """The schedule of a collective on a recipe's graph, one in a file, or a topology.

    It is written to `output`, .npz or .json, and its cost remembered in `db`, where these are
    given. `method` is a name in the register of schedule methods: "auto", "bfb", "expansion",
    "synthesis", "forest", "timed", or a baseline such as "ring"; "auto" with a `size` takes the
    quickest and tells what each takes. `chunks` are equal ones of a shard, for BFB and timed ones;
    `root` is for broadcast and reduce; `compact` keeps the rows of one node (or, False, all rows).
    `alpha`, `size` and `bandwidth` are texts such as "10us", "1MiB" and "100Gbps". `epsilon`,
    `reduce_rate` and `injection` are what hosts add, as for `verify`. `pipeline` runs a schedule of
    rows in so many parts as a pipeline, or in as many as are the quickest ("auto").

    For forests: `k` trees a root ("optimal": the fewest that reach the optimum), else the fewest
    that take at most a `loss` longer, such as "0.5%"; `prefer` "trees" or "height" for few or low
    ones, a `table` of what else there is (without `output`: of what is known before packing),
    `weights` NODE=NUMBER, failures (`fail_links` to
    `degrade`), `multicast` of switches, phases that `overlap`, the `routing` through switches
    ("any", "shortest" or "updown"), how much `time` to take; `tell` hears how far it is. `tries` is
    how many seeds are tried from `seed` on, by default 1, and 3 of timed schedules. Timed
    schedules take weights, failures and time too; the time `model`, `matching` "random" as TACOS
    has it, switches to `unwind`, and `pattern` or `demand` for an all-to-all. With `large` they may
    have more sends than are kept: these are written in blocks (.npz), or left out (.json, or no
    output).

    Raises InvalidInput for what cannot be read and for options that do not go together,
    Unsupported where no method that is implemented applies.

    >>> schedule("L(K(4,4))", collective="broadcast", root=3).cost.steps
    3
    """
    what, subject = _collective(collective), whole_recipe(subject, db)
    hosts = read_host_costs(epsilon, reduce_rate, injection)
    parts = read_parts(pipeline)
    options = {
        "k": k,
        "loss": loss,
        "prefer": prefer,
        "table": table,
        "weights": tuple(weights),
        "fail_links": tuple(fail_links),
        "fail_nodes": tuple(fail_nodes),
        "degrade": tuple(degrade),
        "seed": seed,
        "multicast": multicast,
        "overlap": overlap,
        "routing": routing,
        "time": None if time is None else read_seconds(time),
        "model": str(model),
        "tries": tries,
        "matching": matching,
        "unwind": unwind,
        "pattern": pattern,
        "demand": demand,
        "large": large,
    }
    file = None if output is None else Path(output)
    if method == AUTO and size is None and isinstance(subject, str) and is_host_fabric(subject):
        method = "forest"  # what schedules of rows there are need a size, or no switches
    spec = SCHEDULE_METHODS.get(method)
    if spec is not None and spec.answer is not None:
        options["chunks"] = chunks
        _refuse_options(options, method)
        if parts is not None:
            raise InvalidInput(
                f"--pipeline: for schedules of rows; a {method} one has chunks of its own"
            )
        if compact is not None:
            raise InvalidInput(
                f"--compact and --whole are for schedules of rows, not for a {method}"
            )
        transfer = read_transfer(alpha, size, bandwidth, hosts)
        with explain_wrong_file("schedule", subject, TOPOLOGY):
            answer: ForestAnswer | ForestCountsAnswer | TimetableAnswer | RoundAnswer = spec.answer(
                subject=subject, file=file, collective=what, root=root, options=options, db=db,
                transfer=transfer, tell=tell,
            )  # fmt: skip
            return answer
    _refuse_options(options, method, timed=size is not None)
    if method == AUTO and size is not None and chunks is None:
        return _quickest(
            subject, file, what, root, options, compact, db,
            read_transfer(alpha, size, bandwidth, hosts), parts, tell,
        )  # fmt: skip
    request = ScheduleRequest(
        subject=subject,
        collective=what,
        method=method,
        chunks=chunks,
        loss=None if loss is None else read_loss(loss),
        root=read_root_number(root),
        transfer=read_row_transfer(alpha, size, bandwidth, hosts),
        compact=False if compact is None and _is_json(file) else compact,
        most_rows=None if file is None else most_rows(file),
        pipeline=parts,
    )
    return _answer(request, file, db)


def _quickest(
    subject: Subject,
    file: Path | None,
    collective: Collective,
    root: int | str | None,
    options: Mapping[str, object],
    compact: bool | None,
    db: str | PathLike[str] | None,
    transfer: "Transfer | None",
    pipeline: PipelineParts | None,
    tell: TellLine | None,
) -> "ScheduleAnswer | ForestAnswer | TimetableAnswer":
    """The quickest of all methods for a size of data."""
    from topofinder.api.schedule_auto import AutoRequest, answer_quickest

    check_places(db, file)
    assert transfer is not None, "there is a size"
    with explain_wrong_file("schedule", subject, TOPOLOGY):
        return answer_quickest(
            AutoRequest(
                subject=subject,
                collective=collective,
                transfer=transfer,
                root=root,
                options={**options, "chunks": None},
                file=file,
                compact=False if compact is None and _is_json(file) else compact,
                most_rows=None if file is None else most_rows(file),
                pipeline=pipeline,
                db=db,
                known=no_known_isomorphism if db is None else stored_reversals(Path(db)),
                tell=tell or tell_nobody,
            )
        )


def _answer(
    request: ScheduleRequest, file: Path | None, db: str | PathLike[str] | None
) -> ScheduleAnswer:
    """Make a schedule, write it, and remember it."""
    check_places(db, file)
    begun = perf_counter()
    with explain_wrong_file("schedule", request.subject, TOPOLOGY):
        made = make_schedule(
            request, no_known_isomorphism if db is None else stored_reversals(Path(db))
        )
    if file is not None:
        made = replace(made, saved=made.saved.in_order())
    return keep_answer(request, made, perf_counter() - begun, file, db)


def _collective(name: Collective | str) -> Collective:
    if name not in set(Collective):
        raise InvalidInput(f"collective: one of {', '.join(Collective)}, not {excerpt(str(name))}")
    return Collective(name)


def _refuse_options(given: Mapping[str, object], method: str, *, timed: bool = True) -> None:
    """Refuse options that a method would pass over, naming those that they are for.

    What chooses among methods has options of its own only if it is `timed`, for a size of data.
    """
    own = SCHEDULE_METHODS[method].options if method in SCHEDULE_METHODS else frozenset()
    own = own if timed or method != AUTO else frozenset()
    for name, value in given.items():
        if value != _OPTIONS.get(name) and name not in own:
            option = "no-multicast" if name == "multicast" else name.replace("_", "-")
            takers = [spec.name for spec in SCHEDULE_METHODS.values() if name in spec.options]
            told = " or ".join(taker for taker in takers if taker != AUTO)
            raise InvalidInput(f"--{option} is for --method {told}, not {method}")


def _is_json(file: Path | None) -> bool:
    return file is not None and file.suffix.lower() == ".json"
