"""All-to-all throughputs of recipes: taken from the database, or found and stored there."""

import logging
from collections.abc import Iterable
from fractions import Fraction
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

from db.store import Store
from db.throughput_rows import ThroughputRow
from generators.errors import TopofinderError
from topofinder.api.shared.stored_throughputs import UNIFORM, keep_rate, stored_rates
from topofinder.interrupts import is_ending, require_interrupt
from topofinder.progress import work_progress

if TYPE_CHECKING:
    from topofinder.alltoall.demand.matrix import Demand
    from topofinder.api.throughput import Throughput

LOGGER = logging.getLogger("topofinder.api")

LEAST = 0.01
"""Seconds that an answer gets where nothing is left of those for all: a wider interval."""


class Rates:
    """Throughputs of recipes to a relative `gap`, or as close as `time` seconds give each.

    They are those of a uniform all-to-all, of a `pattern`, or of one `demand` for all recipes. All
    together take about `total` seconds at most: none gets more than half of what is left, so that
    one that is slow leaves time for the others. What the store holds is used where it is close
    enough; what is found is stored. Ctrl-C ends the search for one, `interrupted` is then true, and
    those that are left get next to no time, unless `goes_on` is false: then it is raised again.
    """

    def __init__(
        self,
        store: Store | None,
        gap: Fraction,
        time: float,
        total: float = inf,
        *,
        pattern: str = UNIFORM,
        demand: "Demand | None" = None,
        goes_on: bool = True,
    ) -> None:
        self._store, self._gap, self._time, self._left = store, gap, time, total
        self._pattern, self._demand = pattern, demand
        self._label = pattern
        if demand is not None:
            from topofinder.api.throughput import MATRIX, demand_label

            self._label = demand_label(MATRIX, demand)
        self._known: dict[str, ThroughputRow] = {}
        self.interrupted, self._goes_on = False, goes_on

    def work_out(self, recipes: Iterable[str]) -> None:
        """Work out what is not known of some recipes side by side, by the backend of joblib's.

        Each gets its own seconds, or an equal part of all; what cannot be worked out is left.
        """
        missing = [
            recipe
            for recipe in dict.fromkeys(recipes)
            if recipe not in self._known and self._stored_row(recipe) is None
        ]
        if len(missing) < 2:
            return
        from topofinder.finder.side_by_side import results_by_workers

        time = min(self._time, max(self._left / len(missing), LEAST))
        asked = ((recipe, self._pattern, self._demand, self._gap, time) for recipe in missing)
        for recipe, row in zip(missing, results_by_workers(rate_recipe, asked), strict=True):
            if row is not None:
                self._left -= row.seconds
                self._known[recipe] = self._keep(row, recipe)
            if is_ending():
                self._hurry()
                break

    def stored_interval(self, recipe: str) -> ThroughputRow | None:
        """The interval that the store holds, however wide."""
        if self._store is None:
            return None
        return stored_rates(self._store, [recipe], self._label).get(recipe)

    def __getitem__(self, recipe: str) -> ThroughputRow:
        """The interval of a recipe. Raises InvalidInput where its graph is not connected."""
        if recipe not in self._known:
            self._known[recipe] = self._stored_row(recipe) or self._bound_row(recipe)
        return self._known[recipe]

    def bound(self, recipe: str) -> Fraction:
        """What f cannot exceed: the interval's end where one is known, else the hop bound."""
        row = self._known.get(recipe) or self._stored_row(recipe)
        if row is not None:
            return row.upper
        from expansions.build import build
        from expansions.parser import parse
        from topofinder.alltoall.problem import FlowProblem
        from topofinder.alltoall.solver.bounds import hop_bound
        from topofinder.api.throughput import read_asked

        topology = build(parse(recipe))
        _, asked = read_asked(topology, self._pattern, self._demand)
        return hop_bound(FlowProblem(topology=topology, demand=asked))

    def _stored_row(self, recipe: str) -> ThroughputRow | None:
        row = self.stored_interval(recipe)
        return row if row is not None and row.gap <= self._gap else None

    def _bound_row(self, recipe: str) -> ThroughputRow:
        """An interval that is worked out; after Ctrl-C as far as next to no time allows."""
        began = perf_counter()
        try:
            found = self._throughput(recipe)
        except (KeyboardInterrupt, SystemError) as error:
            require_interrupt(error)
            self._hurry()
            found = self._throughput(recipe)
        self._left -= perf_counter() - began
        row = self._keep(found.row(), recipe)
        if found.answer.interrupted:
            self._hurry()
        return row

    def _throughput(self, recipe: str) -> "Throughput":
        from reports.throughput import progress_text
        from topofinder.api.throughput import throughput

        time = min(self._time, max(self._left / 2, LEAST))
        with work_progress.part(f"throughput of {recipe}"):
            return throughput(
                recipe,
                pattern=self._pattern,
                demand=self._demand,
                gap=self._gap,
                time=time,
                tell=lambda now: work_progress.tell(
                    progress_text(now.lower, now.upper, now.method, now.seconds)
                ),
            )

    def _hurry(self) -> None:
        """Give those that are left as little time as where all is spent."""
        if not self._goes_on:
            raise KeyboardInterrupt
        LOGGER.warning("interrupted; throughputs from here on are bounded in next to no time")
        self.interrupted, self._left = True, 0.0

    def _keep(self, row: ThroughputRow, recipe: str) -> ThroughputRow:
        """Store an interval; an older, wider one may have the better bound on one side."""
        if self._store is None:
            return row
        keep_rate(self._store, row)
        known = self.stored_interval(recipe)
        return row if known is None or known.topology != row.topology else row.intersect(known)


def rate_recipe(
    recipe: str, pattern: str, demand: "Demand | None", gap: Fraction, time: float
) -> ThroughputRow | None:
    """The interval of a recipe, which any process may work out; None where there is none.

    >>> row = rate_recipe("UniRing(1,4)", UNIFORM, None, Fraction(1, 1000), 1.0)
    >>> row.lower == row.upper == Fraction(1, 6)
    True
    """
    from topofinder.api.throughput import throughput

    try:
        return throughput(recipe, pattern=pattern, demand=demand, gap=gap, time=time).row()
    except TopofinderError:
        return None  # whoever asks for this one hears why
