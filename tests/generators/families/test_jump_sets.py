"""The shipped jump sets reach the diameter recorded, and no worse one than two jumps do."""

from math import comb

import networkx as nx
import numpy as np
import pytest

from generators.families.circulant import EVEN, HALF, circulant, jump_set, two_jumps

TABLES = [(k, False) for k in EVEN] + [(k, True) for k in HALF]


def sizes(k: int, half: bool) -> range:
    return range(2 * k + 2, 2001, 2) if half else range(2 * k + 1, 2001)


def ball(k: int, radius: int) -> int:
    """Lattice points of Z^k within `radius` in the 1-norm."""
    return sum(2**i * comb(k, i) * comb(radius, i) for i in range(k + 1))


def eccentricity(n: int, jumps: tuple[int, ...]) -> int:
    """Greatest distance from 0, by growing the set reached; -1 when some node is not."""
    reached, radius = np.zeros(n, dtype=bool), 0
    reached[0] = True
    while not reached.all():
        grown = reached.copy()
        for a in jumps:
            grown |= np.roll(reached, a) | np.roll(reached, -a)
        if np.array_equal(grown, reached):
            return -1
        reached, radius = grown, radius + 1
    return radius


@pytest.mark.parametrize(("k", "half"), TABLES)
def test_every_set_is_well_formed_and_within_the_bounds(k: int, half: bool) -> None:
    for n in sizes(k, half):
        found = jump_set(n, k, half)
        assert found is not None
        jumps, diameter = found.jumps, found.diameter
        two_way = jumps[:k]
        assert two_way == tuple(sorted(set(two_way)))
        assert len(jumps) == k + half
        assert two_way[0] >= 1
        assert 2 * two_way[-1] < n
        assert jumps[k:] == ((n // 2,) if half else ())
        assert n <= ball(k, diameter) + (ball(k, diameter - 1) if half else 0)
        assert diameter <= (two_jumps(n)[0] if n > 6 else 2)


@pytest.mark.parametrize(("k", "half"), TABLES)
def test_recorded_diameters(k: int, half: bool) -> None:
    for n in sizes(k, half)[::11]:
        found = jump_set(n, k, half)
        assert found is not None
        assert eccentricity(n, found.jumps) == found.diameter, n


@pytest.mark.parametrize(("n", "k"), [(117, 3), (104, 4), (51, 5), (13, 6)])
def test_known_largest_circulants(n: int, k: int) -> None:
    """The largest circulants of diameters 4, 3, 2, 1 for these degrees, measured by networkx."""
    found = jump_set(n, k)
    assert found is not None
    topology = circulant(n, found.jumps)
    graph = nx.Graph(list(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)))
    assert nx.diameter(graph) == found.diameter == {117: 4, 104: 3, 51: 2, 13: 1}[n]


def test_none_outside_the_tables() -> None:
    assert jump_set(2001, 3) is None
    assert jump_set(6, 3) is None
    assert jump_set(100, 2) is jump_set(100, 9) is None
    assert jump_set(101, 2, half=True) is jump_set(100, 4, half=True) is None
