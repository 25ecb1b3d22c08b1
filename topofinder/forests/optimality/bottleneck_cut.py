"""The optimum 1/x* and its bottleneck cut, by cut improvement within one pass.

Source: ForestColl (NSDI 2026), section 4, theorem 1; the improvement is Dinkelbach's. Begin
with the best cut around a single node. When a target fails at the ratio p/q, its
minimum cut has a greater ratio w(S)/B(S): take that and go on from the same target. All is in
integers: capacities times p, supplies times q.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.arrays import column
from generators.errors import InvalidInput
from generators.topology import BoolArray, IntArray
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Optimum:
    """The best possible rate, and a cut that proves it.

    `inverse_rate` is 1/x* = max w(S) / B+(S): `weight` over `exiting`, w(S) being the weight
    inside the cut and B+(S) the bandwidth that leaves it, in the topology's unit. `cut` lists the
    nodes of S in ascending order; some compute node is outside. `total` is the weight of all.
    """

    inverse_rate: Fraction
    cut: IntArray
    weight: int
    exiting: Fraction
    total: int

    @property
    def algbw(self) -> Fraction:
        """Bytes of all shards together over the time of an allgather: total / (1/x*)."""
        return self.total / self.inverse_rate


def find_optimum(network: Network, cuts: Cuts | None = None) -> Optimum:
    """1/x* of the network, exact for capacities of any size.

    Raises InvalidInput, with the names of two nodes, when one cannot reach the other.

    >>> from generators.families.hamming import hypercube
    >>> best = find_optimum(Network.of(hypercube(3)))
    >>> best.inverse_rate, best.exiting, len(best.cut)
    (Fraction(7, 3), Fraction(3, 1), 7)
    """
    cuts = cuts or Cuts.of(network)
    capacity = np.array(network.capacity, dtype=object)
    inside = _best_cut_around_a_node(network)
    position = 0
    while True:
        ratio = Fraction(*_weight_and_exit(network, inside))
        supply = [value * ratio.denominator for value in network.weight]
        cuts.load(capacity * ratio.numerator, supply, position)
        position = cuts.test(position)
        if position == len(cuts.order):
            break
        inside = cuts.violated_cut()
    weight, exiting = _weight_and_exit(network, inside)
    return Optimum(
        inverse_rate=ratio / network.unit,
        cut=column(np.flatnonzero(inside), np.int32),
        weight=weight,
        exiting=exiting * network.unit,
        total=network.total,
    )


def leaving_arcs(network: Network, inside: BoolArray) -> BoolArray:
    """Which arcs leave the cut."""
    return inside[network.tail] & ~inside[network.head]


def _weight_and_exit(network: Network, inside: BoolArray) -> tuple[int, int]:
    """Weight inside the cut, and capacity that leaves it."""
    exiting = sum(network.capacity[e] for e in np.flatnonzero(leaving_arcs(network, inside)))
    weight = sum(network.weight[v] for v in np.flatnonzero(inside))
    if not exiting:
        senders = [int(v) for v in np.flatnonzero(inside) if network.weight[v]]
        beyond = next(int(v) for v in network.compute if not inside[v])
        raise InvalidInput(
            f"node {network.name(beyond)} cannot be reached from node {network.name(senders[0])}"
        )
    return weight, exiting


def _best_cut_around_a_node(network: Network) -> BoolArray:
    """The cut with the greatest ratio among those that leave out one compute node."""
    into, _ = network.node_capacities()
    total = network.total
    targets = [v for v in network.compute.tolist() if network.weight[v] < total]
    lone = next((v for v in targets if not into[v]), None)
    worst = max(targets, key=lambda v: Fraction(total - network.weight[v], into[v] or 1))
    worst = worst if lone is None else lone
    inside = np.ones(network.n, np.bool_)
    inside[worst] = False
    return inside
