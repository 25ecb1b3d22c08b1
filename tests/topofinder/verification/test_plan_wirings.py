"""Lists of circuits against wirings: the quick comparison says what the slow one finds."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from topofinder.model.inventory.document import inventory_for
from topofinder.model.inventory.ports import port_map
from topofinder.model.inventory.wiring import Circuit, Wiring
from topofinder.verification.plan_wirings import ClaimedWiring, are_all, wiring_difference

PORTS = 6
FABRIC = port_map(inventory_for(hosts=3, ports=2))


def drawn_wiring(random: np.random.Generator) -> np.ndarray:
    """Some transmitters lead to receivers of other ports, two ways more often than by chance."""
    to, order = np.full(PORTS, -1), random.permutation(PORTS)
    if random.integers(2):
        to[order[:2]] = order[[1, 0]]
        order = order[2:]
    for a, b in zip(order.tolist(), np.roll(order, 1).tolist(), strict=True):
        to[a] = b if random.integers(3) else -1
    return to


def changed_lists(circuits: list[Circuit], random: np.random.Generator) -> Iterator[list[Circuit]]:
    """The list itself and in other orders, with a circuit less, twice, turned, and with others."""
    yield circuits
    shuffled = [circuits[i] for i in random.permutation(len(circuits)).tolist()]
    yield [Circuit(b, a, True) if two_way else Circuit(a, b, two_way) for a, b, two_way in shuffled]
    yield shuffled[1:]
    yield shuffled + shuffled[:1]
    a, b = random.integers(-1, PORTS + 1, size=2).tolist()
    yield [*shuffled[1:], Circuit(a, b, bool(random.integers(2)))]
    for i, one in enumerate(circuits):
        rest = circuits[:i] + circuits[i + 1 :]
        yield [*rest, Circuit(one.b, one.a, one.duplex)]
        yield [*rest, one._replace(duplex=not one.duplex)]
        yield [*rest, Circuit(one.a, one.b, False), Circuit(one.b, one.a, False)]


def is_listed(wiring: Wiring, told: list[Circuit]) -> bool:
    """The slow twin: each circuit once, a duplex one by either port first."""
    turned = [Circuit(min(a, b), max(a, b), True) if two_way else Circuit(a, b, two_way)
              for a, b, two_way in told]  # fmt: skip
    return sorted(turned) == sorted(wiring.circuits())


@pytest.mark.parametrize("seed", range(60))
def test_a_list_has_all_circuits_or_a_line_tells_which_it_has_not(seed: int) -> None:
    random = np.random.default_rng(seed)
    wiring = Wiring(to=drawn_wiring(random))
    assert wiring.count == len(wiring.circuits())
    for told in changed_lists(wiring.circuits(), random):
        listed = is_listed(wiring, told)
        assert are_all(wiring.to, told) == listed
        claim = ClaimedWiring(digest=wiring.digest, circuits=tuple(told))
        assert (wiring_difference(FABRIC, wiring.to, claim) is None) == listed
        assert wiring_difference(FABRIC, wiring.to, replace(claim, circuits=None)) is None
