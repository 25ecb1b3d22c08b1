"""What a search with an effort of one found at a size, where that ships: there is nothing to do.

Graphs are among those that every search has (`expansions.searched_graphs`); here are the deferred
schedules, so that a search there does without all that searches for more.
"""

from collections.abc import Iterable

from expansions.deferred_costs import DeferredCost, deferred_costs
from topofinder.finder.base_candidates import evaluate_recipe
from topofinder.model.candidate import Candidate, LinkMode, Method
from topofinder.model.frontier import useful_candidates


def with_shipped_deferrals(pool: Iterable[Candidate], links: LinkMode) -> list[Candidate]:
    """The candidates of one size, and deferred schedules of them that ship.

    >>> from topofinder.finder.enumeration import Pools
    >>> pool = Pools().pool(100, 4)
    >>> with_shipped_deferrals(pool, LinkMode.DUPLEX) == pool
    True
    """
    kept = list(pool)
    if not kept:
        return kept
    graphs = {one.recipe: one for one in kept}
    found = deferred_costs(kept[0].n, kept[0].d, links.value)
    better = [
        _candidate_of_cost(graphs.get(one.recipe) or evaluate_recipe(one.recipe), one)
        for one in found
    ]
    return useful_candidates([*kept, *better]) if better else kept


def _candidate_of_cost(graph: Candidate, costs: DeferredCost) -> Candidate:
    """The candidate of a deferred schedule, from that of the graph's breadth-first broadcast."""
    return Candidate(
        recipe=graph.recipe,
        n=graph.n,
        d=graph.d,
        method=Method.DEFERRED,
        allgather=costs.forth,
        reduce_scatter=costs.back,
        simple=graph.simple,
        loop_free=graph.loop_free,
        two_way=graph.two_way,
        symmetric=graph.two_way,
        diameter=costs.forth.steps,
    )
