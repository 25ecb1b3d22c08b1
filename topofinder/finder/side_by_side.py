"""One function of many arguments, by the workers that joblib is configured for, in order.

Whoever asks takes the results one by one and may stop: what was not taken is called off. So
a loop over `starmap` becomes one over workers without another line.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Protocol, TypeVar

from topofinder.finder.parallel import close_quietly, worker_settings
from topofinder.interrupts import sigint_ignored

T = TypeVar("T")


class Results(Protocol):
    """What `itertools.starmap` is: the results of a function for each tuple of arguments."""

    def __call__(
        self, call: Callable[..., T], arguments: Iterable[tuple[Any, ...]], /
    ) -> Iterator[T]:
        """The results, in the order of the arguments."""


def results_by_workers(
    call: Callable[..., T], arguments: Iterable[tuple[Any, ...]], /
) -> Iterator[T]:
    """The results in order; each tuple of arguments is a task.

    >>> from joblib import parallel_config
    >>> with parallel_config(backend="threading"):
    ...     list(results_by_workers(divmod, [(7, 2), (9, 4)]))
    [(3, 1), (2, 1)]
    """
    listed = list(arguments)
    if not listed:
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=-1, batch_size=1, return_as="generator", **worker_settings())
    with sigint_ignored():
        found = parallel(delayed(call)(*each) for each in listed)
    try:
        yield from islice(found, None)  # `found` itself would be closed here, with a warning
    finally:
        close_quietly(found)
