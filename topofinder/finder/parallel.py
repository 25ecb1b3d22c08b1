"""Evaluations of base graphs by workers, ahead of a search of many sizes.

Evaluating base graphs takes nearly all of the time and is independent work; putting candidates
together is quick and sequential. So workers evaluate in order of n, while the caller combines.

joblib's workers wait five minutes for more work, also where the process that gave it was killed;
they keep its standard output open, and whoever reads that waits with them. So they end when their
parent does, however it ends, and speak with one voice.
"""

import os
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from expansions.divisors import divisors
from expansions.recipe import Base
from topofinder.compilation import announcer, tell_first, tell_on_stderr
from topofinder.finder.base_candidates import Pair, evaluate_both, shipped_pair, too_large
from topofinder.finder.base_scope import EVERYTHING, base_properties, cost_is_proved
from topofinder.finder.enumeration import may_be_factor
from topofinder.interrupts import sigint_ignored
from topofinder.model.candidate import LinkMode

Size = tuple[int, int]
"""Nodes and ports of each."""
PAUSE = 0.25
"""Seconds between two looks at the parent."""
PATIENCE = 5.0
"""Seconds for a thread that ends, on a machine with more to do."""


class EvaluationsAhead:
    """Evaluations of base graphs that a sweep will need, made by workers in order of n."""

    def __init__(self, missing: Sequence[Size], links: LinkMode, jobs: int) -> None:
        tasks = [(n, list(bases)) for n, bases in groupby(needed_bases(missing, links), key=_nodes)]
        self._found = (
            _evaluate_tasks([bases for _, bases in tasks], jobs) if tasks else _no_results()
        )
        self._feeder = FeederThread() if tasks else None
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


def _no_results() -> Generator[list[tuple[Base, Pair]], None, None]:
    yield from ()


def _evaluate_tasks(
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


def needed_bases(missing: Sequence[Size], links: LinkMode) -> Iterator[Base]:
    """Base graphs that must be evaluated, in order of n; others are found when they come up."""
    wanted, ports = set(missing), max((d for _, d in missing), default=0)
    nodes = {n for n, _ in missing}
    factors = {k for n in nodes for k in divisors(n)[1:-1]}
    for n in sorted(nodes | factors):
        for d in range(1, ports + 1):
            bases: Iterable[Base] = EVERYTHING.members(n, d, links) if (n, d) in wanted else ()
            if (n, d) not in wanted and n in factors:
                bases = filter(_is_possible_factor, EVERYTHING.members(n, d, links))
            elif links is LinkMode.DUPLEX and (n, 2 * d) in wanted:
                bases = {*bases, *EVERYTHING.members(n, d, LinkMode.SIMPLEX)}
            yield from filter(_needs_evaluation, bases)


def evaluate_all(bases: Iterable[Base]) -> list[tuple[Base, Pair]]:
    """Each base graph with its evaluation and that of its transpose."""
    return [
        (base, evaluate_both(base, bool(base_properties(base).reverse_symmetric))) for base in bases
    ]


def _nodes(base: Base) -> int:
    return base_properties(base).n


def _needs_evaluation(base: Base) -> bool:
    """Whether neither a theorem nor the catalogue says what a graph costs that is evaluated."""
    properties = base_properties(base)
    if EVERYTHING.is_large(properties.n) and too_large(base):
        return False
    return not cost_is_proved(properties) and shipped_pair(base) is None


def _is_possible_factor(base: Base) -> bool:
    return may_be_factor(base_properties(base))


def worker_settings() -> dict[str, Any]:
    """Arguments of Parallel for joblib's own workers: they end with this process.

    The first that compiles kernels says so, where this process would.

    Workers of other backends, on other machines perhaps, are no children of this process: they
    are left to those.
    """
    from joblib.parallel import LokyBackend, get_active_backend

    backend, _ = get_active_backend()
    if os.name != "posix" or not isinstance(backend, LokyBackend):
        return {}
    return {"initializer": start_worker, "initargs": (os.getpid(), announcer.claim_file())}


class FeederThread:
    """The thread that feeds joblib's own workers, which is to end before the program does.

    Left to the end of the program, it is stopped while it takes its semaphores apart, and joblib's
    tracker of resources complains of what is gone already. joblib has no name for it; where another
    version keeps it elsewhere, it is left to itself. To be made when workers have got work.
    """

    def __init__(self) -> None:
        from joblib.externals.loky import reusable_executor

        executor = getattr(reusable_executor, "_executor", None)
        self._queue: Any = getattr(executor, "_call_queue", None)

    def end(self) -> None:
        """Close the queue to workers that are called off, and wait for the thread."""
        thread = getattr(self._queue, "_thread", None)
        if thread is not None:
            self._queue.close()
            thread.join(PATIENCE)


def start_worker(parent: int, claim: str | None = None) -> None:
    """End this process as soon as `parent` is no longer its parent, whatever it does then.

    With `claim` it says that kernels are compiled, unless another process said so.
    """
    if claim is not None:
        announcer.tell = tell_first(claim, tell_on_stderr)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PAUSE)
    os._exit(1)
