"""Circulant graphs C(n, {a1, ..., ak}): node u is joined to u + a and u - a for every jump a.

They exist for every n and every even degree, and for odd degrees when n is even, with the jump
n/2, which is its own inverse. Source: the paper's appendix F.4; Boesch and Wang 1985.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count, islice
from math import gcd, isqrt

from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.jump_sets import EVEN, HALF, MOST_TABLED, jump_set
from generators.registry import (
    Argument,
    Arguments,
    BaseProperties,
    Family,
    register_family,
    require,
)
from generators.size_limits import require_buildable, require_name
from generators.topology import Topology

Jumps = tuple[int, ...]

MOST_SPARSE = 8
"""Ports of the graphs that shipped jump sets and products of others reach both bounds with."""
MOST_SHIPPED = 16
"""Ports that shipped jump sets have; above, jumps are spread."""
LARGEST_SPREAD = 1 << 14
"""Nodes of the largest circulants with spread jumps."""


def circulant(n: int, jumps: Argument) -> Topology:
    """C(n, jumps): two arcs a node for every jump listed, but one for every listing of n/2.

    A jump listed r times makes r parallel arcs. Raises InvalidInput when n < 3, a jump is 0
    mod n, or the graph would not be connected.

    >>> circulant(16, (3, 4)).degree, circulant(8, (1, 4)).degree, circulant(9, (1, 1)).degree
    (4, 3, 4)
    """
    require_buildable(properties(n, jumps))
    _, reduced = _reduce(n, jumps)
    both_ways = [turn for a in reduced for turn in ([a] if 2 * a == n else [a, n - a])]
    return jump_graph(n, both_ways)


def properties(n: int, jumps: Argument) -> BaseProperties:
    """Two-way and transitive; bandwidth-optimal where that is proved (see `_proved_optimal`)."""
    _, reduced = _reduce(n, jumps)
    times = Counter(reduced)
    d = 2 * len(reduced) - times[n // 2] * (n % 2 == 0)
    require_name("C(n,{...})", n, d)
    return BaseProperties(
        n=n,
        d=d,
        regular=True,
        diameter=_known_diameter(n, tuple(sorted(times))),
        bandwidth_optimal=_proved_optimal(n, times),
        reverse_symmetric=True,
        bidirectional=True,
        simple=max(times.values()) == 1,
        loop_free=True,
        transitive=True,
    )


def canonical(n: int, jumps: Argument) -> Arguments:
    """Every jump between 1 and n/2 (a and n - a are the same), ascending.

    >>> canonical(16, (12, 3))
    (16, (3, 4))
    """
    return _reduce(n, jumps)


def two_jumps(n: int) -> Jumps:
    """The two jumps of least diameter: theorem 22's m and m + 1, for n > 6; 1 and 2 for 5 and 6.

    m is the least integer with 2 m (m + 1) + 1 >= n, which is ceil((sqrt(2n - 1) - 1) / 2).

    >>> two_jumps(16), two_jumps(25), two_jumps(26)
    ((3, 4), (3, 4), (4, 5))
    """
    m = (isqrt(2 * n - 1) - 1) // 2
    m += 2 * m * (m + 1) + 1 < n
    return (m, m + 1) if n > 6 else (1, 2)


def members(n: int, d: int) -> Iterator[Arguments]:
    """Good members: theorem 22's when 4 divides d, the best shipped jump set, dense, spread.

    Sets are repeated as often as d asks, each jump equally often: a schedule stays as good.
    """
    found = [*(_even_members(n, d) if d % 2 == 0 else _odd_members(n, d))]
    found += [*_dense_members(n, d), *_spread_members(n, d)]
    yield from ((n, jumps) for jumps in dict.fromkeys(found))


def _dense_members(n: int, d: int) -> Iterator[Jumps]:
    """The jumps 1, 2, ... and n/2 for an odd d, where two of them lead everywhere: up to 2 d + 1.

    BFB is bandwidth-optimal there for all d up to 63. Others are as good up to MOST_SPARSE ports.
    """
    if MOST_SPARSE < d < n - 1 <= 2 * d and n * d % 2 == 0:
        yield (*range(1, d // 2 + 1), *((n // 2,) if d % 2 else ()))


def _even_members(n: int, d: int) -> Iterator[Jumps]:
    if n < 3 or d < 4:
        return
    if n < 5:
        yield (1,) * (d // 2)
    elif d % 4 == 0:
        yield tuple(sorted(two_jumps(n) * (d // 4)))
    for k in reversed(EVEN):
        best = jump_set(n, k) if d % (2 * k) == 0 else None
        if best:
            yield tuple(sorted(best.jumps * (d // (2 * k))))
            return


def _odd_members(n: int, d: int) -> Iterator[Jumps]:
    if n < 6 or n % 2:
        return
    for k in reversed(HALF):
        best = jump_set(n, k, half=True) if d % (2 * k + 1) == 0 else None
        if best:
            yield tuple(sorted(best.jumps * (d // (2 * k + 1))))
            return
    if d >= 3 and d % 3 == 0:
        yield tuple(sorted((1, n // 2) * (d // 3)))


def _spread_members(n: int, d: int) -> Iterator[Jumps]:
    """Spread jumps where no sets ship, because of the nodes or the ports; n/2 for an odd d."""
    ships = n <= MOST_TABLED and d <= MOST_SHIPPED
    if ships or d < 2 * EVEN[0] or n * d % 2 or not 2 * d + 1 < n <= LARGEST_SPREAD:
        return
    yield (*spread_jumps(n, d // 2), *((n // 2,) if d % 2 else ()))


def spread_jumps(n: int, k: int) -> Jumps:
    """k jumps below n/2, in levels: multiples of 1, of w, of w^2, ..., as many of each, modulo n.

    A node is a sum of jumps of all levels; w^L is about n for L levels, and w no less than twice
    the multiples + 1, which one step of each level is enough for. Of all L that of fewest steps is
    taken, the first of those.

    >>> spread_jumps(49, 6), spread_jumps(2000, 6)
    ((1, 2, 3, 7, 14, 21), (1, 2, 13, 26, 169, 338))
    """
    best = min(range(1, k + 1), key=lambda levels: _levels(n, k, levels)[0])
    found = _levels(n, k, best)[1]
    unused = (jump for jump in range(1, n) if jump not in found)
    return tuple(sorted([*found, *islice(unused, k - len(found))]))


def _levels(n: int, k: int, levels: int) -> tuple[int, list[int]]:
    """Steps that lead to every node, and the jumps of so many levels, reduced; n/2 is left out."""
    root = next(w for w in count(1) if w**levels >= n) if levels > 1 else n
    unit, steps, found = 1, 0, dict[int, None]()
    for level in range(levels):
        own = k // levels + (level < k % levels)
        width = min(max(2 * own + 1, root), -(-n // unit))
        reduced = (min(jump % n, -jump % n) for jump in range(unit, unit * own + 1, unit))
        found |= dict.fromkeys(jump for jump in reduced if 0 < 2 * jump < n)
        steps += -(-(width // 2) // own)
        unit *= width
    return steps, list(found)


def _reduce(n: int, jumps: Argument) -> tuple[int, Jumps]:
    require(isinstance(n, int) and n >= 3, f"C(n,{{...}}) needs n >= 3, not {n}")
    if isinstance(jumps, int):
        jumps = (jumps,)
    if not isinstance(jumps, tuple) or not jumps:
        raise InvalidInput(f"C({n},...) needs jumps, not {excerpt(jumps)}")
    reduced = []
    for jump in jumps:
        if not isinstance(jump, int):
            raise InvalidInput(f"{_name(n, jumps)}: jump {excerpt(jump)} is not an integer")
        if jump % n == 0:
            raise InvalidInput(f"{_name(n, jumps)}: jump {jump} is 0 mod {n}")
        reduced.append(min(jump % n, -jump % n))
    common = gcd(n, *reduced)
    if common != 1:
        raise InvalidInput(
            f"{_name(n, jumps)} is not connected: {common} divides {n} and every jump"
        )
    return n, tuple(sorted(reduced))


def _name(n: int, jumps: Iterable[object]) -> str:
    return f"C({n},{{{','.join(map(str, jumps))}}})"


def _known_diameter(n: int, jumps: Jumps) -> int | None:
    """The diameter m of C(n, {m, m+1}), n > 6 (theorem 22), and of rings and Moebius ladders.

    With {1, n/2}, an even n, a node x <= n/2 away is reached in min(x, 1 + n/2 - x) steps.
    """
    if n > 6 and jumps == two_jumps(n):
        return jumps[0]
    if jumps == (1,):
        return n // 2
    return (n // 2 + 1) // 2 if n % 2 == 0 and jumps == (1, n // 2) else None


def _proved_optimal(n: int, times: Counter[int]) -> bool | None:
    """True where a proof of bandwidth-optimality is known; the general case is conjecture 1.

    One jump makes a ring (F.1), two make the case that the paper proves (F.4). With {a, n/2} the
    graph is a Moebius ladder or an odd prism. Inner layers hold four nodes, eligible for {+},
    {-}, {+, n/2} and {-, n/2}: 4/3 on each link balances them. The first layer has one node a
    link; the last may have two nodes, eligible for {+, n/2} and {-, n/2} at least. Listing every
    jump r times splits each link's load into r equal parts.
    """
    if len(set(times.values())) > 1:
        return None
    return True if len(times) <= 2 else None


register_family(
    Family(
        name="C",
        title="circulant graph",
        signature="C(n,{a1,...,ak})",
        source="Zhao et al., appendix F.4; Boesch and Wang 1985",
        build=circulant,
        properties=properties,
        canonical=canonical,
        members=members,
        samples=(
            (3, (1,)),
            (6, (1, 2)),
            (7, (2, 3)),
            (16, (3, 4)),
            (64, (5, 6)),
            (25, (3, 3, 4, 4)),
            (10, (2, 5)),
            (12, (1, 6)),
            (4, (1, 2, 2)),
            (30, (1, 4, 11)),
            (26, (1, 1, 5)),
            (22, (1, 4, 11)),
            (15, (3, 5)),
        ),
    )
)
