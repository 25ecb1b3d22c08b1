"""The exact BFB cost of a line graph, from the graph that it is made of.

A line graph of N nodes takes N^2 d / 64 operations of a machine word; the graph itself, d times as
small, a d-th of their square.
"""

from generators.connectivity import refuse_disconnected
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import WORD_OF_LINKS, Evaluation, Pair
from topofinder.schedules.bfb.grouped_arcs import GroupedArcs, group_arcs


def evaluate_line_graph(topology: Topology, symmetric: bool = False) -> Pair:
    """What BFB costs on L(G) and on its transpose, for a regular G of degree 2 to 63.

    `symmetric` says that L(G) is isomorphic to its transpose, which then costs the same. Raises
    InvalidInput when some node of G cannot reach another.

    >>> from generators.families.complete import complete
    >>> [one.cost for one in evaluate_line_graph(complete(4, 4))][0]
    Cost(steps=3, bandwidth=Fraction(1, 1))
    """
    arcs = group_arcs(topology)
    found = _evaluate(arcs)
    return found, found if symmetric else _evaluate(arcs.transpose())


def has_quick_line_graph(topology: Topology) -> bool:
    """Whether `evaluate_line_graph` takes it: regular, and of a degree from 2 to 63."""
    return topology.is_regular and 2 <= topology.degree <= WORD_OF_LINKS


def _evaluate(arcs: GroupedArcs) -> Evaluation:
    from topofinder.schedules.bfb.line_kernels import profile_line_graph

    found = profile_line_graph(*arcs.kernel_input, arcs.receivers, arcs.degree)
    steps, shards, links, levels, near = found
    if steps < 0:
        refuse_disconnected(arcs.topology.transpose() if arcs.turned else arcs.topology)
    return Evaluation(
        n=arcs.topology.n * arcs.degree,
        d=arcs.degree,
        shards=tuple(shards[1 : steps + 1].tolist()),
        links=tuple(links[1 : steps + 1].tolist()),
        line_exact=int(levels[1 : steps + 1].min()),
        cycle=near + 1,
    )
