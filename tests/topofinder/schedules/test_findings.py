"""The smallest counterexamples of docs/findings.md, each against linear programs."""

from fractions import Fraction

import networkx as nx
import pytest
from networkx.generators.atlas import graph_atlas_g

from expansions.build import build
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from generators.topology import Topology
from tests.topofinder.schedules.test_theorems import constants
from tests.twins import distances, lp_cost
from topofinder.schedules.bfb.evaluation import evaluate


@pytest.mark.parametrize(
    ("text", "bandwidth"),
    [
        ("C(12,{1,3,4,5})", Fraction(1)),
        ("C(15,{1,4,5})", Fraction(1)),
        ("C(8,{1,3,4})", Fraction(15, 16)),
        ("L(UniRing(1,3)^2)", Fraction(17, 18)),
    ],
)
def test_no_bfb_schedule_does_better(text: str, bandwidth: Fraction) -> None:
    topology = build(parse(text))
    assert evaluate(topology).cost.bandwidth == lp_cost(topology).bandwidth == bandwidth


def counts_of_constants(topology: Topology) -> list[tuple[bool, bool, bool]]:
    """For each distance, which of N_x, a_x and b_x exist."""
    steps = range(1, int(distances(topology).max()) + 1)
    found = (constants(topology, step) for step in steps)
    return [(len(n) == 1, len(a) == 1, len(b) == 1) for n, a, b in found]


def test_theorem_18_fails_on_eight_nodes_with_two_constants_at_every_distance() -> None:
    topology = build(parse("C(8,{1,3,4})"))
    assert counts_of_constants(topology) == [(True, True, True), (True, False, True)]
    assert evaluate(topology).cost.bandwidth > least_bandwidth(8)


def test_no_regular_graph_of_seven_nodes_is_a_smaller_counterexample() -> None:
    without_third = []
    for graph in graph_atlas_g()[3:]:
        if nx.is_connected(graph) and nx.is_regular(graph):
            arcs = [arc for u, v in graph.edges for arc in ((u, v), (v, u))]
            topology = Topology.from_arcs(len(graph), arcs)
            found = counts_of_constants(topology)
            if all(sum(known) >= 2 for known in found):
                assert evaluate(topology).cost.bandwidth == least_bandwidth(len(graph))
                if not all(map(all, found)):
                    without_third.append(graph)
    assert [len(graph) for graph in without_third] == [6, 7]
    assert nx.is_isomorphic(without_third[0], nx.circular_ladder_graph(3))
