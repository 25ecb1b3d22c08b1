"""What a search with an effort of one found at a size, where that ships: there is nothing to do.

Graphs are among those that every search has (`expansions.searched_graphs`); here are the deferred
schedules, so that a search there does without all that searches for more.
"""

from collections.abc import Iterable

from expansions.build import build
from expansions.deferred_costs import DeferredCost, deferred_costs
from generators.topology import Topology
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
    n, d, graphs = kept[0].n, kept[0].d, {one.recipe: one for one in kept}
    better = [
        _candidate_of_cost(graphs.get(one.recipe) or build(one.recipe), d, one)
        for one in deferred_costs(n, d, links.value)
    ]
    return useful_candidates([*kept, *better]) if better else kept


def _candidate_of_cost(graph: Candidate | Topology, d: int, costs: DeferredCost) -> Candidate:
    """The candidate of a deferred schedule; its graph need not be evaluated."""
    if isinstance(graph, Topology):
        simple, loop_free = graph.is_simple, not graph.has_loops
        two_way = graph.is_bidirectional
    else:
        simple, loop_free, two_way = graph.simple, graph.loop_free, graph.two_way
    return Candidate(
        recipe=costs.recipe,
        n=graph.n,
        d=d,
        method=Method.DEFERRED,
        allgather=costs.forth,
        reduce_scatter=costs.back,
        simple=simple,
        loop_free=loop_free,
        two_way=two_way,
        symmetric=two_way,
        diameter=costs.forth.steps,
    )
