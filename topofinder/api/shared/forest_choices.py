"""Forests of one collective weighed: many trees or few, low ones or quick ones, by their time.

What a forest takes for a size of data is one exact formula of its loads, heights and chunks
(`forest_time`); so the loss of few trees, and the rate of low ones, are weighed by it alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from generators.errors import Unsupported
from generators.topology import Topology
from reports.forest_choices import ForestChoice
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.forests.few_trees.pack import Preference
from topofinder.model.forest import Forest

LOSSES = tuple(Fraction(each, 1000) for each in (50, 20, 10, 5, 1, 0))
"""For each of them the smallest k that loses no more is packed."""
LOW_LOSSES = tuple(Fraction(each, 100) for each in (2, 10, 50, 200, 800, 3200))
"""For each of them low trees are looked for, where a size is small enough to want them."""
FEW_LOSSES = tuple(Fraction(each, 1000) for each in (20, 10, 5))
"""For each of them few trees are looked for, for the table."""
MOST_HOSTS = 64
"""Hosts up to which low trees and few trees are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Weighed:
    forest: Forest
    seconds: Fraction | None

    def choice(self, *, chosen: bool) -> ForestChoice:
        trees = [phase.trees for phase in self.forest.phases]
        return ForestChoice(
            k=trees[-1].k,
            loss=self.forest.inverse_rate / self.forest.optimum - 1,
            trees=sum(each.trees for each in trees),
            height=max(int(each.heights().max(initial=0)) for each in trees),
            seconds=self.seconds,
            chosen=chosen,
        )


def weigh_forests(
    topology: Topology, wish: ForestOptions, transfer: Transfer | None, *, few: bool = False
) -> tuple[Forest, tuple[ForestChoice, ...]]:
    """The quickest of all forests that are tried, and what each of them is; with `few`, few trees.

    Without a size, or latencies, the first is taken: that of `wish`. Where it is optimal and as low
    as can be, there is no choice. Raises as `make_forest`.
    """
    first = _weigh(make_forest(topology, wish), transfer)
    if is_best(first.forest) and not few:
        return first.forest, ()
    weighed = [first]
    for other in _others(topology, wish, first, few=few):
        if wish.clock.is_over:
            break
        try:
            weighed.append(_weigh(make_forest(topology, other), transfer))
        except Unsupported:
            continue
    best = first
    if first.seconds is not None:
        best = min(weighed, key=lambda each: (each.seconds is None, each.seconds))
    return best.forest, _table(weighed, best)


def _weigh(forest: Forest, transfer: Transfer | None) -> _Weighed:
    time = None if transfer is None else forest_time(forest, transfer).best
    return _Weighed(forest=forest, seconds=time)


def is_best(forest: Forest) -> bool:
    """Whether nothing can be lower at a higher rate."""
    return "level" in (forest.method or "") and forest.inverse_rate == forest.optimum


def _others(
    topology: Topology, wish: ForestOptions, first: _Weighed, *, few: bool
) -> Iterator[ForestOptions]:
    """What else is tried: other numbers of trees, low trees where times count, few trees."""
    for loss in LOSSES:
        yield replace(wish, loss=loss, above=0)
    if topology.n - len(topology.switches) > MOST_HOSTS:
        return
    for loss in LOW_LOSSES if first.seconds is not None else ():
        yield replace(wish, loss=loss, above=0, prefer=Preference.HEIGHT)
    for loss in FEW_LOSSES if few else ():
        yield replace(wish, loss=loss, above=0, prefer=Preference.TREES)


def _table(weighed: list[_Weighed], best: _Weighed) -> tuple[ForestChoice, ...]:
    """A row each, by loss; of those that look the same only one."""
    rows = [best.choice(chosen=True)]
    for each in weighed:
        row = each.choice(chosen=False)
        if all((row.k, row.trees, row.height) != (r.k, r.trees, r.height) for r in rows):
            rows.append(row)
    order = np.argsort([float(row.loss) for row in rows], kind="stable")
    return tuple(rows[i] for i in order[::-1])
