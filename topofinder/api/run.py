"""`topofinder run`: a collective on real buffers under MPI, every element looked at, and timed."""

import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput
from generators.files import require_place
from reports.run import run_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.workloads import read_seconds
from topofinder.forests.clock import Clock
from topofinder.interrupts import end_early
from topofinder.lowering.place import placed_count, require_count
from topofinder.model.timings import NAMES, Timing, require_csv, write_timings
from topofinder.model.transfers import Transfers
from topofinder.progress import work_progress
from topofinder.runtimes.in_process import find_operation
from topofinder.runtimes.mpi import MpiExecutor
from topofinder.runtimes.mpi_start import (
    abort_on_error,
    agree,
    launched_rank,
    load_mpi,
    map_ranks,
    read_together,
    share_a_host,
)
from topofinder.runtimes.mpi_timing import CallTimes, CallTiming, time_library, time_ours
from topofinder.runtimes.sample_data import SampleData, find_type

DEFAULT_SIZES = ("1KiB", "32KiB", "1MiB")
SUMMING = (Collective.ALLREDUCE, Collective.REDUCE_SCATTER, Collective.REDUCE)
MOST_SIZES = 1000
MOST_CALLS = 10**6


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunAnswer(Answer):
    """What `run` measured; every rank has the same answer, and its own number in `rank`.

    `library` names the library, `one_host` says that all ranks share a host, and `two_way` that
    every link that is used has one back.
    """

    timings: tuple[Timing, ...]
    rank: int
    library: str
    one_host: bool
    two_way: bool

    @property
    def right(self) -> bool:
        """Whether every element of our results was as it must be."""
        return not any(timing.wrong for timing in self.timings)

    def summary(self) -> dict[str, Any]:
        """How many sizes were run, and how many elements were wrong."""
        wrong = sum(timing.wrong for timing in self.timings)
        return {"sizes": len(self.timings), "wrong": wrong}

    def to_dict(self) -> dict[str, Any]:
        """What `run --json` prints."""
        facts = {"library": self.library, "one_host": self.one_host, "two_way": self.two_way}
        return facts | {"timings": self.table_rows()}

    def table_rows(self) -> list[dict[str, Any]]:
        """One row a size."""
        return [_row(timing) for timing in self.timings]

    def __str__(self) -> str:
        return run_text(
            self.table_rows(), library=self.library, one_host=self.one_host, two_way=self.two_way
        )


def run(
    file: str | PathLike[str],
    *,
    sizes: Sequence[str] | None = None,
    counts: Sequence[int] | None = None,
    dtype: str = "float32",
    op: str = "sum",
    repeat: int = 20,
    warmup: int = 3,
    library: bool = True,
    in_place: bool = True,
    rank_map: str | PathLike[str] | None = None,
    by_name: bool = False,
    verified: bool = False,
    output: str | PathLike[str] | None = None,
    time: float | str | None = None,
    comm: Any = None,
) -> RunAnswer:
    """Run a schedule, forest or timetable file on all ranks of `comm`, by default of the world.

    Of each of `sizes` (bytes of a rank's vector, texts such as "1MiB") and `counts` (elements; in
    an all-to-all of the largest block) the collective is run `repeat` times after `warmup` times,
    beside the `library`'s own. Rank r is host r, in the order of nodes, unless the lines of
    `rank_map` name the node of each, or hosts are told `by_name`. A file that is `verified` is not
    verified again. Timings are written to `output`, a .csv file. After `time`, seconds or a text
    such as "60s", no other size is begun; nor is it after Ctrl-C. Those that were run are the
    answer.

    Raises InvalidInput on all ranks alike; a rank that fails on its own ends all others.
    """
    world = load_mpi().COMM_WORLD if comm is None else comm
    clock = Clock.of(None if time is None else read_seconds(time))
    kind, timing = _settings(dtype, op, repeat, warmup, in_place)
    if output is not None:
        agree(world, lambda: _require_output(output) if world.rank == 0 else None)
    executable = read_together(world, file, verified=verified)
    transfers = executable.transfers
    asked = _counts(transfers, kind.itemsize, sizes, counts)
    placed = map_ranks(world, transfers, rank_map, by_name)
    try:
        executor = agree(placed, lambda: MpiExecutor(placed, executable))
        found: list[Timing] = []
        with abort_on_error(placed), end_early(words=is_first_rank()):
            for count in asked:
                if placed.allreduce(bool(found) and clock.is_over):
                    _tell_end(len(found), len(asked))
                    break
                data = SampleData(transfers=transfers, count=count, dtype=kind, op=op)
                size = f"size {len(found) + 1} of {len(asked)}"
                with work_progress.part(size), work_progress.part("ours"):
                    ours = time_ours(executor, data, timing)
                with work_progress.part(size), work_progress.part("the library's"):
                    other = time_library(placed, data, timing) if library else None
                found.append(_timing_of(transfers, Path(file).name, data, ours, other))
            one_host = share_a_host(placed)
        executor.free()
    finally:
        placed.Free()
    if output is not None:
        agree(world, lambda: write_timings(found, output) if world.rank == 0 else None)
    return RunAnswer(
        timings=tuple(found),
        rank=world.rank,
        library=library_name(),
        one_host=one_host,
        two_way=transfers.two_way,
    )


def is_first_rank() -> bool:
    """Whether this process is the one that prints: rank 0 of the world, and of the launcher."""
    mpi = sys.modules.get("mpi4py.MPI")
    return launched_rank() == 0 and (mpi is None or mpi.COMM_WORLD.rank == 0)


def _tell_end(done: int, total: int) -> None:
    if is_first_rank():
        words = f"run: ended after {done} of {total} sizes"
        logging.getLogger("topofinder").warning(words)


def library_name() -> str:
    """The MPI library with its version."""
    said = str(load_mpi().Get_library_version())
    return said.replace("\0", "").split("\n")[0].split(",")[0].strip()


def _settings(
    dtype: str, op: str, repeat: int, warmup: int, in_place: bool
) -> tuple[Any, CallTiming]:
    find_operation(op)
    for name, value, least in (("repeat", repeat, 1), ("warmup", warmup, 0)):
        if type(value) is not int or not least <= value <= MOST_CALLS:
            raise InvalidInput(f"--{name}: {least} to {MOST_CALLS}, not {value}")
    return find_type(dtype), CallTiming(repeat, warmup, in_place)


def _require_output(output: str | PathLike[str]) -> None:
    require_csv(output)
    require_place(output)


def _counts(
    transfers: Transfers, width: int, sizes: Sequence[str] | None, counts: Sequence[int] | None
) -> list[int]:
    """Elements of each run: those asked for by count, after those by size."""
    if sizes is None and counts is None:
        sizes = DEFAULT_SIZES
    bytes_asked = [int(quantities.size(text, "--sizes")) for text in sizes or ()]
    found = [placed_count(transfers, each // width) for each in bytes_asked]
    found += list(counts or ())
    for count in found:
        require_count(count)
    if not 1 <= len(found) <= MOST_SIZES:
        raise InvalidInput(f"--sizes, --counts: 1 to {MOST_SIZES} of them, not {len(found)}")
    return found


def _timing_of(
    transfers: Transfers, name: str, data: SampleData, ours: CallTimes, other: CallTimes | None
) -> Timing:
    cost = transfers.cost
    return Timing(
        schedule=name,
        content=transfers.digest,
        recipe=transfers.recipe or "",
        collective=transfers.collective,
        ranks=transfers.ranks,
        bytes=data.elements * data.table.itemsize,
        count=data.count,
        dtype=str(data.table.dtype),
        op=data.op if transfers.collective in SUMMING else "",
        steps=cost.steps,
        bandwidth=cost.bandwidth,
        seconds=ours.median,
        least=min(ours.seconds),
        wrong=ours.wrong,
        library_seconds=None if other is None else other.median,
        library_least=None if other is None else min(other.seconds),
        library_wrong=None if other is None else other.wrong,
    )


def _row(timing: Timing) -> dict[str, Any]:
    """What `--json` prints of one size."""
    found = {name: getattr(timing, name) for name in NAMES}
    rates = {
        "algbw": timing.algorithm_rate,
        "busbw": timing.bus_rate,
        "library_busbw": timing.library_bus_rate,
    }
    return found | {"bandwidth": str(timing.bandwidth)} | rates
