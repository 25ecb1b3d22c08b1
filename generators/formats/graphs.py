"""To and from NetworkX graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generators.excerpts import excerpt
from generators.formats.draft import ABILITIES, Draft
from generators.formats.rows import arc_attributes, arc_ends, node_attributes
from generators.topology import UNITS, Topology

if TYPE_CHECKING:
    import networkx


def to_networkx(topology: Topology) -> networkx.MultiDiGraph:
    """The same nodes and arcs; an arc's key is its index, so that the order is not lost.

    Nodes may carry `name`, `switch`, `multicast`, `reduce` and `tier`, the graph `unit_rate` and
    `unit_latency`; arcs carry `capacity` and `latency` as Fractions where the topology has them.
    To a file, `write_topology` is the way: networkx's own writers know no Fraction.

    >>> sorted(to_networkx(Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)])).edges(keys=True))
    [(0, 1, 0), (0, 1, 1), (1, 0, 2)]
    """
    from networkx import MultiDiGraph  # slow to import, and not every user needs it

    units = {field: getattr(topology, field) for field in UNITS}
    graph = MultiDiGraph(**{field: value for field, value in units.items() if value is not None})
    graph.add_nodes_from(enumerate(node_attributes(topology)))
    rows = zip(arc_ends(topology), arc_attributes(topology), strict=True)
    graph.add_edges_from((u, v, arc, known) for arc, ((u, v), known) in enumerate(rows))
    return graph


def from_networkx(graph: Any) -> Topology:
    """The topology of any networkx graph; an undirected edge becomes two arcs.

    Takes the attributes that `to_networkx` gives; `capacity` and `latency` may be int, Fraction,
    float (by its decimal text), or text such as "3/2". Nodes other than 0..n-1 are numbered in
    the graph's order and their text becomes their name.

    Raises InvalidInput naming the node or edge.

    >>> import networkx
    >>> path = from_networkx(networkx.path_graph(["a", "b", "c"]))
    >>> path.names, path.tail.tolist(), path.head.tolist()
    (('a', 'b', 'c'), [0, 1, 1, 2], [1, 0, 2, 1])
    """
    draft = Draft("graph")
    for node, attributes in graph.nodes(data=True):
        place = f"node {excerpt(node)}"
        for ability in ABILITIES:
            if not isinstance(attributes.get(ability, False), bool):
                known = excerpt(attributes[ability])
                raise draft.refusal(place, f"{ability}: must be True or False, not {known}")
        able = [ability for ability in ABILITIES if attributes.get(ability)]
        name = attributes.get("name")
        draft.node(str(node), place, name=None if name is None else str(name), abilities=able)
        draft.tier(str(node), attributes.get("tier"), place)
    for field in UNITS:
        if graph.graph.get(field) is not None:
            draft.unit(field, graph.graph[field], "graph")
    _add_edges(graph, draft)
    return draft.topology()


def _add_edges(graph: Any, draft: Draft) -> None:
    two_way = not graph.is_directed()
    if graph.is_multigraph():
        edges = graph.edges(keys=True, data=True)
    else:
        edges = ((u, v, None, known) for u, v, known in graph.edges(data=True))
    for u, v, key, known in edges:
        place = f"edge {excerpt((u, v))}"
        draft.edge((str(u), str(v)), place, two_way=two_way, key=key, values=known)
