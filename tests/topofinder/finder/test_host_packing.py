"""What searches tell of hosts with a narrow inside, against the forest that is scheduled."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest

import topofinder as tf
from expansions.collective import Collective
from expansions.hosts import host_wiring, parse_host_fabric
from topofinder.api.schedule_forest import ForestRequest, schedule_forest
from topofinder.finder.host_packing import trees_of_hosts
from topofinder.finder.host_prediction import predict_forest
from topofinder.finder.host_search import graph_rate, rate_fabric
from topofinder.forests.collectives.host_forest import compose_forest
from topofinder.model.forest import Forest
from topofinder.verification.forests import verify_forest

EVEN = (Fraction(1), Fraction(1))
NARROW = [
    "Host(2;mesh@20GB/s;1@50GB/s)[BiRing(2,5)]",
    "Host(2.1*2;switch@60GB/s;2@50GB/s)[UniRing(2,4)]",
    "Host(4;switch+mr@100GB/s;1@50GB/s)[K(4,4)]",
    "TrayTPUv4[UniRing(16,4)]",
    "TrayTPUv5p[DBJ(16,1)]",
]


def _longest(forest: Forest, outside: int, inside: int) -> int:
    """The longest way of all trees, by shortest paths in each as a graph of its own."""
    trees, most = forest.spread, 0
    assert trees is not None
    assert forest.topology.names is not None
    host = [name.partition(".")[0] for name in forest.topology.names]
    bounds = trees.route_start.tolist()
    nodes = [trees.node[begin:end].tolist() for begin, end in pairwise(bounds)]
    for root, (begin, end) in zip(trees.root.tolist(), pairwise(trees.start.tolist()), strict=True):
        graph = nx.DiGraph()
        for u, *via, v in (nodes[route] for route in trees.route[begin:end].tolist()):
            within = host[u] == host[v] and (bool(via) or not forest.topology.switches)
            graph.add_edge(u, v, weight=inside if within else outside)
        most = max(most, *nx.single_source_dijkstra_path_length(graph, root).values())
    return most


@pytest.mark.parametrize("name", NARROW)
def test_told_is_what_is_scheduled(name: str) -> None:
    fabric = parse_host_fabric(name)
    composed = predict_forest(fabric)
    told = rate_fabric(fabric, graph_rate, (Fraction(3), Fraction(1)))
    made = schedule_forest(ForestRequest(subject=name))
    assert verify_forest(made).violation is None
    assert made.spread is not None
    assert told.prediction.exact
    assert told.prediction.inverse_rate == made.inverse_rate == made.optimum
    assert told.prediction.inverse_rate < composed.inverse_rate
    assert told.prediction.height(told.tree_height) == int(made.spread.heights().max())
    assert told.latency == _longest(made, 3, 1)


@pytest.mark.parametrize(
    "name", ["HostH100[K(4,4)||2]", "Host(8;switch+m@450GB/s;1@50GB/s)[C(17,{1,2,4,8})]"]
)
def test_wide_insides_are_composed(name: str) -> None:
    fabric = parse_host_fabric(name)
    wiring = host_wiring(fabric)
    composed = predict_forest(fabric, wiring)
    assert trees_of_hosts(fabric, wiring, composed, EVEN) == [(composed, None)]


def test_too_many_accelerators_are_composed_and_the_least_is_told() -> None:
    """What every accelerator can take in, 90 GB/s from inside and 50 over its port, bounds all."""
    fabric = parse_host_fabric("Host(8;switch@90GB/s;1@50GB/s)[L(C(17,{1,2,4,8}))]")
    wiring = host_wiring(fabric)
    composed = predict_forest(fabric, wiring)
    assert (fabric.accelerators, composed.least) == (1088, None)
    ((told, latency),) = trees_of_hosts(fabric, wiring, composed, EVEN)
    assert (told.least, latency, told.packed) == (Fraction(1087, 140), None, None)
    assert told.inverse_rate == composed.inverse_rate > told.least


def test_composed_trees_follow_where_they_are_lower(tmp_path: Path) -> None:
    """Both are scheduled: without options the one, within the loss the other."""
    name = "Host(8;switch@300GB/s;1@50GB/s)[C(17,{1,2,4,8})]"
    fabric = parse_host_fabric(name)
    wiring = host_wiring(fabric)
    composed = predict_forest(fabric, wiring)
    (best, way), (lower, lower_way) = trees_of_hosts(fabric, wiring, composed, EVEN)
    assert best.packed is not None
    assert lower.packed == (composed.inverse_rate, lower_way)
    assert best.packed == (best.bound, way)
    assert lower_way < way
    loss = float(composed.inverse_rate / best.inverse_rate - 1)
    for told, options in ((best, {}), (lower, {"prefer": "height", "loss": loss + 1e-6})):
        made = tf.schedule(name, tmp_path / "a.npz", method="forest", **options).forest
        assert verify_forest(made).violation is None
        assert made.spread is not None
        assert (made.inverse_rate, int(made.spread.heights().max())) == told.packed


def test_an_upper_bound_that_nothing_beats_is_exact() -> None:
    fabric = parse_host_fabric("Host(2;mesh@20GB/s;1@50GB/s)[Pi(2,5)]")
    wiring = host_wiring(fabric)
    composed = predict_forest(fabric, wiring)
    ((told, latency),) = trees_of_hosts(fabric, wiring, composed, EVEN)
    assert (composed.exact, told.exact, latency) == (False, True, None)
    made = compose_forest(fabric, Collective.ALLGATHER)
    assert told.inverse_rate == made.inverse_rate == made.optimum


def test_out_of_time_is_a_bound() -> None:
    fabric = parse_host_fabric(NARROW[0])
    wiring = host_wiring(fabric)
    composed = predict_forest(fabric, wiring)
    ((told, latency),) = trees_of_hosts(fabric, wiring, composed, EVEN, seconds=0.0)
    assert (told.inverse_rate, told.exact, latency) == (composed.inverse_rate, False, None)
    assert told.least == Fraction(9, 70)
