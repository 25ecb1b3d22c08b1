"""Cayley digraphs that a few trials find: bases of grafts where the catalogue has none.

Metacyclic groups whose actions have large orders are far from abelian, and at degrees from 4 up a
few hundred random lists of generators hold one that is bandwidth-optimal a step above the Moore
bound. A group takes some hundredths of a second, so that every size about the one that is searched
can be asked.
"""

from functools import lru_cache
from itertools import chain, islice

from expansions.canonical import canonical
from expansions.recipe import Base
from topofinder.discovery.goal import MOST_GENERATORS, SearchGoal
from topofinder.discovery.group_families import abelian_texts, metacyclic_texts
from topofinder.discovery.lifts.search import FoundLift, best_lifts
from topofinder.discovery.rounds import WorkUnit
from topofinder.model.candidate import LinkMode

LARGEST_GROUP = 1 << 12
"""Nodes of the largest digraphs: the table of a group has n * n entries."""
GROUPS = 2
"""Groups of an order that are tried."""
TRIALS = 256
"""Lists of generators for each number of steps that is aimed at."""
EXTRA_STEPS = 4
"""Steps above the Moore bound that are aimed at."""
MOST = 2
"""Digraphs of an order that are kept."""


def has_quick_groups(n: int) -> bool:
    """Whether there are groups of order n to look at.

    >>> has_quick_groups(55), has_quick_groups(35)
    (True, False)
    """
    return n <= LARGEST_GROUP and next(metacyclic_texts(n), None) is not None


@lru_cache(maxsize=1 << 12)
def quick_cayley_digraphs(n: int, d: int, links: LinkMode) -> tuple[FoundLift, ...]:
    """The best few Cayley digraphs of metacyclic groups of order n, with their exact costs.

    They are lifts of one node, by groups that need not be cyclic. Where there are too few of these
    groups, abelian ones stand in: at small sizes they do.

    >>> [(found.forth.steps, str(found.bandwidth)) for found in quick_cayley_digraphs(
    ...     55, 5, LinkMode.SIMPLEX)]
    [(3, '108/55')]
    """
    if not d + 1 < n <= LARGEST_GROUP or not 2 <= d <= MOST_GENERATORS:
        return ()
    goal = SearchGoal(n=n, d=d, links=links, both=True)
    targets = tuple(range(goal.least_steps, goal.least_steps + EXTRA_STEPS))
    found = []
    for group in islice(chain(metacyclic_texts(n), abelian_texts(n)), GROUPS):
        unit = WorkUnit(goal=goal, group=group, targets=targets, trials=TRIALS, seed=0, turn=0)
        for one in unit.run()[1]:
            recipe = canonical(Base("Cay", (one.group, *one.generators)))
            assert isinstance(recipe, Base)
            found.append(FoundLift(recipe=recipe, forth=one.forth, back=one.back))
    return tuple(best_lifts(found, MOST))
