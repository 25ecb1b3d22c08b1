"""The theorems of composition: predicted is what the checker finds, as fractions."""

from fractions import Fraction
from itertools import product

import pytest

from expansions.collective import Collective
from expansions.hosts import host_topology, host_wiring, parse_host_fabric
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.finder.host_prediction import (
    alltoall_bound,
    predict_alltoall,
    predict_forest,
)
from topofinder.finder.host_search import graph_rate
from topofinder.forests.collectives.host_forest import compose_forest
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.verification.forests import verify_forest

GRAPHS = {
    2: ["UniRing(2,5)", "UniRing(1,2)^2", "BiRing(2,6)", "Diamond", "Kautz(2,1)", "Pi(2,5)"],
    3: ["K(4)", "K(3,3)", "Q(3)", "C(8,{1,4})", "DirC(3)", "C(6,{1,3})", "Pi(3,7)", "H(1,4)"],
    4: [
        "K(5)",
        "C(9,{1,2})",
        "Pi(4,7)",
        "Torus(3,3)",
        "K(4,4)",
        "C(7,{1,2})",
        "C(8,{1,3})",
        "C(10,{1,3})",
    ],
    6: ["K(7)", "C(9,{1,2,4})", "K(4)||2", "K(6,6)", "C(8,{1,2,3})", "H(2,4)", "C(10,{1,2,4})"],
    8: ["K(9)", "C(11,{1,2,3,4})", "K(5)||2", "K(3)||4", "C(10,{1,2,3,4})", "Pi(8,10)"],
}
HOSTS = [(2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (4, 2)]
INNER = ["switch@450GB/s", "switch+m@90GB/s", "switch@40GB/s", "mesh@64GB/s", "mesh@10GB/s"]
SAMPLE = [
    f"Host({g};{inner};{d}@50GB/s)[{graph}]"
    for (g, d), inner in product(HOSTS, INNER)
    for graph in GRAPHS[g * d]
]
OTHERS = [
    "Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]",
    "Host(4*2.8*3;switch@100GB/s;1@50GB/s)[Pi(4,8)]",
    "Host(2*2.4*2;mesh@20GB/s;2@50GB/s)[Pi(4,6)]",
    "Host(4;links:0-1.0-2.1-3.2-3@50GB/s;2@50GB/s)[K(4,4)||2]",
    "Host(6;links:0-1.1-2.2-3.3-4.4-5*2@20GB/s;ports:0.0.2.5@50GB/s)[Q(2)||2]",
    "Host(8;switch+m@200GB/s;ports:0.0.2.4@50GB/s)[Torus(3,3)]",
    "Workstation[Pi(2,7)]",
]


def test_predicted_is_verified_in_a_sample() -> None:
    exact = narrow = doubled = 0
    for name in SAMPLE:
        fabric = parse_host_fabric(name)
        told = predict_forest(fabric)
        made = compose_forest(fabric, Collective.ALLGATHER)
        assert verify_forest(made).violation is None, name
        assert told.bound <= made.optimum <= made.inverse_rate <= told.inverse_rate, name
        assert made.inverse_rate == told.inverse_rate or not told.exact, name
        exact += made.inverse_rate == told.inverse_rate and told.exact
        narrow += told.inner > told.outer
        doubled += ";2@" in name
    print(f"{exact} of {len(SAMPLE)} exact, {narrow} with a narrow inside, {doubled} with d = 2")
    assert min(len(SAMPLE) // 4, narrow, doubled) >= 50
    assert exact >= 0.9 * len(SAMPLE)


@pytest.mark.parametrize("name", OTHERS)
def test_unlike_hosts_and_hosts_without_a_switch(name: str) -> None:
    fabric = parse_host_fabric(name)
    told = predict_forest(fabric)
    made = compose_forest(fabric, Collective.ALLGATHER)
    assert verify_forest(made).violation is None
    assert told.bound <= made.optimum <= made.inverse_rate <= told.inverse_rate
    assert made.inverse_rate == told.inverse_rate or not told.exact


@pytest.mark.parametrize(
    "name", ["Host(3;switch@450GB/s;1@50GB/s)[K(4)]", "Host(2;mesh@90GB/s;1@50GB/s)[Pi(2,7)]"]
)
def test_the_cut_around_hosts_is_the_optimum_where_the_inside_is_wide(name: str) -> None:
    fabric = parse_host_fabric(name)
    told = predict_forest(fabric)
    assert told.inner <= told.outer
    made = make_forest(host_topology(fabric), ForestOptions(collective=Collective.ALLGATHER))
    assert told.inverse_rate == made.optimum


@pytest.mark.parametrize(
    ("name", "wide"),
    [
        ("Host(2;mesh@64GB/s;2@50GB/s)[K(4,4)]", False),
        ("Host(3;switch@450GB/s;1@50GB/s)[Pi(3,7)]", True),
        ("Host(2;switch@30GB/s;1@50GB/s)[C(7,{1})]", False),
        ("Host(2.4.2;switch@450GB/s;1@50GB/s)[Pi(2,4)]", True),
        ("Host(4;links:0-1.0-2.1-3.2-3@50GB/s;1@50GB/s)[K(5)]", False),
    ],
)
def test_all_to_all_of_hosts_bounds_that_of_the_fabric(name: str, wide: bool) -> None:
    fabric = parse_host_fabric(name)
    low, high = predict_alltoall(fabric, graph_rate(fabric, Fraction(1, 10**4)))
    found = bound_throughput(FlowProblem(topology=host_topology(fabric)), gap=Fraction(1, 10**4))
    assert low <= found.upper
    assert (
        found.lower <= high <= alltoall_bound(fabric, host_wiring(fabric)) * Fraction(10001, 10000)
    )
    if wide:
        assert found.upper <= low * Fraction(1001, 1000)
