"""What makes a schedule a BFB allgather, checked row by row against networkx distances."""

import numpy as np

from expansions.schedule import Schedule
from generators.topology import Topology
from tests.twins import distances


def check_breadth_first(topology: Topology, schedule: Schedule) -> None:
    """Every receiver gets all of every shard once, at its distance, from one step nearer."""
    hops = distances(topology)
    tail, head = topology.tail[schedule.arc], topology.head[schedule.arc]
    assert (hops[schedule.source, head] == schedule.step).all()
    assert (hops[schedule.source, tail] == schedule.step - 1).all()
    order = np.lexsort((schedule.begin, head, schedule.source))
    pair = schedule.source[order].astype(np.int64) * topology.n + head[order]
    begin, end = schedule.begin[order], schedule.end[order]
    first = np.append(True, pair[1:] != pair[:-1])
    last = np.append(pair[1:] != pair[:-1], True)
    assert len(np.unique(pair)) == topology.n * (topology.n - 1)
    assert (begin[first] == 0).all()
    assert (end[last] == schedule.denominator).all()
    assert (begin[~first] == end[~last]).all()
    used = np.unique(np.stack([pair, schedule.arc[order]]), axis=1)
    assert used.shape[1] == schedule.rows, "two pieces of a shard on one arc could be one"
