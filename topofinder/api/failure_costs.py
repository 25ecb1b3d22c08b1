"""Costs of recipes after failures, worked out when they are asked for."""

from dataclasses import fields

from reports.resilience import FailureRow, ResilienceRow
from topofinder.forests.collectives.single_failures import (
    FailureTimes,
    Resilience,
    rate_failures,
)
from topofinder.model.candidate import LinkMode
from topofinder.progress import work_progress


class FailureCostsByRecipe:
    """What an allreduce takes after single failures, and samples of `pairs`, by recipe.

    With `links` duplex a lost link is a circuit, else an arc.

    >>> str(FailureCostsByRecipe(LinkMode.DUPLEX)["C(16,{3,4})"].links.worst)
    '60/31'
    """

    def __init__(self, links: LinkMode | str, pairs: int = 0) -> None:
        self._duplex, self._pairs = LinkMode(links) is LinkMode.DUPLEX, pairs
        self._known: dict[str, Resilience] = {}

    def __getitem__(self, recipe: str) -> Resilience:
        """Those of a recipe. Raises InvalidInput where its hosts are not connected."""
        if recipe not in self._known:
            from expansions.build import build
            from expansions.parser import parse

            work_progress.tell(f"costs of {recipe} after failures")
            topology = build(parse(recipe))
            self._known[recipe] = rate_failures(topology, duplex=self._duplex, pairs=self._pairs)
        return self._known[recipe]

    def row(self, recipe: str) -> ResilienceRow:
        """The same as it is told."""
        known = self[recipe]
        return ResilienceRow(
            intact=known.intact,
            links=_failure_row(known.links),
            hosts=_failure_row(known.hosts),
            pairs=None if known.pairs is None else _failure_row(known.pairs),
        )


def _failure_row(times: FailureTimes) -> FailureRow:
    return FailureRow(**{each.name: getattr(times, each.name) for each in fields(FailureRow)})
