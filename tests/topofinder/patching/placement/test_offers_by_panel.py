"""A search that tells panels apart: its own panels count, and hosts have the ports for them."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.topofinder.patching.twins import bundle, regular, rewired, scrambled
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assign import _has_ports, _offers_by_panel
from topofinder.patching.placement.assignment import CarriedPlacement, carry_placement
from topofinder.patching.placement.panel_polishing import PanelPolishing
from topofinder.patching.placement.problem import placement_problem


def in_place(seed: int) -> tuple[Circuits, Circuits, Constraints]:
    """A wiring split over four panels, and a target with some circuits changed."""
    n, whole = 40, regular(seed, duplex=True, n=40, d=4)
    constraints = Constraints(ports=np.full((n, 4), 2))
    nothing = replace(whole, tail=whole.tail[:0], head=whole.head[:0], panel=whole.tail[:0])
    own = np.arange(n)
    split = carry_placement(nothing, whole, constraints, own, "split", seed)
    wiring = replace(whole, panel=split.panel)
    return wiring, scrambled(rewired(replace(whole, panel=None), seed, 3), seed), constraints


def require_ports(target: Circuits, offer: CarriedPlacement, ports: np.ndarray) -> None:
    used = Counter(
        (int(offer.host[end]), int(panel))
        for ends in (target.tail, target.head)
        for end, panel in zip(ends, offer.panel, strict=True)
    )
    assert all(count <= ports[key] for key, count in used.items())


@pytest.mark.parametrize("seed", range(4))
def test_its_own_panels_are_never_worse_than_those_it_began_with(seed: int) -> None:
    wiring, target, constraints = in_place(seed)
    begun = carry_placement(wiring, target, constraints, np.arange(40), "start", seed)
    assert not begun.price[0]
    problem = placement_problem(wiring, target, constraints)
    polish = PanelPolishing(problem, wiring, target, constraints, seed, 0.1)
    for time in (1e-6, 2.0):
        for offer in _offers_by_panel(wiring, target, constraints, begun, seed, time):
            require_ports(target, offer, constraints.ports)
            there, wanted = bundle(wiring), bundle(target, offer.host)
            assert polish.count_new(offer.host) == target.count - (there & wanted).total()
        offers = _offers_by_panel(wiring, target, constraints, begun, seed, time)
        assert len(offers) <= (1 if time < 1 else 2)
        every = [begun, *offers]
        assert all(one.price <= begun.price for one in offers[-1:])
        new = [polish.count_new(one.host) for one in every]
        assert polish.count_new(polish.fewest_new(every).host) == min(new)


def test_ports_are_counted_side_by_side() -> None:
    pair = Circuits(n=2, duplex=False, tail=np.array([0, 0]), head=np.array([1, 1]))
    own, both = np.arange(2, dtype=np.int32), np.array([0, 0], dtype=np.int32)
    ports = Constraints(ports=np.array([[2], [0]]), receivers=np.array([[0], [2]]))
    assert _has_ports(pair, own, both, ports)
    assert not _has_ports(replace(pair, duplex=True), own, both, ports)
    assert not _has_ports(pair, own[::-1], both, ports)
    assert _has_ports(pair, own[::-1], np.array([-1, -1], dtype=np.int32), ports)
