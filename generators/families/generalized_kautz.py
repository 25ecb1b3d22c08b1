"""Generalized Kautz graphs Pi(d,m): low diameter for every size and degree (definition 16).

They are the digraphs of Imase and Itoh (1981, 1983): diameter at most ceil(log_d m), one step
above the Moore bound at worst (theorem 21). Pi(d, d^n(d+1)) is the Kautz graph L^n(K_{d+1}).
"""

from collections.abc import Iterator
from math import gcd

import numpy as np

from generators.arrays import cyclic_translation
from generators.families.words import kautz_words, pattern_representatives
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_name
from generators.topology import IntArray, Topology


def generalized_kautz(d: int, m: int) -> Topology:
    """Pi(d,m): arcs [x, -d x - a mod m] for 1 <= a <= d.

    >>> generalized_kautz(2, 5).head.tolist()
    [4, 3, 2, 1, 0, 4, 3, 2, 1, 0]
    """
    require_buildable(properties(d, m))
    nodes = np.arange(m, dtype=np.int64)
    head = (-d * nodes % m)[:, None] - np.arange(1, d + 1) % m
    head[head < 0] += m
    return Topology(
        n=m,
        tail=np.repeat(nodes, d),
        head=head.ravel(),
        translation=cyclic_translation(m) if m == d + 1 else None,
        orbits=_orbits(d, m),
    )


def kautz_exponent(d: int, m: int) -> int | None:
    """The n for which Pi(d,m) = Kautz(d,n), or None.

    >>> kautz_exponent(2, 12), kautz_exponent(2, 3), kautz_exponent(2, 9)
    (2, 0, None)
    """
    power, rest = divmod(m, d + 1)
    exponent = 0
    while power > 1 and power % d == 0:
        power //= d
        exponent += 1
    return exponent if power == 1 and rest == 0 else None


def properties(d: int, m: int) -> BaseProperties:
    """Facts of theorem 21, and those of the Kautz graph where Pi(d,m) is one.

    Loop-free exactly when d + 1 divides m: a loop solves (d + 1)x = -a with 1 <= a <= d.
    Two-way only when complete: the arcs [0, -a] turned round need a d mod m in 1..d for every
    1 <= a <= d, and the first multiple of d - m to wrap round misses unless m = d + 1.
    """
    require(d >= 1, f"Pi(d,m) needs d >= 1, not {d}")
    require(m >= d + 1, f"Pi(d,m) needs m >= d + 1 = {d + 1}, not {m}")
    require(d >= 2 or m == 2, f"Pi(1,m) is connected only for m = 2, not {m}")
    require_name(f"Pi({d},{m})", m, d)
    exponent = kautz_exponent(d, m)
    bound = _least_power(d, m)
    return BaseProperties(
        n=m,
        d=d,
        regular=True,
        diameter=_diameter(d, m),
        max_diameter=bound,
        bandwidth_optimal=True if exponent == 0 else None,
        reverse_symmetric=True if exponent is not None else None,
        bidirectional=exponent == 0,
        simple=True,
        loop_free=m % (d + 1) == 0,
        # The affine group alone is transitive on 2(d+1) nodes, the letters on Kautz(d,1).
        transitive=True if 2 * (d + 1) % m == 0 or exponent == 1 else None,
    )


def _least_power(d: int, m: int) -> int:
    """ceil(log_d m), or 1 for the two nodes of Pi(1,2)."""
    steps, reach = 1, d
    while reach < m and d > 1:
        reach *= d
        steps += 1
    return steps


def _diameter(d: int, m: int) -> int | None:
    """Exact for Kautz graphs, and where the Moore bound meets that of Imase and Itoh."""
    exponent, bound = kautz_exponent(d, m), _least_power(d, m)
    if exponent is not None:
        return exponent + 1
    within = (d**bound - 1) // (d - 1)
    return bound if m > within else None


def _orbits(d: int, m: int) -> IntArray:
    """Representatives under letters where there are words, else under x+c and -1-x."""
    exponent = kautz_exponent(d, m)
    if exponent is not None:
        return pattern_representatives(kautz_words(d, exponent))
    return affine_representatives(d, m)


def affine_representatives(d: int, m: int) -> IntArray:
    """One node of each orbit of x -> -1 - x and of x -> x + c where (d + 1)c = 0 mod m.

    >>> affine_representatives(4, 15).tolist()
    [0, 1]
    """
    period = m // gcd(m, d + 1)
    return np.arange((period + 1) // 2, dtype=np.int32)


def members(n: int, d: int) -> Iterator[Arguments]:
    """Pi(d,n) for every d >= 2, unless it is K(d+1) or Kautz(d,k), which name themselves."""
    if d >= 2 and n > d + 1 and kautz_exponent(d, n) is None:
        yield (d, n)


register_family(
    Family(
        name="Pi",
        title="generalized Kautz graph",
        signature="Pi(d,m)",
        source="Imase and Itoh (1983); Zhao et al., definition 16 and theorem 21",
        build=generalized_kautz,
        properties=properties,
        members=members,
        samples=(
            *((1, 2), (2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (2, 12), (2, 13), (3, 4), (3, 8)),
            *((3, 10), (4, 5), (4, 10), (4, 17), (4, 20), (4, 64), (4, 150), (8, 18), (8, 75)),
        ),
    )
)
