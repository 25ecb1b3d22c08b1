"""Cayley digraphs that nodes can go from: pairs as far apart as the diameter have paths to spare.

Where a node or a link goes, those pairs get farther apart that no other shortest path joins. From a
node of a random graph of 900 nodes with six ports, four are more than five steps away, and 19 five
steps by a single path: each node that goes parts some forty pairs, which exchanges of links hardly
join again. There is a Cayley digraph of 912 nodes that has no single path, and two nodes to which
two lead; the one found there for its costs has four and nine. So generators are searched by how
scarce paths are, whatever loads they make, with those groups first given up that do worst. Grafts
of what is found keep the diameter at orders that have no good group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from expansions.canonical import canonical
from expansions.recipe import Base, Recipe
from generators.cayley.notation import parse_group
from generators.topology import Int64Array
from topofinder.discovery.generator_lists import list_layouts
from topofinder.discovery.grafts.found import random_state
from topofinder.discovery.grafts.spare_path_kernels import climb_scarce
from topofinder.discovery.groups import groups_of
from topofinder.discovery.multiplication_table import GroupTable, group_table
from topofinder.dispatch.kernel import expect_long_work
from topofinder.model.candidate import LinkMode

GROUPS = 40
"""Groups of an order that are looked at."""
ROUNDS, FEWER = 4, 3
"""Rounds of trials; after each one group of so many is kept, for so many times the trials."""
STALL = 150
"""Trials without gain before a climb starts anew."""
MISSED = 1 << 24
"""What a node counts for that is farther away than wanted: more than all others can."""
SCARCE = np.array([MISSED, *(1000 // 3**k for k in range(7)), 0], np.int64)
"""What a node at the last step counts for by how many shortest walks lead to it, as if one walk of
three were lost with a node; the first entry is for one that is farther away."""
LONG_WORK = 1 << 16
"""Trials times nodes from which plain Python takes longer than to compile."""
HOPELESS = 64 * MISSED
"""An order is given up when its best group counts so much after the second round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareDigraph:
    """A Cayley digraph, and how scarce shortest paths are: thousands count as single paths."""

    scarcity: int
    recipe: Recipe


@lru_cache(maxsize=1 << 10)
def find_spare_digraphs(
    n: int, d: int, links: LinkMode, steps: int, *, trials: int, seed: int = 0, most: int = 3
) -> tuple[SpareDigraph, ...]:
    """The best few Cayley digraphs of so many steps, those with most paths to spare first.

    At most `trials` generator lists are looked at, a share of them in each round. The same
    arguments give the same finds; none where so few steps are not met.

    >>> [(one.scarcity, str(one.recipe)) for one in find_spare_digraphs(
    ...     21, 2, LinkMode.SIMPLEX, 5, trials=2000)]
    [(111, 'Cay(Z7:Z3[2];2,20)')]
    """
    groups = list(groups_of(n, GROUPS))
    found: dict[str, tuple[int, tuple[int, ...]]] = {}
    for turn in range(ROUNDS):
        each = max(1, trials // (ROUNDS * max(len(groups), 1)))
        if each * len(groups) * n >= LONG_WORK:
            expect_long_work(climb_scarce)
        for group in groups:
            best = _climb_group(group, d, links, steps, each, random_state(seed, turn, n, d))
            found[group] = min(best, found.get(group, best))
        groups = sorted(groups, key=lambda group: found[group])[: -(-len(groups) // FEWER)]
        if turn and found[groups[0]][0] >= HOPELESS:
            return ()
    kept = sorted(_spare_digraphs(found), key=lambda one: (one.scarcity, str(one.recipe)))
    return tuple(kept[:most])


def _climb_group(
    group: str, d: int, links: LinkMode, steps: int, trials: int, random: np.ndarray
) -> tuple[int, tuple[int, ...]]:
    """How scarce paths are at least by so many trials in a group, and by which generators."""
    table = _group_table(group)
    layouts = list_layouts(table.inverse, d, links)
    best: tuple[int, tuple[int, ...]] = (1 << 60, ())
    for layout in layouts:
        chosen: Int64Array = np.zeros(d, np.int64)
        own = (*table[:2], layout, steps, SCARCE, trials // len(layouts), STALL, random, chosen)
        least = int(climb_scarce(*own))
        best = min(best, (least, tuple(sorted(chosen.tolist()))))
    return best


@lru_cache(maxsize=GROUPS)
def _group_table(group: str) -> GroupTable:
    return group_table(parse_group(group))


def _spare_digraphs(found: dict[str, tuple[int, tuple[int, ...]]]) -> Iterator[SpareDigraph]:
    """The finds that miss no node, and have no parallel links."""
    for group, (scarcity, generators) in found.items():
        if scarcity < MISSED and len(set(generators)) == len(generators):
            recipe = canonical(Base("Cay", (group, *generators)))
            yield SpareDigraph(scarcity=scarcity, recipe=recipe)
