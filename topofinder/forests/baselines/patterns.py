"""Customary collectives as trees between hosts, whatever links there are.

What a host's shard does in a ring, in recursive doubling or in Bruck's algorithm is a tree: who
sends it on to whom. Run backwards it sums. Sources: Thakur, Rabenseifner and Gropp (2005) for
rings, recursive doubling and Bruck; NCCL 2.4 for double binary trees, and for trees that are a
chain inside a box. Hosts are numbered 0 to hosts - 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.families.double_binary_tree import tree_parents

MOST_EDGES = 1 << 22
"""Edges of all trees together."""
Edges = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalTrees:
    """Tree i is rooted at host `root[i]` and has the edges `edges[i]`, parents first.

    Each carries the same amount; as many are rooted at a host of weight w as k w.

    >>> pair = LogicalTrees(hosts=2, root=[0, 1], edges=[[(0, 1)], [(1, 0)]])
    >>> pair.weight, pair.k
    ((1, 1), 1)
    """

    hosts: int
    root: list[int]
    edges: list[Edges]

    @property
    def k(self) -> int:
        """Trees a root of weight 1."""
        return int(np.gcd.reduce(np.bincount(self.root)))

    @property
    def weight(self) -> tuple[int, ...]:
        """How much of the data each host is the root of, relatively."""
        count = np.bincount(self.root, minlength=self.hosts) // self.k
        return tuple(count.tolist())


def ring_trees(orders: Sequence[Sequence[int]]) -> LogicalTrees:
    """Round rings, one way each, that share every shard equally.

    >>> ring_trees([[0, 2, 1]]).edges
    [[(0, 2), (2, 1)], [(2, 1), (1, 0)], [(1, 0), (0, 2)]]
    """
    hosts = len(orders[0])
    require_room(hosts, len(orders) * hosts * (hosts - 1))
    root, edges = [], []
    for order in orders:
        twice = [*order, *order]
        for place, host in enumerate(order):
            path = twice[place : place + hosts]
            root.append(host)
            edges.append(list(pairwise(path)))
    return LogicalTrees(hosts=hosts, root=root, edges=edges)


def direct_trees(hosts: int) -> LogicalTrees:
    """Every host sends its shard to every other one itself.

    >>> direct_trees(3).edges[1]
    [(1, 2), (1, 0)]
    """
    require_room(hosts, hosts * (hosts - 1))
    return LogicalTrees(
        hosts=hosts,
        root=list(range(hosts)),
        edges=[[(h, (h + i) % hosts) for i in range(1, hosts)] for h in range(hosts)],
    )


def doubling_trees(hosts: int) -> LogicalTrees:
    """Recursive doubling: with the host at distance 1, then 2, 4, ...; halving, run backwards.

    Raises Unsupported unless the number of hosts is a power of two.

    >>> doubling_trees(4).edges[1]
    [(1, 0), (1, 3), (0, 2)]
    """
    require_room(hosts, hosts * (hosts - 1))
    if hosts & (hosts - 1):
        raise Unsupported(f"hosts: a power of two is needed, not {hosts}")
    bits = [1 << i for i in range(hosts.bit_length() - 1)]
    edges = [[(root ^ at, root ^ at ^ bit) for bit in bits for at in range(bit)]
             for root in range(hosts)]  # fmt: skip
    return LogicalTrees(hosts=hosts, root=list(range(hosts)), edges=edges)


def bruck_trees(hosts: int) -> LogicalTrees:
    """Bruck: whoever has a shard sends it 1 host on, then 2, 4, ..., to those that lack it.

    >>> bruck_trees(3).edges[0]
    [(0, 2), (0, 1)]
    """
    require_room(hosts, hosts * (hosts - 1))
    steps = [1 << i for i in range((hosts - 1).bit_length())]
    edges = [
        [((root - at) % hosts, (root - at - step) % hosts)
         for step in steps for at in range(min(step, hosts - step))]
        for root in range(hosts)
    ]  # fmt: skip
    return LogicalTrees(hosts=hosts, root=list(range(hosts)), edges=edges)


def double_binary_trees(hosts: int) -> LogicalTrees:
    """Two binary trees with half of the data each; inner hosts of one are leaves of the other.

    >>> double_binary_trees(4).root
    [0, 3]
    """
    require_room(hosts, 2 * hosts)
    return chained_trees([[host] for host in range(hosts)])


def chained_trees(boxes: Sequence[Sequence[int]]) -> LogicalTrees:
    """Double binary trees between boxes, in each a chain; as many pairs as a box has hosts.

    In the i-th pair the i-th host of every box is the head of its chain. One box has chains alone.

    >>> chained_trees([[0, 1], [2, 3]]).edges[0]
    [(0, 1), (0, 2), (2, 3)]
    """
    hosts = sum(map(len, boxes))
    count, size = len(boxes), min(map(len, boxes))
    require_room(hosts, 2 * size * hosts)
    first = [-1, *tree_parents(count).tolist()] if count > 1 else [-1]
    image = list(range(count))[::-1] if count % 2 == 0 else [(i + 1) % count for i in range(count)]
    second = [0] * count
    for box, parent in enumerate(first):
        second[image[box]] = image[parent] if parent >= 0 else -1
    root, edges = [], []
    for turn in range(size):
        chains = [[*box[turn:], *box[:turn]] for box in boxes]
        for parents in [first, second] if count > 1 else [first]:
            root.append(chains[parents.index(-1)][0])
            edges.append(_edges_from(chains, parents))
    return LogicalTrees(hosts=hosts, root=root, edges=edges)


def _edges_from(chains: list[list[int]], parents: list[int]) -> Edges:
    """The edges of a tree of boxes, each with its chain, parents first."""
    found: Edges = []
    ready = [parents.index(-1)]
    while ready:
        box = ready.pop(0)
        chain = chains[box]
        found += pairwise(chain)
        below = [child for child, parent in enumerate(parents) if parent == box]
        found += [(chain[0], chains[child][0]) for child in below]
        ready += below
    return found


def require_room(hosts: int, edges: int) -> None:
    """Raises InvalidInput for fewer than two hosts, Unsupported for more than MOST_EDGES edges."""
    if hosts < 2:
        raise InvalidInput(f"hosts: at least 2 are needed, not {excerpt(hosts)}")
    if edges > MOST_EDGES:
        raise Unsupported(f"hosts: at most {MOST_EDGES} edges of trees, not {edges}")
