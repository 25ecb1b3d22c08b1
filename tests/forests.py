"""Fabrics to pack trees in, cuts tried one by one, and a slow check of forests."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np

from generators.topology import Topology
from topofinder.forests.optimality.network import Network
from topofinder.forests.packed_forest import PackedForest


def random_network(seed: int, *, switches: bool, rational: bool = False) -> Network:
    """A strongly connected Eulerian network: random closed walks, of 2 to 5 compute nodes."""
    generator = np.random.default_rng([seed, switches])
    senders = int(generator.integers(2, 6))
    n = senders + (int(generator.integers(1, 4)) if switches else 0)
    arcs, capacity = [], []
    for walk in range(int(generator.integers(2, 5))):
        length = n if walk == 0 else int(generator.integers(2, n + 1))
        nodes = generator.permutation(n)[:length].tolist()
        amount = Fraction(int(generator.integers(1, 7)))
        if rational:
            amount /= int(generator.integers(1, 5))
        for u, v in pairwise([*nodes, nodes[0]]):
            arcs.append((u, v))
            capacity.append(amount)
            if generator.random() < 0.5 and walk:
                arcs.append((v, u))
                capacity.append(amount)
                arcs.append((u, v))
                capacity.append(amount)
                arcs.append((v, u))
                capacity.append(amount)
    return Network.of(eulerian(n, arcs, capacity, senders))


def random_boxes(seed: int, *, switches: bool) -> Network:
    """Two or three pairs of compute nodes with wide links inside, some on a switch, and narrow ones
    between: the pairs are tight sets.
    """
    generator = np.random.default_rng([seed, 77])
    senders = 2 * int(generator.integers(2, 4))
    arcs, capacity, n = [], [], senders
    for first in range(0, senders, 2):
        inside = Fraction(int(generator.integers(20, 40)))
        stops = [first, first + 1]
        if switches and generator.random() < 0.5:
            stops, n = [first, n, first + 1], n + 1
        for u, v in pairwise(stops):
            arcs += [(u, v), (v, u)]
            capacity += [inside, inside]
    for _ in range(int(generator.integers(1, 4))):
        turn = [int(v + generator.integers(2)) for v in range(0, senders, 2)]
        amount = Fraction(int(generator.integers(1, 5)), int(generator.integers(1, 4)))
        for u, v in pairwise([*turn, turn[0]]):
            arcs += [(u, v), (v, u)]
            capacity += [amount, amount]
    return Network.of(Topology.from_arcs(n, arcs, capacity=capacity, switches=range(senders, n)))


def eulerian(
    n: int, arcs: list[tuple[int, int]], capacity: list[Fraction], senders: int
) -> Topology:
    """The network with arcs added so that every node passes on what it takes in."""
    net = [Fraction(0)] * n
    for (u, v), amount in zip(arcs, capacity, strict=True):
        net[u] -= amount
        net[v] += amount
    arcs, capacity = list(arcs), list(capacity)
    for u in range(n):
        for v in range(n):
            amount = min(max(net[u], 0), max(-net[v], 0))
            if amount:
                arcs.append((u, v))
                capacity.append(Fraction(amount))
                net[u] -= amount
                net[v] += amount
    return Topology.from_arcs(n, arcs, capacity=capacity, switches=tuple(range(senders, n)))


def cut_masks(network: Network) -> np.ndarray:
    """All cuts that leave some compute node outside; bool of shape (cuts, n)."""
    masks = np.arange(1, 1 << network.n)[:, None] >> np.arange(network.n) & 1 == 1
    return masks[~masks[:, network.compute].all(axis=1)]


def worst_ratio(network: Network) -> Fraction:
    """1/x* by trying every cut."""
    best = Fraction(0)
    for inside in cut_masks(network):
        leaving = np.flatnonzero(inside[network.tail] & ~inside[network.head])
        weight = sum(network.weight[v] for v in np.flatnonzero(inside))
        exiting = sum(network.capacity[e] for e in leaving)
        best = max(best, Fraction(weight, exiting) if exiting else best)
    return best / network.unit


def cuts_allow(network: Network, capacity: list[int], k: int) -> bool:
    """Whether k trees a root of weight 1 fit, by trying every cut."""
    masks = cut_masks(network)
    leaving = masks[:, network.tail] & ~masks[:, network.head]
    return bool((leaving @ np.array(capacity) >= k * (masks @ np.array(network.weight))).all())


def bidirectional(
    n: int, links: list[tuple[int, int, int]], switches: list[int] | range
) -> Topology:
    """A network of two-way links (u, v, bandwidth)."""
    arcs = [(u, v) for u, v, _ in links] + [(v, u) for u, v, _ in links]
    return Topology.from_arcs(n, arcs, capacity=[b for *_, b in links] * 2, switches=switches)


def boxes(count: int, hosts: int = 4, inside: int = 10, beyond: int = 1) -> Topology:
    """Boxes of hosts on a switch each, and one switch for all hosts (figure 5)."""
    n = count * hosts
    links = [(u, n + u // hosts, inside) for u in range(n)]
    links += [(u, n + count, beyond) for u in range(n)]
    return bidirectional(n + count + 1, links, range(n, n + count + 1))


def fat_tree(leaves: int, hosts: int, spines: int, up: int = 1) -> Topology:
    """Hosts on leaves, leaves on spines."""
    n = leaves * hosts
    links = [(u, n + u // hosts, 1) for u in range(n)]
    links += [(n + x, n + leaves + s, up) for x in range(leaves) for s in range(spines)]
    return bidirectional(n + leaves + spines, links, range(n, n + leaves + spines))


def without_links(topology: Topology, share: float, seed: int) -> Topology:
    """Some two-way links removed; the arcs back must stand after all arcs forth."""
    half = topology.arcs // 2
    keep = np.random.default_rng(seed).random(half) >= share
    kept = np.flatnonzero(np.concatenate([keep, keep]))
    capacity = topology.capacity or (Fraction(1),) * topology.arcs
    return Topology(
        n=topology.n,
        tail=topology.tail[kept],
        head=topology.head[kept],
        capacity=tuple(capacity[e] for e in kept),
        switches=topology.switches,
    )


def check_forest(forest: PackedForest) -> None:
    """Every tree spans, every root has its trees, and no arc of the network carries too much."""
    network = forest.network
    senders = set(network.compute.tolist())
    tail, head, arc = forest.tail.tolist(), forest.head.tolist(), forest.arc.tolist()
    load: Counter[int] = Counter()
    trees: Counter[int] = Counter()
    for i, (root, copies) in enumerate(zip(forest.root, forest.copies, strict=True)):
        reached = {int(root)}
        trees[int(root)] += int(copies)
        for a in arc[forest.start[i] : forest.start[i + 1]]:
            assert tail[a] in reached
            assert head[a] not in reached
            reached.add(head[a])
            load[a] += int(copies)
        assert reached == senders
    assert [trees[v] for v in range(network.n)] == [forest.k * w for w in network.weight]
    carried: Counter[int] = Counter()
    for a in range(len(tail)):
        left = load[a]
        assert left <= forest.capacity[a]
        for b in range(forest.bundle_start[a], forest.bundle_start[a + 1]):
            route = forest.route[forest.route_start[b] : forest.route_start[b + 1]]
            _check_route(network, route, tail[a], head[a])
            taken = min(left, int(forest.amount[b]))
            left -= taken
            carried.update(dict.fromkeys(route.tolist(), taken))
        assert left == 0
    for e, capacity in enumerate(network.capacity):
        assert carried[e] <= forest.inverse_tree * network.unit * capacity


def _check_route(network: Network, route: np.ndarray, tail: int, head: int) -> None:
    assert (network.tail[route[0]], network.head[route[-1]]) == (tail, head)
    middle = network.head[route[:-1]]
    assert (middle == network.tail[route[1:]]).all()
    assert not np.isin(middle, network.compute).any()
    assert len(np.unique(middle)) == len(middle)
