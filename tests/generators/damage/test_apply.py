"""Failures: what is left is what networkx leaves, and mistakes are named."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput
from generators.fabrics.mi250 import mi250
from generators.families.torus import torus
from generators.formats.graphs import to_networkx
from generators.topology import Topology


def arcs(topology: Topology) -> list[tuple[str, str]]:
    names = topology.names or tuple(map(str, range(topology.n)))
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    return sorted((names[u], names[v]) for u, v in ends)


def test_no_damage_is_the_same_object() -> None:
    whole = torus(3, 3)
    assert apply_damage(whole, Damage(seed=3)) is whole


def test_links_and_nodes_go_as_in_networkx() -> None:
    whole = torus(4, 4)
    left = apply_damage(whole, Damage(fail_links=["0-1,4>5"], fail_nodes=["7", "9"]))
    graph = to_networkx(whole)
    for u, v in ((0, 1), (1, 0), (4, 5)):
        graph.remove_edge(u, v)
    graph.remove_nodes_from([7, 9])
    assert arcs(left) == sorted((str(u), str(v)) for u, v, _ in graph.edges)
    assert (left.n, left.translation, left.orbits) == (14, None, None)


def test_names_switches_and_parallel_links() -> None:
    whole = mi250(2)
    left = apply_damage(whole, Damage(fail_links=["gpu0.0-gpu0.1*3"], fail_nodes=["gpu1.2"]))
    assert arcs(left).count(("gpu0.0", "gpu0.1")) == 1
    assert arcs(left).count(("gpu0.1", "gpu0.0")) == 1
    assert [left.names[node] for node in left.switches] == ["ib0"]  # type: ignore[index]
    assert left.unit_rate == whole.unit_rate
    assert nx.is_strongly_connected(to_networkx(left))


def test_degraded_links_keep_a_share_of_their_capacity() -> None:
    left = apply_damage(torus(3, 3), Damage(degrade=["0-1=1/3", "1>2=25%,2>1=0.5"]))
    capacity = dict(zip(arcs(torus(3, 3)), [Fraction(1)] * 36, strict=True))
    capacity |= {("0", "1"): Fraction(1, 3), ("1", "0"): Fraction(1, 3)}
    capacity |= {("1", "2"): Fraction(1, 4), ("2", "1"): Fraction(1, 2)}
    ends = zip(left.tail.tolist(), left.head.tolist(), left.capacity or (), strict=True)
    assert {(str(u), str(v)): c for u, v, c in ends} == capacity


@pytest.mark.parametrize("seed", range(3))
def test_a_share_of_the_links_fails_both_ways(seed: int) -> None:
    whole = torus(16, 16)
    left = apply_damage(whole, Damage(fail_links=["5%"], seed=seed))
    assert whole.arcs - left.arcs == 2 * 26
    assert left.is_bidirectional
    again = apply_damage(whole, Damage(fail_links=["5%"], seed=seed))
    assert np.array_equal(left.tail, again.tail)
    other = apply_damage(whole, Damage(fail_links=["5%"], seed=seed + 1))
    assert not left.same_wiring(other)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (Damage(fail_nodes=["x"]), "--fail-nodes: no node is called 'x'"),
        (Damage(fail_links=["0-99"]), "--fail-links: no node is called '99'"),
        (Damage(fail_links=["0"]), "--fail-links: a link such as 0-1 or 0>1 is needed, not '0'"),
        (Damage(fail_links=["0-4"]), "--fail-links: '0-4': 0 arcs lead from 0 to 4"),
        (Damage(fail_links=["0-1*2"]), "--fail-links: '0-1*2': 1 arcs lead from 0 to 1"),
        (Damage(fail_links=["120%"]), "--fail-links: at most 100%, not 120%"),
        (Damage(degrade=["0-1"]), "--degrade: LINK=FRACTION is needed, not '0-1'"),
        (Damage(degrade=["0-1=0"]), "--degrade '0-1=0': must be above 0, not '0'"),
        (Damage(degrade=["0-1=2"]), "--degrade: '0-1=2': a fraction above 0 and at most 1"),
        (Damage(degrade=["0-1=fast"]), "--degrade '0-1=fast': a number such as 3, 0.5 or 3/2"),
        (Damage(fail_nodes=[",".join(map(str, range(9)))]), "--fail-nodes: no node is left"),
    ],
)
def test_mistakes_are_named(damage: Damage, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        apply_damage(torus(3, 3), damage)
    assert str(refused.value).startswith(message)


def test_names_that_may_mean_two_things_are_refused() -> None:
    pair = Topology.from_arcs(4, [(0, 1), (1, 0), (2, 3)], names=("a", "b-c", "a-b", "c"))
    with pytest.raises(InvalidInput, match="'a-b-c' may mean 2 different links"):
        apply_damage(pair, Damage(fail_links=["a-b-c"]))
    twins = Topology.from_arcs(2, [(0, 1)], names=("a", "a"))
    with pytest.raises(InvalidInput, match="two nodes are called 'a'; give a number"):
        apply_damage(twins, Damage(fail_nodes=["a"]))
    assert apply_damage(twins, Damage(fail_nodes=["1"])).names == ("a",)
