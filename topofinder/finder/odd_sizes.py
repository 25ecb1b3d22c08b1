"""Two-way graphs of odd degree on an odd number of hosts, where one port is left free.

Circuits take two ports, so that no such graph is regular. Those of one host more are: each makes
some by splitting off its last node (`expansions.splitting_off`), whose neighbours are paired in
several ways. No theorem tells what they cost: as many are evaluated as fit the time.
"""

from collections.abc import Callable, Iterator, Sequence

from expansions.canonical import expand
from expansions.lower_bounds import free_ports
from expansions.recipe import Base, Recipe
from expansions.size import size
from expansions.splitting_off import first_pairings
from generators.errors import InvalidInput
from generators.families import chords
from generators.limits import LARGEST_BUILT
from topofinder.finder.base_candidates import Bases
from topofinder.model.candidate import Candidate, LinkMode

WORK = 1 << 26
"""What all evaluations of a size take together at most, in n * n * d; one is tried in any case."""

LARGEST_WORK = 5 * 20_000**2
"""What one evaluation takes at most, in n * n * d: some three seconds."""
STEPPED_WORK = 3 * 2000**2 * 501
"""The same in n * n * d times steps, of a graph of n + 1 from a pool: that of Torus(2,1000) takes a
second. What is dearer is left out; theorems cost circuits that are added by `Match`."""

STEPS = 8
"""What takes more than so many times the fewest steps of a pool is left out, too: circuits that
`Match` adds have as little bandwidth time."""

MOST_GRAPHS = 60


def has_free_port(n: int, d: int, links: LinkMode) -> bool:
    """Whether one host has a port left free, whatever the wiring.

    >>> has_free_port(9, 3, LinkMode.DUPLEX), has_free_port(9, 3, LinkMode.SIMPLEX)
    (True, False)
    """
    return links is LinkMode.DUPLEX and free_ports(n, d) > 0


def split_off_candidates(
    n: int, d: int, larger: Callable[[], Sequence[Candidate]], bases: Bases
) -> Iterator[Candidate]:
    """Evaluated candidates of n nodes, from those of n + 1 that `larger` gives, the best first."""
    work = n * n * d
    if n > LARGEST_BUILT or work > LARGEST_WORK:
        return
    most = min(MOST_GRAPHS, max(1, WORK // work))
    recipes = _quick_graphs(n + 1, d, bases)[:1] if most == 1 else []
    if not recipes:
        recipes = _light_graphs(larger(), work)[:most]
    for recipe in recipes:
        for pairing in first_pairings(d, max(1, most // min(most, len(recipes)))):
            found = _split_off(recipe, pairing, bases)
            if found is not None:
                yield found


def _quick_graphs(n: int, d: int, bases: Bases) -> list[Recipe]:
    """Where one graph is all that there is time for: the best that was found, or one with chords.

    What it costs itself need not be known then, which would take as long again.
    """
    chordal = [Base("Chords", one) for one in chords.members(n, d)]
    if not chordal:
        return []
    own = [base for base in bases.scope.extra if size(base) == (n, d)]
    found = [candidate for base in own for candidate in bases.candidates(base)]
    return [*dict.fromkeys(one.recipe for one in sorted(found, key=Candidate.preference)), *chordal]


def _light_graphs(larger: Sequence[Candidate], work: int) -> list[Recipe]:
    """Graphs that are quick to evaluate with a node split off, in the order of the pool."""
    steps = [one.diameter or one.allgather.steps for one in larger]
    most = min(STEPPED_WORK // work, STEPS * min(steps, default=0))
    light = (one.recipe for one, few in zip(larger, steps, strict=True) if few <= most)
    return list(dict.fromkeys(light))


def _split_off(recipe: Recipe, pairing: int, bases: Bases) -> Candidate | None:
    """None where a node would be joined to itself, or the graph falls apart."""
    try:
        return bases.graph(expand("SplitOff", (recipe,), (pairing,)))
    except InvalidInput:
        return None
