"""What a query works out beside what is stored, in this process or by workers of a backend."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from math import inf
from time import monotonic

from db.selection import Selection
from db.store import Store
from generators.errors import InvalidInput
from reports.query_row import FoundCandidate
from topofinder.api.query_trainings import TrainingChoice

MOST_RATED, MOST_FAILING = 100, 256
"""Candidates that are rated after failures, and their hosts, at most."""


def check_workers(
    backend: str | None, choice: TrainingChoice | None, failures: bool, time: float | str | None
) -> None:
    """Refuse workers that have nothing to do, and a time for nothing."""
    if time is not None and (backend is None or choice is None):
        raise InvalidInput("--time: ends trainings, which need --train and --backend")
    if backend is None:
        return
    if choice is None and not failures:
        raise InvalidInput("--backend: works out --train and --with-failures; the rest is stored")


def query_workers(backend: str | None, scheduler: str | None) -> AbstractContextManager[None]:
    """Those of a backend; a query without one needs none."""
    if backend is None and scheduler is None:
        return nullcontext()
    from topofinder.api.shared.clusters import cluster_workers

    return cluster_workers(backend, scheduler)


def rate_missing(
    store: Store, wanted: Selection, choice: TrainingChoice, seconds: float | None = None
) -> int:
    """Rate the wanted stored sizes that lack the training, side by side, and store it.

    Returns how many are left after the `seconds`, or Ctrl-C within `end_early`.
    """
    from topofinder.api.train_sizes import TrainingLinks, rate_stored_sizes
    from topofinder.finder.side_by_side import results_by_workers

    alpha, bandwidth = choice.times()
    if alpha is None or bandwidth is None:
        raise InvalidInput("--backend: to train needs --alpha and --bandwidth")
    links = TrainingLinks.of_model(choice.model, alpha, bandwidth)
    end = inf if seconds is None else monotonic() + seconds
    return rate_stored_sizes(store, wanted, links, results_by_workers, end)


def after_failures(found: Sequence[FoundCandidate], *, by_workers: bool) -> list[FoundCandidate]:
    """The same with what an allreduce takes after failures, worked out once for each."""
    from topofinder.api.failure_costs import FailureCostsByRecipe

    if len(found) > MOST_RATED:
        raise InvalidInput(
            f"with_failures: for up to {MOST_RATED} candidates, not {len(found)}; --limit, or "
            "filters, leave fewer"
        )
    costs = {links: FailureCostsByRecipe(links) for links in {one.row.links for one in found}}
    for links, known in costs.items() if by_workers else ():
        rows = (one.row for one in found if one.failures is None)
        known.work_out(row.recipe for row in rows if row.links == links and row.n <= MOST_FAILING)
    rated = []
    for one in found:
        if one.failures is None and one.row.n <= MOST_FAILING:
            with suppress(InvalidInput):  # a single host, or two without a way
                one = one._replace(failures=costs[one.row.links].row(one.row.recipe))
        rated.append(one)
    return rated
