"""How many trees a root needs, and the bandwidth of each.

Source: ForestColl (NSDI 2026), proposition E.1, section 5.5, appendix E.4 (algorithm 5, theorems 11
to 13). With k trees a root that take 1/U of bandwidth each, an arc of capacity b holds floor(U b)
trees. The paper's k makes every U b whole. Fewer trees may do, for an arc that no tight cut
uses to the full may lose its fraction; `least_count` looks for the fewest.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import gcd, lcm

import numpy as np

from generators.errors import InvalidInput
from topofinder.forests.optimality.bottleneck_cut import Optimum, leaving_arcs
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network

MAX_TREES = 1 << 40
SCAN = 200
NARROWER = 200


@dataclass(frozen=True, slots=True)
class TreeCount:
    """`k` trees a root of weight 1, of bandwidth 1 / `inverse_tree` each, in the topology's unit.

    `loss` is how much longer than the optimum an allgather takes, relative to the optimum.
    """

    k: int
    inverse_tree: Fraction
    loss: Fraction


def paper_count(network: Network, best: Optimum) -> int:
    """The paper's k: the least for which U b is whole on every arc and U / k = 1/x*.

    >>> from generators.families.hamming import hypercube
    >>> from topofinder.forests.optimality.bottleneck_cut import find_optimum
    >>> network = Network.of(hypercube(5))
    >>> paper_count(network, find_optimum(network))
    5
    """
    ratio = best.inverse_rate * network.unit
    return ratio.denominator // gcd(ratio.denominator, *network.capacity)


def tree_capacities(network: Network, inverse_tree: Fraction) -> list[int]:
    """How many trees of bandwidth 1 / inverse_tree each arc can hold."""
    whole = inverse_tree * network.unit
    top, below = whole.numerator, whole.denominator
    held = {c: c * top // below for c in set(network.capacity)}
    return [held[c] for c in network.capacity]


def fixed_count(network: Network, best: Optimum, k: int, cuts: Cuts) -> TreeCount:
    """The widest trees of which every root of weight 1 can have k (algorithm 5).

    One pass as for the optimum: U only grows, to the least value at which the cut that failed
    lets k w(S) trees out.
    """
    if not 1 <= k <= MAX_TREES:
        raise InvalidInput(f"k: 1 to {MAX_TREES} trees a root, not {k}")
    grown = k * best.inverse_rate * network.unit
    supply = [k * value for value in network.weight]
    position = 0
    while True:
        cuts.load(tree_capacities(network, grown / network.unit), supply, position)
        position = cuts.test(position)
        if position == len(cuts.order):
            break
        inside = cuts.violated_cut()
        exits = [network.capacity[e] for e in np.flatnonzero(leaving_arcs(network, inside))]
        demand = sum(supply[v] for v in np.flatnonzero(inside))
        grown = least_inverse_tree(exits, demand)
    tree = grown / network.unit
    return TreeCount(k, tree, tree / k / best.inverse_rate - 1)


def widen_to_balance(network: Network, best: Optimum, count: TreeCount) -> TreeCount:
    """The same k with trees as wide as every switch can take in as many as it passes on.

    Rounded capacities may differ in sum where links in and out are unlike. U grows from one value
    at which some arc holds a tree more to the next; after NARROWER of them the count is returned
    as it is.
    """
    tree = count.inverse_tree
    for _ in range(NARROWER):
        held = tree_capacities(network, tree)
        if is_balanced(network, held):
            return TreeCount(count.k, tree, tree / count.k / best.inverse_rate - 1)
        ends = zip(held, network.capacity, strict=True)
        tree = min(Fraction(room + 1, c) for room, c in set(ends)) / network.unit
    return count


def least_count(network: Network, best: Optimum, cuts: Cuts) -> TreeCount:
    """The fewest trees a root that reach the optimum, after SCAN trials at most.

    U b must be whole on the arcs that leave the bottleneck cut, so only multiples of the k that
    achieves this there are tried. A k that leaves a switch more capacity in than out is skipped,
    since edge splitting could not remove it.
    """
    ratio = best.inverse_rate * network.unit
    inside = np.isin(np.arange(network.n), best.cut)
    step = lcm(*((ratio * network.capacity[e]).denominator for e in np.flatnonzero(
        leaving_arcs(network, inside))))  # fmt: skip
    last = paper_count(network, best)
    for k in range(step, min(last, step * (SCAN + 1)), step):
        tree = k * best.inverse_rate
        held = tree_capacities(network, tree)
        if not is_balanced(network, held):
            continue
        cuts.load(held, [k * value for value in network.weight])
        if cuts.test() == len(cuts.order):
            return TreeCount(k, tree, Fraction(0))
    return TreeCount(last, last * best.inverse_rate, Fraction(0))


def scan_counts(network: Network, best: Optimum, ks: Iterable[int], cuts: Cuts) -> list[TreeCount]:
    """The best for every k of a list, so that one can see what few trees cost."""
    return [fixed_count(network, best, k, cuts) for k in ks]


def recommended_count(counts: Iterable[TreeCount], loss: Fraction = Fraction(1, 100)) -> TreeCount:
    """The first with no more than this loss; the one with the least loss if there is none."""
    listed = list(counts)
    return next((c for c in listed if c.loss <= loss), min(listed, key=lambda c: (c.loss, c.k)))


def count_within(
    network: Network, best: Optimum, loss: Fraction, exact: TreeCount, cuts: Cuts
) -> TreeCount:
    """The smallest k that takes no more than this loss; `exact` if none below it does.

    A k that leaves a switch with more trees in than out is widened first.

    >>> from generators.fabrics.mi250 import mi250
    >>> from topofinder.forests.optimality.bottleneck_cut import find_optimum
    >>> network = Network.of(mi250(2))
    >>> cuts = Cuts.of(network)
    >>> best = find_optimum(network, cuts)
    >>> count_within(network, best, Fraction(1, 1000), least_count(network, best, cuts), cuts).k
    23
    """
    if loss:
        for k in range(1, min(exact.k, SCAN + 1)):
            found = widen_to_balance(network, best, fixed_count(network, best, k, cuts))
            if found.loss <= loss:
                return found
    return exact


def is_balanced(network: Network, held: list[int]) -> bool:
    """Whether every switch can take in exactly as many trees as it can pass on."""
    net = [0] * network.n
    for u, v, room in zip(network.tail.tolist(), network.head.tolist(), held, strict=True):
        net[u] -= room
        net[v] += room
    return not any(net[w] for w in network.switches.tolist())


def least_inverse_tree(exits: list[int], demand: int) -> Fraction:
    """The least U for which the sum of floor(U b) over the exits is at least the demand.

    It is j / b for some exit b and integer j: a binary search for each different b.
    """
    numbers = Counter(exits)

    def is_enough(below: int, top: int) -> bool:
        return sum(times * (b * top // below) for b, times in numbers.items()) >= demand

    largest = max(numbers)
    best = Fraction(-(-demand // numbers[largest]), largest)
    for b in sorted(numbers, reverse=True):
        high = -(-best.numerator * b // best.denominator)  # the least j with j / b >= best
        j = _first_true(partial(is_enough, b), high)
        if j < high:
            best = min(best, Fraction(j, b))
    return best


def _first_true(holds: Callable[[int], bool], high: int) -> int:
    """The first of 0..high - 1 for which a monotone condition holds; `high` if there is none."""
    low = 0
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
