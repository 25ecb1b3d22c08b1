"""Growing a fabric: moves and cost of the wirings nearest to one in place, beside the best.

    python benchmarks/growing.py [--quick] [--links simplex|duplex] [--time SECONDS]
        [--shrink] [--panels PANELS]

In place is the quickest wiring of N hosts that a search with one second of effort finds, beside it
stands the quickest of the other size. `held to` is 1.2 times the circuits that are more and those
that are cut to put hosts on them, or those that join the neighbours of hosts that leave; `apart` is
how far an allreduce of 1 MiB (10 us, 100 Gbps) on the nearest graphs is above one on the best, of
at most so many moves and of any number of them; `by` is the method of its schedule. With
`--panels` port j of every host is on panel j modulo PANELS, and circuits keep to their panels.
"""

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from db.rows import CandidateRow
from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from topofinder.api.inventory import inventory
from topofinder.api.plan_nearest import LOADS_A_SECOND, USUAL
from topofinder.api.plan_wired_ports import wired_ports
from topofinder.api.shared.frontiers import search_size
from topofinder.api.shared.workloads import read_workload
from topofinder.discovery.grafts.found import WEIGHT
from topofinder.discovery.grafts.near import find_near_graphs
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.cross_connects import read_wiring
from topofinder.model.inventory.ports import read_port_map
from topofinder.patching.existing_circuits import wired_topology

D = 4
SIZES = ((64, 4), (256, 16), (1024, 64))


def allreduce_steps(steps: int, bandwidth: Fraction) -> Fraction:
    """What an allreduce takes, in steps of 10 us."""
    return steps + WEIGHT * bandwidth


def quickest(n: int, links: str) -> CandidateRow:
    """The quickest wiring of a size."""
    workload = read_workload(*USUAL)
    assert workload is not None
    rows = search_size(n, D, links, effort=1).frontier.members
    return min(rows, key=lambda row: (workload.seconds(row), row.recipe))


def held_to(more: int, duplex: bool) -> Fraction:
    """The circuits that so many hosts more, or fewer, may take to be made."""
    ends = more * D * 2 if more > 0 else -more * D
    return Fraction(6, 5) * (Fraction(ends, 2) if duplex else ends)


def panels_of(recipe: str, more: int, links: str, panels: int) -> tuple[Topology, LinkPorts]:
    """The graph on so many panels, and the ports of its links and of hosts that join."""
    with TemporaryDirectory() as folder:
        files = Path(folder, "fabric.json"), Path(folder, "now.csv")
        hosts = build(parse(recipe)).n + max(more, 0)
        inventory(recipe, *files, hosts=hosts, panels=panels, mode=LinkMode(links))
        fabric = read_port_map(files[0])
        wiring = read_wiring(files[1], fabric)
    duplex, every = links == "duplex", np.ones(hosts, dtype=np.bool_)
    graph = wired_topology(fabric, wiring, duplex=duplex, allowed=every)
    assert graph is not None
    joining = np.arange(graph.n, hosts)
    return graph, wired_ports(fabric, wiring, joining, duplex=duplex, allowed=every)[0]


def measured_row(n: int, more: int, links: str, seconds: float, panels: int) -> str:
    """A line of the table."""
    now, best = quickest(n, links), quickest(n + more, links)
    duplex = links == "duplex"
    graph, ports = build(parse(now.recipe)), None
    if panels > 1:
        graph, ports = panels_of(now.recipe, more, links, panels)
    began = process_time()
    found = find_near_graphs(
        graph, more, duplex=duplex, most=None, loads=int(LOADS_A_SECOND * seconds), ports=ports
    )
    spent = process_time() - began
    most = held_to(more, duplex)
    least = allreduce_steps(best.allreduce.steps, best.allreduce.bandwidth)
    rows = sorted(
        (allreduce_steps(one.forth.steps + one.back.steps, one.forth.bandwidth + one.back.bandwidth)
         / least - 1, one.new, one.method.value) for one in found
    )  # fmt: skip
    cells = [f"{links} {n} -> {n + more}", f"{float(most):.1f}"]
    for row in (next((row for row in rows if row[1] <= most), None), rows[0]):
        cells += [""] * 3 if row is None else [str(row[1]), f"{float(row[0]):.1%}", row[2]]
    return " | ".join([*cells, f"{spent:.1f} s", now.recipe[:24]])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--links", choices=("simplex", "duplex"))
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--panels", type=int, default=1)
    parser.add_argument("--shrink", action="store_true", help="as many hosts fewer")
    asked = parser.parse_args()
    sizes, seconds = (((16, 2),), 1.0) if asked.quick else (SIZES, asked.time)
    print("grown | held to | moves | apart | by | any number | apart | by | CPU | in place")
    for links in [asked.links] if asked.links else ["duplex", "simplex"]:
        for n, more in sizes:
            change = -more if asked.shrink else more
            print(measured_row(n, change, links, seconds, asked.panels), flush=True)


if __name__ == "__main__":
    main()
