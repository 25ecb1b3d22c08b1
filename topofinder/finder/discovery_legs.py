"""What `discover` does beside groups: legs that look for lifts, grafts and random graphs.

A leg is so much work at one size, by a seed of its own, from what earlier legs have found; legs of
one turn are chosen together, and later turns do more. All budgets are counts, so that the same leg
finds the same on any machine. Sizes are those that an effort looks at: the size itself, and those
whose line graphs it has.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import blake2b
from itertools import cycle, islice

from expansions.canonical import canonical
from expansions.cost import Cost
from expansions.recipe import Application, Recipe
from topofinder.discovery.grafts.found import FoundGraft
from topofinder.discovery.kinds import GraphKind
from topofinder.discovery.lifts.search import FoundLift
from topofinder.dispatch.kernel import expect_work
from topofinder.finder.effort import grown_sizes
from topofinder.finder.effort_work import MORE_WORK, OTHER_GROUPS
from topofinder.finder.enumeration import PoolSize
from topofinder.finder.graft_bases import KnownBase, known_bases, known_grafts, known_lifts
from topofinder.finder.odd_sizes import has_free_port
from topofinder.finder.size_searches import (
    evaluation_work,
    grafts_by_work,
    is_grafted,
    lifts_by_work,
    may_graft,
    neighbour_lifts,
    random_graphs,
    split_off_by_work,
    trial_work,
)
from topofinder.finder.spare_grafts import spare_grafts
from topofinder.model.candidate import LinkMode, cost_lower_bound

RANDOM = "random"
"""Legs of grafts that begin with random graphs."""
MOST_RANDOM = 128
"""Nodes up to which there are some: beyond, grafts of known graphs are better."""
SPARE = "spare"
"""Legs of grafts that begin with Cayley digraphs which have paths to spare, for a step less than
what is known: one a turn above MOST_RANDOM nodes, beside the others."""
SPARE_ORDERS, SPARE_TRIALS = 4, 20_000
"""Orders that the first of them looks through, the next so many more, and so on; and the lists of
generators that are tried at each."""
LEAST_LEGS = 2
"""Legs of a turn at least, for as many cores."""
GROWTH = 2, 4
"""Turns do twice as much after so many of them, up to this many times the first."""
FREE_PORT_PARTS = 4
"""Lifts and grafts of one node more take a part of so many each, splitting it off the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostedFind:
    """A recipe with its exact costs, those of an allgather no more than those of one back."""

    recipe: Recipe
    forth: Cost
    back: Cost

    @property
    def allreduce(self) -> tuple[int, Fraction]:
        """What it is preferred by: steps, then bandwidth time of both ways."""
        return self.forth.steps + self.back.steps, self.forth.bandwidth + self.back.bandwidth


def cheaper_way(found: FoundLift | FoundGraft) -> CostedFind:
    """The graph, or its transpose where an allgather takes less on that."""
    if found.back < found.forth:
        turned = canonical(Application("T", (found.recipe,)))
        return CostedFind(recipe=turned, forth=found.back, back=found.forth)
    return CostedFind(recipe=found.recipe, forth=found.forth, back=found.back)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryLeg:
    """So much work at a size, for a search of `n` nodes: `what` are lifts, grafts or random graphs.

    `bases` are what earlier legs have found about that size; `steps` are aimed at by those that
    begin with spare paths, whose `what` is SPARE.
    """

    what: str
    n: int
    size: PoolSize
    turn: int
    part: int
    seed: int
    work: int
    bases: tuple[KnownBase, ...] = ()
    steps: int = 0

    @property
    def place(self) -> str:
        """What tells the leg from others of its search: turn, kind, and part or other size."""
        at = f" {self.size[0]}" if self.size[0] != self.n else ""
        return f"{self.what} {self.turn}.{self.part}{at}"

    @property
    def judged(self) -> int:
        """How many graphs it may judge: trials of lifts, or full evaluations both ways."""
        each = trial_work(*self.size) if self.what == GraphKind.LIFTS else 0
        return max(1, self.work // (each or evaluation_work(*self.size)))

    @property
    def drawn_seed(self) -> int:
        """The seed of all that the leg draws by chance."""
        told = repr((self.seed, self.size, self.what, self.turn, self.part)).encode()
        return int.from_bytes(blake2b(told, digest_size=7).digest(), "little")

    def run(self) -> tuple[int, list[CostedFind]]:
        """How many graphs were judged, and what was found, the best first, at any size."""
        expect_work()
        found = [cheaper_way(one) for one in self._find()]
        return self.judged, sorted(found, key=lambda one: (one.allreduce, str(one.recipe)))

    def _find(self) -> Sequence[FoundLift | FoundGraft]:
        seed = self.drawn_seed
        if self.what == GraphKind.LIFTS:
            others = OTHER_GROUPS + self.turn
            return lifts_by_work(*self.size, self.work, seed, others)
        if self.what == RANDOM:
            return random_graphs(*self.size, self.work, seed)
        if self.what == SPARE:
            return self._find_spare(seed)
        if has_free_port(*self.size):
            return self._find_free_port(seed)
        return self._find_grafts(self.size, self.work, seed)

    def _find_grafts(
        self, size: PoolSize, work: int, seed: int, lifts: Sequence[FoundLift] = ()
    ) -> list[FoundLift | FoundGraft]:
        bases = [*known_bases(*size, lifts), *self.bases]
        beside, left = neighbour_lifts(*size, work, bases, seed)
        return [*beside, *grafts_by_work(*size, left, [*bases, *known_lifts(beside)], seed)]

    def _find_spare(self, seed: int) -> list[FoundGraft]:
        return spare_grafts(
            *self.size,
            self.steps,
            budget=self.judged,
            orders=SPARE_ORDERS * (self.turn + 1),
            trials=SPARE_TRIALS,
            seed=seed,
        )

    def _find_free_port(self, seed: int) -> list[FoundLift | FoundGraft]:
        n, d, links = self.size
        larger, part = (n + 1, d, links), self.work // FREE_PORT_PARTS
        lifts = lifts_by_work(*larger, part, seed)
        found = self._find_grafts(larger, part, seed, lifts)
        grafts = [one for one in found if isinstance(one, FoundGraft)]
        bases = [*known_bases(*larger, lifts), *self.bases, *known_grafts(grafts)]
        split = split_off_by_work(n, d, self.work - 2 * part, bases, seed)
        return [*lifts, *found, *split]


def leg_sizes(kind: GraphKind, n: int, d: int, links: LinkMode) -> list[tuple[str, PoolSize]]:
    """What legs of a kind look for at (n, d), and at which sizes; none where there is nothing.

    >>> leg_sizes(GraphKind.LIFTS, 100, 2, LinkMode.SIMPLEX)[1]
    ('lifts', (50, 2, <LinkMode.SIMPLEX: 'simplex'>))
    >>> [what for what, _ in leg_sizes(GraphKind.GRAFTS, 89, 4, LinkMode.SIMPLEX)]
    ['grafts', 'random']
    """
    if kind is GraphKind.CAYLEY:
        return []  # their legs are groups
    free = has_free_port(n, d, links)
    sizes = [(n, d, links)] if free else grown_sizes(n, d, links)
    if kind is GraphKind.LIFTS:
        return [(kind.value, size) for size in sizes if not free and trial_work(*size)]
    fit = [size for size in sizes if is_grafted(n + free, d) and (free or may_graft(*size))]
    found = [(GraphKind.GRAFTS.value, size) for size in fit]
    return found + [(RANDOM, size) for size in fit if size[0] <= MOST_RANDOM and size[1] > 2 * free]


def turn_work(turn: int) -> int:
    """What all legs of a turn do together, in the unit of `LiftSetting.work`.

    >>> [turn_work(turn) // turn_work(0) for turn in range(6)]
    [1, 1, 2, 2, 4, 4]
    """
    return LEAST_LEGS * MORE_WORK * min(1 << turn // GROWTH[0], GROWTH[1])


def legs_of_turn(
    kind: GraphKind,
    size: PoolSize,
    turn: int,
    seed: int,
    bases_at: Callable[[PoolSize], Sequence[KnownBase]] = lambda size: (),
    fewest: int = 0,
) -> list[DiscoveryLeg]:
    """The legs of a turn, which share its work; none where nothing is looked for.

    `bases_at` tells what is known about a size, to be grafted; `fewest` are the steps of what is
    known at the size itself, 0 where nothing is.

    >>> [leg.place for leg in legs_of_turn(
    ...     GraphKind.LIFTS, (100, 2, LinkMode.SIMPLEX), 3, seed=0)]
    ['lifts 3.0', 'lifts 3.1 50', 'lifts 3.2 25']
    """
    sizes = leg_sizes(kind, *size)
    count = max(LEAST_LEGS, len(sizes)) if sizes else 0
    legs = [
        DiscoveryLeg(
            what=what,
            n=size[0],
            size=at,
            turn=turn,
            part=part,
            seed=seed,
            work=turn_work(turn) // count,
            bases=tuple(bases_at(at)) if what == GraphKind.GRAFTS else (),
        )
        for part, (what, at) in enumerate(islice(cycle(sizes), count))
    ]
    grafted = kind is GraphKind.GRAFTS and any(leg.size == size for leg in legs)
    if grafted and size[0] > MOST_RANDOM and fewest > cost_lower_bound(*size).steps + 1:
        spare = replace(legs[0], what=SPARE, size=size, part=count, bases=(), steps=fewest - 1)
        legs.append(spare)
    return legs


def turn_of(place: str) -> tuple[GraphKind, int] | None:
    """The kind and turn of a stored leg; None for legs through groups.

    >>> turn_of("random 3.1 25"), turn_of("all Z12")
    ((<GraphKind.GRAFTS: 'grafts'>, 3), None)
    """
    what, _, rest = place.partition(" ")
    turn = rest.partition(".")[0]
    if what not in (GraphKind.LIFTS, GraphKind.GRAFTS, RANDOM, SPARE) or not turn.isdecimal():
        return None
    return GraphKind.GRAFTS if what in (RANDOM, SPARE) else GraphKind(what), int(turn)
