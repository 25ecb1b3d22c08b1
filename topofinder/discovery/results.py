"""What discoveries have found: graphs with exact costs, their frontier and their proof.

A graph is proved before it is kept, by code that shares nothing with the search. It is built from
its recipe. Its eccentricities come from breadth-first searches of scipy, its costs from bit sets of
all nodes with no symmetry assumed, forth and transposed; and a schedule is built and replayed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from generators.topology import Topology
from topofinder.discovery.kinds import GraphKind, kind_of
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.verification.schedules import verify_schedule

REPLAYED = 1 << 11
"""Largest graph whose schedule is replayed too: four million rows."""

NODES = 4
"""How many nodes of Cayley digraphs, and of their line graphs, are searched from; else all are."""
AT_ONCE = 1 << 20
"""Distances that are kept at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredGraph:
    """A group, a generator list that does not fall, and what BFB costs forth and back.

    `seed` is the search's, `trials` how many lists of this group were judged up to this one.
    """

    group: str
    generators: tuple[int, ...]
    forth: Cost
    back: Cost
    seed: int = 0
    trials: int = 0

    @property
    def recipe(self) -> str:
        """The recipe's text.

        >>> cost = Cost(2, Fraction(2, 3))
        >>> DiscoveredGraph(group="Z3", generators=(1, 1), forth=cost, back=cost).recipe
        'Cay(Z3;1,1)'
        """
        return f"Cay({self.group};{','.join(map(str, self.generators))})"

    def searched_cost(self, both: bool) -> Cost:
        """What the search makes small: the cost forth, or the mean of both ways."""
        bandwidth = self.forth.bandwidth
        return Cost(self.forth.steps, (bandwidth + self.back.bandwidth) / 2 if both else bandwidth)


def discovered_frontier(finds: Iterable[DiscoveredGraph], both: bool) -> list[DiscoveredGraph]:
    """The finds that no other beats, fewest steps first; among equals the better way back."""
    kept: list[DiscoveredGraph] = []
    for find in sorted(finds, key=lambda find: _frontier_rank(find, both)):
        if not kept or find.searched_cost(both).bandwidth < kept[-1].searched_cost(both).bandwidth:
            kept.append(find)
    return kept


def _frontier_rank(find: DiscoveredGraph, both: bool) -> tuple[object, ...]:
    return find.searched_cost(both), find.back, len(find.group), find.group, find.generators


def best_bandwidth(finds: Iterable[DiscoveredGraph], steps: int, both: bool) -> Fraction | None:
    """The least T_B found with at most so many steps."""
    return min(
        (f.searched_cost(both).bandwidth for f in finds if f.forth.steps <= steps), default=None
    )


class Unproved(RuntimeError):  # noqa: N818 - reads as the sentence it prints
    """The search and an independent computation do not agree: a fault of topofinder."""


def prove_costs(recipe: str, forth: Cost, back: Cost) -> None:
    """Compute anew what BFB costs on a recipe's graph and its transpose, and replay a schedule.

    Raises Unproved unless all agree with the costs given.

    >>> from fractions import Fraction
    >>> prove_costs("Cay(Z3;1,1)", Cost(2, Fraction(2, 3)), Cost(2, Fraction(2, 3)))
    >>> prove_costs("Cay(Z3;1,1)", Cost(2, Fraction(1)), Cost(2, Fraction(2, 3)))
    Traceback (most recent call last):
    topofinder.discovery.results.Unproved: Cay(Z3;1,1): evaluation gives 2, 2/3, the search 2, 1
    """
    graph = build(parse(recipe))
    nodes = NODES if kind_of(recipe) is GraphKind.CAYLEY else graph.n
    for cost, topology in ((forth, graph), (back, graph.transpose())):
        seen = Cost(_eccentricity(topology, nodes), cost.bandwidth)
        _require_agreement(recipe, "breadth-first search", seen, cost)
        _require_agreement(recipe, "evaluation", evaluate(_forget_symmetry(topology)).cost, cost)
    if graph.n <= REPLAYED:
        verdict = verify_schedule(graph, bfb_schedule(graph))
        if verdict.violation is not None:
            raise Unproved(f"{recipe}: {verdict.violation}")
        _require_agreement(recipe, "the schedule", Cost(verdict.steps, verdict.bandwidth), forth)


def _require_agreement(recipe: str, by: str, found: Cost, told: Cost) -> None:
    if found != told:
        shown = f"{found.steps}, {found.bandwidth}, the search {told.steps}, {told.bandwidth}"
        raise Unproved(f"{recipe}: {by} gives {shown}")


def _forget_symmetry(topology: Topology) -> Topology:
    return replace(topology, translation=None, orbits=None)


def _eccentricity(topology: Topology, most: int) -> int:
    """The greatest distance from so many nodes, spread over the graph; -1 if one is infinite."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    n = topology.n
    ones = np.ones(topology.arcs)
    arcs = csr_array((ones, (topology.tail, topology.head)), shape=(n, n))
    nodes = np.unique(np.linspace(0, n - 1, most).astype(int))
    far = max(
        dijkstra(arcs, indices=some, unweighted=True).max()
        for some in np.array_split(nodes, -(-len(nodes) * n // AT_ONCE))
    )
    return int(far) if np.isfinite(far) else -1
