"""Cabling lists: one circuit a line, as comma-separated values for those who patch.

Columns: `host_a,port_a,host_b,port_b` where circuits are duplex, else `from_host,from_port,
to_host,to_port`, from a transmitter to a receiver. Where capacities are known, they follow.
"""

import csv
import io

from generators.formats.circuits import circuits, is_duplex
from generators.topology import Topology

DUPLEX = ("host_a", "port_a", "host_b", "port_b")
SIMPLEX = ("from_host", "from_port", "to_host", "to_port")


def cabling_text(topology: Topology) -> str:
    """The cabling list of a topology; hosts by name, or by number from 0, ports by number from 0.

    >>> print(cabling_text(Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0), (1, 0)])), end="")
    host_a,port_a,host_b,port_b
    0,0,1,0
    0,1,1,1
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    head = DUPLEX if is_duplex(topology) else SIMPLEX
    weighted = topology.capacity is not None
    writer.writerow([*head, *(["capacity"] if weighted else [])])
    names = topology.names or tuple(map(str, range(topology.n)))
    for one in circuits(topology):
        ends = [names[one.u], one.port, names[one.v], one.far_port]
        writer.writerow([*ends, *([str(one.capacity)] if weighted else [])])
    return written.getvalue()
