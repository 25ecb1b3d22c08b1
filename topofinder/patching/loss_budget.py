"""A budget of insertion loss: the circuits that are above it, and plans that break it.

Ports are chosen so that the worst circuit loses least, for the hosts and panels of a plan. Where
that is not enough, a plan with other ones may be: then whatever loses more than the budget must
not be made, as if it were forbidden.
"""

from dataclasses import replace
from itertools import combinations

from generators.errors import InvalidInput
from topofinder.model.inventory.document import State
from topofinder.model.inventory.forbidden import Forbidden
from topofinder.model.inventory.losses import PortLosses, decibel_text
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit
from topofinder.model.plan import Plan
from topofinder.verification.plan_wirings import circuit_name

MOST_PAIRS = 2_000_000
"""Pairs of ports that are compared with a budget, at most."""


class OverBudget(InvalidInput):
    """A new circuit loses more light than may be lost."""


def bar_lossy_pairs(fabric: PortMap, losses: PortLosses, budget: int) -> PortMap | None:
    """The fabric in which nothing may be made that loses more than the budget.

    A simplex circuit has to be within it on the way back too, as rules on ports know no direction.
    None where there are too many pairs of ports to compare.
    """
    live = fabric.of_state(State.LIVE)
    on = [live[fabric.panel[live] == panel].tolist() for panel in range(len(fabric.panels))]
    if sum(len(ports) * (len(ports) - 1) // 2 for ports in on) > MOST_PAIRS:
        return None
    barred = {
        (a, b)
        for ports in on
        for a, b in combinations(ports, 2)
        if losses.of_circuit(Circuit(a, b, True)) > budget
    }
    return replace(fabric, forbidden=fabric.forbidden | Forbidden(ports=frozenset(barred)))


def require_budget(plan: Plan) -> Plan:
    """The plan, if all that it makes is within its budget of loss.

    Raises OverBudget naming the circuit that loses most.
    """
    found = plan.losses
    if found is None or found.budget is None or not found.above:
        return plan
    worst = max(found.above, key=found.ports.of_circuit)
    name, lost = circuit_name(plan.fabric, worst), found.ports.of_circuit(worst)
    more = len(found.above) - 1
    others = f", and {more} more new circuit{'s' * (more != 1)} too much" if more else ""
    least = "no choice of their ports has less" if found.proved else "no better ports were found"
    raise OverBudget(
        f"--loss-budget: {name} loses {decibel_text(lost)} dB, above "
        f"{decibel_text(found.budget)} dB{others}; {least}"
    )
