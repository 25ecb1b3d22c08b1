"""What is known of one recipe: its graph, its bounds and its schedules."""

from expansions.build import build
from expansions.properties import properties
from expansions.recipe import Recipe
from expansions.size import size
from reports.recipe import RecipeFacts
from topofinder.api.shared.candidate_rows import candidate_row
from topofinder.finder.prediction import best_known
from topofinder.model.candidate import LinkMode, lower_bound

INSPECTED = 1 << 16
"""Largest number of nodes that is built to look at the graph where no theorem tells."""


def facts_of(recipe: Recipe) -> RecipeFacts:
    """Facts of a recipe, costs and bounds exact.

    Where it is not known whether all circuits are two-way, the lower bound is the one for digraphs,
    which holds in any case. Raises Unsupported where neither a theorem nor an evaluation gives a
    cost.
    """
    schedules = best_known(recipe)
    n, d = size(recipe)
    told = _properties(recipe)
    two_way = told["two-way"]
    links = LinkMode.DUPLEX if two_way else LinkMode.SIMPLEX
    return RecipeFacts(
        recipe=str(recipe),
        n=n,
        d=d,
        links=None if two_way is None else links.value,
        bound=lower_bound(n, d, links),
        diameter=next((c.diameter for c in schedules if c.diameter is not None), None),
        schedules=tuple(candidate_row(candidate, links) for candidate in schedules),
        properties=told,
    )


def _properties(recipe: Recipe) -> dict[str, bool | None]:
    known = properties(recipe)
    told = {
        "regular": known.regular,
        "two-way": known.two_way,
        "simple": known.simple,
        "free of self-loops": known.loop_free,
        "vertex-transitive": known.transitive,
    }
    if None in told.values() and size(recipe).n <= INSPECTED:
        seen = _inspected(recipe)
        told = {name: seen[name] if value is None else value for name, value in told.items()}
    return told


def _inspected(recipe: Recipe) -> dict[str, bool | None]:
    topology = build(recipe)
    return {
        "regular": topology.is_regular,
        "two-way": topology.is_bidirectional,
        "simple": topology.is_simple,
        "free of self-loops": not topology.has_loops,
        "vertex-transitive": True if topology.is_transitive else None,
    }
