"""Diamond: 8 nodes of degree 2, Moore- and bandwidth-optimal at once, but not by BFB (table 9).

It has the published diameter, asymmetry and all-to-all throughput (f of LP (3) is 3/20); up to
isomorphism and transposition no other loop-free simple digraph of 8 nodes and degree 2 does.
The 3-step schedule of bandwidth 7/8 is in `topofinder.schedules.synthesis`.
"""

from collections.abc import Iterator

from generators.families.modified_arcs import diamond_arcs
from generators.registry import Arguments, BaseProperties, Family, register_family
from generators.topology import Topology


def diamond() -> Topology:
    """The digraph of figure 19.

    >>> diamond().n, diamond().degree, diamond().has_loops
    (8, 2, False)
    """
    return Topology.from_arcs(8, diamond_arcs())


def properties() -> BaseProperties:
    """The least BFB bandwidth is 1; a schedule that lets sends wait needs 7/8 only."""
    return BaseProperties(
        n=8,
        d=2,
        regular=True,
        diameter=3,
        bandwidth_optimal=False,
        reverse_symmetric=False,
        bidirectional=False,
        simple=True,
        loop_free=True,
        transitive=False,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """Diamond for 8 nodes of degree 2."""
    if (n, d) == (8, 2):
        yield ()


register_family(
    Family(
        name="Diamond",
        title="Diamond digraph",
        signature="Diamond",
        source="Zhao et al., figure 19 and table 9",
        build=diamond,
        properties=properties,
        members=members,
        samples=((),),
    )
)
