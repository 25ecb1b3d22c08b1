"""SimGrid: a platform with a way for each lane, the messages as flows, a script that plays them.

Every lane has two hosts of its own and what is between them: a link, or those over switches, which
lanes share. So no route is computed, and parallel links and unequal ones come out right. A flow
begins when all it waits for is there and the one before it on its lane has arrived: the model
`occupied`, without barriers between steps. The script sets the options under which SimGrid's flows
take latency plus bytes over rate.
"""

import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from topofinder.exporters.chakra import SEND, TraceNode, trace_nodes
from topofinder.exporters.folder_files import write_folder
from topofinder.exporters.lane_links import read_size_and_units
from topofinder.exporters.lane_paths import LanePaths, lane_paths
from topofinder.exporters.register import Exporter, ExportRequest, register_exporter
from topofinder.lowering.lower import rank_programs
from topofinder.lowering.place import place, placed_count
from topofinder.model.transfers import Transfers

SCRIPT = '''\
"""Play the flows of flows.csv on platform.xml, with SimGrid's Python bindings."""

import csv
import sys

from simgrid import Actor, Comm, Engine, Host, Semaphore

OPTIONS = (
    "network/model:CM02",
    "network/TCP-gamma:0",
    "network/bandwidth-factor:1",
    "network/latency-factor:1",
    "network/weight-S:0",
    "network/crosstraffic:0",
)


def carry(flows, there, waiting):
    """Send the flows of one lane, one after the other."""
    for flow in flows:
        for before in flow["after"].split():
            there[before].acquire()
        tail, head = Host.by_name(flow["tail"]), Host.by_name(flow["head"])
        Comm.sendto(tail, head, int(flow["bytes"]))
        for _ in range(waiting.get(flow["flow"], 0)):
            there[flow["flow"]].release()


engine = Engine([sys.argv[0], *(f"--cfg={option}" for option in OPTIONS)])
engine.load_platform("platform.xml")
with open("flows.csv", newline="") as file:
    rows = list(csv.DictReader(file))
waiting = {}
for row in rows:
    for before in row["after"].split():
        waiting[before] = waiting.get(before, 0) + 1
there = {row["flow"]: Semaphore(0) for row in rows}
lanes = {}
for row in rows:
    lanes.setdefault(row["tail"], []).append(row)
for tail, flows in lanes.items():
    Actor.create(tail, Host.by_name(tail), carry, flows, there, waiting)
engine.run()
print(f"{Engine.clock * 1e6:.3f} us")
'''


def simgrid_files(
    transfers: Transfers, ways: LanePaths, *, size: int
) -> Iterator[tuple[str, bytes]]:
    """Names and contents of all files of a collective of `size` bytes; see `lane_paths`."""
    number = {lane: at for at, lane in enumerate(ways.paths)}
    yield "platform.xml", _platform(ways)
    count = placed_count(transfers, size)
    lanes = int(transfers.lane.max(initial=0)) + 1
    traces = [
        trace_nodes(place(transfers, each, count), lanes) for each in rank_programs(transfers)
    ]
    yield "flows.csv", _flows(traces, lanes, number)
    yield "play.py", SCRIPT.encode()


def _platform(ways: LanePaths) -> bytes:
    lines = [
        "<?xml version='1.0'?>",
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        '<platform version="4.1">',
        '  <zone id="fabric" routing="Dijkstra">',
    ]
    for at in range(len(ways.paths)):
        lines.append(f'    <host id="t{at}" speed="1Gf"/><host id="h{at}" speed="1Gf"/>')
    for at, (latency, rate) in enumerate(ways.links.values()):
        value = f'bandwidth="{_decimal(rate)}Bps" latency="{_decimal(latency)}s"'
        lines.append(f'    <link id="l{at}" {value} sharing_policy="SHARED"/>')
    number = {key: at for at, key in enumerate(ways.links)}
    for at, path in enumerate(ways.paths.values()):
        over = "".join(f'<link_ctn id="l{number[key]}"/>' for key in path)
        lines.append(f'    <route src="t{at}" dst="h{at}" symmetrical="NO">{over}</route>')
    lines += ["  </zone>", "</platform>"]
    return ("\n".join(lines) + "\n").encode()


def _decimal(value: Fraction) -> str:
    return repr(float(value))


def _flows(
    traces: list[list[TraceNode]], lanes: int, number: dict[tuple[int, int, int], int]
) -> bytes:
    """A row for each message, in the order of steps on each lane; `after` are flows by number."""
    flow_of: dict[tuple[int, int, int], int] = {}
    for rank, trace in enumerate(traces):
        for node in trace:
            if node.kind == SEND:
                flow_of[rank, node.peer, node.tag] = len(flow_of)
    lines = ["flow,tail,head,bytes,after"]
    for rank, trace in enumerate(traces):
        came = {
            node.number: flow_of[node.peer, rank, node.tag] for node in trace if node.kind != SEND
        }
        for node in trace:
            if node.kind == SEND:
                lane = number[rank, node.peer, node.tag % lanes]
                after = " ".join(str(came[each]) for each in node.after if each in came)
                flow = flow_of[rank, node.peer, node.tag]
                lines.append(f"{flow},t{lane},h{lane},{node.size},{after}")
    return ("\n".join(lines) + "\n").encode()


def write_simgrid(request: ExportRequest, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Write a folder of platform, flows and script.

    Raises InvalidInput without a size, or where latency and rate are missing; Unsupported
    where messages of two hosts take several ways through switches.
    """
    size, units = read_size_and_units(request.content.topology, request.options)
    ways = lane_paths(request.content, request.transfers, units)
    write_folder(path, dict(simgrid_files(request.transfers, ways, size=size)))
    return {"bytes": size, "links": len(ways.links)}


register_exporter(
    Exporter(
        name="simgrid",
        takes="transfers",
        suffix="",
        description="SimGrid's platform, flows, and a script that plays them",
        write=write_simgrid,
        place=70,
        options=frozenset({"size", "alpha", "bandwidth"}),
    )
)
