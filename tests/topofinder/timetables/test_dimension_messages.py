"""Allreduce along dimensions: it adds up everywhere, keeps to its dimensions, and balances them."""

from fractions import Fraction

import numpy as np
import pytest

from generators.errors import InvalidInput
from tests.fabrics import topology
from tests.topofinder.timetables.message_twin import link_shares, replay_allreduce
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.dimension_messages import (
    DimensionPattern,
    GridDimension,
    dimension_messages,
)
from topofinder.timetables.message_routes import route_messages, time_messages


def dimension(size: int, pattern: str, rate: int = 1) -> GridDimension:
    return GridDimension(size=size, pattern=DimensionPattern(pattern), rate=Fraction(rate))


GRIDS = [
    [dimension(4, "halving")],
    [dimension(3, "ring"), dimension(2, "ring")],
    [dimension(2, "halving"), dimension(4, "halving")],
    [dimension(2, "halving", 1), dimension(3, "direct", 2), dimension(2, "ring", 4)],
    [dimension(1, "ring"), dimension(5, "direct")],
]


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("balanced", [True, False])
def test_every_host_gets_every_sum(grid: list[GridDimension], balanced: bool) -> None:
    for chunks in (1, 3):
        messages = dimension_messages(grid, chunks, balanced=balanced)
        assert replay_allreduce(messages, 1)
        n = messages.hosts
        assert messages.amount.sum() == 2 * (n - 1) * messages.total


@pytest.mark.parametrize("recipe", ["Torus(3,4)", "Torus(2,3,4)"])
def test_on_a_torus_of_rings_all_go_to_neighbours(recipe: str) -> None:
    graph = topology(recipe)
    sizes = [int(word) for word in recipe[6:-1].split(",")]
    messages = dimension_messages([dimension(size, "ring") for size in sizes], 2)
    routed = route_messages(messages, graph)
    assert (np.diff(routed.way_start) == 1).all()


@pytest.mark.parametrize(("balanced", "part"), [(True, Fraction(1, 2)), (False, Fraction(4, 5))])
def test_two_chunks_balance_two_dimensions(balanced: bool, part: Fraction) -> None:
    """The dimension that comes first carries 3/4 of a chunk, the other one 3/16."""
    square = [dimension(4, "ring"), dimension(4, "ring")]
    messages = dimension_messages(square, 2, balanced=balanced)
    routed = route_messages(messages, topology("Torus(4,4)"))
    shares, links = link_shares(routed), routed.links
    last = shares[links.tail // 4 == links.head // 4].sum()
    assert Fraction(int(last), int(shares.sum())) == part


def test_slow_dimensions_get_the_small_pieces() -> None:
    """Along the fast dimension first, at a fortieth of the rate 15/16 of the bytes are saved."""
    grid = [dimension(4, "halving", 1), dimension(16, "halving", 40)]
    balanced, fixed = (dimension_messages(grid, 4, balanced=flag) for flag in (True, False))
    assert np.array_equal(balanced.origin, fixed.origin)
    assert np.array_equal(balanced.begin, fixed.begin)
    swapped = dimension_messages(grid[::-1], 4)
    slow = swapped.origin % 4 != swapped.target % 4
    assert swapped.amount[slow].sum() * 16 * 16 == swapped.total * 64 * 2 * 3 * 4
    assert dimension_messages([dimension(2, "ring")] * 6, 3).hosts == 64


def test_on_a_torus_many_chunks_come_near_the_bound() -> None:
    units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    square = [dimension(4, "ring"), dimension(4, "ring")]
    bound = Fraction(2 * 15, 16) / 4
    found = []
    for chunks in (1, 2, 8, 32):
        routed = route_messages(dimension_messages(square, chunks), topology("Torus(4,4)"))
        found.append(time_messages(routed, Fraction(1), units).seconds)
    assert found == sorted(found, reverse=True)
    assert bound <= found[-1] <= bound * Fraction(11, 10)


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match=r"^hosts: at least 2 are needed, not 1$"):
        dimension_messages([dimension(1, "ring")])
    with pytest.raises(InvalidInput, match=r"^chunks: at least 1, not 0$"):
        dimension_messages(GRIDS[0], 0)
    with pytest.raises(InvalidInput, match=r"^hosts: a power of two is needed, not 6$"):
        dimension_messages([dimension(6, "halving")])
    with pytest.raises(InvalidInput, match=r"^rate: above 0, not 0$"):
        dimension_messages([dimension(6, "ring", 0)])
