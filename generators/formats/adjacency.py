"""Adjacency lists: a node and then the heads of its arcs on each line, as networkx reads them."""

import numpy as np

from generators.topology import Topology


def adjacency_text(topology: Topology) -> str:
    """One line a node, in order: its number and those that its arcs lead to, ascending.

    A parallel arc is listed again, a loop too. Names and capacities are not told.

    >>> print(adjacency_text(Topology.from_arcs(3, [(0, 2), (0, 1), (1, 1), (0, 1)])), end="")
    0 1 1 2
    1 1
    2
    """
    order = np.lexsort((topology.head, topology.tail))
    heads = topology.head[order].tolist()
    ends = np.cumsum(topology.out_degrees).tolist()
    starts = [0, *ends[:-1]]
    return "".join(
        " ".join(map(str, (node, *heads[start:end]))) + "\n"
        for node, (start, end) in enumerate(zip(starts, ends, strict=True))
    )
