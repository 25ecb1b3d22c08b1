"""Hamming graphs H(n,q) and hypercubes Q(n) = H(n,2): bandwidth-optimal at every size (table 9)."""

from collections.abc import Iterator

import numpy as np

from generators.mixed_radix import vector_jump_graph
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_exponent, require_name
from generators.topology import Topology


def hamming(n: int, q: int) -> Topology:
    """H(n,q): the words of n letters from q, joined when they differ in exactly one place.

    >>> hamming(2, 3).n, hamming(2, 3).degree
    (9, 4)
    """
    require_buildable(properties(n, q))
    jumps = np.kron(np.eye(n, dtype=np.int64), np.arange(1, q, dtype=np.int64)[:, None])
    return vector_jump_graph((q,) * n, jumps)


def hypercube(n: int) -> Topology:
    """Q(n): the words of n bits, joined when they differ in exactly one.

    >>> hypercube(3).n, hypercube(3).degree
    (8, 3)
    """
    require_buildable(hypercube_properties(n))
    return hamming(n, 2)


def properties(n: int, q: int) -> BaseProperties:
    """Distance-regular, hence bandwidth-optimal (theorem 18); a Cartesian power of K(q)."""
    require(n >= 1, f"H(n,q) needs n >= 1, not {n}")
    require(q >= 2, f"H(n,q) needs q >= 2, not {q}")
    return _properties(f"H({n},{q})", n, q)


def hypercube_properties(n: int) -> BaseProperties:
    """As for H(n,2)."""
    require(n >= 1, f"Q(n) needs n >= 1, not {n}")
    return _properties(f"Q({n})", n, 2)


def _properties(name: str, n: int, q: int) -> BaseProperties:
    require_exponent(name, n)
    require_name(name, q**n, n * (q - 1))
    return BaseProperties(
        n=q**n,
        d=n * (q - 1),
        regular=True,
        diameter=n,
        bandwidth_optimal=True,
        reverse_symmetric=True,
        bidirectional=True,
        simple=True,
        loop_free=True,
        transitive=True,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """H(k,q) with q^k = n and k(q - 1) = d; k = 1 is left to K(q) and q = 2 to Q(k)."""
    for k in range(2, n.bit_length()):
        q = d // k + 1
        if d % k == 0 and q >= 3 and q**k == n:
            yield (k, q)


def hypercube_members(n: int, d: int) -> Iterator[Arguments]:
    """Q(d) for n = 2^d; Q(1) and Q(2) are left to K(2) and K(2,2)."""
    if d >= 3 and n.bit_length() == d + 1 and n == 1 << d:
        yield (d,)


register_family(
    Family(
        name="H",
        title="Hamming graph",
        signature="H(n,q)",
        source="Zhao et al., table 9 and theorem 18",
        build=hamming,
        properties=properties,
        members=members,
        samples=((1, 2), (1, 4), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3)),
    )
)
register_family(
    Family(
        name="Q",
        title="hypercube",
        signature="Q(n)",
        source="Zhao et al., table 9 and theorem 18",
        build=hypercube,
        properties=hypercube_properties,
        members=hypercube_members,
        samples=((1,), (2,), (3,), (4,), (5,)),
    )
)
