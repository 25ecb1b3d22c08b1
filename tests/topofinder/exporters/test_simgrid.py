"""SimGrid's platform and flows, read back and played by a clock of the test's own."""

import ast
import csv
import io
import re
from collections import defaultdict
from fractions import Fraction
from xml.etree import ElementTree

import pytest

import topofinder as tf
from expansions.compact_schedule import CompactSchedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.exporters.lane_paths import lane_paths
from topofinder.exporters.simgrid import simgrid_files
from topofinder.lowering.lower import lower
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.workload import link_rate
from topofinder.simulation.alpha_beta import simulate

ALPHA, B, SIZE = Fraction(1, 10**5), Fraction(100 * 10**9, 8), 1 << 20


def files_of(saved: SavedSchedule, size: int = SIZE) -> dict[str, bytes]:
    units = LinkUnits(latency=ALPHA, rate=B / saved.topology.degree)
    transfers = lower(saved)
    return dict(simgrid_files(transfers, lane_paths(saved, transfers, units), size=size))


Link = tuple[float, float]


def ways_of(files: dict[str, bytes]) -> dict[str, list[tuple[str, Link]]]:
    """For each host that sends, the links on its route: their names, latency and rate."""
    text = re.sub("<!DOCTYPE[^>]*>", "", files["platform.xml"].decode())
    zone = ElementTree.fromstring(text)[0]
    links = {
        link.get("id"): tuple(float(link.get(at).rstrip("Bps")) for at in ("latency", "bandwidth"))
        for link in zone.iter("link")
    }
    names = {route.get("src"): [on.get("id") for on in route] for route in zone.iter("route")}
    return {src: [(name, links[name]) for name in own] for src, own in names.items()}


def share(going: dict[str, str], ways: dict[str, list[tuple[str, Link]]]) -> dict[str, float]:
    """Max-min rates of flows (by the host that sends), each weighed by the inverse of its latency:
    the link whose flows get least is filled, and so on with what is left (CM02).
    """
    weight = {flow: 1 / sum(link[0] for _, link in ways[src]) for flow, src in going.items()}
    left = {name: link[1] for own in ways.values() for name, link in own}
    rates: dict[str, float] = {}
    while len(rates) < len(going):
        demand: dict[str, float] = defaultdict(float)
        for flow in going.keys() - rates.keys():
            for name, _ in ways[going[flow]]:
                demand[name] += weight[flow]
        least = min(demand, key=lambda name: left[name] / demand[name])
        level = left[least] / demand[least]
        for flow in going.keys() - rates.keys():
            if any(name == least for name, _ in ways[going[flow]]):
                rates[flow] = level * weight[flow]
                for name, _ in ways[going[flow]]:
                    left[name] -= rates[flow]
    return rates


def play(files: dict[str, bytes]) -> float:
    """When the last flow is there: each after those it names and the one before it on its host.

    A flow takes the latencies of its links, and then carries bytes at its share of them.
    """
    ways, now = ways_of(files), 0.0
    rows = {row["flow"]: row for row in csv.DictReader(io.StringIO(files["flows.csv"].decode()))}
    queues, there = defaultdict(list), set()
    for flow, row in rows.items():
        queues[row["tail"]].append(flow)
    late: dict[str, float] = {}
    left: dict[str, float] = {}
    while any(queues.values()):
        for queue in queues.values():
            flow = next(iter(queue), None)
            if flow and flow not in late and there.issuperset(rows[flow]["after"].split()):
                late[flow] = now + sum(link[0] for _, link in ways[rows[flow]["tail"]])
                left[flow] = float(rows[flow]["bytes"])
        going = {flow: rows[flow]["tail"] for flow in left if late[flow] <= now}
        rates = share(going, ways)
        ends = [late[flow] for flow in left if late[flow] > now]
        then = min([*ends, *(now + left[flow] / rates[flow] for flow in going)])
        for flow in going:
            left[flow] -= (then - now) * rates[flow]
            if left[flow] < 1e-3:
                del left[flow]
                there.add(flow)
                queues[rows[flow]["tail"]].remove(flow)
        now = then
    return now


@pytest.mark.parametrize("recipe", ["BiRing(2,8)", "Torus(4,4)", "Pi(2,13)", "L(K(3,3))", "Q(3)*2"])
@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce", "broadcast"])
def test_flows_take_what_the_simulation_says(recipe: str, collective: str) -> None:
    root = {"root": 0} if collective == "broadcast" else {}
    saved = tf.schedule(recipe, collective=collective, **root).saved
    rows = saved.schedule
    whole = rows.expand(saved.topology) if isinstance(rows, CompactSchedule) else rows
    size = SIZE * saved.topology.n if collective == "broadcast" else SIZE
    exact = simulate(
        saved.topology, whole, alpha=ALPHA, size=Fraction(size), node_bandwidth=B
    ).unsynchronised
    assert play(files_of(saved)) == pytest.approx(float(exact), rel=1e-5)


def test_unequal_and_parallel_links() -> None:
    graph = Topology.from_arcs(
        2, [(0, 1), (0, 1), (1, 0), (1, 0)], capacity=(1, 3, 2, 2), latency=(1, 2, 1, 1)
    )
    saved = tf.schedule(graph, alpha="10us", size="1MiB", bandwidth="100Gbps").saved
    exact = simulate(
        graph, saved.schedule, alpha=ALPHA, size=Fraction(SIZE), node_bandwidth=B
    ).unsynchronised
    assert play(files_of(saved)) == pytest.approx(float(exact), rel=1e-5)


@pytest.mark.parametrize(
    ("recipe", "options", "simgrid"),
    [
        ("DGXA100(2)", {"method": "forest"}, 11.025),
        ("HostA100[K(2,2)||4]", {"method": "composed"}, 14.991),
        ("Host(4;switch@200GB/s;1@50GB/s)[C(6,{1,2})]", {"method": "composed"}, 16.301),
        ("HostA100[K(2,2)||4]", {"method": "forest", "collective": "allreduce"}, 20.974),
    ],
)
def test_lanes_through_switches_share_links(recipe: str, options: dict, simgrid: float) -> None:
    """The times of SimGrid 3.32 itself, measured once."""
    made = tf.schedule(recipe, **options)
    content = made.forest if options["method"] == "forest" else made.saved
    units = LinkUnits(latency=Fraction(1, 10**6), rate=link_rate(content.topology, None))
    transfers = lower(content)
    files = dict(simgrid_files(transfers, lane_paths(content, transfers, units), size=SIZE))
    assert {len(way) for way in ways_of(files).values()} <= {1, 2, 4}
    assert play(files) * 1e6 == pytest.approx(simgrid, abs=2e-3)


def test_timetables_take_their_routes() -> None:
    table = tf.schedule("DGXA100(2)", method="timed", size="1MiB", alpha="1us").timetable
    transfers = lower(table)
    ways = lane_paths(table, transfers, table.units)
    switches = set(table.topology.switches)
    for (sender, receiver, _), path in ways.paths.items():
        assert path[0][0] == transfers.nodes[sender]
        assert path[-1][1] == transfers.nodes[receiver]
        assert {key[0] for key in path[1:]} <= switches
        assert [key[1] for key in path[:-1]] == [key[0] for key in path[1:]]


def test_several_ways_of_two_hosts_are_refused() -> None:
    forest = tf.schedule("FatTree(4,4,2)", method="forest").forest
    with pytest.raises(Unsupported, match="on more than one way"):
        lane_paths(forest, lower(forest), LinkUnits(latency=ALPHA, rate=B))


def test_the_script_is_python_that_needs_simgrid_alone() -> None:
    tree = ast.parse(files_of(tf.schedule("K(3)").saved)["play.py"])
    modules = {
        name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom)
                     else [alias.name for alias in node.names])
    }  # fmt: skip
    assert modules == {"csv", "sys", "simgrid"}
