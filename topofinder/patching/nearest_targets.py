"""Of several targets the one to wire: the best within so many moves, or the one with the fewest.

Target and placement are chosen together: each target that may be the answer is placed. With a
budget of moves they are tried in the order of their times, so that the first that fits is the best
that is reached; a target whose lower bound is above the budget is not searched for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from expansions.collective_costs import TwoPhaseAllreduce
from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.topology import IntArray
from topofinder.model.candidate import Method
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.bounds.lower_bound import least_moves
from topofinder.patching.circuits import Circuits
from topofinder.patching.existing_circuits import existing_circuits
from topofinder.patching.planner import (
    PlanOptions,
    Target,
    TargetPlacement,
    eligible_hosts,
    find_placement,
)
from topofinder.progress import work_progress

OptionsOf = Callable[["CostedTarget"], PlanOptions]
"""How each target is planned: what is pinned is told by its nodes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostedTarget(TwoPhaseAllreduce):
    """A target, its costs in M/B of a host with all ports, and the time that it is judged by.

    The costs are those of its schedule by a `method`.
    `start[v]` is a host for node v to begin with, if one is known; shape (nodes,).
    """

    target: Target
    allgather: Cost
    reduce_scatter: Cost
    seconds: Fraction
    start: IntArray | None = None
    method: str = Method.BFB.value


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveBudget:
    """What is sought: the quickest within `max_moves`, else the fewest moves.

    With a `loss` only targets count that take at most so much longer than the quickest one.
    """

    max_moves: int | None = None
    loss: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TriedTarget:
    """A target with its placement; None where it was not searched for, or cannot be `refused`.

    No plan of it makes fewer moves than `bound`, None where nothing is known. `chosen` is planned.
    `known` are moves that are known without a placement: none to what is in place.
    """

    costed: CostedTarget
    placement: TargetPlacement | None = None
    bound: int | None = None
    refused: InvalidInput | None = None
    chosen: bool = False
    known: int | None = None

    @property
    def moves(self) -> int | None:
        """Circuits to make."""
        return self.known if self.placement is None else self.placement.found.assignment.moves

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search for its placement."""
        return self.placement is not None and self.placement.interrupted

    @property
    def missing(self) -> int:
        """Circuits that no panel takes."""
        return 0 if self.placement is None else self.placement.found.assignment.unplaced

    def fits(self, most: int | None) -> bool:
        """Whether it is wired whole, within so many moves."""
        return self.moves is not None and not self.missing and (most is None or self.moves <= most)


def choose_target(
    fabric: PortMap,
    wiring: Wiring,
    offers: Sequence[CostedTarget],
    options: OptionsOf,
    budget: MoveBudget,
) -> list[TriedTarget]:
    """The targets by their time, with placements as far as they were tried; one is chosen.

    Of equal times the one with the fewest moves is, of equal moves the quickest, then the first.
    Raises InvalidInput where no target can be wired, or none within the budget.
    """
    ranked = sorted(offers, key=lambda one: one.seconds)
    most = None if budget.loss is None else ranked[0].seconds * (1 + budget.loss)
    tried: list[TriedTarget] = []
    for seconds, group in groupby(ranked, key=lambda one: one.seconds):
        done = budget.max_moves is not None and any(one.fits(budget.max_moves) for one in tried)
        if done or (most is not None and seconds > most):
            tried += [TriedTarget(costed=one) for one in group]
        else:
            for one in group:
                how = options(one)
                ended = any(other.interrupted for other in tried)
                with work_progress.part(f"target {len(tried) + 1} of {len(ranked)}"):
                    tried.append(
                        _try_target(
                            fabric, wiring, one, how.in_haste if ended else how, budget.max_moves
                        )
                    )
    best = _best_target(tried, budget.max_moves)
    return [_with_choice(one) if one is best else one for one in tried]


def _best_target(tried: Sequence[TriedTarget], most: int | None) -> TriedTarget:
    """The one to plan."""
    placed = [one for one in tried if one.moves is not None]
    fitting = [one for one in placed if one.fits(most)]
    if most is not None and fitting:
        return min(fitting, key=lambda one: (one.costed.seconds, one.moves))
    if most is not None:
        raise InvalidInput(f"--max-moves: {_fewest_text(tried)}, more than {most}")
    if not placed:
        raise next(one.refused for one in tried if one.refused is not None)
    return min(placed, key=lambda one: (one.missing, one.moves, one.costed.seconds))


def _fewest_text(tried: Sequence[TriedTarget]) -> str:
    """How far away the nearest target is."""
    whole = [one for one in tried if one.fits(None)]
    if whole:
        near = min(whole, key=lambda one: one.moves or 0)
        return f"the nearest that was found, {near.costed.target.subject}, takes {near.moves}"
    bounds = [one.bound for one in tried if one.bound is not None]
    if not bounds:
        return "none of the targets can be wired"
    return f"every target that was weighed takes at least {min(bounds)}"


def _with_choice(one: TriedTarget) -> TriedTarget:
    return TriedTarget(
        costed=one.costed, placement=one.placement, bound=one.bound, refused=None, chosen=True
    )


def _try_target(
    fabric: PortMap,
    wiring: Wiring,
    costed: CostedTarget,
    how: PlanOptions,
    most: int | None,
) -> TriedTarget:
    """Place a target, unless that is impossible or its lower bound is above the budget."""
    target, least = costed.target, None
    if most is not None:
        least = _least_moves(fabric, wiring, target, how)
        if least > most:
            return TriedTarget(costed=costed, bound=least)
    try:
        placement = find_placement(fabric, wiring, target, how)
    except InvalidInput as error:
        return TriedTarget(costed=costed, bound=least, refused=error)
    bound = placement.found.assignment.bound.moves
    return TriedTarget(costed=costed, placement=placement, bound=max(bound, least or 0))


def _least_moves(fabric: PortMap, wiring: Wiring, target: Target, how: PlanOptions) -> int:
    """What every plan of a target makes, whatever the placement."""
    allowed = eligible_hosts(fabric, how.hosts)
    place = existing_circuits(fabric, wiring, duplex=target.duplex, allowed=allowed)
    circuits = Circuits.of(target.topology, duplex=target.duplex)
    return least_moves(place.engine_circuits[0], circuits).moves
