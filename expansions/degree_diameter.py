"""The least diameter of N nodes of degree d, as far as it is proved: T_L* of an allgather.

A shard takes as many steps as its receiver is away, so that T_L is at least the diameter. The Moore
bound M(d, k) = 1 + d + ... + d^k on the nodes within k steps is reached by few graphs, and those of
a few nodes less (the *defect*) are settled too. Sources, in the words of what is printed:

- digraphs: Plesnik and Znam (1974), Bridges and Toueg (1980): no defect 0 for d, k >= 2. Defect 1:
  Miller and Fris (1992) for d = 2, Baskoro, Miller, Siran and Sutton (2005) for d = 3, both k >= 3;
  Conde, Gimbert, Gonzalez, Miret and Moreno (2008, 2013) for k = 3 and k = 4. Defect 2: Miller and
  Siran (2001) for d = 2, k >= 3. The results speak of the largest out-degree.
- graphs, for two-way circuits: Hoffman and Singleton (1960), Bannai and Ito (1973), Damerell
  (1973): defect 0 for d >= 3, k >= 2 only where k = 2 and d is 3, 7 or perhaps 57. Erdos,
  Fajtlowicz and Hoffman (1980) for k = 2, Bannai and Ito (1981) for k >= 3: no defect 1.
  Feria-Puron, Miller and Pineda-Villavicencio (2011): no defect 2 for even d and k >= 4, nor for
  d = 4, k = 3, nor for odd d >= 5 and k >= 5 if d is 0 or 2 modulo k. Of degree 3: Buset (2000) at
  most 38 nodes for k = 4, which is defect 8; Miller and Pineda-Villavicencio (2009) no defect below
  6 for k >= 5. Molodtsov (2006): of degree 6 and diameter 2 at most 32 nodes. All speak of the
  largest degree.

Parallel arcs and self-loops reach no more nodes than the same graph without them.
"""

from collections.abc import Callable
from typing import NamedTuple

from expansions.lower_bounds import free_ports, moore_steps, two_way_moore_steps

MOORE = "Moore bound"


class DiameterBound(NamedTuple):
    """The least diameter, and who proved it."""

    steps: int
    source: str


class Exclusion(NamedTuple):
    """Graphs that do not exist; `covers` takes the degree d, the diameter k and the defect."""

    covers: Callable[[int, int, int], bool]
    source: str


DIGRAPHS = (
    Exclusion(lambda d, k, defect: defect == 0, "no Moore digraph: Bridges and Toueg 1980"),
    Exclusion(
        lambda d, k, defect: k >= 3 and d == 2 and defect == 1,
        "no almost Moore digraph: Miller and Fris 1992",
    ),
    Exclusion(
        lambda d, k, defect: k >= 3 and d == 3 and defect == 1,
        "no almost Moore digraph: Baskoro et al. 2005",
    ),
    Exclusion(
        lambda d, k, defect: k == 3 and defect == 1, "no almost Moore digraph: Conde et al. 2008"
    ),
    Exclusion(
        lambda d, k, defect: k == 4 and defect == 1, "no almost Moore digraph: Conde et al. 2013"
    ),
    Exclusion(
        lambda d, k, defect: k >= 3 and d == 2 and defect == 2,
        "no digraph of defect 2: Miller and Siran 2001",
    ),
)
"""For d, k >= 2."""

GRAPHS = (
    Exclusion(
        lambda d, k, defect: defect == 0 and not (k == 2 and d in (3, 7, 57)),
        "no Moore graph: Bannai and Ito 1973",
    ),
    Exclusion(
        lambda d, k, defect: k == 2 and defect == 1, "no graph of defect 1: Erdos et al. 1980"
    ),
    Exclusion(lambda d, k, defect: defect == 1, "no graph of defect 1: Bannai and Ito 1981"),
    Exclusion(
        lambda d, k, defect: defect == 2 and d % 2 == 0 and (k >= 4 or (d, k) == (4, 3)),
        "no graph of defect 2: Feria-Puron et al. 2011",
    ),
    Exclusion(
        lambda d, k, defect: defect == 2 and d % 2 == 1 and d >= 5 <= k and d % k in (0, 2),
        "no graph of defect 2: Feria-Puron et al. 2011",
    ),
    Exclusion(
        lambda d, k, defect: d == 3 and k == 4 and defect < 8, "at most 38 nodes: Buset 2000"
    ),
    Exclusion(
        lambda d, k, defect: d == 3 and k >= 5 and defect < 6,
        "no graph of defect below 6: Miller and Pineda-Villavicencio 2009",
    ),
    Exclusion(
        lambda d, k, defect: (d, k) == (6, 2) and defect < 5, "at most 32 nodes: Molodtsov 2006"
    ),
)
"""For d >= 3, k >= 2."""


def least_diameter(n: int, d: int, *, two_way: bool = False) -> DiameterBound:
    """T_L*(N, d): what is proved of digraphs, or of graphs whose circuits are all `two_way`.

    >>> least_diameter(7, 2), least_diameter(8, 3, two_way=True)
    (DiameterBound(steps=3, source='no Moore digraph: Bridges and Toueg 1980'), \
DiameterBound(steps=2, source='Moore bound'))
    """
    steps = two_way_moore_steps(n, d) if two_way else moore_steps(n, d)
    least, exclusions = (3, GRAPHS) if two_way else (2, DIGRAPHS)
    if d < least or steps < 2:
        return DiameterBound(steps, MOORE)
    defect = moore_nodes(d, steps, two_way=two_way) - n
    for one in exclusions:
        if one.covers(d, steps, defect):
            return DiameterBound(steps + 1, one.source)
    return DiameterBound(steps, MOORE)


def moore_nodes(d: int, k: int, *, two_way: bool = False) -> int:
    """M(d, k): nodes within k steps of one, itself included, at most.

    >>> moore_nodes(2, 3), moore_nodes(3, 2, two_way=True)
    (15, 10)
    """
    reached, layer = 1, d
    for _ in range(k):
        reached += layer
        layer *= d - 1 if two_way else d
    return reached


def bandwidth_source(n: int, d: int, *, two_way: bool = False) -> str:
    """Who proved T_B*(N).

    >>> bandwidth_source(9, 3, two_way=True)
    'theorem 4, one port free'
    """
    return "theorem 4, one port free" if two_way and free_ports(n, d) else "theorem 4"
