"""Node-link JSON, the format of networkx.node_link_data, with its edges under "edges"."""

import json
from collections.abc import Iterator
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.document import MOST_MEMORY, require_readable
from generators.formats.draft import ABILITIES, Draft
from generators.formats.rows import arc_ends, arc_texts, node_attributes, unit_texts
from generators.topology import UNITS, Topology


def node_link_topology(
    source: str, document: dict[str, Any], *, directed: bool = False
) -> Topology:
    """The topology of a parsed document; `source` names the file in messages.

    "links" in place of "edges", as networkx wrote before 3.4, is understood too. Raises
    InvalidInput naming the node or edge by its index.

    >>> pair = {"directed": False, "nodes": [{"id": "a"}, {"id": "b"}]}
    >>> node_link_topology("x.json", pair | {"edges": [{"source": "a", "target": "b"}]}).arcs
    2
    """
    draft = Draft(source, directed=directed)
    one_way = document.get("directed")
    if not isinstance(one_way, bool):
        raise InvalidInput(f"{source}: directed: must be true or false, not {excerpt(one_way)}")
    graph = document.get("graph")
    for field in UNITS:
        if isinstance(graph, dict) and graph.get(field) is not None:
            draft.unit(field, graph[field], "graph")
    for place, node in _rows(source, document, "nodes"):
        _add_node(draft, place, node)
    listed = "links" if "links" in document and "edges" not in document else "edges"
    for place, edge in _rows(source, document, listed):
        ends = (_label(draft, place, "source", edge), _label(draft, place, "target", edge))
        draft.edge(ends, place, two_way=not one_way, key=edge.get("key"), values=edge)
    return draft.topology()


def node_link_text(topology: Topology) -> str:
    """The document, one node or arc a line; numbers as text such as "3/2".

    >>> print(node_link_text(Topology.from_arcs(2, [(0, 1), (1, 0)], latency=(1, 2))), end="")
    {"directed": true, "multigraph": true, "graph": {},
    "nodes": [
    {"id": 0},
    {"id": 1}],
    "edges": [
    {"source": 0, "target": 1, "key": 0, "latency": "1"},
    {"source": 1, "target": 0, "key": 1, "latency": "2"}]}
    """
    nodes = [json.dumps({"id": node} | row) for node, row in enumerate(node_attributes(topology))]
    arcs = [
        json.dumps({"source": u, "target": v, "key": arc} | known)
        for arc, ((u, v), known) in enumerate(
            zip(arc_ends(topology), arc_texts(topology), strict=True)
        )
    ]
    units = json.dumps(unit_texts(topology))
    head = f'{{"directed": true, "multigraph": true, "graph": {units},'
    listed = [head, '"nodes": [', ",\n".join(nodes) + "],", '"edges": [', ",\n".join(arcs) + "]}"]
    text = "\n".join(listed) + "\n"
    require_readable(text, MOST_MEMORY, "an .edges or .graphml")
    return text


def _rows(source: str, document: dict[str, Any], field: str) -> Iterator[tuple[str, Any]]:
    """Each object of a list, with its place."""
    rows = document.get(field)
    if not isinstance(rows, list):
        raise InvalidInput(f"{source}: {field}: a list is needed, not {excerpt(rows)}")
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise InvalidInput(
                f"{source}: {field}[{index}]: an object is needed, not {excerpt(row)}"
            )
        yield f"{field}[{index}]", row


def _add_node(draft: Draft, place: str, node: dict[str, Any]) -> None:
    name = node.get("name")
    if name is not None and not isinstance(name, str):
        raise draft.refusal(place, f"name: must be text, not {excerpt(name)}")
    for ability in ABILITIES:
        if not isinstance(node.get(ability, False), bool):
            known = excerpt(node[ability])
            raise draft.refusal(place, f"{ability}: must be true or false, not {known}")
    able = [ability for ability in ABILITIES if node.get(ability)]
    label = _label(draft, place, "id", node)
    draft.node(label, place, name=name, abilities=able)
    draft.tier(label, node.get("tier"), place)


def _label(draft: Draft, place: str, field: str, row: dict[str, Any]) -> str:
    """The text of an id; networkx writes a tuple, such as a place in a grid, as a list."""
    value = row.get(field)
    if type(value) is int or type(value) is str:
        return str(value)
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, int | str):
            raise draft.refusal(place, f"{field}: must be an integer or text, not {excerpt(value)}")
    return str(tuple(parts)) if isinstance(value, list) else str(value)
