"""Grafts that take a step less than what is known: of Cayley digraphs that have paths to spare.

Digraphs are looked for at orders about the wanted one, at most of which there are none. Nodes are
removed rather than put in: where no path is scarce, a graph can lose dozens and keep its diameter.
"""

from itertools import islice

from expansions.recipe import Recipe
from topofinder.discovery.grafts.found import FoundGraft
from topofinder.discovery.grafts.free_port import find_free_port_grafts
from topofinder.discovery.grafts.search import find_grafts
from topofinder.discovery.grafts.spare_paths import SpareDigraph, find_spare_digraphs
from topofinder.discovery.grafts.trials import near_surpluses
from topofinder.finder.odd_sizes import has_free_port
from topofinder.model.candidate import LinkMode

LEAST = 500
"""What each node that is edited parts, at least, in the unit of scarcity."""
BASES = 6
"""Digraphs that are edited."""
TRIALS = 60_000
"""Generator lists that are tried at an order."""


def spare_grafts(
    n: int,
    d: int,
    links: LinkMode,
    steps: int,
    *,
    budget: int,
    orders: int | None = None,
    trials: int = TRIALS,
    seed: int = 0,
) -> list[FoundGraft]:
    """The best graphs of n nodes of so many steps each way: digraphs with spare paths, or grafts.

    `budget` counts full evaluations, `trials` generator lists at an order, of which the nearest
    `orders` are looked through. A port is left free where it must be. The same arguments give the
    same finds.

    >>> found = spare_grafts(35, 4, LinkMode.DUPLEX, 4, budget=50, orders=4, trials=2000)
    >>> [one.forth.steps for one in found]
    [4]
    """
    free_port = has_free_port(n, d, links)
    size = n + 1 if free_port else n
    bases = _nearest_bases(size, d, links, steps, orders, trials)
    if free_port:
        found = find_free_port_grafts(n, d, bases=bases, budget=budget, seed=seed, spare=True)
    else:
        found = find_grafts(n, d, links, bases=bases, budget=budget, seed=seed, spare=True)
    return [one for one in found if max(one.forth.steps, one.back.steps) <= steps]


def _nearest_bases(
    n: int, d: int, links: LinkMode, steps: int, orders: int | None, trials: int
) -> list[Recipe]:
    """The bases of which edits part fewest pairs, of the orders nearest to n."""
    found: list[tuple[int, SpareDigraph]] = []
    near = near_surpluses(d, duplex=links is LinkMode.DUPLEX, spare=True)
    surpluses = [one for one in near if n + one > d + 1]
    for surplus in islice(sorted(surpluses, key=abs), orders):
        if len(found) >= BASES and found[BASES - 1][0] <= abs(surplus) * LEAST:
            break
        digraphs = find_spare_digraphs(n + surplus, d, links, steps, trials=trials)
        found += [(abs(surplus) * (one.scarcity + LEAST), one) for one in digraphs]
        found.sort(key=lambda it: (it[0], str(it[1].recipe)))
    return [one.recipe for _, one in found[:BASES]]
