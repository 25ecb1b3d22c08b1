"""When a discovery ends, who works on it, and what it tells on its way."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol

from db.discovery_rows import FindRow
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.api.shared.workloads import read_seconds

SECONDS = 60.0
"""How long, where nothing is said."""
MAX_JOBS = 1024
LARGEST_SEED = (1 << 63) - 1

Tell = Callable[["DiscoveryProgress"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryProgress:
    """How far a search has come: lists judged, here and before, and the best that was found.

    `seconds_left` are those until its time is over, where it has one.
    """

    judged: int
    before: int
    group: str
    best: tuple[FindRow, ...]
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchLimits:
    """When a search ends: after so many seconds or judged lists, or when nothing is left."""

    seconds: float | None = None
    trials: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise InvalidInput(f"time: more than 0 is needed, not {self.seconds:g} s")
        if self.trials is not None and self.trials < 1:
            raise InvalidInput(f"trials: 1 or more are needed, not {self.trials}")

    def seconds_left(self, started: float) -> float | None:
        """Seconds of a search that began at `started`, which are left; None without a time."""
        return None if self.seconds is None else max(0.0, self.seconds - (monotonic() - started))

    def end_search(self, started: float, judged: int) -> bool:
        """Whether a search is to end that began then and has judged so many lists."""
        late = self.seconds_left(started) == 0
        return late or (self.trials is not None and judged >= self.trials)


def read_limits(time: float | str | None, trials: int | None) -> SearchLimits:
    """The limits that are asked for: SECONDS where there is none.

    >>> read_limits(None, None).seconds, read_limits("5min", None).seconds
    (60.0, 300.0)
    """
    seconds = None if time is None else read_seconds(time)
    if time is None and trials is None:
        seconds = SECONDS
    return SearchLimits(seconds=seconds, trials=trials)


def check_seed_and_jobs(seed: int, jobs: int) -> None:
    """Refuse a seed that does not fit 63 bits, and impossible numbers of workers."""
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidInput(f"seed: 0 to 2**63 - 1, not {excerpt(seed)}")
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        told = f"1 to {MAX_JOBS} threads, or -1 for all cores"
        raise InvalidInput(f"jobs: {told}, not {excerpt(jobs)}")


def jobs_of(jobs: int, backend: str | None) -> int:
    """Workers of a search: all that a backend has, unless more than one was asked for."""
    return -1 if jobs == 1 and backend is not None else jobs


class RunnableUnit(Protocol):
    """A unit of work, which finds the same wherever it runs."""

    def run(self) -> tuple[int, list[Any]]:
        """How many graphs were judged, and what was found."""


def run_units(units: Sequence[RunnableUnit], jobs: int) -> Iterable[tuple[int, list[Any]]]:
    """What units of work find, in their order: by threads, or by the backend of joblib's."""
    if jobs == 1:
        return (unit.run() for unit in units)
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, prefer="threads")
    found: list[tuple[int, list[Any]]] = parallel(delayed(unit.run)() for unit in units)
    return found
