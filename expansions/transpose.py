"""The transpose of a graph: T(G), every arc turned round.

Theorem 1 makes an allgather on T(G) of a reduce-scatter on G, and the other way round, at the same
cost. So T(G) has the costs of G exchanged, and is the better allgather fabric where G is the better
one for reduce-scatters.
"""

from expansions import canonical
from expansions.arc_order import require_equal_links
from expansions.properties import properties
from expansions.recipe import Recipe
from expansions.register import Expansion, register_expansion
from expansions.size import Size
from generators.registry import GraphProperties
from generators.topology import Topology


def transpose_graph(topology: Topology) -> Topology:
    """T(G): arc e is arc e of G turned round. Raises InvalidInput for unequal links.

    >>> transpose_graph(Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])).head.tolist()
    [0, 1, 2]
    """
    require_equal_links(topology)
    return topology.transpose()


def _properties(recipe: Recipe) -> GraphProperties:
    """As often as [u, v] is an arc of G, [v, u] is one of T(G); automorphisms are the same."""
    return properties(recipe)


register_expansion(
    Expansion(
        symbol="T",
        title="transpose",
        signature="T(G)",
        size=lambda inner: Size(inner.n, inner.d),
        build=transpose_graph,
        schedule=lambda inner: inner.make_transposed(),
        properties=_properties,
        make=canonical.transpose,
        letter="T",
        word="transpose",
        place=6,
    )
)
