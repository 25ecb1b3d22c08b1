"""The frontier over fabrics of hosts, against all of them rated and compared two by two."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from expansions.hosts import host_topology, host_wiring, parse_host_fabric
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.finder import host_search
from topofinder.finder.host_prediction import predict_alltoall
from topofinder.finder.host_search import (
    HostCandidate,
    graph_rate,
    host_frontier,
    narrow_alltoall,
    rate_fabric,
)

GRAPHS = {
    "Host(4;switch@200GB/s;1@50GB/s)": (
        "UniRing(4,12)", "BiRing(4,12)", "Torus(3,4)", "C(12,{1,3})", "C(12,{2,3})", "C(12,{1,5})",
        "Pi(4,12)", "C(12,{3,4})", "UniRing(1,3) x K(4)", "Cay(Z12;1,2,5,7)",
    ),
    "Host(4;links:0-1.0-2.1-3.2-3@50GB/s;1@20GB/s)": (
        "UniRing(4,8)", "C(8,{1,3})", "C(8,{1,2})", "K(4,4)", "Pi(4,8)",
    ),
}  # fmt: skip


def _costs(one: HostCandidate, axes: Sequence[str]) -> tuple[float, ...]:
    """What is least: of each axis, and all-to-all at last, which chooses among equals."""
    told = {"latency": one.latency, "bandwidth": one.prediction.inverse_rate}
    return (*(float(told[axis]) for axis in axes if axis in told), -float(one.alltoall[0]))


def _unbeaten(rated: list[HostCandidate], axes: Sequence[str]) -> set[tuple[float, ...]]:
    """Costs that no others reach on the axes; of those equal on them, the most all-to-all."""
    costs = {_costs(one, axes) for one in rated}
    if "alltoall" not in axes:
        most: dict[tuple[float, ...], float] = {}
        for *told, last in costs:
            most[tuple(told)] = min(last, most.get(tuple(told), last))
        costs = {told for told in most if not _is_reached(told, set(most))}
        return {(*told, most[told]) for told in costs}
    return {mine for mine in costs if not _is_reached(mine, costs)}


def _is_reached(mine: tuple[float, ...], others: set[tuple[float, ...]]) -> bool:
    return any(all(map(float.__le__, its, mine)) for its in others - {mine})


@pytest.mark.parametrize("axes", [("latency", "bandwidth"), ("latency", "alltoall"), ("alltoall",)])
@pytest.mark.parametrize("host", GRAPHS)
def test_the_frontier_is_that_of_all_fabrics(host: str, axes: Sequence[str]) -> None:
    fabrics = [parse_host_fabric(f"{host}[{graph}]") for graph in GRAPHS[host]]
    found = host_frontier(fabrics, axes, graph_rate)
    every = [rate_fabric(fabric, graph_rate) for fabric in fabrics]
    assert {_costs(one, axes) for one in found} == _unbeaten(every, axes)


def test_trees_are_packed_only_where_all_to_all_leaves_a_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = next(iter(GRAPHS))
    fabrics = [parse_host_fabric(f"{host}[{graph}]") for graph in GRAPHS[host]]
    packed: list[str] = []
    height = host_search.host_tree_height

    def counted(fabric, wiring):  # type: ignore[no-untyped-def]
        packed.append(str(fabric.graph))
        return height(fabric, wiring)

    monkeypatch.setattr(host_search, "host_tree_height", counted)
    found = host_frontier(fabrics, ("latency", "bandwidth"), graph_rate)
    assert [str(one.fabric.graph) for one in found] == packed


@pytest.mark.parametrize(
    "name",
    ["TrayTPUv4[DBJ(16,1)]", "TrayTPUv4[Torus(3,3)||4]", "Host(4;mesh@20GB/s;1@50GB/s)[K(5)]"],
)
def test_all_to_all_over_inner_links_is_that_of_the_whole_fabric(name: str) -> None:
    fabric = parse_host_fabric(name)
    low, high = rate_fabric(fabric, graph_rate).alltoall
    whole = FlowProblem(topology=host_topology(fabric, host_wiring(fabric)))
    exact = bound_throughput(whole, method="lp")
    assert low <= exact.upper
    assert exact.lower <= high <= low * 1003 / 1000
    wide = predict_alltoall(fabric, graph_rate(fabric))
    assert wide[0] <= low
    assert high <= wide[1]


def test_512_chips_on_one_way_rings_are_as_their_hosts() -> None:
    """16 circuits a host of 50 GB/s, 16 pairs of chips for two hosts, 1 to 127 hops apart."""
    fabric = parse_host_fabric("TrayTPUv4[UniRing(16,128)]")
    outside = Fraction(16 * 50, 16 * sum(range(128)))
    hosts = outside / 50 * Fraction(999, 1000), outside / 50
    assert predict_alltoall(fabric, hosts)[0] < outside / 2
    low, high = narrow_alltoall(fabric, predict_alltoall(fabric, hosts), host_wiring(fabric))
    assert outside * Fraction(998, 1000) <= low <= high == outside
