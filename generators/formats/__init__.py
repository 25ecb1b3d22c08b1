"""Topologies in files: GraphML, node-link JSON and edge lists; and as networkx graphs.

Exact both ways: node and arc order, names, switches, capacities and latencies. Files from
strangers are data: sizes are bounded, and whatever is wrong is refused with one line.
"""

from generators.formats.by_suffix import FORMATS, read_topology, write_topology
from generators.formats.graphs import from_networkx, to_networkx

__all__ = ["FORMATS", "from_networkx", "read_topology", "to_networkx", "write_topology"]
