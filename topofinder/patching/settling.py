"""The best of what a damaged fabric can be, where panels may refuse some circuits of a choice.

A choice some of whose circuits find no panel is not what its costs say: it is replaced by the
graph of those that do, with the costs of that, and the best is sought again.
"""

from collections.abc import Sequence

from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.degraded import Choice, Rate, best_choice, choice_after_plan, rank_choices
from topofinder.patching.planner import PlanOptions, make_plan


def plan_best_choice(
    fabric: PortMap,
    wiring: Wiring,
    options: PlanOptions,
    found: Sequence[Choice],
    fewer: str | None,
    rate: Rate,
) -> tuple[Plan, list[Choice]]:
    """The plan of the best choice, or of the best with `fewer` of something; choices by rank.

    `found` begins with the intact target; `rate` bounds the throughput of each new choice.
    Raises InvalidInput where no choice is left that connects the hosts.
    """
    offered = list(found)
    while True:
        chosen = best_choice(offered, fewer)
        if chosen.plan is not None:
            return chosen.plan, offered
        plan = make_plan(fabric, wiring, chosen.target, options)
        offered.remove(chosen)
        offered += choice_after_plan(chosen, plan, offered[0].target.topology.degree, rate)
        offered = rank_choices(offered)
