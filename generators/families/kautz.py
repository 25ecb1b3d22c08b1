"""Kautz graphs L^n(K_{d+1}): Moore-optimal at d^n(d+1) nodes (table 9)."""

from collections.abc import Iterator

from generators.families import generalized_kautz
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_exponent
from generators.topology import Topology


def kautz(d: int, n: int) -> Topology:
    """Kautz(d,n), numbered as Pi(d, d^n(d+1)), to which it is equal (definition 16).

    >>> kautz(2, 2).n, kautz(2, 0).n
    (12, 3)
    """
    require_buildable(properties(d, n))
    return generalized_kautz.generalized_kautz(d, d**n * (d + 1))


def properties(d: int, n: int) -> BaseProperties:
    """Diameter n + 1 and reverse-symmetric; d = 1 is refused, since L(K_2) is K_2 again."""
    require(d >= 2, f"Kautz(d,n) needs d >= 2, not {d}")
    require(n >= 0, f"Kautz(d,n) needs n >= 0, not {n}")
    require_exponent(f"Kautz({d},{n})", n)
    return generalized_kautz.properties(d, d**n * (d + 1))


def members(n: int, d: int) -> Iterator[Arguments]:
    """Kautz(d,k) with k >= 1 and d^k(d+1) = n; k = 0 is left to K(d+1)."""
    exponent = generalized_kautz.kautz_exponent(d, n) if d >= 2 else None
    if exponent:
        yield (d, exponent)


register_family(
    Family(
        name="Kautz",
        title="Kautz graph",
        signature="Kautz(d,n)",
        source="Kautz (1968); Zhao et al., table 9",
        build=kautz,
        properties=properties,
        members=members,
        samples=((2, 0), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2), (8, 1)),
    )
)
