"""Which host plays which node, so that the fewest circuits are moved: quadratic assignment.

Placements of a few hosts are tried one and all. Of more, a search takes panels to be alike, others
tell them apart, and each placement found is carried by its best panels. On several panels those
whose relaxation is the lowest are polished, and placements that are as good but for panels looked
at too; the best of all is kept.
"""

import time as clock
from dataclasses import replace
from math import isfinite

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray
from topofinder.interrupts import require_interrupt
from topofinder.model.plan import Bound
from topofinder.patching.bounds.lower_bound import least_moves
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.split import least_unplaced
from topofinder.patching.placement.assignment import (
    Assignment,
    CarriedPlacement,
    best_offer,
    carry_placement,
    kept_circuits,
)
from topofinder.patching.placement.few_hosts import (
    FEW_HOSTS_LIMITS,
    MOST_FEW_HOSTS,
    FewHostsLimits,
    few_hosts,
    is_few,
)
from topofinder.patching.placement.panel_polishing import PanelPolishing
from topofinder.patching.placement.problem import (
    PlacementProblem,
    checked_start,
    lawful_placement,
    placement_problem,
    usable_circuits,
)
from topofinder.patching.placement.search import CPU_SHARE, Search

FEW_HOSTS_SHARE = 0.75
"""Share of the time in which all placements of a few hosts are tried."""
BY_PANEL_SHARE = 0.25
"""Share of the time for the search that tells panels apart."""
COPIES, COPIES_SHARE = 6, 0.5
"""More searches, by other seeds, whose placements are carried by their panels, and the share of
the time for all of them: of placements with as few moves on one panel some split better."""
CARRIED = 1.8e-7
"""CPU seconds to carry a placement, for each circuit and panel, squared."""
PAIRED = 256
"""Hosts of the largest fabrics in which all pairs are looked at for ports on the same panels."""


def assign(
    wiring: Circuits,
    target: Circuits,
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
    time: float = 60.0,
    start: IntArray | None = None,
    limits: FewHostsLimits = FEW_HOSTS_LIMITS,
) -> Assignment:
    """Who plays whom, the panel of each circuit and what stays, for as few moves as are found.

    `wiring` joins hosts, `target` nodes; the target may have fewer nodes. `start[v]` is the user's
    own host for node v, shape (nodes,); the answer never makes more moves than it, nor than
    node v on host v where the constraints allow that. `time` is about how many seconds the
    search may take on two busy cores; it fixes the amount of work in advance, so that the same
    seed gives the same answer.

    Raises InvalidInput when wiring, target, constraints and start do not fit one another, or no
    placement respects the constraints.

    >>> ring = Circuits(n=4, duplex=True, tail=np.arange(4), head=(np.arange(4) + 1) % 4)
    >>> path = Circuits(n=4, duplex=True, tail=np.array([0, 2, 1]), head=np.array([2, 1, 3]))
    >>> assign(ring, path).moves
    0
    """
    began = clock.perf_counter()
    constraints = constraints or Constraints()
    if not (isfinite(time) and time > 0):
        raise InvalidInput(f"time: seconds above 0 are needed, not {time}")
    problem = placement_problem(wiring, target, constraints)
    own = checked_start(start, target, wiring)
    first = lawful_placement(own, problem.rules, constraints.fixed)
    offers = []
    if (constraints.panels > 1 or wiring.n > MOST_FEW_HOSTS) and is_few(
        wiring, target, constraints
    ):
        share = FEW_HOSTS_SHARE * time
        few = few_hosts(
            wiring, target, constraints, start=own, seed=seed, time=share, limits=limits
        )
        offers = [few.assignment] if few.assignment is not None else []
        if offers and (few.whole or offers[0].interrupted):
            return replace(offers[0], seconds=clock.perf_counter() - began)
        time *= 1 - FEW_HOSTS_SHARE
    found = _search_placements(wiring, target, constraints, problem, first, seed, time)
    best_of = min([found, *offers], key=lambda one: one.price)
    return replace(best_of, bound=found.bound, seconds=clock.perf_counter() - began)


def _search_placements(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    problem: PlacementProblem,
    first: Int64Array,
    seed: int,
    time: float,
) -> Assignment:
    """The best that the searches find, for panels alike and told apart."""
    search = Search(problem, first, seed, time)
    search.run(lambda: least_moves(usable_circuits(wiring, problem.rules), target))
    offers = [carry_placement(wiring, target, constraints, search.best, search.found, seed)]
    known = np.array_equal(search.best, first)
    if not known and (0, problem.circuits - problem.count_kept(first)) < offers[0].price:
        offers.append(carry_placement(wiring, target, constraints, first, "start", seed))
    proved = best_offer(offers).price <= (0, search.bound.moves)
    if constraints.panels > 1 and not (proved or search.interrupted):
        offers += _offers_by_room(wiring, target, constraints, offers[0], seed, time)
        offers += _offers_by_seed(wiring, target, constraints, search, first, seed, time)
        offers += _offers_by_panel(wiring, target, constraints, best_offer(offers), seed, time)
    chosen, interrupted = best_offer(offers), search.interrupted
    if constraints.panels > 1 and not (proved or interrupted):
        polish = PanelPolishing(problem, wiring, target, constraints, seed, CPU_SHARE * time)
        try:
            chosen = polish.better_offer(offers)
        except (KeyboardInterrupt, SystemError) as error:
            require_interrupt(error)
            interrupted = True
    return Assignment(
        host=chosen.host,
        panel=chosen.panel,
        kept=chosen.kept,
        bound=search.bound,
        found=chosen.found,
        seed=seed,
        seconds=0.0,
        least_unplaced=least_unplaced(target, constraints),
        interrupted=interrupted,
    )


def _offers_by_seed(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    search: Search,
    first: Int64Array,
    seed: int,
    time: float,
) -> list[CarriedPlacement]:
    """Offers of searches by other seeds that take panels to be alike, until one is proved best.

    There are as many as can be carried in their share of the time, and none is carried twice.
    """
    offers = list[CarriedPlacement]()
    carried = {search.best.tobytes(), first.tobytes()}
    price = CARRIED * (target.count * constraints.panels) ** 2
    for more in range(1, 1 + min(COPIES, int(COPIES_SHARE * CPU_SHARE * time / max(price, 1e-9)))):
        other = Search(search.problem, first, seed + more, time, COPIES_SHARE / COPIES)
        other.run(lambda: search.bound)
        if (key := other.best.tobytes()) not in carried:
            carried.add(key)
            found = f"{other.found}, by seed"
            again = carry_placement(wiring, target, constraints, other.best, found, seed + more)
            offers.append(again)
        if other.interrupted or (offers and offers[-1].price <= (0, search.bound.moves)):
            break
    return offers


def _offers_by_room(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    offer: CarriedPlacement,
    seed: int,
    time: float,
) -> list[CarriedPlacement]:
    """Offers of a search for neighbours with ports on the same panels, beginning with an offer.

    Nothing is offered where that one leaves no circuit out, all hosts have the same ports, or
    there are too many pairs of hosts to look at.
    """
    ports, receivers = constraints.ports, constraints.receivers
    if not offer.price[0] or ports is None or receivers is None or wiring.n > PAIRED:
        return []
    most = sum(np.minimum(ports[:, None, p], receivers[None, :, p]) for p in range(ports.shape[1]))
    pairs = np.minimum(most, int(max(target.sends.max(), target.receives.max())))
    if (pairs == pairs.max()).all():
        return []
    pairs = np.triu(pairs, 1) if target.duplex else pairs - np.diag(np.diag(pairs))
    tail, head = np.nonzero(pairs)
    times = pairs[tail, head]
    room = Circuits(
        n=wiring.n,
        duplex=target.duplex,
        tail=np.repeat(tail, times),
        head=np.repeat(head, times),
    )
    problem = placement_problem(room, target, constraints)
    search = Search(
        problem,
        lawful_placement(offer.host, problem.rules, constraints.fixed),
        seed,
        time,
        BY_PANEL_SHARE,
    )
    search.run(lambda: Bound(moves=0, name="count"))
    return [
        carry_placement(wiring, target, constraints, search.best, f"{search.found}, by room", seed)
    ]


def _offers_by_panel(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    offer: CarriedPlacement,
    seed: int,
    time: float,
) -> list[CarriedPlacement]:
    """Offers of a search that tells panels apart, beginning with the panels of an offer.

    Circuits keep these panels, where the hosts have the ports; panels of their own are sought too
    where that takes no more than the share of the time. Nothing is offered when that one leaves
    circuits out, or nobody plays another node.
    """
    if offer.price[0]:
        return []
    coloured = replace(target, panel=offer.panel)
    problem = placement_problem(wiring, coloured, constraints, panels=constraints.panels)
    first = lawful_placement(offer.host, problem.rules, constraints.fixed)
    search = Search(problem, first, seed, time, BY_PANEL_SHARE)
    search.run(lambda: Bound(moves=0, name="count"))
    if np.array_equal(search.best, first):
        return []
    found, host = f"{search.found}, by panel", search.best[: target.n].astype(np.int32)
    price, share = CARRIED * (target.count * constraints.panels) ** 2, BY_PANEL_SHARE * CPU_SHARE
    offers = list[CarriedPlacement]()
    if _has_ports(target, host, offer.panel, constraints):
        kept = kept_circuits(wiring, target, host, offer.panel)
        offers.append(CarriedPlacement(host=host, panel=offer.panel, kept=kept, found=found))
    if not offers or price <= share * time:
        carried = carry_placement(wiring, target, constraints, search.best, found, seed)
        offers.insert(0, carried)
    return offers


def _has_ports(target: Circuits, host: IntArray, panel: IntArray, constraints: Constraints) -> bool:
    """Whether the hosts have the ports for these panels; circuits without one need none."""
    if constraints.ports is None or constraints.receivers is None:
        return True
    used = np.zeros((2, *constraints.ports.shape), dtype=np.int64)
    for side, ends in enumerate((target.tail, target.head)):
        np.add.at(used[side], (host[ends[panel >= 0]], panel[panel >= 0]), 1)
    if target.duplex:
        used[:] = used.sum(axis=0)
    return bool((used[0] <= constraints.ports).all() and (used[1] <= constraints.receivers).all())
