"""Polished offers against what they began with, and relaxations against the best panels."""

from math import ceil

import numpy as np
import pytest

from benchmarks.panels import PanelCase, fabric_of
from tests.topofinder.patching.placement.test_offers_by_panel import require_ports
from topofinder.patching.placement.assignment import CarriedPlacement, carry_placement
from topofinder.patching.placement.panel_polishing import PanelPolishing
from topofinder.patching.placement.problem import placement_problem


def polishing(
    name: str, changed: int, seconds: float, *, duplex: bool, seed: int = 0
) -> tuple[PanelPolishing, CarriedPlacement]:
    wiring, target, constraints = fabric_of(PanelCase(name, duplex, 4, changed, 0), seed)
    problem = placement_problem(wiring, target, constraints)
    polish = PanelPolishing(problem, wiring, target, constraints, seed, seconds)
    own = np.arange(wiring.n)
    return polish, carry_placement(wiring, target, constraints, own, "start", seed)


@pytest.mark.parametrize(
    ("name", "duplex", "changed"), [("Torus(12,12)", True, 24), ("Pi(4,100)", False, 16)]
)
def test_a_polished_offer_is_no_worse_and_has_ports(name: str, duplex: bool, changed: int) -> None:
    polish, start = polishing(name, changed, 0.8, duplex=duplex)
    found = polish.better_offer([start])
    assert found.price < start.price
    least = min(one.relaxation.least for one in polish.relaxed_offers([start]))
    assert found.price[1] >= ceil(least - 1e-6)
    assert polish.constraints.ports is not None
    if duplex:
        require_ports(polish.target, found, polish.constraints.ports)


def test_placements_are_ranked_by_their_relaxations() -> None:
    polish, start = polishing("Pi(4,64)", 4, 2.0, duplex=False)
    ranked = polish.relaxed_offers([start])
    values = [one.relaxation.least for one in ranked]
    assert values == sorted(values)
    assert len({one.host.tobytes() for one in ranked}) == len(ranked) > 1
    assert {polish.count_new(one.host) for one in ranked} == {polish.count_new(start.host)}
    own = next(one for one in ranked if one.found == "start")
    assert values[0] < own.relaxation.least


def test_without_time_for_a_relaxation_nothing_is_ranked() -> None:
    polish, start = polishing("Torus(12,12)", 9, 0.01, duplex=True)
    assert polish.relaxed_offers([start]) == []
    assert polish.better_offer([start]).price <= start.price
