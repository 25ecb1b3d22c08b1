"""A budget of insertion loss: the circuits that are above it, and plans that break it.

Ports are chosen so that the worst circuit loses least, for the hosts and panels of a plan. Where
that is not enough, a plan with other ones may be: then whatever loses more than the budget must
not be made, as if it were forbidden.
"""

from dataclasses import replace

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Int64Array
from topofinder.model.inventory.document import State
from topofinder.model.inventory.forbidden import Forbidden
from topofinder.model.inventory.losses import PortLosses, decibel_text
from topofinder.model.inventory.ports import PortMap
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
    on = [live[fabric.panel[live] == panel] for panel in range(len(fabric.panels))]
    if sum(len(ports) * (len(ports) - 1) // 2 for ports in on) > MOST_PAIRS:
        return None
    barred = set[tuple[int, int]]()
    for ports in on:
        rows, columns = np.nonzero(np.triu(_duplex_losses(ports.tolist(), losses) > budget, 1))
        barred.update(zip(ports[rows].tolist(), ports[columns].tolist(), strict=True))
    return replace(fabric, forbidden=fabric.forbidden | Forbidden(ports=frozenset(barred)))


def _duplex_losses(ports: list[int], losses: PortLosses) -> Int64Array:
    """What duplex circuits lose between the ports of a panel, shape (ports, ports)."""
    worst = np.zeros((len(ports), len(ports)), dtype=np.int64)
    fibres = [losses.trunks[port] if losses.trunks else (port,) for port in ports]
    for alike in zip(*fibres, strict=True):  # first to first
        own = np.array([losses.port.get(fibre, 0) for fibre in alike], dtype=np.int64)
        each, place = own[:, None] + own, {fibre: i for i, fibre in enumerate(alike)}
        for (a, b), loss in losses.pair.items():
            if a in place and b in place:
                each[place[a], place[b]] += loss
        np.maximum(worst, each, out=worst)
    return np.maximum(worst, worst.T)


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
