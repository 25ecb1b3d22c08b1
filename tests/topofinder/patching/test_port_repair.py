"""Fibres go back to their own ports, with as many moves as circuits are not there."""

import numpy as np
import pytest

from tests.fabrics import fabric_for
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.port_repair import restore_ports
from topofinder.verification.plans import replay_stages


def drawn_wiring(random: np.random.Generator, ports: int, *, duplex: bool) -> Wiring:
    to, order = np.full(ports, -1), random.permutation(ports)
    if duplex:
        to[order[::2]], to[order[1::2]] = order[1::2], order[::2]
    else:
        to[order] = np.roll(order, 1)
    return Wiring(to=to)


@pytest.mark.parametrize("duplex", [True, False])
def test_every_fibre_ends_at_its_own_port(duplex: bool) -> None:
    for seed in range(60):
        random = np.random.default_rng(seed)
        fabric = fabric_for(hosts=int(random.integers(2, 8)), ports=4)
        wanted = drawn_wiring(random, fabric.ports, duplex=duplex)
        if all(fabric.host[a] == fabric.host[b] for a, b, _ in wanted.circuits()):
            continue
        listed = wanted.circuits(split=not duplex)
        there = {one for one in listed if fabric.host[one.a] != fabric.host[one.b]}
        seen = drawn_wiring(random, fabric.ports, duplex=duplex)
        if random.random() < 0.7:
            to, (a, b) = wanted.to.copy(), random.choice(fabric.ports, 2, replace=False)
            if not duplex and to[a] != b and to[b] != a:
                to[[a, b]] = to[[b, a]]
            seen = Wiring(to=to)
        found = restore_ports(fabric, seen, wanted)
        assert (
            found.plan.moves == len(there - set(seen.circuits(split=not duplex))) == found.restored
        )
        after = replay_stages(fabric, seen, found.plan.stages).after
        assert there <= set(after.circuits(split=not duplex))
