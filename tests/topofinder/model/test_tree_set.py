"""TreeSet and what is measured of it: shapes, heights, loads, times."""

from dataclasses import replace
from fractions import Fraction

import networkx as nx
import pytest

from expansions.collective import Collective
from generators.errors import InvalidInput
from tests.known_forests import box_forest, box_trees, ring_forest, ring_trees, two_way_ring
from topofinder.model.forest import (
    inverse_rate,
    link_loads,
    link_traffic,
    pair_bandwidths,
    spared_traffic,
)
from topofinder.model.tree_set import TreeSet


def trees_as_graphs(trees: TreeSet) -> list[nx.DiGraph]:
    """Every tree over its compute nodes; an edge carries its number of hops."""
    found = []
    for i in range(trees.trees):
        graph = nx.DiGraph()
        for r in trees.route[trees.start[i] : trees.start[i + 1]].tolist():
            stops = trees.node[trees.route_start[r] : trees.route_start[r + 1]].tolist()
            graph.add_edge(stops[0], stops[-1], hops=len(stops) - 1)
        found.append(graph)
    return found


@pytest.mark.parametrize("trees", [ring_trees(7), box_trees()])
def test_heights_are_those_of_networkx(trees: TreeSet) -> None:
    for i, graph in enumerate(trees_as_graphs(trees)):
        root = int(trees.root[i])
        assert nx.is_arborescence(graph)
        assert (
            max(nx.single_source_shortest_path_length(graph, root).values()) == (trees.heights()[i])
        )
        weighted = nx.single_source_dijkstra_path_length(graph, root, weight="hops")
        assert max(weighted.values()) == trees.hop_heights()[i]


def test_loads_and_times_of_known_forests() -> None:
    assert set(link_loads(ring_trees(5)).values()) == {4}
    assert inverse_rate(two_way_ring(5), ring_trees(5)) == 2
    assert link_traffic(ring_trees(5)) == 20
    box = box_forest()
    assert link_loads(box_trees()) == {p: 7 for u in range(8) for p in ((u, 8), (8, u))}
    assert inverse_rate(box.topology, box_trees()) == Fraction(7, 300)
    assert pair_bandwidths(box.topology)[0, 8] == 300


def test_multicast_spares_all_but_the_first_way_up() -> None:
    forest = box_forest(able=True)
    spread = forest.spread
    assert spread is not None
    assert (link_traffic(spread), spared_traffic(spread)) == (64, 48)
    assert set(spread.multicast_skips.reshape(8, 7)[:, 1:].ravel().tolist()) == {1}
    assert inverse_rate(forest.topology, spread) == Fraction(7, 450)


def test_phases_add_up_and_run_together() -> None:
    both = ring_forest(6, Collective.ALLREDUCE)
    assert [phase.name for phase in both.phases] == ["gather", "spread"]
    assert both.optimum == both.inverse_rate == both.together == 5
    assert ring_forest(6).together == Fraction(5, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k: at least 1 tree a root, not 0"),
        ({"copies": [1, 1]}, "copies: 2 values for 6 of root"),
        ({"copies": [0] * 6}, "copies: at least 1, not 0"),
        ({"start": [0, 2, 4]}, "start: 3 values for 6 trees"),
        ({"start": [0, 4, 2, 6, 8, 10, 12]}, "start: offsets from 0 up to 12 are needed"),
        ({"route": [9] * 12}, "route: 9 is not in 0..5"),
        ({"route": [-1] * 12}, "route: -1..-1 is out of range"),
        ({"route": [0.5] * 12}, "route: a flat array of integers is needed, not float64"),
        ({"route_start": [0, 1, 4, 6, 8, 10, 12]}, "route 0: fewer than two nodes"),
        ({"skip": [1] * 12}, "skip: an edge without a hop is left"),
        ({"skip": [0]}, "skip: 1 values for 12 of use"),
        ({"node": [1 << 20] * 12}, "node: 1048576 is not in 0..1048575"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        replace(ring_trees(3), **change)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": (1, 1)}, "weight: 3 integers of at least 0 are needed, none above 2^62"),
        ({"weight": (2, 2, 2)}, "weight: integers without a common divisor are needed"),
        ({"gather": ring_trees(3)}, "gather: does not go with allgather"),
        ({"root": 1}, "root: 1 does not go with allgather"),
        ({"recipe": "a\nb"}, "recipe: up to 4096 printable characters, not 'a\\nb'"),
        ({"topology": two_way_ring(2), "weight": (1, 1)}, "spread root: node 2 is not in 0..1"),
    ],
)
def test_forests_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        replace(ring_forest(3), **change)
    assert str(refused.value) == message
