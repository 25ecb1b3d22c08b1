"""Two-way graphs of odd degree on an odd number of hosts, where one port is left free.

Circuits take two ports, so that no such graph is regular. Those of one host more are: each makes
some by splitting off its last node (`expansions.splitting_off`), whose neighbours are paired in
several ways. No theorem tells what they cost: as many are evaluated as fit the time.
"""

from collections.abc import Iterator, Sequence

from expansions.canonical import expand
from expansions.lower_bounds import free_ports
from expansions.recipe import Recipe
from expansions.splitting_off import first_pairings
from generators.errors import InvalidInput
from generators.limits import LARGE_WORK, LARGEST_BUILT
from topofinder.finder.base_candidates import Bases
from topofinder.model.candidate import Candidate, LinkMode

WORK = 1 << 27
"""What all evaluations of a size take together at most, in n * n * d; one is tried in any case."""

MOST_GRAPHS = 60


def has_free_port(n: int, d: int, links: LinkMode) -> bool:
    """Whether one host has a port left free, whatever the wiring.

    >>> has_free_port(9, 3, LinkMode.DUPLEX), has_free_port(9, 3, LinkMode.SIMPLEX)
    (True, False)
    """
    return links is LinkMode.DUPLEX and free_ports(n, d) > 0


def split_off_candidates(
    n: int, d: int, larger: Sequence[Candidate], bases: Bases
) -> Iterator[Candidate]:
    """Evaluated candidates of n nodes, from those of n + 1 in order of preference."""
    work = n * n * d
    if not larger or n > LARGEST_BUILT or work > LARGE_WORK:
        return
    most = min(MOST_GRAPHS, max(1, WORK // work))
    recipes = list(dict.fromkeys(candidate.recipe for candidate in larger))[:most]
    for recipe in recipes:
        for pairing in first_pairings(d, max(1, most // len(recipes))):
            found = _split_off(recipe, pairing, bases)
            if found is not None:
                yield found


def _split_off(recipe: Recipe, pairing: int, bases: Bases) -> Candidate | None:
    """None where a node would be joined to itself, or the graph falls apart."""
    try:
        return bases.graph(expand("SplitOff", (recipe,), (pairing,)))
    except InvalidInput:
        return None
