"""Costs of recipes after failures, worked out when they are asked for."""

from collections.abc import Iterable
from dataclasses import fields

from generators.errors import TopofinderError
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
            work_progress.tell(f"costs of {recipe} after failures")
            self._known[recipe] = _rate_recipe(recipe, self._duplex, self._pairs)
        return self._known[recipe]

    def work_out(self, recipes: Iterable[str]) -> None:
        """Work out what is not known of some recipes side by side, by the backend of joblib's.

        A recipe whose hosts are not connected is left: whoever asks for it hears why.
        """
        missing = [recipe for recipe in dict.fromkeys(recipes) if recipe not in self._known]
        from topofinder.finder.side_by_side import results_by_workers

        asked = ((recipe, self._duplex, self._pairs) for recipe in missing)
        for recipe, found in zip(missing, results_by_workers(_resilience, asked), strict=True):
            if found is not None:
                self._known[recipe] = found

    def row(self, recipe: str) -> ResilienceRow:
        """The same as it is told."""
        known = self[recipe]
        return ResilienceRow(
            intact=known.intact,
            links=_failure_row(known.links),
            hosts=_failure_row(known.hosts),
            pairs=None if known.pairs is None else _failure_row(known.pairs),
        )


def _resilience(recipe: str, duplex: bool, pairs: int) -> Resilience | None:
    """Those of a recipe, which any process may work out; None where there are none."""
    try:
        return _rate_recipe(recipe, duplex, pairs)
    except TopofinderError:
        return None


def _rate_recipe(recipe: str, duplex: bool, pairs: int) -> Resilience:
    from expansions.build import build
    from expansions.parser import parse

    return rate_failures(build(parse(recipe)), duplex=duplex, pairs=pairs)


def _failure_row(times: FailureTimes) -> FailureRow:
    return FailureRow(**{each.name: getattr(times, each.name) for each in fields(FailureRow)})
