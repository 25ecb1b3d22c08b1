"""The noun Topology: what it refuses, what it keeps, and that large arrays are made quickly."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.limits import MAX_NODES
from generators.topology import SharedValues, Topology

RING = [(0, 1), (1, 2), (2, 0)]

REFUSED = [
    ({"n": 0}, f"n: a topology has 1 to {MAX_NODES} nodes, not 0"),
    ({"n": MAX_NODES + 1}, f"n: a topology has 1 to {MAX_NODES} nodes, not {MAX_NODES + 1}"),
    ({"tail": [0, 1, 3]}, "tail: node 3 is not in 0..2"),
    ({"tail": np.array([0, 1, 2**32])}, f"tail: node {2**32} is not in 0..2"),
    ({"head": [0, -1, 2]}, "head: node -1 is not in 0..2"),
    ({"head": [0.0, 1.0, 2.0]}, "head: a flat array of integers is needed, not float64 (3,)"),
    ({"head": [[0, 1, 2]]}, "head: a flat array of integers is needed, not int64 (1, 3)"),
    ({"head": [0, 1]}, "tail has 3 arcs, head 2"),
    ({"capacity": (1, 2)}, "capacity: 2 values for 3 arcs"),
    ({"capacity": (1, 0, 1)}, "capacity of arc 1 is 0"),
    ({"capacity": (1, 1, -1)}, "capacity of arc 2 is -1"),
    ({"capacity": (1, float("nan"), 1)}, "capacity of arc 1 is nan"),
    ({"latency": (1, 1, float("inf"))}, "latency of arc 2 is inf"),
    ({"latency": (0, 1, Fraction(-1, 2))}, "latency of arc 2 is -1/2"),
    ({"switches": (3,)}, "switches: node 3 is not in 0..2"),
    ({"names": ("a", "b")}, "names: 2 names for 3 nodes"),
    ({"names": ("a", "b", 3)}, "names: node 2 is called 3, which is not text"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_refusals(change: dict[str, object], message: str) -> None:
    fields: dict[str, object] = {"n": 3, "tail": [0, 1, 2], "head": [1, 2, 0]}
    with pytest.raises(InvalidInput) as refusal:
        Topology(**{**fields, **change})  # type: ignore[arg-type]
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        ([(0, 1), (1, 3)], "arcs: node 3 is not in 0..2"),
        ([(0, 1, 2)], "arcs: pairs (tail, head) are needed, not shape (1, 3)"),
        ([(0, 1), (1,)], "arcs: not every arc is a pair (tail, head)"),
        ([(0, 1.5)], "arcs: a flat array of integers is needed, not float64 (2,)"),
    ],
)
def test_from_arcs_refuses(arcs: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Topology.from_arcs(3, arcs)
    assert str(refusal.value) == message


def test_arrays_are_copies_and_read_only() -> None:
    tail = np.array([0, 1, 2])
    ring = Topology(n=3, tail=tail, head=np.array([1, 2, 0]))  # type: ignore[arg-type]
    tail[0] = 2
    assert ring.tail.tolist() == [0, 1, 2]
    assert ring.tail.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        ring.tail[0] = 1


def test_values_are_made_exact_and_switches_sorted() -> None:
    ring = Topology.from_arcs(3, RING, capacity=(1, Fraction(1, 2), 0.25), switches=[2, 0, 2])
    assert ring.capacity == (Fraction(1), Fraction(1, 2), Fraction(1, 4))
    assert all(type(value) is Fraction for value in ring.capacity)
    assert ring.switches == (0, 2)
    assert Topology.from_arcs(2, [], capacity=()).capacity is None


def test_same_wiring_looks_at_order_and_every_field() -> None:
    ring = Topology.from_arcs(3, RING)
    assert ring.same_wiring(Topology.from_arcs(3, np.array(RING)))
    for other in (
        Topology.from_arcs(3, RING[::-1]),
        Topology.from_arcs(4, RING),
        Topology.from_arcs(3, RING, capacity=(1, 1, 1)),
        Topology.from_arcs(3, RING, latency=(0, 1, 1)),
        Topology.from_arcs(3, RING, switches=(0,)),
        Topology.from_arcs(3, RING, names=("a", "b", "c")),
    ):
        assert not ring.same_wiring(other)
    assert ring.same_arcs(Topology.from_arcs(3, RING[::-1]))


def test_a_million_arcs_and_their_capacities_are_taken() -> None:
    n, arcs = 1 << 18, 1 << 20
    tail = np.arange(arcs) % n
    head = (tail + 1) % n
    capacity = (Fraction(3, 2),) * arcs
    made = Topology(n=n, tail=tail, head=head)  # type: ignore[arg-type]
    assert (made.arcs, made.degree) == (arcs, 4)
    made = Topology(n=n, tail=tail, head=head, capacity=capacity)  # type: ignore[arg-type]
    assert made.transpose().capacity == capacity


def test_abilities_belong_to_switches_and_turn_round() -> None:
    star = Topology.from_arcs(
        3, [(0, 2), (2, 0), (1, 2), (2, 1)], switches=(2,), multicast=(2, 2), unit_rate=5
    )
    assert (star.multicast, star.reduce, star.unit_rate) == ((2,), (), Fraction(5))
    assert (star.transpose().multicast, star.transpose().reduce) == ((), (2,))
    assert not star.same_wiring(replace(star, multicast=()))


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"multicast": (0,)}, "multicast: node 0 is no switch"),
        ({"reduce": (1,), "switches": (0,)}, "reduce: node 1 is no switch"),
        ({"unit_rate": 0}, "unit_rate: an exact number above 0 is needed, not 0"),
        ({"unit_latency": 0.5}, "unit_latency: an exact number above 0 is needed, not 0.5"),
    ],
)
def test_wrong_abilities_and_units_are_refused(known: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{message}$"):
        Topology.from_arcs(2, [(0, 1), (1, 0)], **known)


def test_values_that_arcs_share() -> None:
    which = np.array([1, 0, 1])
    ends = {"n": 2, "tail": [0, 1, 0], "head": [1, 0, 1]}
    shared = SharedValues([Fraction(1), Fraction(3, 2)], which)
    found = Topology(**ends, capacity=shared, latency=shared)
    assert found.capacity == found.latency == (Fraction(3, 2), 1, Fraction(3, 2))
    assert found.capacity[0] is found.capacity[2]
    for values, told in (
        ([Fraction(0), Fraction(1)], "capacity of arc 1 is 0"),
        ([Fraction(1), Fraction(-1)], "capacity of arc 0 is -1"),
        ([Fraction(1), Fraction(10**31)], "capacity of arc 0 is 1000"),
        ([Fraction(1), Fraction(1, 10**19)], "capacity of arc 0 is 1/1000"),
    ):
        with pytest.raises(InvalidInput, match=told):
            Topology(**ends, capacity=SharedValues(values, which))
