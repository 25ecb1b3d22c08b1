"""Blocks of sizes that workers put together, each with pools of its own.

A pool draws on pools of the same n, of n/k, and rarely of n + 1. So sizes stand in order of the
prime factors of n, the largest first: sizes that draw on each other stand together, and blocks
share little but what is small. Blocks of consecutive n would share all that is below them. Each
worker keeps its pools from block to block of a sweep; what others made it reads from the database,
where it can, and else makes it itself. Rows come back in the order of the blocks, to be written by
one process.

A block brings the rows of every size that was made for it, but for those that the same worker made
for an earlier one. So what is stored is whole up to any block: nothing in it draws on what is not.
A worker that gets an earlier block than its last one, as another was lost with it, starts anew.
"""

import gc
import os
import platform
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from db.opening import Unavailable
from db.rows import SizeRow
from db.store import Store
from expansions.register import EXPANSIONS
from generators.divisors import prime_factors
from generators.errors import InvalidInput, Unsupported
from generators.families.register_all import FAMILIES
from topofinder.api.shared.candidate_rows import ENGINE, size_row
from topofinder.api.shared.frontiers import can_connect
from topofinder.api.shared.stored_frontiers import read_pool
from topofinder.finder.batch_evaluation import evaluate_all
from topofinder.finder.enumeration import Pools, PoolSize, sources
from topofinder.finder.odd_sizes import has_free_port
from topofinder.finder.parallel import (
    FeederThread,
    ListedSize,
    Size,
    close_quietly,
    needed_bases,
    worker_settings,
)
from topofinder.interrupts import gc_paused, sigint_ignored
from topofinder.model.candidate import Candidate, LinkMode

BLOCK_WORK = 400_000
"""Work of a block, about in microseconds: many for each worker, none that is soon done."""
AHEAD = 256
"""Blocks that a cluster is given at once: workers may join it at any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTask:
    """A block of sizes to put together: the `number`-th of a sweep, which has a name of its own.

    `path` is the database, for workers of the same machine; `registers` what the search draws on;
    `driver` the process that asks, and `host` the machine.
    """

    sweep: str
    links: LinkMode
    path: str
    registers: tuple[str, ...]
    number: int = 0
    sizes: tuple[Size, ...] = ()
    driver: int = field(default_factory=os.getpid)
    host: str = field(default_factory=platform.node)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockRows:
    """Rows of the sizes that were made for a block, and stored sizes that could not be read."""

    rows: tuple[SizeRow, ...]
    unreadable: tuple[tuple[PoolSize, str], ...]


class OtherRegisters(Unsupported):
    """A worker has other families or expansions than the program that asks it."""


def estimate_work(n: int, d: int) -> int:
    """About how many microseconds it takes to put a size together.

    >>> estimate_work(2000, 4)
    4200
    """
    return 1000 + 2 * n * d // 5


def cut_blocks(
    sizes: Iterable[Size], links: LinkMode, work: int = BLOCK_WORK
) -> Iterator[tuple[Size, ...]]:
    """Sizes in blocks of so much work, in order of the prime factors of n, all of one n in a block.

    A size with a free port draws on its next n first of all, and stands with that one.

    >>> sizes = [(2, 1), (2, 2), (3, 1), (4, 1), (6, 1)]
    >>> list(cut_blocks(sizes, LinkMode.SIMPLEX, work=2000))
    [((2, 1), (2, 2)), ((4, 1), (3, 1)), ((6, 1),)]
    """
    groups: dict[int, list[Size]] = {}
    for n, d in sorted(sizes):
        groups.setdefault(n + has_free_port(n, d, links), []).append((n, d))
    block, done = list[Size](), 0
    for n in sorted(groups, key=prime_factors):
        block += groups[n]
        done += sum(estimate_work(*size) for size in groups[n])
        if done >= work:
            yield tuple(block)
            block, done = [], 0
    if block:
        yield tuple(block)


def list_registers() -> tuple[str, ...]:
    """What decides of a search: its version, the families and the expansions, in their order."""
    return (str(ENGINE), *FAMILIES, *EXPANSIONS)


@contextmanager
def blocks_by_workers(
    tasks: Sequence[BlockTask], jobs: int
) -> Iterator[Generator[BlockRows, None, None]]:
    """What joblib's workers make of the blocks, in order; the rest is called off on any error."""
    from joblib import Parallel, delayed

    settings = worker_settings()
    ahead = "2*n_jobs" if settings else AHEAD
    parallel = Parallel(
        n_jobs=jobs, return_as="generator", pre_dispatch=ahead, batch_size=1, **settings
    )
    with sigint_ignored():
        found: Generator[BlockRows, None, None] = parallel(
            delayed(search_block)(task) for task in tasks
        )
    feeder = FeederThread() if settings else None
    try:
        yield found
    except BaseException:
        close_quietly(found)
        if feeder is not None:
            feeder.end()
        raise


def search_block(task: BlockTask) -> BlockRows:
    """Put a block together with what this worker has kept of the sweep.

    Raises OtherRegisters where this worker would find something else.
    """
    if list_registers() != task.registers:
        raise OtherRegisters("a worker has other families or expansions than this program")
    searcher: _BlockSearcher | None = getattr(_kept, "searcher", None)
    _kept.searcher = None  # what fails half-way is not used again
    if searcher is None or searcher.sweep != task.sweep or searcher.last >= task.number:
        searcher = _BlockSearcher(task.sweep)
    with gc_paused():
        found = searcher.search(task)
        if task.driver != os.getpid():
            # joblib's workers look for reference cycles after every task: among pools that all
            # stay, which would take as long as to make them.
            gc.freeze()
    _kept.searcher = searcher
    return found


_kept = threading.local()
"""The searcher of this worker: a process has one for each thread that joblib gives work."""


class _BlockSearcher:
    """The pools of one worker, for the length of a sweep."""

    def __init__(self, sweep: str) -> None:
        self.sweep = sweep
        self.last = -1
        self._pools = Pools(self._load)
        self._store: Store | None = None
        self._unreadable = dict[PoolSize, str]()
        self._unstored = set[PoolSize]()
        self._listed = set[ListedSize]()

    def search(self, task: BlockTask) -> BlockRows:
        """The rows of a block and of what it draws on, as far as no earlier one brought them."""
        pools, self.last = self._pools, task.number
        self._unreadable.clear()
        self._unstored = {(*size, task.links) for size in task.sizes}
        with ExitStack() as opened:
            self._store = _open_store(task, opened)
            self._evaluate(task)
            for n, d in task.sizes:
                pools.pool(n, d, task.links)
            keys = [key for key in pools.fresh if can_connect(*key)]
            rows = tuple(size_row(*key, pools.pool(*key)) for key in keys)
            self._store = None
        pools.fresh.clear()
        return BlockRows(rows=rows, unreadable=tuple(self._unreadable.items()))

    def _evaluate(self, task: BlockTask) -> None:
        """Evaluate what the block needs of base graphs, many at a time."""
        bases = self._pools.bases
        sizes = sorted(self._lacking_sizes(task))
        needed = needed_bases(sizes, task.links, bases.members, self._listed)
        open_bases = [
            base
            for base in dict.fromkeys(needed)
            if not (bases.is_evaluated(base) or bases.scope.is_base_settled(base))
        ]
        bases.remember(evaluate_all(open_bases))

    def _lacking_sizes(self, task: BlockTask) -> set[Size]:
        """The sizes of a block and those that they draw on, as far as they are to be made."""
        seen: set[PoolSize] = {(*size, task.links) for size in task.sizes}
        open_sizes = list(seen)
        while open_sizes:
            n, d, links = open_sizes.pop()
            for inner in (source.size for source in sources(n, d, links)):
                if inner not in seen and not self._pools.has_pool(*inner):
                    seen.add(inner)
                    open_sizes.append(inner)
        return {(n, d) for n, d, links in seen if links is task.links and n > 1}

    def _load(self, n: int, d: int, links: LinkMode) -> list[Candidate] | None:
        """A pool that is stored (topofinder.finder.enumeration.Loader)."""
        size = (n, d, links)
        if self._store is None or size in self._unstored:
            return None
        try:
            found = read_pool(self._store, *size)
        except Unavailable:
            return None
        except InvalidInput as error:
            self._unreadable[size] = str(error)
            return None
        if found is None:
            self._unstored.add(size)
        return found


def _open_store(task: BlockTask, opened: ExitStack) -> Store | None:
    """The database where this worker has it, to be closed with `opened`.

    Another machine's file of that name may be another one, or may be locked badly.
    """
    if task.host != platform.node() or not Path(task.path).is_file():
        return None
    try:
        return opened.enter_context(Store(task.path, create=False))
    except InvalidInput:
        return None
