"""Lifts Lift(group;rows): m s nodes on which a group of s elements acts without fixed nodes.

Node (r, g), for the base node r and the element g, is node r s + g. An arc of row r leads from
(source, g shift) to (r, g) for every g (`generators.lifts.notation`). Left multiplications
(r, g) -> (r, x g) are automorphisms, so that the nodes (r, 0) speak for all: a property that
symmetry preserves need only be computed at m of them. Cayley digraphs are the lifts with m = 1.
Every graph on which a group acts without fixed nodes is one (Gross and Tucker, "Generating all
graph coverings by permutation voltage assignments", 1977; theorem 2.2.2 of their "Topological
graph theory", 1987).
"""

from collections.abc import Iterator

import numpy as np

from generators.lifts.annealed import annealed_members
from generators.lifts.catalogue import shipped_members
from generators.lifts.notation import read_voltage_graph
from generators.lifts.profiles import lift_profile
from generators.registry import (
    Arguments,
    BaseProperties,
    Family,
    register_family,
)
from generators.topology import Topology


def lift(group: str, rows: str) -> Topology:
    """Lift(group;rows), with its nodes numbered as written, not as in the canonical text.

    Arcs are ordered by tail, then by head. Raises InvalidInput as `read_voltage_graph` does.

    >>> prism = lift("Z4", "0:1,1:0|1:1")
    >>> prism.n, prism.degree, prism.is_bidirectional, prism.orbits.tolist()
    (8, 3, True, [0, 4])
    """
    base = read_voltage_graph(group, rows)
    s, m = base.group.order, base.base_nodes
    turned = base.group.multiply(base.group.elements[:, None, None], base.shifts)
    tail = (base.sources * s + turned).ravel()
    head = np.broadcast_to(
        np.arange(m)[None, :, None] * s + base.group.elements[:, None, None], turned.shape
    ).ravel()
    order = np.lexsort((head, tail))
    return Topology(
        n=base.n,
        tail=tail[order],
        head=head[order],
        translation=base.group.translate if m == 1 else None,
        orbits=None if m == 1 else np.arange(m, dtype=np.int32) * s,
    )


def properties(group: str, rows: str) -> BaseProperties:
    """Regular; two-way, simple and loop-free as the base graph with its shifts says.

    With one base node it is a Cayley digraph: vertex-transitive, and isomorphic to its transpose
    where the group is abelian. Of lifts that ship more is known, and the rows need not be read.
    """
    known = lift_profile(group, rows)
    if known is not None:
        return known.properties
    base = read_voltage_graph(group, rows)
    single = base.base_nodes == 1
    own = base.sources == np.arange(base.base_nodes)[:, None]
    two_way = base.is_two_way
    return BaseProperties(
        n=base.n,
        d=base.d,
        regular=True,
        reverse_symmetric=True if two_way or (single and base.group.is_abelian) else None,
        bidirectional=two_way,
        simple=len(set(base.keys.ravel().tolist())) == base.keys.size,
        loop_free=not (own & (base.shifts == 0)).any(),
        transitive=True if single else None,
    )


def canonical(group: str, rows: str) -> Arguments:
    """The group's text, and the canonical rows (`generators.lifts.notation`).

    >>> canonical("Z5", "2.1,1.3|0.0,2.2|1.4,0.4")
    ('Z5', '1.0,2.0|0.3,2.4|0.0,1.2')
    """
    base = read_voltage_graph(group, rows)
    return str(base.group), base.canonical_form().text


def members(n: int, d: int) -> Iterator[Arguments]:
    """The lifts of that size and degree that ship with topofinder, of both link modes."""
    yield from shipped_members(n, d)
    yield from annealed_members(n, d)


register_family(
    Family(
        name="Lift",
        title="lift of a base graph by a group",
        signature="Lift(group;rows)",
        source="Gross (1974)",
        build=lift,
        properties=properties,
        canonical=canonical,
        published=False,
        members=members,
        reads_word=True,
        samples=(
            ("Z5", "0.1,0.2"),
            ("Z4", "0:1"),
            ("Z2", "0:1,1:0|1:1"),
            ("Z5", "0:1,1:0|1:2"),
            ("Z3", "0:0,1:0|1:0,0:1"),
            ("Z3", "1.0,2.0|2.1,0.0|0.2,1.0"),
            ("Z4", "1.0,1.1,1.1|0.0,0.2,0.3"),
            ("Z4", "0:2,1:0,1:1|1:2"),
            ("S3", "1.0,0.3|0.1,1.4"),
            ("S3", "0:1,1:0,1:3|1:2"),
            ("Z7", "1:0,2:0,3:0|2:1,3:2|3:4"),
        ),
    )
)
