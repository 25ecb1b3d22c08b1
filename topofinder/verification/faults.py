"""Rows that no replay could play: arcs and nodes that are not there."""

import numpy as np

from expansions.schedule import Schedule
from generators.topology import BoolArray, Topology


def playable(topology: Topology, schedule: Schedule) -> BoolArray:
    """Of each row, whether its arc exists and is no self-loop, and its source is a host."""
    proper = np.append(topology.tail != topology.head, False)
    host = np.append(hosts(topology), False)
    arc = np.minimum(schedule.arc, topology.arcs)
    source = np.minimum(schedule.source, topology.n)
    fit: BoolArray = proper[arc] & host[source]
    return fit


def hosts(topology: Topology) -> BoolArray:
    """Of each node, whether it is a host."""
    found = np.ones(topology.n, dtype=np.bool_)
    found[list(topology.switches)] = False
    return found


def fault(topology: Topology, schedule: Schedule, row: int) -> str:
    """Why a row cannot be played.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> astray = Schedule(source=[0], arc=[7], step=[1], begin=[0], end=[1])
    >>> fault(pair, astray, 0)
    'there is no arc 7'
    """
    arc = int(schedule.arc[row])
    if arc >= topology.arcs:
        return f"there is no arc {arc}"
    if topology.tail[arc] == topology.head[arc]:
        return "a self-loop carries nothing"
    return f"node {schedule.source[row]} is no host of the topology"
