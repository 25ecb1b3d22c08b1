"""What a search for Cayley digraphs starts from: the catalogue, and what `search` has stored."""

from collections.abc import Iterator
from fractions import Fraction

from db.discovery_rows import FindRow
from db.store import Store
from expansions.parser import parse
from expansions.recipe import Base
from generators.cayley.catalogue import ShippedDigraph, shipped_digraphs
from generators.errors import InvalidInput
from topofinder.discovery.goal import SearchGoal
from topofinder.model.candidate import LinkMode


def known_rows(goal: SearchGoal, store: Store, group: str | None = None) -> list[FindRow]:
    """Cayley digraphs of the size that are known before the search, of one group or of all.

    The costs are those of the catalogue and of the stored pool: tests prove the one, the evaluation
    made the other.

    >>> with Store(":memory:") as store:
    ...     [(row.recipe, row.steps) for row in known_rows(SearchGoal(n=17, d=2), store)]
    [('Cay(Z17;1,3)', 6)]
    """
    found = {row.recipe: row for row in (*stored_rows(goal, store), *_shipped_rows(goal))}
    return [row for row in found.values() if group is None or _group_of(row) == group]


def _shipped_rows(goal: SearchGoal) -> Iterator[FindRow]:
    for one in shipped_digraphs(goal.n, goal.d):
        if one.two_way or goal.links is LinkMode.SIMPLEX:
            recipe = f"Cay({one.group};{','.join(map(str, one.generators))})"
            yield FindRow(
                recipe=recipe,
                base=recipe,
                links=goal.links.value,
                n=one.n,
                d=one.d,
                steps=len(one.forth),
                bandwidth=_bandwidth(one, one.forth),
                rs_bandwidth=_bandwidth(one, one.back),
                seed=one.seed,
                trials=one.trials,
            )


def _bandwidth(one: ShippedDigraph, loads: tuple[int, ...]) -> Fraction:
    return Fraction(one.d * sum(loads), one.n * one.unit)


def stored_rows(goal: SearchGoal, store: Store) -> Iterator[FindRow]:
    """Members of the pool that a search has stored which are Cayley digraphs, costed exactly."""
    links = goal.links.value
    for row in store.pool(goal.n, goal.d, links) or ():
        if (
            row.exact
            and row.method == "bfb"
            and row.steps == row.rs_steps
            and _is_cayley(row.recipe)
        ):
            yield FindRow(
                recipe=row.recipe,
                base=row.recipe,
                links=links,
                n=goal.n,
                d=goal.d,
                steps=row.steps,
                bandwidth=row.bandwidth,
                rs_bandwidth=row.rs_bandwidth,
                seed=0,
                trials=0,
            )


def _is_cayley(text: str) -> bool:
    try:
        recipe = parse(text)
    except InvalidInput:  # of a newer topofinder
        return False
    return isinstance(recipe, Base) and recipe.name == "Cay"


def _group_of(row: FindRow) -> str:
    return row.recipe.removeprefix("Cay(").split(";")[0]
