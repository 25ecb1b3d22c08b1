"""The forest of a network: the optimum, the number of trees, switches away, trees packed.

Source: ForestColl (NSDI 2026), section 5.1 with its four steps, each in the package of its name.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from generators.arrays import column
from generators.errors import Unsupported
from generators.memory import require_memory
from generators.topology import Int64Array
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.bottleneck_cut import Optimum, find_optimum
from topofinder.forests.optimality.cuts import LIMIT, Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import (
    TreeCount,
    fixed_count,
    is_balanced,
    least_count,
    tree_capacities,
    widen_to_balance,
)
from topofinder.forests.packed_forest import PackedForest
from topofinder.forests.packing.packers import SMALL_TABLE, pack_trees, pack_without_repair
from topofinder.forests.packing.problem import Packing, PackingProblem
from topofinder.forests.packing.symmetric import pack_by_translation
from topofinder.forests.switch_removal.alike_splits import HostShifts, host_shifts, split_alike
from topofinder.forests.switch_removal.edge_splitting import remove_switches
from topofinder.forests.switch_removal.rerouting import shorten_routes
from topofinder.forests.switch_removal.split_state import Bundles, Splitting
from topofinder.forests.switch_removal.updown import parts_below, updown_splitting
from topofinder.model.routing import Routing

TREE_BYTES = 75
"""Memory of a node in a root's trees until they are in a file; measured at 10^7 of them."""


def pack_forest(
    network: Network,
    k: int | None = None,
    seed: int = 0,
    clock: Clock = NO_LIMIT,
    routing: Routing | None = Routing.ANY,
) -> PackedForest:
    """Trees that reach the optimum; with `k` trees a root of weight 1, the best there are.

    Without `k` it is the smallest number found that reaches the optimum. When the time of
    `clock` is over, trees are no longer made lower, and none are looked for.

    Routes are as short as room on the links allows. With `routing` None they are up-down where the
    network has tiers and such routes carry the trees, with little traffic in the highest tier; what
    is `shortest` or `updown` has no others, whatever time that takes.

    Raises InvalidInput for a network that is not connected, switches with more bandwidth in than
    out or the reverse, and a `k` below 1. Raises Unsupported when there are too many trees, when
    a `k` leaves a switch with more trees in than out, or the time is over before there are trees.

    >>> from generators.families.hamming import hypercube
    >>> found = pack_forest(Network.of(hypercube(3)))
    >>> found.k, found.inverse_rate, found.height
    (3, Fraction(7, 3), 3)
    """
    network.require_eulerian()
    roots, n = sum(map(bool, network.weight)), len(network.weight)
    require_memory(f"forest: the trees of {roots} roots on {n} nodes", TREE_BYTES * roots * n)
    cuts = Cuts.of(network)
    best = find_optimum(network, cuts)
    if k is None:
        count = least_count(network, best, cuts)
    else:
        count = widen_to_balance(network, best, fixed_count(network, best, k, cuts))
    held = _limit_to_all_trees(network, count.k, tree_capacities(network, count.inverse_tree))
    _require_fit(network, count.k, held)
    supply = [count.k * weight for weight in network.weight]
    if routing in (None, Routing.UPDOWN) and _has_tiers(network):
        lanes = updown_splitting(network, held, supply)
        if lanes is not None:
            return _pack_split(network, best, count, lanes, seed, clock)
    state = Splitting(network.n, network.tail, network.head, held)
    plain = _pack_split(network, best, count, state, seed, clock)
    return shorten_routes(plain, routing or Routing.ANY, clock)


def _has_tiers(network: Network) -> bool:
    """Whether some switch is linked to another, and each has a tier."""
    if network.tiers is None:
        return False
    tier = np.array(network.tiers)
    return bool(((tier[network.tail] > 0) & (tier[network.head] > 0)).any())


def _pack_split(
    network: Network,
    best: Optimum,
    count: TreeCount,
    state: Splitting,
    seed: int,
    clock: Clock,
) -> PackedForest:
    """The forest of a network whose switches are not yet split off."""
    supply = [count.k * weight for weight in network.weight]
    rooted = supply + [0] * (state.n - network.n)
    shifts = _shifts(network, state, supply)
    whole = state.copy()
    state = remove_switches(state, network.compute, rooted, clock=clock)
    problem, alive = _packing_problem(network, state, supply)
    trees = None if shifts is None else pack_without_repair(problem, seed, clock)
    if shifts is not None and trees is None:
        alike = _pack_alike(network, whole, supply, shifts, seed)
        if alike is not None:
            state, problem, alive, trees = alike
    if trees is None:
        trees = pack_trees(problem, seed, clock)
    bundles = state.route_bundles(alive)
    return PackedForest(
        network=network,
        optimum=best,
        k=count.k,
        inverse_tree=count.inverse_tree,
        method=trees.method,
        **_tree_columns(network, problem, trees),
        **_arc_columns(state, alive, bundles),
    )


def _shifts(network: Network, state: Splitting, supply: list[int]) -> HostShifts | None:
    """The shifts that are automorphisms of a network of many trees, whose hosts send alike."""
    hosts = network.compute
    if sum(supply) * len(hosts) <= SMALL_TABLE or len({supply[v] for v in hosts}) > 1:
        return None
    return host_shifts(state, hosts)


def _pack_alike(
    network: Network, state: Splitting, supply: list[int], shifts: HostShifts, seed: int
) -> tuple[Splitting, PackingProblem, Int64Array, Packing] | None:
    """Trees of one host that shifts carry to all, where there are such."""
    split = split_alike(state, network.compute, shifts)
    if split is None:
        return None
    problem, alive = _packing_problem(network, split, supply)
    arcs = np.ones(len(problem.tail)), (problem.tail, problem.head)
    if connected_components(coo_array(arcs, shape=(problem.n,) * 2), connection="strong")[0] > 1:
        return None
    trees = pack_by_translation(replace(problem, translation=shifts.translation), seed)
    return None if trees is None else (split, problem, alive, trees)


def _packing_problem(
    network: Network, state: Splitting, supply: list[int]
) -> tuple[PackingProblem, Int64Array]:
    """What is left between compute nodes, which are numbered anew, and which arcs these are."""
    place = np.full(state.n, -1, np.int32)
    place[network.compute] = np.arange(len(network.compute))
    # Switches that no compute node is linked to keep their arcs.
    alive = np.flatnonzero((state.capacity > 0) & (place[state.tail] >= 0))
    problem = PackingProblem(
        tail=place[state.tail[alive]],
        head=place[state.head[alive]],
        capacity=state.capacity[alive],
        supply=np.array(supply, dtype=np.int64)[network.compute],
        translation=network.translation,
        part=_parts_below_core(network),
    )
    return problem, alive


def _parts_below_core(network: Network) -> Int64Array | None:
    """Which compute nodes hang together below the highest tier; None where there are no tiers."""
    if not _has_tiers(network):
        return None
    parts = parts_below(network, max(network.tiers or ()), np.ones(network.arcs, np.bool_))
    return parts[network.compute]


def _tree_columns(network: Network, problem: PackingProblem, trees: Packing) -> dict[str, Any]:
    """The columns of a forest that tell its trees."""
    return {
        "root": column(network.compute[trees.root], np.int32),
        "copies": column(trees.copies, np.int64),
        "start": column(np.arange(len(trees.root) + 1) * (problem.n - 1), np.int64),
        "arc": column(trees.arc, np.int32),
    }


def _arc_columns(state: Splitting, alive: Int64Array, bundles: Bundles) -> dict[str, Any]:
    """The columns of a forest that tell its logical arcs and their routes."""
    bundle_start, amount, route_start, route = bundles
    return {
        "tail": column(state.tail[alive], np.int32),
        "head": column(state.head[alive], np.int32),
        "capacity": column(state.capacity[alive], np.int64),
        "bundle_start": column(bundle_start, np.int64),
        "amount": column(amount, np.int64),
        "route_start": column(route_start, np.int64),
        "route": column(route, np.int32),
    }


def _limit_to_all_trees(network: Network, k: int, held: list[int]) -> list[int]:
    """No arc can be in more trees than there are; where numbers are large, the rest is left out."""
    if sum(held) < LIMIT:
        return held
    most = [min(room, k * network.total) for room in held]
    return most if is_balanced(network, most) else held


def _require_fit(network: Network, k: int, held: list[int]) -> None:
    """Refuse numbers that the kernels cannot hold, and switches out of balance."""
    if network.total * len(network.compute) >= LIMIT:
        raise Unsupported(
            "weights: too many trees to make the shards so unequal; round the weights"
        )
    if k * network.total * len(network.compute) >= LIMIT:
        raise Unsupported(f"k: {k} trees a root are too many; choose a small k")
    if sum(held) >= LIMIT:
        raise Unsupported(f"bandwidths: too unequal for {k} trees a root")
    if not is_balanced(network, held):
        raise Unsupported(f"k: {k} trees a root leave a switch with more trees in than out")
