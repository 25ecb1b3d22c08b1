"""What is found at one size by so much work: lifts, grafts, and graphs from random starts.

Efforts of a search and legs of a discovery share the work among these. Work is counted as
`LiftSetting.work` is, about in nanoseconds of one core, and turned into counts of trials and of
full evaluations, so that the same work by the same seed finds the same.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from expansions.lower_bounds import least_bandwidth
from generators.cayley.catalogue import shipped_digraphs
from topofinder.discovery.grafts.found import WEIGHT, FoundGraft
from topofinder.discovery.grafts.free import find_free
from topofinder.discovery.grafts.free_port import find_free_port_grafts
from topofinder.discovery.grafts.free_port_random import find_free_port_graphs
from topofinder.discovery.grafts.line_roots import THIN_WORK, find_line_grafts
from topofinder.discovery.grafts.search import MOST_BASES, find_grafts
from topofinder.discovery.grafts.state import MOST_DEGREE
from topofinder.discovery.grafts.state_kernels import DEAR
from topofinder.discovery.lifts.search import FoundLift, find_lifts
from topofinder.discovery.lifts.settings import MOST_PORTS, LiftGoal
from topofinder.finder.cayley_bases import quick_cayley_digraphs
from topofinder.finder.effort_work import time_bound
from topofinder.finder.graft_bases import (
    KnownBase,
    annealed_bases,
    base_time,
    line_bases_above,
    neighbour_surpluses,
    rank_bases,
)
from topofinder.finder.odd_sizes import has_free_port
from topofinder.model.candidate import LinkMode, cost_lower_bound

LARGEST_LIFTED = 1 << 14
"""Nodes of the largest lifts that are looked for."""
LARGEST_GRAFTED = 1 << 12
"""Nodes of the largest grafts that are looked for."""
NEIGHBOURS = 3
"""Sizes beside n where lifts are looked for, to be grafted."""
NEIGHBOUR_PART = 6
"""Each of them takes a part of the work on grafts: one of so many."""
BASE_PART = 4
"""Evaluations that there must be for each base which is grafted; one where loads are dear."""
NEAR = Fraction(11, 10)
"""No lifts are looked for where a graft is expected to take no more times the lower bound."""


def is_grafted(n: int, d: int) -> bool:
    """Whether graphs without symmetry are looked for.

    >>> is_grafted(1453, 4), is_grafted(1453, 9)
    (True, False)
    """
    return d <= MOST_DEGREE and n <= LARGEST_GRAFTED


@lru_cache(maxsize=1 << 12)
def lifts_by_work(
    n: int, d: int, links: LinkMode, work: int, seed: int, others: int = 0
) -> tuple[FoundLift, ...]:
    """The best lifts of a size by so much work; none where no lifts are looked for.

    `others` are groups of each order that are not abelian.

    >>> [one.forth.steps for one in lifts_by_work(25, 2, LinkMode.SIMPLEX, 10**8, 0)]
    [4]
    """
    trial = trial_work(n, d, links)
    if not trial:
        return ()
    budget = max(1, work // trial)
    return tuple(find_lifts(n, d, links, budget=budget, seed=seed, others=others))


def trial_work(n: int, d: int, links: LinkMode) -> int:
    """What one trial of a lift takes by the first group; 0 where no lifts are looked for.

    >>> trial_work(89, 4, LinkMode.SIMPLEX)
    0
    """
    if not 3 <= n <= LARGEST_LIFTED or not 2 <= d < min(n, MOST_PORTS + 1):
        return 0
    first = next(LiftGoal(n=n, d=d, links=links).settings(), None)
    return first.work if first else 0


def quick_digraphs(n: int, d: int, links: LinkMode) -> tuple[FoundLift, ...]:
    """Cayley digraphs that are found at once, where the catalogue has none."""
    return () if any(shipped_digraphs(n, d)) else quick_cayley_digraphs(n, d, links)


def neighbour_lifts(
    n: int, d: int, links: LinkMode, work: int, bases: Iterable[KnownBase], seed: int
) -> tuple[list[FoundLift], int]:
    """Lifts at sizes beside n, to be grafted, and what is left of the work.

    None where lifts ship there, or there are bases as good as it gets.
    """
    parts = _neighbour_parts(n, d, links, bases)
    found: list[FoundLift] = []
    for surplus in neighbour_surpluses(n, d, links)[:parts]:
        found += lifts_by_work(n + surplus, d, links, work // NEIGHBOUR_PART, seed)
    return found, work - parts * (work // NEIGHBOUR_PART)


def _neighbour_parts(n: int, d: int, links: LinkMode, bases: Iterable[KnownBase]) -> int:
    """At how many sizes lifts are looked for: at none where there are bases as good as it gets."""
    if any(annealed_bases(n + surplus, d, links) for surplus in neighbour_surpluses(n, d, links)):
        return 0
    least = min((base_time(n, one) for one in bases), default=None)
    far = least is None or least > NEAR * time_bound(n, d, links)
    return NEIGHBOURS if far else 0


def grafts_by_work(
    n: int, d: int, links: LinkMode, work: int, bases: Iterable[KnownBase], seed: int
) -> list[FoundGraft]:
    """Grafts of the bases that are likeliest to be good, as many as the work can try."""
    if not may_graft(n, d, links):
        return []
    budget = max(1, work // evaluation_work(n, d, links))
    known = rank_bases(n, bases)
    part = BASE_PART if d < DEAR else 1
    chosen = list(known)[: max(1, min(MOST_BASES, budget // part))]
    return find_grafts(n, d, links, bases=chosen, known=known, budget=budget, seed=seed)


def line_grafts_by_work(
    n: int, d: int, links: LinkMode, work: int, least: Fraction | None, seed: int
) -> list[FoundGraft]:
    """Grafts of line graphs whose roots can do without some arcs, as many as the work can try.

    None where d divides n, or an allreduce takes no longer so far (`least`, in steps) than on a
    line graph of a few nodes more.

    >>> [one.steps for one in line_grafts_by_work(95, 4, LinkMode.SIMPLEX, 10**8, None, 0)]
    [8]
    """
    if links is LinkMode.DUPLEX or n % d == 0 or n > LARGEST_GRAFTED:
        return []
    bases = line_bases_above(n, d)
    hope = min((one.forth.steps + one.back.steps for one in bases), default=0)
    if not bases or (least is not None and hope + 2 * WEIGHT * least_bandwidth(n) >= least):
        return []
    tries = work // (n * n * d * hope // 4 + THIN_WORK // 2)
    recipes = [one.recipe for one in bases]
    return find_line_grafts(n, d, bases=recipes, tries=tries, seed=seed) if tries else []


def may_graft(n: int, d: int, links: LinkMode) -> bool:
    """Whether a graph of that size can be a graft: no port is free, and not all are joined."""
    return 2 <= d < n - 1 and not has_free_port(n, d, links)


def split_off_by_work(
    n: int, d: int, work: int, bases: Iterable[KnownBase], seed: int
) -> list[FoundGraft]:
    """Graphs with a port left free: bases of about one node more, edited, and a node split off."""
    larger = n + 1, d, LinkMode.DUPLEX
    chosen = sorted(set(bases), key=lambda one: (one.forth.steps, base_time(n + 1, one)))
    known = rank_bases(n + 1, chosen[:MOST_BASES])
    budget = max(1, work // evaluation_work(*larger))
    return find_free_port_grafts(n, d, bases=known, known=known, budget=budget, seed=seed)


def random_graphs(n: int, d: int, links: LinkMode, work: int, seed: int) -> list[FoundGraft]:
    """Graphs that annealing from random starts meets, ports left free or not.

    >>> [(one.forth.steps, str(one.forth.bandwidth))
    ...     for one in random_graphs(13, 3, LinkMode.DUPLEX, 10**8, 0)]
    [(3, '18/13')]
    """
    budget = max(1, work // evaluation_work(n, d, links))
    if has_free_port(n, d, links):
        return find_free_port_graphs(n, d, budget=budget, seed=seed)
    return find_free(n, d, links, budget=budget, seed=seed)


def evaluation_work(n: int, d: int, links: LinkMode) -> int:
    """What a full evaluation both ways takes while annealing, about in nanoseconds of one core."""
    load = 75 + n // 32 if d < DEAR else n + 60 * (1 << (d - 4))
    directions = 1 if links is LinkMode.DUPLEX else 2
    return load * directions * (cost_lower_bound(n, d, links).steps + 1) * n
