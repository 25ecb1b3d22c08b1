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
from topofinder.exporters.lane_links import lane_links
from topofinder.exporters.simgrid import simgrid_files
from topofinder.lowering.lower import lower
from topofinder.model.chunk_times import LinkUnits
from topofinder.simulation.alpha_beta import simulate

ALPHA, B, SIZE = Fraction(1, 10**5), Fraction(100 * 10**9, 8), 1 << 20


def files_of(saved: SavedSchedule, size: int = SIZE) -> dict[str, bytes]:
    units = LinkUnits(latency=ALPHA, rate=B / saved.topology.degree)
    transfers = lower(saved)
    return dict(simgrid_files(transfers, lane_links(saved, transfers, units), size=size))


def play(files: dict[str, bytes]) -> float:
    """When the last flow is there: each after those it names and the one before it on its host."""
    text = re.sub("<!DOCTYPE[^>]*>", "", files["platform.xml"].decode())
    zone = ElementTree.fromstring(text)[0]
    links = {link.get("id"): link for link in zone.iter("link")}
    over = {route.get("src"): links[route[0].get("id")] for route in zone.iter("route")}
    rows = list(csv.DictReader(io.StringIO(files["flows.csv"].decode())))
    there: dict[str, float] = {}
    queues = defaultdict(list)
    for row in rows:
        queues[row["tail"]].append(row)
    free = dict.fromkeys(queues, 0.0)
    while any(queues.values()):
        moved = False
        for tail, queue in queues.items():
            while queue and all(flow in there for flow in queue[0]["after"].split()):
                row = queue.pop(0)
                begin = max([free[tail], *(there[flow] for flow in row["after"].split())])
                link = over[tail]
                rate, late = (link.get(name).rstrip("Bps") for name in ("bandwidth", "latency"))
                free[tail] = begin + float(late) + int(row["bytes"]) / float(rate)
                there[row["flow"]] = free[tail]
                moved = True
        assert moved, "flows wait for each other"
    return max(there.values())


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


def test_switches_are_refused() -> None:
    forest = tf.schedule("DGXA100(2)", method="forest").forest
    with pytest.raises(Unsupported, match="switches"):
        lane_links(forest, lower(forest), LinkUnits(latency=ALPHA, rate=B))


def test_the_script_is_python_that_needs_simgrid_alone() -> None:
    tree = ast.parse(files_of(tf.schedule("K(3)").saved)["play.py"])
    modules = {
        name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom)
                     else [alias.name for alias in node.names])
    }  # fmt: skip
    assert modules == {"csv", "sys", "simgrid"}
