"""Networks: what cannot be one is refused by arrays alone, and bandwidths are added exactly."""

from fractions import Fraction
from math import gcd, lcm

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.forests.optimality import network as module
from topofinder.forests.optimality.network import MOST_BITS, Network

VALUES = st.none() | st.lists(
    st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=60), min_size=1
)


def add_by_pair(topology: Topology) -> tuple[list[tuple[int, int]], list[Fraction]]:
    """The slow twin: a dictionary of pairs."""
    found: dict[tuple[int, int], Fraction] = {}
    values = topology.capacity or (Fraction(1),) * topology.arcs
    for u, v, value in zip(topology.tail.tolist(), topology.head.tolist(), values, strict=True):
        if u != v:
            found[u, v] = found.get((u, v), Fraction(0)) + value
    pairs = sorted(found)
    return pairs, [found[pair] for pair in pairs]


@settings(deadline=None)
@given(arcs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30), values=VALUES)
def test_parallel_arcs_are_added_as_one_by_one(
    arcs: list[tuple[int, int]], values: list[Fraction] | None
) -> None:
    arcs = [*arcs, *((v, (v + 1) % 5) for v in range(5))]
    capacity = None if values is None else [values[e % len(values)] for e in range(len(arcs))]
    topology = Topology.from_arcs(5, arcs, capacity=capacity)
    pairs, bandwidths = add_by_pair(topology)
    found = Network.of(topology)
    assert list(zip(found.tail.tolist(), found.head.tolist(), strict=True)) == pairs
    assert [value * found.unit for value in found.capacity] == bandwidths
    assert gcd(*found.capacity) == 1
    assert {type(value) for value in found.capacity} == {int}


def test_a_node_without_links_is_told_before_bandwidths_are_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_bandwidth_by_pair", lambda topology: pytest.fail("added"))
    with pytest.raises(InvalidInput, match=r"^node 3: no link leads out$"):
        Network.of(Topology.from_arcs(4, [(0, 1), (1, 2), (2, 0), (0, 3)]))
    with pytest.raises(InvalidInput, match=r"^node c: no link leads in$"):
        Network.of(Topology.from_arcs(3, [(0, 1), (1, 0), (2, 0), (2, 2)], names=("a", "b", "c")))


def test_each_different_capacity_is_looked_at_once() -> None:
    looks = []

    class Counted(Fraction):
        @property
        def numerator(self) -> int:
            looks.append(1)
            return super().numerator

    ring = [(v, (v + 1) % 500) for v in range(500)]
    topology = Topology.from_arcs(500, ring)
    object.__setattr__(
        topology, "capacity", (Counted(1, 2), Counted(1, 3)) + (Counted(1, 5),) * 498
    )
    assert len(set(map(id, topology.capacity or ()))) == 3
    looks.clear()
    assert Network.of(topology).unit == Fraction(1, 30)
    assert len(looks) < 50


def test_values_without_a_common_denominator_of_some_length_are_refused() -> None:
    primes = [p for p in range(3, 8000) if all(p % q for q in range(2, int(p**0.5) + 1))]
    assert lcm(*primes).bit_length() > MOST_BITS
    nodes = len(primes)
    ring = [(v, (v + 1) % nodes) for v in range(nodes)]
    with pytest.raises(Unsupported, match="common denominator is above 2"):
        Network.of(Topology.from_arcs(nodes, ring, capacity=[Fraction(1, p) for p in primes]))
    with pytest.raises(Unsupported, match="common denominator is above 2"):
        Network.of(Topology.from_arcs(nodes, ring), [Fraction(1, p) for p in primes])
