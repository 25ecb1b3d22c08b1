"""Small two-way graphs with one port left free, from random starts.

Where N and d are odd, a host of N has a port free. Starts are circulants of one node more, with the
last one split off and circuits exchanged at random; then exchanges bring pairs that are more steps
apart than the bound, or one more, together again. A find is written as the splitting off of a graft
of the circulant, as `free_port` does with better bases; up to some hundred nodes these starts
are as good, and often reach the bound.
"""

from collections.abc import Iterator

import numpy as np

from expansions.parser import parse
from expansions.splitting_off import first_pairings, split_off
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.discovery.grafts.found import FoundGraft, WorkLeft, best_grafts, random_state
from topofinder.discovery.grafts.free import circulant_recipe
from topofinder.discovery.grafts.free_port import exact_split_off, fill_free_port
from topofinder.discovery.grafts.state import MOST_DEGREE
from topofinder.discovery.grafts.trials import GraftTrial, draw_trial, repair_missed, usable_bases
from topofinder.model.candidate import LinkMode, cost_lower_bound

MOST_NODES = 128
"""Beyond, better bases are."""
STARTS = 16
"""Random starts that share the work at each number of steps."""
EXCHANGES = 8
"""Exchanges for each circuit that make a start random."""


def find_free_port_graphs(n: int, d: int, *, budget: int, seed: int = 0) -> list[FoundGraft]:
    """A two-way graph of n nodes with d ports, one of them free, of as few steps as are met.

    n and d are odd. `budget` counts full evaluations. The same arguments give the same finds. None
    where n is at most d + 1 or above MOST_NODES, and beyond MOST_DEGREE ports.

    >>> [(one.forth.steps, str(one.forth.bandwidth))
    ...     for one in find_free_port_graphs(13, 3, budget=2000)]
    [(3, '18/13')]
    """
    if not (3 <= d <= MOST_DEGREE and d + 1 < n <= MOST_NODES and n * d % 2):
        return []
    trial = _circulant_trial(n + 1, d)
    least = cost_lower_bound(n, d, LinkMode.DUPLEX).steps
    for steps in (least, least + 1):
        work = WorkLeft(budget // 2 * steps * n)
        found = list(_repair_starts(trial, steps, work, seed))
        if found:
            return best_grafts(found, 1)
    return []


def _circulant_trial(n: int, d: int) -> GraftTrial:
    """The circulant as a base without edits."""
    recipe = parse(circulant_recipe(n, d, duplex=True))
    [base] = usable_bases([recipe], {}, n, d, duplex=True)
    trial = draw_trial(base, n, 1, WorkLeft(1), 0, duplex=True, by_loads=False)
    assert trial is not None  # nothing is edited
    return trial


def _repair_starts(
    trial: GraftTrial, steps: int, work: WorkLeft, seed: int
) -> Iterator[FoundGraft]:
    """The starts that can be repaired to so many steps, until one takes the least bandwidth."""
    start = _split_first(trial.graph)
    least = cost_lower_bound(start.n, start.degree, LinkMode.DUPLEX).bandwidth
    for turn in range(STARTS):
        if work.left <= 0:
            return
        share = max(1, work.share(1, STARTS - turn))
        graph = exchange_at_random(start, np.random.default_rng([seed, start.n, turn]))
        random = random_state(seed, start.n, turn)
        repaired = repair_missed(graph, steps, share, work, random, duplex=True)
        one = exact_split_off(trial, repaired) if repaired else None
        if one:
            yield one
            if one.forth.bandwidth == least:
                return


def _split_first(larger: Topology) -> Topology:
    """The graph without its last node, its neighbours paired in the first way that can be."""
    for number in first_pairings(larger.degree, larger.degree):
        try:
            return fill_free_port(split_off(larger, number))
        except InvalidInput:  # it joins a node to itself
            continue
    raise InvalidInput(f"no way to split off node {larger.n - 1}")


def exchange_at_random(graph: Topology, random: np.random.Generator) -> Topology:
    """The graph with ends of circuits exchanged by chance; its self-loop and degrees stay.

    No other self-loops and no parallel circuits are made.

    >>> ring = Topology.from_arcs(5, [(u, (u + s) % 5) for u in range(5) for s in (1, 4)])
    >>> exchange_at_random(ring, np.random.default_rng(0)).out_degrees.tolist()
    [2, 2, 2, 2, 2]
    """
    ends = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    circuits = [(u, v) for u, v in ends if u < v]
    known = set(ends)
    for one, other in random.integers(len(circuits), size=(EXCHANGES * len(circuits), 2)).tolist():
        (a, b), (c, e) = circuits[one], circuits[other]
        if random.integers(2):
            c, e = e, c
        if len({a, b, c, e}) < 4 or (a, c) in known or (b, e) in known:
            continue
        for u, v in ((a, b), (c, e)):
            known -= {(u, v), (v, u)}
        for u, v in ((a, c), (b, e)):
            known |= {(u, v), (v, u)}
        circuits[one], circuits[other] = (a, c), (b, e)
    return Topology.from_arcs(graph.n, sorted(known))
