"""Coset digraphs Coset(group; {subgroup}, elements): nodes are the left cosets g H of a subgroup H.

For every listed element s there are arcs from g H to all cosets within g H s H. Left
multiplications are automorphisms that reach every node from node 0, which is H; and every
vertex-transitive digraph is one of these (Sabidussi, "Vertex-transitive graphs", 1964, theorem 2).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from generators.cayley.cosets import Cosets, cosets, least_generators
from generators.cayley.generated import reachable_elements
from generators.cayley.group import Element, Group
from generators.cayley.notation import parse_group
from generators.limits import LARGEST_BUILT
from generators.registry import (
    Argument,
    Arguments,
    BaseProperties,
    Family,
    no_searched_members,
    register_family,
    require,
)
from generators.size_limits import require_size
from generators.topology import Topology


def coset_digraph(group: str, subgroup: tuple[int, ...], *elements: Element) -> Topology:
    """Coset(group;{h1,...},s1,...): cosets of the subgroup that the h generate, joined by the s.

    Nodes are ordered by their least elements; arcs by tail, then by the listed elements in
    canonical order, then by head as seen from node 0. Raises InvalidInput when the subgroup is
    trivial or the whole group, or all elements together do not generate the group.

    >>> triangle = coset_digraph("S3", (1,), 3)
    >>> triangle.n, triangle.degree, triangle.is_bidirectional
    (3, 2, True)
    """
    told = properties(group, subgroup, *elements)
    nodes = _cosets(parse_group(group), tuple(subgroup))
    near = np.concatenate([nodes.double(s) for s in _least_elements(nodes, elements)])
    heads = nodes.group.multiply(nodes.least[:, None], nodes.least[near])
    return Topology(
        n=told.n,
        tail=np.repeat(np.arange(told.n, dtype=np.int32), told.d),
        head=nodes.index[heads].ravel(),
        translation=nodes.translate,
    )


def properties(group: str, subgroup: tuple[int, ...], *elements: Element) -> BaseProperties:
    """Vertex-transitive; two-way exactly when the double cosets are closed under inverses."""
    known, name = parse_group(group), f"Coset({group};...)"
    require(len(elements) > 0, f"{name} needs an element beside the subgroup")
    nodes = _cosets(known, tuple(map(known.number, subgroup)))
    size = len(nodes.subgroup)
    require(
        1 < size < known.order,
        f"{name} needs a subgroup of 2 to {known.order // 2} elements, not {size}",
    )
    chosen = _least_elements(nodes, elements)
    d = sum(len(nodes.double(s)) for s in chosen)
    require_size(name, len(nodes.least), d)
    count = int(reachable_elements(known, (*subgroup, *chosen)).sum())
    require(count == known.order, f"{name} generates {count} of {known.order} elements")
    two_way = Counter(chosen) == Counter(nodes.least_double(int(known.inverses[s])) for s in chosen)
    return BaseProperties(
        n=len(nodes.least),
        d=d,
        regular=True,
        reverse_symmetric=True if two_way or known.is_abelian else None,
        bidirectional=two_way,
        simple=len(set(chosen)) == len(chosen),
        loop_free=0 not in chosen,
        transitive=True,
    )


def canonical(group: str, subgroup: tuple[int, ...], *elements: Element) -> Arguments:
    """The group's text, the subgroup's first generators, and the least of each double coset.

    >>> canonical("S3", (1, 0), 5, (2,))
    ('S3', (1,), 2, 2)
    """
    known = parse_group(group)
    nodes = _cosets(known, tuple(map(known.number, subgroup)))
    inside: Argument = least_generators(known, nodes.subgroup)
    return (str(known), inside, *_least_elements(nodes, elements))


@lru_cache(maxsize=64)
def _cosets(group: Group, subgroup: tuple[int, ...]) -> Cosets:
    most = LARGEST_BUILT
    require(group.order <= most, f"Coset({group};...): groups have at most {most} elements here")
    return cosets(group, subgroup)


def _least_elements(nodes: Cosets, elements: Sequence[Element]) -> tuple[int, ...]:
    """The double coset of each element by its least element, ascending."""
    return tuple(sorted(nodes.least_double(nodes.group.number(one)) for one in elements))


register_family(
    Family(
        name="Coset",
        title="coset digraph",
        signature="Coset(group;{h1,...},s1,...)",
        source="Sabidussi (1964)",
        build=coset_digraph,
        properties=properties,
        canonical=canonical,
        published=False,
        members=no_searched_members,
        samples=(
            ("S3", (1,), 2),
            ("Z12", (6,), 1, 2),
            ("D6", (1,), 2, 4),
            ("A4", (1,), 3, 4),
            ("S4", (1,), 2, 8),
            ("S5", (1, 2, 24), 60),
            ("A5", (1,), 15),
            ("Z7:Z6[3]", (3,), 7, 8),
        ),
    )
)
