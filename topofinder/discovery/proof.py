"""A find is proved before it is kept, by code that shares nothing with the search.

The graph is built from its recipe. Its eccentricities come from breadth-first searches of scipy,
its costs from bit sets of all nodes with no symmetry assumed, forth and transposed; and a
schedule is built and replayed.
"""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.verification.schedules import verify

REPLAYED = 1 << 11
"""Largest graph whose schedule is replayed too: four million rows."""

NODES = 4
"""How many nodes are searched from."""


class Unproved(RuntimeError):  # noqa: N818 - reads as the sentence it prints
    """The search and an independent computation do not agree: a fault of topofinder."""


def prove(recipe: str, forth: Cost, back: Cost) -> None:
    """Compute anew what BFB costs on a recipe's graph and its transpose, and replay a schedule.

    Raises Unproved unless all agree with the costs given.

    >>> from fractions import Fraction
    >>> prove("Cay(Z3;1,1)", Cost(2, Fraction(2, 3)), Cost(2, Fraction(2, 3)))
    >>> prove("Cay(Z3;1,1)", Cost(2, Fraction(1)), Cost(2, Fraction(2, 3)))
    Traceback (most recent call last):
    topofinder.discovery.proof.Unproved: Cay(Z3;1,1): evaluation gives 2, 2/3, the search 2, 1
    """
    graph = build(parse(recipe))
    for cost, topology in ((forth, graph), (back, graph.transpose())):
        seen = Cost(_eccentricity(topology), cost.bandwidth)
        _agree(recipe, "breadth-first search", seen, cost)
        _agree(recipe, "evaluation", evaluate(_unsymmetric(topology)).cost, cost)
    if graph.n <= REPLAYED:
        verdict = verify(graph, bfb_schedule(graph))
        if verdict.violation is not None:
            raise Unproved(f"{recipe}: {verdict.violation}")
        _agree(recipe, "the schedule", Cost(verdict.steps, verdict.bandwidth), forth)


def _agree(recipe: str, by: str, found: Cost, told: Cost) -> None:
    if found != told:
        shown = f"{found.steps}, {found.bandwidth}, the search {told.steps}, {told.bandwidth}"
        raise Unproved(f"{recipe}: {by} gives {shown}")


def _unsymmetric(topology: Topology) -> Topology:
    return replace(topology, translation=None, orbits=None)


def _eccentricity(topology: Topology) -> int:
    """The greatest distance from a few nodes, spread over the graph; -1 if one is infinite."""
    n = topology.n
    ones = np.ones(topology.arcs)
    arcs = csr_array((ones, (topology.tail, topology.head)), shape=(n, n))
    nodes = np.unique(np.linspace(0, n - 1, NODES).astype(int))
    far = dijkstra(arcs, indices=nodes, unweighted=True).max()
    return int(far) if np.isfinite(far) else -1
