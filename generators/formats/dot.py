"""DOT, the language of Graphviz, for drawings: `neato -Tsvg fabric.dot -o fabric.svg`."""

from collections.abc import Iterator

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.circuits import circuits, is_duplex
from generators.topology import Topology


def dot_text(topology: Topology) -> str:
    """A drawing: an edge for each circuit, without an arrow where it is duplex; loops left out.

    Nodes are numbers with their names as labels; switches are boxes. Capacities other than 1 are
    labels of edges. Raises InvalidInput for a name that DOT cannot hold.

    >>> print(dot_text(Topology.from_arcs(2, [(0, 1), (1, 0)])), end="")
    graph {
      node [shape=circle];
      0;
      1;
      0 -- 1;
    }
    """
    duplex = is_duplex(topology)
    kind, joined = ("graph", "--") if duplex else ("digraph", "->")
    lines = [f"{kind} {{", "  node [shape=circle];", *_nodes(topology)]
    for one in circuits(topology):
        label = "" if one.capacity == 1 else f' [label="{one.capacity}"]'
        lines.append(f"  {one.u} {joined} {one.v}{label};")
    return "\n".join([*lines, "}", ""])


def _nodes(topology: Topology) -> Iterator[str]:
    switches = set(topology.switches)
    for node in range(topology.n):
        known = ["shape=box"] if node in switches else []
        if topology.names:
            known.append(f"label={_quote_node(node, topology.names[node])}")
        yield f"  {node} [{', '.join(known)}];" if known else f"  {node};"


def _quote_node(node: int, name: str) -> str:
    """A string of DOT; a backslash begins an escape there."""
    if "\0" in name:
        raise InvalidInput(f"names: node {node} is called {excerpt(name)}, which DOT cannot hold")
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
