"""Annealing of general digraphs and graphs from random starts, for small and awkward sizes.

At each number of steps from the Moore bound on, starts are shuffled circulants: annealing so hot
that everything is taken. A find is written as
a graft of the circulant with its arcs switched: some four characters an arc.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from expansions.build import build
from expansions.graft import ONE_WAY, TWO_WAY
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.errors import InvalidInput
from topofinder.discovery.grafts.found import (
    FoundGraft,
    WorkLeft,
    anneal,
    best_grafts,
    exact_graft,
    random_state,
    result_of,
)
from topofinder.discovery.grafts.state import MOST_DEGREE, annealed_graph
from topofinder.discovery.grafts.state_kernels import PEAK, AnnealedGraph
from topofinder.model.candidate import LinkMode, cost_lower_bound

MOST_NODES = 256
"""Beyond some hundred nodes grafts are better."""
HEATS = Fraction(3), Fraction(3, 5)
"""Temperatures, in shards, from which and to which annealing cools."""
TRIES = 1
"""Starts at each number of steps: one long annealing reaches more than some short ones."""
SHARES = 2, 1, 1
"""How the budget is shared by the Moore bound, one step more, and two."""
SHUFFLING = Fraction(1 << 12)
"""A temperature, in shards, at which everything is taken."""


def find_free(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    *,
    budget: int,
    seed: int = 0,
    most: int = 4,
) -> list[FoundGraft]:
    """The best few graphs of n nodes and degree d that annealing from random starts meets.

    `budget` counts full evaluations both ways. The same arguments give the same finds. None where
    d is 1, n is at most d + 1 or above MOST_NODES, or a two-way graph would have half a circuit.
    Raises InvalidInput for more than 8 links a node.

    >>> [(found.forth.steps, str(found.forth.bandwidth)) for found in find_free(11, 2, budget=300)]
    [(3, '12/11')]
    """
    mode = LinkMode(links)
    duplex = mode is LinkMode.DUPLEX
    if d > MOST_DEGREE:
        raise InvalidInput(f"d: annealing takes 1 to {MOST_DEGREE} links a node, not {d}")
    if d < 2 or not d + 1 < n <= MOST_NODES or (duplex and (d < 3 or n * d % 2)):
        return []
    base = parse(circulant_recipe(n, d, duplex=duplex))
    least = cost_lower_bound(n, d, mode).steps
    found: list[FoundGraft] = []
    for steps, share in enumerate(SHARES, least):
        work = WorkLeft(budget * share // sum(SHARES) * (1 if duplex else 2) * steps * n)
        for slots, optimal in _annealed_slots(base, steps, work, seed, duplex=duplex):
            symbol = TWO_WAY if duplex else ONE_WAY
            one = exact_graft(symbol, base, (), (), result_of(slots, n, duplex=duplex))
            found += [one] if one else []
            if optimal:
                return best_grafts(found, most)
    return best_grafts(found, most)


def circulant_recipe(n: int, d: int, *, duplex: bool) -> str:
    """A circulant of short jumps, as a Cayley digraph; with `duplex` of jumps both ways.

    >>> circulant_recipe(10, 3, duplex=True), circulant_recipe(10, 3, duplex=False)
    ('Cay(Z10;1,5,9)', 'Cay(Z10;1,2,3)')
    """
    jumps = list(range(1, d + 1))
    if duplex:
        short = list(range(1, d // 2 + 1))
        jumps = sorted([*short, *(n - jump for jump in short), *([n // 2] if d % 2 else [])])
    return f"Cay(Z{n};{','.join(map(str, jumps))})"


def _annealed_slots(
    base: Recipe, steps: int, work: WorkLeft, seed: int, *, duplex: bool
) -> Iterator[tuple[np.ndarray, bool]]:
    """Graphs, each of a lower energy than those before it, and whether none can be lower."""
    graph = annealed_graph(build(base), steps, duplex=duplex)
    least_energy = _least_energy(graph)
    best = None
    for turn in range(TRIES):
        if work.left <= 0:
            return
        random = random_state(seed, steps, turn)
        loads = work.share(1, TRIES - turn)
        anneal(graph, (SHUFFLING, SHUFFLING), loads // 50, work, random)
        energy, slots = anneal(graph, HEATS, loads * 49 // 50, work, random, least_energy)
        if best is None or energy < best:
            best = energy
            yield slots, energy == least_energy


def _least_energy(graph: AnnealedGraph) -> int:
    """That of a graph on which all links carry the same at every step."""
    searches, _, n = graph.loads.shape
    d = len(graph.slots) // (searches * n)
    return int(searches * (PEAK * int(graph.scale[1]) * (n - 1) // d))
