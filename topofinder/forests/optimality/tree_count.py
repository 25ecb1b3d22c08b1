"""How many trees a root needs, and the bandwidth of each.

Source: ForestColl (NSDI 2026), proposition E.1, section 5.5, appendix E.4 (algorithm 5, theorems 11
to 13). With k trees a root that take 1/U of bandwidth each, an arc of capacity b holds floor(U b)
trees. The paper's k makes every U b whole. Fewer trees may do, for an arc that no tight cut
uses to the full may lose its fraction; `least_count` looks for the fewest.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from generators.errors import InvalidInput
from topofinder.forests.optimality.bottleneck_cut import Optimum, leaving
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Fabric

MAX_TREES = 1 << 40
SCAN = 200
NARROWER = 200


@dataclass(frozen=True, slots=True)
class Count:
    """`k` trees a root of weight 1, of bandwidth 1 / `inverse_tree` each, in the topology's unit.

    `loss` is how much longer than the optimum an allgather takes, relative to the optimum.
    """

    k: int
    inverse_tree: Fraction
    loss: Fraction


def paper_count(fabric: Fabric, best: Optimum) -> int:
    """The paper's k: the least for which U b is whole on every arc and U / k = 1/x*.

    >>> from generators.families.hamming import hypercube
    >>> from topofinder.forests.optimality.bottleneck_cut import optimality
    >>> fabric = Fabric.of(hypercube(5))
    >>> paper_count(fabric, optimality(fabric))
    5
    """
    ratio = best.inverse_rate * fabric.unit
    return ratio.denominator // gcd(ratio.denominator, *fabric.capacity)


def places(fabric: Fabric, inverse_tree: Fraction) -> list[int]:
    """How many trees of bandwidth 1 / inverse_tree each arc can hold."""
    whole = inverse_tree * fabric.unit
    top, below = whole.numerator, whole.denominator
    held = {c: c * top // below for c in set(fabric.capacity)}
    return [held[c] for c in fabric.capacity]


def fixed_count(fabric: Fabric, best: Optimum, k: int, cuts: Cuts) -> Count:
    """The widest trees of which every root of weight 1 can have k (algorithm 5).

    One pass as for the optimum: U only grows, to the least value at which the cut that failed
    lets k w(S) trees out.
    """
    if not 1 <= k <= MAX_TREES:
        raise InvalidInput(f"k: 1 to {MAX_TREES} trees a root, not {k}")
    grown = k * best.inverse_rate * fabric.unit
    supply = [k * value for value in fabric.weight]
    position = 0
    while True:
        cuts.load(places(fabric, grown / fabric.unit), supply, position)
        position = cuts.test(position)
        if position == len(cuts.order):
            break
        inside = cuts.inside()
        exits = [fabric.capacity[e] for e in np.flatnonzero(leaving(fabric, inside))]
        demand = sum(supply[v] for v in np.flatnonzero(inside))
        grown = _least_for(exits, demand)
    tree = grown / fabric.unit
    return Count(k, tree, tree / k / best.inverse_rate - 1)


def passable(fabric: Fabric, best: Optimum, count: Count) -> Count:
    """The same k with trees as wide as every switch can take in as many as it passes on.

    Rounded capacities may differ in sum where links in and out are unlike. U grows from one value
    at which some arc holds a tree more to the next; after NARROWER of them the count is returned
    as it is.
    """
    tree = count.inverse_tree
    for _ in range(NARROWER):
        held = places(fabric, tree)
        if balanced(fabric, held):
            return Count(count.k, tree, tree / count.k / best.inverse_rate - 1)
        ends = zip(held, fabric.capacity, strict=True)
        tree = min(Fraction(room + 1, c) for room, c in set(ends)) / fabric.unit
    return count


def least_count(fabric: Fabric, best: Optimum, cuts: Cuts) -> Count:
    """The fewest trees a root that reach the optimum, after SCAN trials at most.

    U b must be whole on the arcs that leave the bottleneck cut, so only multiples of the k that
    achieves this there are tried. A k that leaves a switch more capacity in than out is skipped,
    since edge splitting could not remove it.
    """
    ratio = best.inverse_rate * fabric.unit
    inside = np.isin(np.arange(fabric.n), best.cut)
    step = lcm(*((ratio * fabric.capacity[e]).denominator for e in np.flatnonzero(
        leaving(fabric, inside))))  # fmt: skip
    last = paper_count(fabric, best)
    for k in range(step, min(last, step * (SCAN + 1)), step):
        tree = k * best.inverse_rate
        held = places(fabric, tree)
        if not balanced(fabric, held):
            continue
        cuts.load(held, [k * value for value in fabric.weight])
        if cuts.test() == len(cuts.order):
            return Count(k, tree, Fraction(0))
    return Count(last, last * best.inverse_rate, Fraction(0))


def scan(fabric: Fabric, best: Optimum, ks: Iterable[int], cuts: Cuts) -> list[Count]:
    """The best for every k of a list, so that one can see what few trees cost."""
    return [fixed_count(fabric, best, k, cuts) for k in ks]


def recommended(counts: Iterable[Count], loss: Fraction = Fraction(1, 100)) -> Count:
    """The first with no more than this loss; the one with the least loss if there is none."""
    listed = list(counts)
    return next((c for c in listed if c.loss <= loss), min(listed, key=lambda c: (c.loss, c.k)))


def balanced(fabric: Fabric, held: list[int]) -> bool:
    """Whether every switch can take in exactly as many trees as it can pass on."""
    net = [0] * fabric.n
    for u, v, places_ in zip(fabric.tail.tolist(), fabric.head.tolist(), held, strict=True):
        net[u] -= places_
        net[v] += places_
    return not any(net[w] for w in fabric.switches.tolist())


def _least_for(exits: list[int], demand: int) -> Fraction:
    """The least U for which the sum of floor(U b) over the exits is at least the demand.

    It is j / b for some exit b and integer j: a binary search for each different b.
    """
    numbers = {b: exits.count(b) for b in set(exits)}

    def held(top: int, below: int) -> int:
        return sum(times * (b * top // below) for b, times in numbers.items())

    largest = max(numbers)
    best = Fraction(-(-demand // numbers[largest]), largest)
    for b in sorted(numbers, reverse=True):
        high = -(-best.numerator * b // best.denominator)  # the least j with j / b >= best
        if held(high - 1, b) < demand:
            continue
        low = 0
        high -= 1
        while low < high:
            middle = (low + high) // 2
            if held(middle, b) >= demand:
                high = middle
            else:
                low = middle + 1
        best = min(best, Fraction(high, b))
    return best
