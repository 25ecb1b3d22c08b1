"""Cayley digraphs Cay(group; generators): an arc [g, g s] for every element g and generator s.

Left multiplications are automorphisms that carry the identity, node 0, to any node, so one
node's answer is every node's. Nodes are the elements by number.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from generators.cayley.catalogue import look_up, shipped_digraphs
from generators.cayley.generated import reachable_elements
from generators.cayley.group import Element, Group
from generators.cayley.notation import parse_group
from generators.jump_sets import jump_set
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_size
from generators.topology import Topology


def cayley_digraph(group: str, *generators: Element) -> Topology:
    """Cay(group; s1, s2, ...); a generator listed twice makes two parallel arcs.

    Arcs are ordered by tail, then by the number of the generator. Raises InvalidInput when the
    group cannot be read, a generator is not in it, or they do not generate it.

    >>> graph = cayley_digraph("Z64:Z16[3]", (1, 0), (0, 1))
    >>> graph.n, graph.degree, graph.head[:2].tolist()
    (1024, 2, [1, 16])
    """
    properties(group, *generators)
    return digraph(*_require_generators(group, generators))


def digraph(group: Group, generators: Sequence[int]) -> Topology:
    """The Cayley digraph of elements of a group in the order given, whatever they generate.

    >>> digraph(parse_group("Z5"), [2]).head.tolist()
    [2, 3, 4, 0, 1]
    """
    chosen = np.array(generators, dtype=np.int32)
    return Topology(
        n=group.order,
        tail=np.repeat(group.elements, len(chosen)),
        head=group.multiply(group.elements[:, None], chosen).ravel(),
        translation=group.translate,
    )


def properties(group: str, *generators: Element) -> BaseProperties:
    """Vertex-transitive; two-way exactly when the generators are closed under inverses.

    Reverse-symmetric then, and where the group is abelian: g -> g^-1 turns every arc round. Of
    digraphs that ship with topofinder more is known, and the group need not be made.
    """
    found = look_up(group, generators)
    if found is not None:
        return found.properties
    known, chosen = _require_generators(group, generators)
    found = look_up(str(known), chosen)
    if found is not None:
        return found.properties
    name = f"Cay({known};{','.join(map(str, chosen))})"
    require_size(name, known.order, len(chosen))
    count = int(reachable_elements(known, chosen).sum())
    require(
        count == known.order,
        f"{name}: the generators reach {count} of {known.order} elements",
    )
    two_way = Counter(chosen) == Counter(known.inverses[list(chosen)].tolist())
    return BaseProperties(
        n=known.order,
        d=len(chosen),
        regular=True,
        reverse_symmetric=True if two_way or known.is_abelian else None,
        bidirectional=two_way,
        simple=len(set(chosen)) == len(chosen),
        loop_free=0 not in chosen,
        transitive=True,
    )


def canonical(group: str, *generators: Element) -> Arguments:
    """The canonical text of the group, and the generators by number, ascending.

    >>> canonical("Z2xZ2 : Z3[1,3]", (1, 0, 1), 2, (0, 0, 1))
    ('Z2^2:Z3[(0,1),(1,1)]', 1, 2, 7)
    """
    known, chosen = _require_generators(group, generators)
    return (str(known), *chosen)


def members(n: int, d: int) -> Iterator[Arguments]:
    """The digraphs of that size and degree that ship, and circulants with a jump more, one way."""
    yield from (found.arguments for found in shipped_digraphs(n, d))
    yield from _odd_circulants(n, d)


def _odd_circulants(n: int, d: int) -> Iterator[Arguments]:
    """The shipped two-way jumps of one port less, and the first jump that is none of these.

    With n and d odd no circulant is two-way; these are as low as those of d - 1 ports, and
    breadth-first broadcast is bandwidth-optimal on nearly all (tests/generators/cayley).

    >>> list(_odd_circulants(89, 9))
    [('Z89', 1, 7, 17, 22, 35, 54, 67, 72, 82)]
    """
    jumps = jump_set(n, d // 2) if n * d % 2 else None
    if jumps is not None:
        turns = {turn for jump in jumps.jumps for turn in (jump, n - jump)}
        more = next((jump for jump in range(1, n) if jump not in turns), None)
        if more is not None:
            yield (f"Z{n}", *sorted([*turns, more]))


def _require_generators(group: str, generators: Sequence[Element]) -> tuple[Group, tuple[int, ...]]:
    require(len(generators) > 0, f"Cay({group};...) needs a generator")
    known = parse_group(group)
    return known, tuple(sorted(map(known.number, generators)))


register_family(
    Family(
        name="Cay",
        title="Cayley digraph",
        signature="Cay(group;g1,g2,...)",
        source="Cayley (1878)",
        build=cayley_digraph,
        properties=properties,
        canonical=canonical,
        published=False,
        members=members,
        samples=(
            ("Z2", 1, 1),
            ("Z7", 1, 2),
            ("S3", 1, 3),
            ("S3", 0, 2, 3),
            ("Dic2", 1, 2, 3),
            ("Z3^2", 1, 3),
            ("D8", 1, 2, 3, 14),
            ("Z7:Z3[2]", 1, 3),
            ("Z2^3:Z7[(0,0,1),(1,0,0),(0,1,1)]", 1, 7),
            ("A5", 1, 3, 20),
            ("S4", 1, 1, 9),
            ("Z32:Z4[7]", 1, 3, 4, 124),
        ),
    )
)
