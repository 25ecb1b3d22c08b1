"""Many sizes at once: parallel evaluation of base graphs, resumable, safe to kill.

Evaluating base graphs takes nearly all of the time and is independent work; putting candidates
together is quick and sequential. So workers evaluate ahead, in order of n, while this process
combines and stores: a block of sizes in one transaction, so that a sweep that is killed has
lost at most the block it was in, and finds the finished sizes when it is started again.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from os import PathLike

from db.rows import SizeRow
from db.store import Store
from expansions.build import LIMIT
from expansions.recipe import Base
from generators.errors import InvalidInput
from generators.shown import shown
from topofinder.api.candidate_rows import ENGINE, size_row
from topofinder.api.search import check_arcs, check_degree, check_links, check_nodes
from topofinder.api.stored_frontiers import StoredSizes
from topofinder.collector import uncollected
from topofinder.finder.base_candidates import Pair, evaluate_both, too_large
from topofinder.finder.base_scope import EVERYTHING
from topofinder.finder.enumeration import Pools
from topofinder.finder.factors import divisors, may_be_factor
from topofinder.finder.orphans import Feeder, orphans_end
from topofinder.finder.promises import promise_of, settled
from topofinder.finder.shield import shielded
from topofinder.finder.shipped import shipped_pair
from topofinder.model.candidate import Links

MAX_JOBS = 1024
BLOCK = 40
"""Sizes that are stored in one transaction."""

Size = tuple[int, int]
Progress = Callable[[int, int], None]
"""Called with (sizes finished, sizes in all)."""


def sweep(
    sizes: Iterable[Size],
    links: Links | str,
    db: str | PathLike[str],
    *,
    jobs: int = -1,
    progress: Progress = lambda done, total: None,
    unsaved: Callable[[SizeRow], None] = lambda size: None,
) -> int:
    """Search every (n, d) with d < n that the database does not have; returns how many were new.

    `jobs` are joblib's: -1 for all cores. Sizes are done in order of n, then d. What a newer engine
    found counts where it can be read; else it is kept, and `unsaved` gets what is found here.
    Raises InvalidInput for sizes that no fabric has, and where no d is below its n.
    """
    mode = check_links(links)
    wanted = _possible(sizes)
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        told = f"1 to {MAX_JOBS} workers, or -1 for all cores"
        raise InvalidInput(f"jobs: {told}, not {shown(jobs)}")
    with Store(db) as store, StoredSizes(store) as stored:
        finished = store.finished(mode.value, ENGINE, pooled=True) | stored.newer(mode, wanted)
        missing = [size for size in wanted if size not in finished]
        progress(len(wanted) - len(missing), len(wanted))
        if missing:
            store.require_writable()
        tell = lambda done: progress(done, len(wanted))  # noqa: E731
        with uncollected():
            left = _fill(stored, missing, mode, jobs, tell, len(wanted))
    for size in left:
        unsaved(size)
    return len(missing) - len(left)


def _possible(sizes: Iterable[Size]) -> list[Size]:
    """The sizes with d < n, in order; the others need no search, for no fabric has them."""
    offered = set(sizes)
    for n in {n for n, _ in offered}:
        check_nodes(n)
    for d in {d for _, d in offered}:
        check_degree(d)
    wanted = sorted((n, d) for n, d in offered if d < n)
    if offered and not wanted:
        n, d = max(offered)
        raise InvalidInput(f"d: {n} hosts use at most {n - 1} ports each, not {d}")
    for n, d in wanted:
        check_arcs(n, d)
    return wanted


def _fill(
    stored: StoredSizes,
    missing: Sequence[Size],
    links: Links,
    jobs: int,
    tell: Callable[[int], None],
    total: int,
) -> list[SizeRow]:
    """Search and store; gives back those that are wanted and were not stored."""
    pools, wanted, left = Pools(stored.pool), set(missing), list[SizeRow]()
    done = total - len(missing)
    with closing(Ahead(missing, links, jobs)) as ahead:
        for start in range(0, len(missing), BLOCK):
            block = missing[start : start + BLOCK]
            pools.bases.remember(ahead.upto(block[-1][0]))
            for n, d in block:
                pools.pool(n, d, links)
            keys = [key for key in pools.fresh if key[1] < key[0]]
            kept = stored.save(size_row(*key, pools.pool(*key)) for key in keys)
            left += [size for size in kept if (size.frontier.n, size.frontier.d) in wanted]
            pools.fresh.clear()
            done += len(block)
            tell(done)
    return left


class Ahead:
    """Evaluations of base graphs that a sweep will need, made by workers in order of n."""

    def __init__(self, missing: Sequence[Size], links: Links, jobs: int) -> None:
        tasks = [(n, list(bases)) for n, bases in groupby(needed(missing, links), key=_nodes)]
        self._found = _evaluated([bases for _, bases in tasks], jobs) if tasks else _nothing()
        self._feeder = Feeder() if tasks else None
        self._sizes = [n for n, _ in tasks]
        self._taken = 0

    def upto(self, n: int) -> Iterator[tuple[Base, Pair]]:
        """The evaluations of all base graphs of at most n nodes that were not given before."""
        while self._taken < len(self._sizes) and self._sizes[self._taken] <= n:
            self._taken += 1
            yield from next(self._found)

    def close(self) -> None:
        """Call off what was not taken."""
        if self._feeder is not None and self._taken < len(self._sizes):
            self._found.close()
            self._feeder.end()


def _nothing() -> Generator[list[tuple[Base, Pair]], None, None]:
    yield from ()


def _evaluated(
    tasks: list[list[Base]], jobs: int
) -> Generator[list[tuple[Base, Pair]], None, None]:
    """The tasks' evaluations in order, by joblib's workers (or its configured backend)."""
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, return_as="generator", pre_dispatch=64, **orphans_end())
    with shielded():
        found: Generator[list[tuple[Base, Pair]], None, None] = parallel(
            delayed(evaluate_all)(task) for task in tasks
        )
    return found


def needed(missing: Sequence[Size], links: Links) -> Iterator[Base]:
    """Base graphs that must be evaluated, in order of n; others are found when they come up."""
    wanted, ports = set(missing), max((d for _, d in missing), default=0)
    nodes = {n for n, _ in missing}
    factors = {k for n in nodes for k in divisors(n)[1:-1]}
    for n in sorted(nodes | factors):
        for d in range(1, ports + 1):
            bases: Iterable[Base] = EVERYTHING.members(n, d, links) if (n, d) in wanted else ()
            if (n, d) not in wanted and n in factors:
                bases = filter(_factor, EVERYTHING.members(n, d, links))
            elif links is Links.DUPLEX and (n, 2 * d) in wanted:
                bases = {*bases, *EVERYTHING.members(n, d, Links.SIMPLEX)}
            yield from filter(_unknown, bases)


def evaluate_all(bases: Iterable[Base]) -> list[tuple[Base, Pair]]:
    """Each base graph with its evaluation and that of its transpose."""
    return [(base, evaluate_both(base, bool(promise_of(base).reverse_symmetric))) for base in bases]


def _nodes(base: Base) -> int:
    return promise_of(base).n


def _unknown(base: Base) -> bool:
    """Whether neither a theorem nor the catalogue says what a graph costs that is evaluated."""
    promise = promise_of(base)
    if promise.n > LIMIT and too_large(base):
        return False
    return not settled(promise) and shipped_pair(base) is None


def _factor(base: Base) -> bool:
    return may_be_factor(promise_of(base))
