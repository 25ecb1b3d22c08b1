"""`topofinder schedule`: the schedule of a collective, made, written to a file and remembered."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from expansions.collective import Collective
from expansions.schedule_files.files import most_rows, write_schedule
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.api import registers as registers
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule
from topofinder.api.schedule_records import (
    ScheduleAnswer,
    describe_schedule,
    keep_schedule,
    stored_reversals,
)
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.places import check_places, store_after_all
from topofinder.api.shared.subjects import Subject
from topofinder.api.shared.workloads import read_seconds, read_transfer, read_workload
from topofinder.model.file_register import TOPOLOGY
from topofinder.schedules.collectives import no_known_isomorphism
from topofinder.schedules.register import AUTO, SCHEDULE_METHODS

if TYPE_CHECKING:
    from topofinder.api.forest_records import ForestAnswer

_OPTIONS: Mapping[str, object] = {
    "k": None,
    "weights": (),
    "fail_links": (),
    "fail_nodes": (),
    "degrade": (),
    "seed": 0,
    "multicast": True,
    "overlap": False,
    "time": None,
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
    k: int | None = None,
    weights: Sequence[str] = (),
    fail_links: Sequence[str] = (),
    fail_nodes: Sequence[str] = (),
    degrade: Sequence[str] = (),
    seed: int = 0,
    multicast: bool = True,
    overlap: bool = False,
    time: float | str | None = None,
    compact: bool | None = None,
    db: str | PathLike[str] | None = None,
    alpha: str | None = None,
    size: str | None = None,
    bandwidth: str | None = None,
    tell: Callable[[str], None] | None = None,
) -> "ScheduleAnswer | ForestAnswer":
    """The schedule of a collective on a recipe's graph, one in a file, or a topology.

    It is written to `output`, .npz or .json, and its cost remembered in `db`, where these are
    given. `method` is a name in the register of schedule methods: "auto", "bfb", "expansion",
    "synthesis", "forest", or a baseline such as "ring"; `chunks` are equal ones of a shard, for
    BFB; `root` is for broadcast and reduce; `compact` keeps the rows of one node (or, False, all
    rows). `alpha`, `size` and `bandwidth` are texts such as "10us", "1MiB" and "100Gbps". From `k`
    to `time` options are for forests: trees a root, weights NODE=NUMBER, failures, multicast of
    switches, phases that overlap, and how long to pack; `tell` hears how far that is.

    Raises InvalidInput for what cannot be read and for options that do not go together,
    Unsupported where no method that is implemented applies.

    >>> schedule("L(K(4,4))", collective="broadcast", root=3).cost.steps
    3
    """
    what = _collective(collective)
    options = {
        "k": k,
        "weights": tuple(weights),
        "fail_links": tuple(fail_links),
        "fail_nodes": tuple(fail_nodes),
        "degrade": tuple(degrade),
        "seed": seed,
        "multicast": multicast,
        "overlap": overlap,
        "time": None if time is None else read_seconds(time),
    }
    file = None if output is None else Path(output)
    spec = SCHEDULE_METHODS.get(method)
    if spec is not None and spec.answer is not None:
        if chunks is not None:
            raise InvalidInput(f"--chunks is for BFB schedules, not {chunks} for a {method}")
        if compact is not None:
            raise InvalidInput(
                f"--compact and --whole are for schedules of rows, not for a {method}"
            )
        transfer = read_transfer(alpha, size, bandwidth)
        with explain_wrong_file("schedule", subject, TOPOLOGY):
            answer: ForestAnswer = spec.answer(
                subject=subject, file=file, collective=what, root=root, options=options, db=db,
                transfer=transfer, tell=tell,
            )  # fmt: skip
            return answer
    _refuse_options(options, method)
    request = ScheduleRequest(
        subject=subject,
        collective=what,
        method=method,
        chunks=chunks,
        root=_root_number(root),
        workload=read_workload(alpha, size, bandwidth),
        compact=False if compact is None and _is_json(file) else compact,
        most_rows=None if file is None else most_rows(file),
    )
    return _answer(request, file, db)


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
    seconds = perf_counter() - begun
    if file is not None:
        write_schedule(made.saved, file)
        store_after_all(db, lambda store: keep_schedule(store, request, made, file))
    told = describe_schedule(request, made, seconds, None if file is None else str(file))
    return ScheduleAnswer(made=made, record=told)


def _collective(name: Collective | str) -> Collective:
    if name not in set(Collective):
        raise InvalidInput(f"collective: one of {', '.join(Collective)}, not {excerpt(str(name))}")
    return Collective(name)


def _refuse_options(given: Mapping[str, object], method: str) -> None:
    """Refuse options that a method would pass over, naming those that they are for."""
    own = SCHEDULE_METHODS[method].options if method in SCHEDULE_METHODS else frozenset()
    for name, default in _OPTIONS.items():
        if given[name] != default and name not in own:
            option = "no-multicast" if name == "multicast" else name.replace("_", "-")
            takers = (spec.name for spec in SCHEDULE_METHODS.values() if name in spec.options)
            raise InvalidInput(f"--{option} is for --method {' or '.join(takers)}, not {method}")


def _root_number(root: int | str | None) -> int | None:
    """The number of a root, where nodes have no names."""
    if root is None or isinstance(root, int):
        return root
    if not (root.isascii() and root.removeprefix("-").isdigit() and len(root) < 12):
        raise InvalidInput(f"--root: the number of a node is needed, not {excerpt(root)}")
    return int(root)


def _is_json(file: Path | None) -> bool:
    return file is not None and file.suffix.lower() == ".json"
