"""Customary collectives by name, made on any connected graph or switched fabric.

Source: ForestColl (NSDI 2026) and TACOS (MICRO 2024) for what they compare with. Which of them is
nearest to the optimum depends on the graph; what each takes is exact, for trees whose chunks follow
one another.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import Topology
from topofinder.forests.baselines.grown_trees import grown_trees
from topofinder.forests.baselines.patterns import (
    LogicalTrees,
    bruck_trees,
    chained_trees,
    direct_trees,
    double_binary_trees,
    doubling_trees,
    ring_trees,
)
from topofinder.forests.baselines.rings import orders_inside, ring_orders
from topofinder.forests.baselines.shortest_routes import (
    ShortestRoutes,
    cut_at_hosts,
    host_boxes,
    map_trees,
    node_weights,
    passes_hosts,
)
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.forest import GATHERING, SPREADING, Forest
from topofinder.model.tree_set import TreeSet

MOST_HOSTS = 512
EACH_ROOT = (Collective.ALLGATHER, Collective.REDUCE_SCATTER, Collective.ALLREDUCE)
Pattern = Callable[[Topology, ShortestRoutes], LogicalTrees]


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedPattern:
    """A collective by `trees` of a topology; None is a packing of trees of one root.

    `collectives` are those that it carries out: trees of few roots do allreduces alone.
    """

    trees: Pattern | None
    collectives: tuple[Collective, ...] = EACH_ROOT


def _hosts(topology: Topology) -> int:
    return topology.n - len(topology.switches)


def _best_rings(topology: Topology, routes: ShortestRoutes) -> LogicalTrees:
    """The rings that take least; the first among equals."""
    offered = [ring_trees(orders) for orders in ring_orders(topology)]
    times = [map_trees(trees, topology, routes).time for trees in offered]
    return offered[times.index(min(times))]


def _best_chains(topology: Topology, routes: ShortestRoutes) -> LogicalTrees:
    """Double binary trees of boxes whose chains take least; the first among equals."""
    boxes = host_boxes(topology)
    orders = orders_inside(topology, boxes[0])
    offered = [chained_trees([[box[i] for i in order] for box in boxes]) for order in orders]
    times = [map_trees(trees, topology, routes).time for trees in offered]
    return offered[times.index(min(times))]


ONCE = (Collective.ALLREDUCE,)
MAPPED_PATTERNS = {
    "nccl-ring": MappedPattern(trees=_best_rings),
    "nccl-tree": MappedPattern(trees=_best_chains, collectives=ONCE),
    "double-tree": MappedPattern(
        trees=lambda topology, _: double_binary_trees(_hosts(topology)), collectives=ONCE
    ),
    "halving-doubling": MappedPattern(trees=lambda topology, _: doubling_trees(_hosts(topology))),
    "bruck": MappedPattern(trees=lambda topology, _: bruck_trees(_hosts(topology))),
    "mapped-direct": MappedPattern(trees=lambda topology, _: direct_trees(_hosts(topology))),
    "multitree": MappedPattern(trees=grown_trees),
    "blink": MappedPattern(trees=None, collectives=ONCE),
}
"""By name, those of `TITLES`."""


def map_baseline(name: str, topology: Topology, collective: Collective) -> Forest:
    """The collective by a baseline, on shortest routes: its trees, and what they take.

    Routes may lead through hosts (`passes_hosts`). Raises InvalidInput for an unknown name and for
    hosts that cannot be reached, Unsupported for what the baseline has no trees for.

    >>> from generators.fabrics.dgx import dgx_a100
    >>> found = map_baseline("nccl-ring", dgx_a100(2), Collective.ALLGATHER)
    >>> found.inverse_rate, str(found.inverse_rate / found.optimum - 1)
    (Fraction(3, 40), '5/8')
    """
    if name not in MAPPED_PATTERNS:
        known = ", ".join(MAPPED_PATTERNS)
        raise InvalidInput(f"baseline: {excerpt(name)} is none of {known}")
    pattern = MAPPED_PATTERNS[name]
    if collective not in pattern.collectives:
        told = ", ".join(pattern.collectives)
        raise Unsupported(f"{name}: carries out {told}, not {collective}")
    if _hosts(topology) > MOST_HOSTS:
        raise Unsupported(f"{name}: at most {MOST_HOSTS} hosts, not {_hosts(topology)}")
    if pattern.trees is None:
        return _pack_one_root(topology, name)
    spread = gather = None
    weight: tuple[int, ...] = ()
    if collective in SPREADING:
        spread, weight = _map_phase(pattern.trees, topology)
    if collective in GATHERING:
        gather, weight = _map_phase(pattern.trees, topology.transpose())
    return Forest(
        topology=topology,
        collective=collective,
        weight=weight,
        spread=spread,
        gather=gather,
        method=name,
    )


def leads_through_hosts(made: Forest) -> bool:
    """Whether some route passes a host that is not at its ends, which none in a file does."""
    return any(passes_hosts(phase.trees, phase.topology) for phase in made.phases)


def keep_at_hosts(made: Forest) -> Forest:
    """The same collective, but hosts keep what passes them; no link carries more for it.

    >>> from generators.fabrics.mi250 import mi250
    >>> found = map_baseline("mapped-direct", mi250(1), Collective.ALLGATHER)
    >>> found.inverse_rate > keep_at_hosts(found).inverse_rate
    True
    """
    trees = {phase.name: cut_at_hosts(phase.trees, phase.topology) for phase in made.phases}
    return replace(
        made,
        spread=trees.get("spread"),
        gather=trees.get("gather"),
        method=f"{made.method}, cut at hosts",
    )


def _map_phase(pattern: Pattern, topology: Topology) -> tuple[TreeSet, tuple[int, ...]]:
    routes = ShortestRoutes(topology)
    trees = pattern(topology, routes)
    return map_trees(trees, topology, routes), node_weights(topology, trees.weight)


def _pack_one_root(topology: Topology, name: str) -> Forest:
    """An allreduce through one host, by a best packing of trees of that root: the first host.

    Without switches no trees of another root are better where links are as wide both ways.
    """
    first = next(node for node in range(topology.n) if node not in set(topology.switches))
    weights = tuple(int(node == first) for node in range(topology.n))
    options = ForestOptions(collective=Collective.ALLREDUCE, weights=weights, able=False)
    made = make_forest(topology, options)
    return Forest(
        topology=topology,
        collective=Collective.ALLREDUCE,
        weight=made.weight,
        spread=made.spread,
        gather=made.gather,
        method=name,
    )
