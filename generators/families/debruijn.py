"""De Bruijn graphs DBJ(d,n): the diameter n at d^n nodes, with d self-loops (table 9)."""

from collections.abc import Iterator

import numpy as np

from generators.arrays import cyclic_translation
from generators.families.words import de_bruijn_words, pattern_representatives
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_exponent, require_name
from generators.topology import Topology


def de_bruijn(d: int, n: int) -> Topology:
    """DBJ(d,n): arcs [x, d x + a mod d^n] for 0 <= a < d, words of n letters and their shifts.

    >>> de_bruijn(2, 2).head.tolist()
    [0, 1, 2, 3, 0, 1, 2, 3]
    """
    require_buildable(properties(d, n))
    nodes = d**n
    tail = np.repeat(np.arange(nodes, dtype=np.int64), d)
    head = (d * tail + np.tile(np.arange(d), nodes)) % nodes
    return Topology(
        n=nodes,
        tail=tail.astype(np.int32),
        head=head.astype(np.int32),
        translation=cyclic_translation(nodes) if n == 1 else None,
        orbits=pattern_representatives(de_bruijn_words(d, n)),
    )


def properties(d: int, n: int) -> BaseProperties:
    """Never bandwidth-optimal: a node with a self-loop receives N - 1 shards on d - 1 arcs."""
    require(d >= 2, f"DBJ(d,n) needs d >= 2, not {d}")
    require(n >= 1, f"DBJ(d,n) needs n >= 1, not {n}")
    require_exponent(f"DBJ({d},{n})", n)
    require_name(f"DBJ({d},{n})", d**n, d)
    return BaseProperties(
        n=d**n,
        d=d,
        regular=True,
        diameter=n,
        bandwidth_optimal=False,
        reverse_symmetric=True,
        bidirectional=n == 1,
        simple=True,
        loop_free=False,
        transitive=n == 1,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """DBJ(d,k) with d^k = n."""
    exponent, nodes = 1, d
    while 1 < nodes < n:
        nodes *= d
        exponent += 1
    if nodes == n and d >= 2:
        yield (d, exponent)


register_family(
    Family(
        name="DBJ",
        title="de Bruijn graph",
        signature="DBJ(d,n)",
        source="de Bruijn (1946); Zhao et al., table 9",
        build=de_bruijn,
        properties=properties,
        members=members,
        samples=((2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (4, 2), (4, 3)),
    )
)
