"""Twisted tori of three dimensions, step by step, and what the paper says of those of TPU v4."""

from fractions import Fraction

import networkx as nx
import pytest

from generators.families.torus import torus
from generators.families.twisted_torus import twisted_torus
from generators.families.twisted_torus3 import Shape, properties, twisted_torus3, twists_of
from generators.formats.graphs import to_networkx
from topofinder.schedules.bfb.evaluation import evaluate


def walked(shape: Shape) -> set[tuple[int, int]]:
    """The arcs one way along every dimension, by the rule for each wraparound."""
    a, b, c, s, t, u = shape
    arcs = set()
    for i in range(a):
        for j in range(b):
            for k in range(c):
                over = (0, j + s, k + t) if i == a - 1 else (i + 1, j, k)
                if over[1] >= b:
                    over = (over[0], over[1] - b, over[2] + u)
                aside = (i, 0, k + u) if j == b - 1 else (i, j + 1, k)
                for x, y, z in (over, aside, (i, j, k + 1)):
                    arcs.add(((i * b + j) * c + k, (x * b + y) * c + z % c))
    return arcs


@pytest.mark.parametrize("shape", [(3, 3, 6, 0, 3, 3), (3, 6, 6, 3, 3, 0), (3, 4, 5, 1, 2, 3)])
def test_arcs_are_those_of_the_rule(shape: Shape) -> None:
    topology = twisted_torus3(*shape)
    arcs = set(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    one_way = walked(shape)
    assert arcs == one_way | {(v, u) for u, v in one_way}
    known = properties(*shape)
    assert nx.diameter(to_networkx(topology)) <= (known.max_diameter or 0)
    assert topology.is_simple == known.simple


def test_twists_shorten_slices() -> None:
    for widths, straight, twisted in (((4, 4, 8), 8, 6), ((4, 8, 8), 10, 6)):
        shape = twists_of(*widths)
        assert shape is not None
        assert nx.diameter(to_networkx(torus(*widths))) == straight
        assert nx.diameter(to_networkx(twisted_torus3(*shape))) == twisted


@pytest.mark.parametrize(
    "most", [700, pytest.param(10_000, marks=pytest.mark.slow, id="as published")]
)
def test_twisted_tori_of_tpus_are_bandwidth_optimal(most: int) -> None:
    """The direct-connect paper says "verified to be BW-optimal for at least N <= 10^4"."""
    shapes = [twists_of(*w) for k in range(2, 18) for w in ((k, k, 2 * k), (k, 2 * k, 2 * k))]
    graphs = [twisted_torus3(*s) for s in shapes if s and s[0] * s[1] * s[2] <= most]
    graphs += [twisted_torus(a, 2 * a, a) for a in range(1, 71) if 2 * a * a <= most]
    assert len(graphs) == (98 if most == 10_000 else 28)
    for topology in graphs:
        assert evaluate(topology).cost.bandwidth == Fraction(topology.n - 1, topology.n)
