"""What is known of one recipe: its graph, its bounds and its schedules."""

from expansions.build import build
from expansions.recipe import Recipe
from expansions.size import size
from reports.recipe import Facts
from topofinder.candidate import Links, lower_bound
from topofinder.prediction import best_known
from topofinder.storage import candidate_row

INSPECTED = 1 << 16
"""Largest number of nodes that is built to look at the graph itself."""


def facts_of(recipe: Recipe) -> Facts:
    """Facts of a recipe, costs and bounds exact.

    Raises Unsupported where neither a theorem nor an evaluation gives a cost.
    """
    schedules = best_known(recipe)
    n, d = size(recipe)
    properties = _properties(recipe) if n <= INSPECTED else {}
    links = Links.DUPLEX if properties.get("two-way") else Links.SIMPLEX
    return Facts(
        recipe=str(recipe),
        n=n,
        d=d,
        links=links.value,
        bound=lower_bound(n, d, links),
        diameter=next((c.diameter for c in schedules if c.diameter is not None), None),
        schedules=tuple(candidate_row(candidate, links) for candidate in schedules),
        properties=properties,
    )


def _properties(recipe: Recipe) -> dict[str, bool | None]:
    topology = build(recipe)
    return {
        "regular": topology.is_regular,
        "two-way": topology.is_bidirectional,
        "simple": topology.is_simple,
        "free of self-loops": not topology.has_loops,
        "vertex-transitive": True if topology.is_transitive else None,
    }
