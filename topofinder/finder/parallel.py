"""Evaluations of base graphs by workers, ahead of a search of many sizes.

Putting candidates together is sequential and keeps one core busy. Base graphs are evaluated
meanwhile, in order of n, in tasks of a fraction of a second, nearly all of which is spent in
kernels that run without the GIL: so the workers are threads, which have nothing to load and
nothing to send. Another backend that joblib is configured for is used instead.

joblib's own worker processes wait five minutes for more work, also where the process that gave it
was killed; they keep its standard output open, and whoever reads that waits with them. So they end
when their parent does, however it ends, and speak with one voice.
"""

import os
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any

from expansions.recipe import Base
from generators.divisors import divisors
from topofinder.compilation import announcer, tell_first, tell_on_stderr
from topofinder.finder.base_candidates import shipped_pair, too_large
from topofinder.finder.base_scope import EVERYTHING, base_properties, cost_is_proved
from topofinder.finder.batch_evaluation import evaluate_all
from topofinder.finder.factors import may_be_factor
from topofinder.interrupts import sigint_ignored
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import Pair

Size = tuple[int, int]
"""Nodes and ports of each."""
Members = Callable[[int, int, LinkMode], Iterable[Base]]
"""Lists the base graphs of a size."""
ListedSize = tuple[int, int, bool, bool, bool]
"""A size, and which of its base graphs are listed: its own, factors, those of one-way links."""
PAUSE = 0.25
"""Seconds between two looks at the parent."""
PATIENCE = 5.0
"""Seconds for a thread that ends, on a machine with more to do."""
TASK_NODES = 1 << 19
"""Nodes of the graphs of a task: some tenths of a second."""


class EvaluationsAhead:
    """Evaluations of base graphs that a sweep will need, made by workers in order of n."""

    def __init__(
        self,
        missing: Sequence[Size],
        links: LinkMode,
        jobs: int,
        members: Members = EVERYTHING.members,
    ) -> None:
        tasks = list(cut_tasks(needed_bases(missing, links, members)))
        self._found = _evaluate_tasks(tasks, jobs) if tasks else _no_results()
        self._feeder = FeederThread() if tasks and worker_settings("threads") else None
        self._begins = [_nodes(bases[0]) for bases in tasks]
        self._taken = 0

    def upto(self, n: int) -> Iterator[tuple[Base, Pair]]:
        """The evaluations of all base graphs of at most n nodes that were not given before.

        And of some larger ones, where a task has both.
        """
        while self._taken < len(self._begins) and self._begins[self._taken] <= n:
            self._taken += 1
            yield from next(self._found)

    def close(self) -> None:
        """Call off what was not taken."""
        if self._taken < len(self._begins):
            close_quietly(self._found)
            if self._feeder is not None:
                self._feeder.end()


def close_quietly(found: Generator[Any, None, None]) -> None:
    """Call off what joblib's workers still do; it would warn of what nobody takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.close()


def _no_results() -> Generator[list[tuple[Base, Pair]], None, None]:
    yield from ()


def cut_tasks(bases: Iterable[Base], most: int = TASK_NODES) -> Iterator[list[Base]]:
    """Consecutive base graphs together, until they have `most` nodes.

    >>> from expansions.parser import parse
    >>> graphs = map(parse, ("Pi(2,5)", "Pi(2,7)", "Pi(3,7)"))
    >>> [list(map(str, task)) for task in cut_tasks(graphs, 12)]
    [['Pi(2,5)', 'Pi(2,7)'], ['Pi(3,7)']]
    """
    task, nodes = list[Base](), 0
    for base in bases:
        task.append(base)
        nodes += _nodes(base)
        if nodes >= most:
            yield task
            task, nodes = [], 0
    if task:
        yield task


def _evaluate_tasks(
    tasks: list[list[Base]], jobs: int
) -> Generator[list[tuple[Base, Pair]], None, None]:
    """The tasks' evaluations in order, by threads (or joblib's configured backend)."""
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=jobs,
        prefer="threads",
        return_as="generator",
        pre_dispatch=64,
        batch_size=1,
        **worker_settings("threads"),
    )
    with sigint_ignored():
        found: Generator[list[tuple[Base, Pair]], None, None] = parallel(
            delayed(evaluate_all)(task) for task in tasks
        )
    return found


def needed_bases(
    missing: Sequence[Size],
    links: LinkMode,
    members: Members = EVERYTHING.members,
    listed: set[ListedSize] | None = None,
) -> Iterator[Base]:
    """Base graphs that must be evaluated, in order of n; others are found when they come up.

    `members` lists those of a size, which the search will ask for again. What is in `listed` was
    listed before, for the same links: it is left out, and the rest entered.
    """
    listed = set() if listed is None else listed
    wanted, ports = set(missing), max((d for _, d in missing), default=0)
    nodes = {n for n, _ in missing}
    factors = {k for n in nodes for k in divisors(n)[1:-1]}
    for n in sorted(nodes | factors):
        for d in range(1, ports + 1):
            own = (n, d) in wanted
            factor = not own and n in factors
            # By Bi(G), whose G may be one-way, and by parallel links.
            one_way = any((n, more) in wanted for more in range(2 * d, ports + 1, d))
            if (n, d, own, factor, one_way) in listed:
                continue
            listed.add((n, d, own, factor, one_way))
            bases: Iterable[Base] = members(n, d, links) if own or factor else ()
            if factor:
                bases = filter(_is_possible_factor, bases)
            if one_way:
                bases = dict.fromkeys([*bases, *members(n, d, LinkMode.SIMPLEX)])
            yield from filter(_needs_evaluation, bases)


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


def worker_settings(prefer: str | None = None) -> dict[str, Any]:
    """Arguments of Parallel for joblib's own worker processes: they end with this process.

    `prefer` is what Parallel is told to prefer, where no backend is configured.

    The first that compiles kernels says so, where this process would.

    Threads need none, and workers of other backends, on other machines perhaps, are no children of
    this process: they are left to those.
    """
    from joblib.parallel import LokyBackend, get_active_backend

    backend, _ = get_active_backend(prefer=prefer)
    if os.name != "posix" or not isinstance(backend, LokyBackend):
        return {}
    return {"initializer": start_worker, "initargs": (os.getpid(), announcer.claim_file())}


class FeederThread:
    """The thread that feeds joblib's own processes, which is to end before the program does.

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
