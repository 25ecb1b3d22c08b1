"""The order of a plan's moves with what is to stay up meanwhile, and what each stage comes to."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from generators.topology import BoolArray, IntArray
from topofinder.model.drain import Drain
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Stage, Wiring
from topofinder.model.plan import apply_stage
from topofinder.patching.moves.backtracking import order_moves
from topofinder.patching.moves.limits import StageLimits
from topofinder.patching.moves.middles import stage_rates
from topofinder.patching.moves.ordering import MoveTask
from topofinder.verification.plan_drain import stage_shares_out

RateBounds = Callable[[IntArray], tuple[Fraction, Fraction]]
"""What a wiring carries, at least and at most."""
RatesOfHosts = Callable[[PortMap, tuple[int, ...], IntArray], RateBounds]
"""How that is found for the hosts of a plan, and the wiring before it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrainRules:
    """What stays up in the middle of each stage, see `Drain`; `rates` bound the throughput.

    Shares are of the lesser of what is up before the plan and after it; where it goes on with an
    earlier one, of what was up before that: `since` are the receivers of transmitters then.
    """

    take_out: Fraction | None = None
    cuts: tuple[tuple[int, ...], ...] = ()
    keep: Fraction | None = None
    demand: str = "uniform"
    rates: RatesOfHosts | None = None
    since: IntArray | None = None


def order_drained(
    task: MoveTask,
    before: Wiring,
    host: tuple[int, ...],
    *,
    keep_connected: bool,
    rules: DrainRules | None,
) -> tuple[tuple[Stage, ...], Drain | None]:
    """The stages of a task, and with `rules` what is up in the middle of them."""
    fabric = task.place.fabric
    if rules is None:
        return order_moves(task, StageLimits(keep_connected=keep_connected)), None
    limits = StageLimits(
        keep_connected=keep_connected,
        take_out=rules.take_out,
        cuts=tuple(_side(fabric, cut) for cut in rules.cuts),
        since=rules.since,
    )
    stages = order_moves(task, limits)
    whole, rates = Fraction(), tuple[Fraction, ...]()
    if rules.keep is not None and rules.rates is not None:
        first = before.to if rules.since is None else rules.since
        bounds = rules.rates(fabric, host, first)
        whole = min(bounds(first)[1], bounds(_end(before, stages))[1])
        floor = whole * rules.keep
        stages = order_moves(task, replace(limits, carries=lambda to: bounds(to)[0] >= floor))
        rates = tuple(stage_rates(before.to, stages, lambda to: bounds(to)[0], floor))
    drain = Drain(
        take_out=rules.take_out,
        cuts=rules.cuts,
        most_out=stage_shares_out(fabric, host, before.to, stages, rules.cuts),
        keep=rules.keep,
        demand=rules.demand,
        whole=whole,
        rates=rates,
    )
    return stages, drain


def _side(fabric: PortMap, cut: tuple[int, ...]) -> BoolArray:
    side = np.zeros(len(fabric.hosts), dtype=np.bool_)
    side[list(cut)] = True
    return side


def _end(before: Wiring, stages: tuple[Stage, ...]) -> IntArray:
    to = before.to.copy()
    for stage in stages:
        apply_stage(to, stage)
    return to
