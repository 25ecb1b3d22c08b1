"""Forests that a runtime cannot hold: made anew with fewer trees a root, as many as it can.

The steps of a program grow with the trees of its forest, and channels take threadblocks. ForestColl
(NSDI 2026, section 5.4) packs any fixed number k of trees at the best rate that k trees reach: a
half, a third, a quarter ... of the trees are tried, until all limits are kept. What that costs is
the time that links are busy, which is said with what is written.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import NamedTuple, TypeVar

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from topofinder.exporters.register import ExportRequest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.collectives.make_forest import SHARED, ForestOptions, make_forest
from topofinder.lowering.lower import lower
from topofinder.model.forest import Forest
from topofinder.model.transfers import Transfers

T = TypeVar("T")
SHARES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024)


class FittingForest(NamedTuple):
    """What was made of a forest with `k` trees a root, in place of `before`.

    Its links are busy for `cost` times as long.
    """

    k: int
    before: int
    cost: Fraction

    def facts(self) -> dict[str, str]:
        """What is told of it."""
        return {
            "trees a root": f"{self.k}, for {self.before} are too many",
            "time of links": f"{self.cost} of that of all trees",
            "to compare": f"--against a forest of --k {self.k}",
        }


def attempt_with_fewer_trees(
    request: ExportRequest, attempt: Callable[[Transfers], T], *, clock: Clock = NO_LIMIT
) -> tuple[T, FittingForest | None]:
    """What `attempt` makes of a request, if need be with fewer trees than its forest has.

    Raises Unsupported, as `attempt` does, where its content is no forest, or none fits.
    """
    try:
        return attempt(request.transfers), None
    except Unsupported as error:
        if not isinstance(request.content, Forest):
            raise
        refusal = error
    forest = request.content
    before = count_trees(forest)
    for k in _fewer(before):
        try:
            smaller = make_smaller_forest(forest, k, clock)
            made = attempt(lower(smaller))
        except Unsupported:
            continue
        return made, FittingForest(k, before, smaller.inverse_rate / forest.inverse_rate)
    raise refusal


def count_trees(forest: Forest) -> int:
    """Trees that a root of weight 1 has in both phases, or their least common multiple."""
    return lcm(*(phase.trees.k for phase in forest.phases))


def _fewer(trees: int) -> Iterator[int]:
    last = trees
    for share in SHARES:
        if 1 <= trees // share < last:
            last = trees // share
            yield last


def make_smaller_forest(forest: Forest, k: int, clock: Clock = NO_LIMIT) -> Forest:
    """The same collective on the same fabric, with k trees a root and all else as it was.

    Raises Unsupported where so few trees cannot be packed.
    """
    rooted = forest.root is not None
    options = ForestOptions(
        collective=Collective(forest.collective),
        root=forest.root,
        weights=None if rooted else forest.weight,
        k=k,
        able=any(np.any(phase.trees.skip) for phase in forest.phases),
        overlap=SHARED in (forest.method or ""),
        clock=clock,
    )
    try:
        made = make_forest(forest.topology, options)
    except InvalidInput as error:
        raise Unsupported(str(error)) from None
    return replace(made, recipe=forest.recipe, damage=forest.damage)
