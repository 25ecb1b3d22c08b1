"""Evaluations of base graphs by workers, ahead of a search of many sizes.

Evaluating base graphs takes nearly all of the time and is independent work; putting candidates
together is quick and sequential. So workers evaluate in order of n, while the caller combines.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import groupby

from expansions.divisors import divisors
from expansions.recipe import Base
from expansions.size import LARGEST_BUILT
from topofinder.finder.base_candidates import Pair, evaluate_both, too_large
from topofinder.finder.base_scope import EVERYTHING
from topofinder.finder.factors import may_be_factor
from topofinder.finder.orphans import Feeder, worker_settings
from topofinder.finder.promises import promise_of, settled
from topofinder.finder.shipped import shipped_pair
from topofinder.interrupts import sigint_ignored
from topofinder.model.candidate import LinkMode

Size = tuple[int, int]
"""Nodes and ports of each."""


class Ahead:
    """Evaluations of base graphs that a sweep will need, made by workers in order of n."""

    def __init__(self, missing: Sequence[Size], links: LinkMode, jobs: int) -> None:
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

    parallel = Parallel(n_jobs=jobs, return_as="generator", pre_dispatch=64, **worker_settings())
    with sigint_ignored():
        found: Generator[list[tuple[Base, Pair]], None, None] = parallel(
            delayed(evaluate_all)(task) for task in tasks
        )
    return found


def needed(missing: Sequence[Size], links: LinkMode) -> Iterator[Base]:
    """Base graphs that must be evaluated, in order of n; others are found when they come up."""
    wanted, ports = set(missing), max((d for _, d in missing), default=0)
    nodes = {n for n, _ in missing}
    factors = {k for n in nodes for k in divisors(n)[1:-1]}
    for n in sorted(nodes | factors):
        for d in range(1, ports + 1):
            bases: Iterable[Base] = EVERYTHING.members(n, d, links) if (n, d) in wanted else ()
            if (n, d) not in wanted and n in factors:
                bases = filter(_factor, EVERYTHING.members(n, d, links))
            elif links is LinkMode.DUPLEX and (n, 2 * d) in wanted:
                bases = {*bases, *EVERYTHING.members(n, d, LinkMode.SIMPLEX)}
            yield from filter(_unknown, bases)


def evaluate_all(bases: Iterable[Base]) -> list[tuple[Base, Pair]]:
    """Each base graph with its evaluation and that of its transpose."""
    return [(base, evaluate_both(base, bool(promise_of(base).reverse_symmetric))) for base in bases]


def _nodes(base: Base) -> int:
    return promise_of(base).n


def _unknown(base: Base) -> bool:
    """Whether neither a theorem nor the catalogue says what a graph costs that is evaluated."""
    promise = promise_of(base)
    if promise.n > LARGEST_BUILT and too_large(base):
        return False
    return not settled(promise) and shipped_pair(base) is None


def _factor(base: Base) -> bool:
    return may_be_factor(promise_of(base))
