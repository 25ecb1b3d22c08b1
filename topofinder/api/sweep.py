"""Many sizes at once: by several workers, resumable, safe to kill.

Workers put blocks of sizes together, and this process stores them: a block in one transaction, so
that a sweep that is killed has lost at most the blocks it was in, and finds the finished sizes when
it is started again. A sweep of seconds stays in this process, in order of n, and threads evaluate
base graphs ahead; so does one with an effort, and workers look for lifts and grafts then.
"""

import logging
import time as clock
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

from db.rows import SizeRow
from db.store import Store
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.limits import LARGEST_BUILT, MAX_NODES
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.candidate_rows import ENGINE, size_row
from topofinder.api.shared.clusters import cluster_workers
from topofinder.api.shared.default_effort import check_effort
from topofinder.api.shared.frontiers import (
    can_connect,
    check_degree,
    check_links,
    check_nodes,
    check_size,
)
from topofinder.api.shared.size_blocks import (
    BLOCK_WORK,
    BlockTask,
    OtherRegisters,
    blocks_by_workers,
    cut_blocks,
    estimate_work,
    list_registers,
)
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.api.shared.workloads import read_seconds
from topofinder.finder.deferrals import with_deferrals
from topofinder.finder.effort import find_gains, known_times, pool_with_gains
from topofinder.finder.enumeration import Loader, Pools
from topofinder.finder.parallel import EvaluationsAhead, Size, worker_settings
from topofinder.interrupts import gc_paused, is_ending, sigint_ignored
from topofinder.model.candidate import Candidate, LinkMode

LOGGER = logging.getLogger("topofinder.finder")

MAX_JOBS = 1024
BLOCK = 40
"""Sizes that are stored in one transaction, where this process puts them together."""
ALONE = 8_000_000
"""Work of a sweep that this process does itself, about in microseconds: workers take a second each
to start."""

EFFORT_SHARE = 8
"""How many times fewer are where lifts and grafts are looked for, which takes longer."""

Progress = Callable[[int, int], None]
"""Called with (sizes finished, sizes in all)."""


def fill_sizes(
    sizes: Iterable[Size],
    links: LinkMode | str,
    db: str | PathLike[str],
    *,
    jobs: int = -1,
    progress: Progress = lambda done, total: None,
    unsaved: Callable[[SizeRow], None] = lambda size: None,
    block: int = BLOCK,
    effort: int = 0,
    alone: int = ALONE,
    block_work: int = BLOCK_WORK,
    seconds: float = inf,
) -> int:
    """Search every (n, d) that the database does not have; returns how many were new.

    `jobs` are joblib's: -1 for all cores. What a newer engine found counts where it can be read;
    else it is kept, and `unsaved` gets what is found here. `block` sizes are stored in one
    transaction by a process that does all; above the work `alone` workers do `block_work` each time
    (`estimate_work`). With `effort` lifts and grafts are looked for first, for about so many
    seconds a size, and what was searched with less is searched again. After `seconds`, or where
    Ctrl-C asks for what is there, it ends with the block it is in.
    Raises InvalidInput for sizes that no fabric has, and where d = 1 connects none.
    """
    mode = check_links(links)
    check_effort(effort)
    wanted = _possible(sizes, mode)
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        told = f"1 to {MAX_JOBS} workers, or -1 for all cores"
        raise InvalidInput(f"jobs: {told}, not {excerpt(jobs)}")
    with Store(db) as store, StoredSizes(store) as stored:
        done_sizes = store.finished_sizes(mode.value, ENGINE, pooled=True, effort=effort)
        finished = done_sizes | stored.newer(mode, wanted)
        missing = [size for size in wanted if size not in finished]
        progress(len(wanted) - len(missing), len(wanted))
        if missing:
            store.require_writable()
        tell = lambda done: progress(done, len(wanted))  # noqa: E731
        block = max(1, block // EFFORT_SHARE) if effort else block
        end = clock.monotonic() + seconds
        filling = _Filling(stored, mode, missing, tell, len(wanted) - len(missing), end)
        with gc_paused(), suppress(_TimeIsOverError):
            if not effort and _is_for_workers(missing, jobs, alone):
                filling.fill_by_workers(jobs, block_work)
            if filling.missing:
                filling.fill_alone(jobs, block, effort)
        left = filling.left
    for size in left:
        unsaved(size)
    return len(missing) - len(filling.missing) - len(left)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SweepOutcome(Answer):
    """What a sweep did: `searched` of `sizes` sizes were new, and are now in `db`.

    `open` sizes are still to be searched, as its time was over.
    """

    searched: int
    sizes: int
    db: str
    largest: int
    open: int = 0

    def summary(self) -> dict[str, Any]:
        """How many sizes were new, and where they are."""
        found = {"searched": self.searched, "sizes": self.sizes, "db": self.db}
        return found | ({"open": self.open} if self.open else {})

    def to_dict(self) -> dict[str, Any]:
        """The same; the command has no JSON."""
        return self.summary()

    def __str__(self) -> str:
        told = f"{self.searched} sizes searched and stored in {self.db}"
        if self.open:
            told += f"; {self.open} are left, as the time was over"
        if self.searched and self.largest > LARGEST_BUILT:
            told += (
                f"\nsizes above {LARGEST_BUILT} hosts lack base graphs that are too large to "
                "evaluate; search says which"
            )
        return told


def sweep(
    sizes: Iterable[Size],
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] = "topofinder.db",
    *,
    jobs: int = -1,
    progress: Progress = lambda done, total: None,
    effort: int = 0,
    time: float | str | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> SweepOutcome:
    """Find and store the frontiers of many sizes (n, d); started again, it goes on where it was.

    `jobs` are joblib's: -1 for all cores; `progress` is called with the sizes that are finished
    and all; `effort` is that of `search`; `time` is how long, in seconds or as a text such as
    `5min`. With a `backend` its workers do all but the storing: processes of this machine ("loky"),
    or those of a "dask" or "ray" cluster, by the address of its `scheduler`. Raises InvalidInput
    for sizes that no fabric has, and where d = 1 connects none.
    """
    wanted, still_open = list(sizes), 0
    seconds = inf if time is None else read_seconds(time)

    def tell(done: int, total: int) -> None:
        nonlocal still_open
        still_open = total - done
        progress(done, total)

    alone = ALONE if backend is None else 0
    with cluster_workers(backend, scheduler, jobs):
        fresh = fill_sizes(
            wanted, links, db,
            jobs=jobs, progress=tell, effort=effort, seconds=seconds, alone=alone,
        )  # fmt: skip
    largest = max((n for n, _ in wanted), default=0)
    return SweepOutcome(
        searched=fresh, sizes=len(wanted), db=str(db), largest=largest, open=still_open
    )


def _possible(sizes: Iterable[Size], links: LinkMode) -> list[Size]:
    """The sizes that can be connected, in order; the others need no search."""
    offered = set(sizes)
    for n in {n for n, _ in offered}:
        check_nodes(n, MAX_NODES)
    for d in {d for _, d in offered}:
        check_degree(d)
    wanted = sorted(size for size in offered if can_connect(*size, links))
    for n, d in wanted or offered:
        check_size(n, d, links)
    return wanted


def _is_for_workers(missing: Sequence[Size], jobs: int, alone: int) -> bool:
    """Whether there are several workers, and enough for them to do."""
    if jobs == 1 or sum(estimate_work(*size) for size in missing) <= alone:
        return False
    from joblib import effective_n_jobs

    return bool(effective_n_jobs(jobs) != 1)


class _TimeIsOverError(Exception):
    """A sweep is to end with what is stored."""


class _Filling:
    """Searches what is missing and stores it; `left` are rows that were wanted and not stored."""

    def __init__(
        self,
        stored: StoredSizes,
        links: LinkMode,
        missing: Sequence[Size],
        tell: Callable[[int], None],
        done: int,
        end: float,
    ) -> None:
        self._end = end
        self.left = list[SizeRow]()
        self._stored, self._links, self._tell, self._done = stored, links, tell, done
        self._open, self._wanted = dict.fromkeys(missing), set(missing)

    @property
    def missing(self) -> list[Size]:
        """The sizes that are still to be searched, in order of n, then d."""
        return list(self._open)

    def fill_by_workers(self, jobs: int, block_work: int) -> None:
        """Store what workers find, as far as they can: what is missing then is left missing."""
        same = BlockTask(
            sweep=uuid4().hex,
            links=self._links,
            path=str(Path(self._stored.store.path).absolute()),
            registers=list_registers(),
        )
        tasks = [
            replace(same, number=number, sizes=sizes)
            for number, sizes in enumerate(cut_blocks(self.missing, self._links, block_work))
        ]
        known = set[tuple[int, int, str]]()
        try:
            with blocks_by_workers(tasks, jobs) as blocks:
                for task, found in zip(tasks, blocks, strict=True):
                    self._stored.keep(found.unreadable)
                    rows = {_size_key(row): row for row in found.rows}
                    self._save([rows[key] for key in rows if key not in known], task.sizes)
                    known.update(rows)
        except OtherRegisters as error:
            LOGGER.warning("%s, which goes on by itself", error)

    def fill_alone(self, jobs: int, block: int, effort: int) -> None:
        """Put what is missing together in this process; workers do the rest."""
        missing, links, pools = self.missing, self._links, Pools(_loader(self._stored))
        with closing(EvaluationsAhead(missing, links, jobs, pools.bases.members)) as ahead:
            for start in range(0, len(missing), block):
                sizes = missing[start : start + block]
                pools.bases.remember(ahead.upto(sizes[-1][0]))
                for n, d in sizes:
                    pools.pool(n, d, links)
                gained = _search_with_effort(pools, sizes, links, jobs, effort) if effort else []
                own = {_size_key(row) for row in gained}
                keys = [key for key in pools.fresh if can_connect(*key) and key not in own]
                self._save([*(size_row(*key, pools.pool(*key)) for key in keys), *gained], sizes)
                pools.fresh.clear()

    def _save(self, rows: Sequence[SizeRow], sizes: Sequence[Size]) -> None:
        """Store the rows of a block in one transaction; _TimeIsOverError after the last one."""
        kept = self._stored.save(rows)
        self.left += [row for row in kept if _size_key(row)[:2] in self._wanted]
        for size in sizes:
            del self._open[size]
        self._done += len(sizes)
        self._tell(self._done)
        if self._open and (clock.monotonic() >= self._end or is_ending()):
            raise _TimeIsOverError


def _size_key(row: SizeRow) -> tuple[int, int, str]:
    return row.frontier.n, row.frontier.d, row.frontier.links


def _search_with_effort(
    pools: Pools, sizes: Sequence[Size], links: LinkMode, jobs: int, effort: int
) -> list[SizeRow]:
    """Look for lifts, grafts and deferred schedules of each size by workers, between them put the
    sizes together."""
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, return_as="generator", **worker_settings())
    known = [(n, d, known_times(pools, n, d, links)) for n, d in sizes]
    with sigint_ignored():
        found = parallel(delayed(find_gains)(n, d, links, effort, times) for n, d, times in known)
        kept = [
            pool_with_gains(pools, n, d, links, gains)
            for (n, d), gains in zip(sizes, found, strict=True)
        ]
        final = parallel(delayed(with_deferrals)(pool, links, effort) for pool in kept)
    return [size_row(n, d, links, pool, effort) for (n, d), pool in zip(sizes, final, strict=True)]


def _loader(stored: StoredSizes) -> Loader:
    """Looks up what was finished before: what another process adds meanwhile is the same."""
    finished = {
        (*size, mode)
        for mode in LinkMode
        for size in stored.store.finished_sizes(mode.value, ENGINE, pooled=True)
    }

    def load(n: int, d: int, links: LinkMode) -> list[Candidate] | None:
        return stored.pool(n, d, links) if (n, d, links) in finished else None

    return load
