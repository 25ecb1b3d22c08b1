"""Baselines by name on topologies: which are defined, on which links, and how long they take."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from generators.errors import InvalidInput, Unsupported
from generators.fabrics.dgx1 import dgx1
from generators.fabrics.names import fabric_of
from tests.fabrics import topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.dimension_messages import dimension_messages
from topofinder.timetables.mapped_baselines import (
    DGX1_RINGS,
    MAPPED_BASELINES,
    grid_dimensions,
    mapped_ring,
    time_baseline,
)
from topofinder.timetables.message_routes import route_messages

GIGABYTE = Fraction(10**9)
UNITS = LinkUnits(latency=Fraction(7, 10**7), rate=GIGABYTE)


def test_rings_of_dgx1_take_every_link_once() -> None:
    box = dgx1()
    used = Counter(
        pair for ring in DGX1_RINGS for pair in zip(ring, ring[1:] + ring[:1], strict=True)
    )
    both = used + Counter({(v, u): count for (u, v), count in used.items()})
    assert both == Counter(zip(box.tail.tolist(), box.head.tolist(), strict=True))
    assert (np.diff(route_messages(mapped_ring(box), box).way_start) == 1).all()


def test_ring_on_dgx1_is_the_ideal_but_for_latency() -> None:
    """TACOS, figure 17(b): 99.61 % of it, averaged over sizes; six links of 25 GB/s a GPU."""
    found = time_baseline("ring", dgx1(), GIGABYTE, UNITS).seconds
    assert found == Fraction(2 * 7, 8 * 150) + 14 * UNITS.latency


def test_ccube_takes_two_links_of_six() -> None:
    """Half of the data over a link of 25 GB/s each way at once: 20 ms for 1 GB, in many parts."""
    found = time_baseline("ccube", dgx1(), GIGABYTE, UNITS, parts=256).seconds
    assert Fraction(20, 1000) < found < Fraction(205, 10000)


@pytest.mark.parametrize(
    ("name", "hops"), [("Torus(2,3)", {1}), ("RFS(2,4,3)", {1, 2}), ("Switch2D(4,3)", {2})]
)
def test_dimensions_fit_the_numbers_of_hosts(name: str, hops: set[int]) -> None:
    graph = fabric_of(name)[1] if "Torus" not in name else topology(name)
    routed = route_messages(dimension_messages(grid_dimensions(name), 2), graph)
    assert set(np.diff(routed.way_start).tolist()) == hops


@pytest.mark.parametrize("baseline", MAPPED_BASELINES)
def test_those_that_are_defined_are_timed(baseline: str) -> None:
    system = fabric_of("Switch2D(4,2)")[1]
    for parts in (1, 4):
        if baseline in ("multitree", "ccube"):
            with pytest.raises((InvalidInput, Unsupported)):
                time_baseline(baseline, system, GIGABYTE, UNITS, name="Switch2D(4,2)", parts=parts)
        else:
            found = time_baseline(
                baseline, system, GIGABYTE, UNITS, name="Switch2D(4,2)", parts=parts
            )
            taken = parts if MAPPED_BASELINES[baseline].splits else 1
            assert (found.name, found.parts) == (baseline, taken)
            assert found.seconds > 0


def test_grown_trees_are_not_split() -> None:
    one, four = (
        time_baseline("multitree", topology("Mesh(3,3)"), GIGABYTE, UNITS, parts=parts)
        for parts in (1, 4)
    )
    assert one == four
    assert four.parts == 1


def test_what_is_not_defined_is_refused() -> None:
    graph = topology("Torus(3,3)")
    with pytest.raises(InvalidInput, match=r"^baseline: 'x' is none of ring, direct, halving,"):
        time_baseline("x", graph, GIGABYTE, UNITS)
    with pytest.raises(InvalidInput, match=r"^hosts: a power of two is needed, not 9$"):
        time_baseline("halving", graph, GIGABYTE, UNITS)
    for name in (None, "K(9)"):
        with pytest.raises(
            Unsupported, match=r"^dimensions: known of Torus, Mesh, RFS and Switch2D"
        ):
            time_baseline("themis", graph, GIGABYTE, UNITS, name=name)
