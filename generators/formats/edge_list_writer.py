"""Writing edge lists; the format is described in `generators.formats.edge_list`."""

import json

from generators.formats.edge_list_header import FIELDS
from generators.formats.rows import arc_ends, arc_texts, unit_texts
from generators.topology import Topology


def edge_list_text(topology: Topology) -> str:
    """The edge list, with the header lines it needs.

    >>> print(edge_list_text(Topology.from_arcs(2, [(0, 1), (1, 0)], latency=(1, 2))), end="")
    #: nodes 2
    #: columns latency
    0 1 1
    1 0 2
    """
    lines = [f"#: nodes {topology.n}"]
    columns = [field for field in FIELDS if getattr(topology, field) is not None]
    if columns not in ([], list(FIELDS)):
        lines.append(" ".join(["#: columns", *columns]))
    for field in ("switches", "multicast", "reduce"):
        if nodes := getattr(topology, field):
            lines.append(" ".join([f"#: {field}", *map(str, nodes)]))
    for tier in sorted(set(topology.tiers or ()) - {0}):
        alike = [node for node, each in enumerate(topology.tiers or ()) if each == tier]
        lines.append(" ".join([f"#: tier {tier}", *map(str, alike)]))
    lines += [f"#: {field} {text}" for field, text in unit_texts(topology).items()]
    names = enumerate(topology.names or ())
    lines += [f"#: name {node} {json.dumps(name)}" for node, name in names]
    rows = zip(arc_ends(topology), arc_texts(topology), strict=True)
    lines += [" ".join([str(u), str(v), *known.values()]) for (u, v), known in rows]
    return "\n".join(lines) + "\n"
