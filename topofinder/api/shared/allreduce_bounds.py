"""What no allreduce can beat on a graph, of trees or not, beside the best phases of trees.

Source: the pipeline schedules' paper, appendix B, as `forests.collectives.any_allreduce` has it.
"""

from fractions import Fraction

from expansions.build import build
from expansions.collective import Collective
from expansions.lower_bounds import least_bandwidth
from expansions.properties import properties
from expansions.recipe import Recipe
from expansions.size import size
from generators.topology import Topology
from reports.allreduce_limits import AllreduceLimitRecord
from topofinder.forests.collectives.any_allreduce import allreduce_limits
from topofinder.forests.collectives.limited_hosts import limited_optimum
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.forest import GATHERING, SPREADING

MOST_CUT_NODES = 4096
"""Nodes up to which cuts are looked for on the way to other answers."""


def phase_bound(topology: Topology, collective: Collective) -> Fraction:
    """What no trees beat, for 1 byte of all data at link rate 1, phase after phase.

    >>> from generators.fabrics.dgx import dgx_a100
    >>> str(phase_bound(dgx_a100(2), Collective.ALLGATHER))
    '3/1040'
    """
    total = Fraction()
    for kinds, graph in ((SPREADING, topology), (GATHERING, topology.transpose())):
        if collective in kinds:
            best = find_optimum(network := Network.of(graph))
            bound = best.inverse_rate
            if graph.injection is not None:
                bound = limited_optimum(graph, network.weight, best.cut)[0]
            total += bound / best.total
    return total


def limit_record(topology: Topology, bound: Fraction | None = None) -> AllreduceLimitRecord:
    """What no allreduce can beat beside two phases of trees, for a unit of weight of each host.

    `bound` is that of the phases where it is known, as `phase_bound` gives it.
    """
    found, hosts = allreduce_limits(topology), topology.n - len(topology.switches)
    phases = phase_bound(topology, Collective.ALLREDUCE) if bound is None else bound
    return AllreduceLimitRecord(
        cut=found.cut, hosts=found.hosts, rooted=found.rooted, scattered=phases * hosts
    )


def bandwidth_record(
    topology: Topology, *, most_cut_nodes: int = MOST_CUT_NODES
) -> AllreduceLimitRecord | None:
    """The same in units of M/B, B being d links of capacity 1; None for a single host.

    Of graphs too large to look for cuts what is known without, as `large_bandwidth_record`.

    >>> from generators.families.ring import two_way_ring
    >>> found = bandwidth_record(two_way_ring(2, 4))
    >>> found.cut, found.hosts, found.scattered, found.proof
    (Fraction(1, 1), Fraction(3, 2), Fraction(3, 2), 'theorem 19 b')
    """
    hosts = topology.n - len(topology.switches)
    if hosts < 2:
        return None
    if topology.n <= most_cut_nodes:
        return limit_record(topology).scale(Fraction(topology.degree, hosts))
    simple = topology.is_simple and topology.is_regular and not topology.has_loops
    plain = topology.capacity is None and topology.injection is None and not topology.switches
    return closed_record(hosts, symmetric=simple and topology.is_transitive) if plain else None


def closed_record(hosts: int, *, symmetric: bool) -> AllreduceLimitRecord:
    """What is known without looking at a graph of equal links, in units of M/B.

    N hosts of d links send no more than N B together. The arcs out of any set of nodes are at
    least d in a strongly connected vertex-transitive digraph that is `symmetric` in this sense,
    simple and free of self-loops (Mader 1971, Hamidoune 1981): no cut is worse than one host's.

    >>> closed_record(16, symmetric=True).scattered
    Fraction(15, 8)
    """
    least = 2 * least_bandwidth(hosts)
    if not symmetric:
        return AllreduceLimitRecord(cut=None, hosts=least, rooted=None, scattered=None)
    return AllreduceLimitRecord(cut=Fraction(1), hosts=least, rooted=Fraction(2), scattered=least)


def recipe_record(
    recipe: Recipe, *, most_cut_nodes: int = MOST_CUT_NODES
) -> AllreduceLimitRecord | None:
    """The same for a recipe, whose graph is built only where its symmetry does not tell."""
    n, known = size(recipe).n, properties(recipe)
    symmetric = bool(known.transitive and known.simple and known.loop_free)
    if n > 1 and (symmetric or n > most_cut_nodes):
        return closed_record(n, symmetric=symmetric)
    return bandwidth_record(build(recipe), most_cut_nodes=most_cut_nodes)
