"""Writing GraphML: http://graphml.graphdrawing.org, directed, one `key` an attribute."""

import re
from xml.sax.saxutils import escape

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.graphml_reader import MOST_TAGS, require_few_tags
from generators.formats.rows import arc_ends, arc_texts, node_attributes, unit_texts
from generators.topology import HOST_COSTS, Topology

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_KEYS = (
    ("name", "node", "string"),
    ("switch", "node", "boolean"),
    ("multicast", "node", "boolean"),
    ("reduce", "node", "boolean"),
    ("capacity", "edge", "string"),
    ("latency", "edge", "string"),
    ("unit_rate", "graph", "string"),
    ("unit_latency", "graph", "string"),
)
_HOSTS = tuple((name, "graph", "string") for name in HOST_COSTS)
_TIER = ("tier", "node", "int")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml_text(topology: Topology, most: int = MOST_TAGS) -> str:
    """The document; ids of edges keep the order of the arcs for readers that would lose it.

    Raises InvalidInput for a name with a character that XML cannot hold, and for more than `most`
    tags.

    >>> print(graphml_text(Topology.from_arcs(2, [(0, 1)])).splitlines()[-3].strip())
    <edge id="0" source="0" target="1"/>
    """
    keys = [
        f'  <key id="{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>'
        for name, domain, kind in (*_KEYS, *_more_keys(topology))
    ]
    text = "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<graphml xmlns="{NAMESPACE}">',
            *keys,
            '  <graph edgedefault="directed">',
            *(f'    <data key="{key}">{text}</data>' for key, text in unit_texts(topology).items()),
            *_elements(topology),
            "  </graph>",
            "</graphml>",
            "",
        ]
    )
    require_few_tags(text.count("<"), most)
    return text


def _more_keys(topology: Topology) -> list[tuple[str, str, str]]:
    """Of what few topologies tell: other documents stay as they have always been."""
    hosts = [key for key in _HOSTS if getattr(topology, key[0]) is not None]
    return hosts + ([] if topology.tiers is None else [_TIER])


def _elements(topology: Topology) -> list[str]:
    nodes = [
        _element("node", f'id="{node}"', {key: _text(node, value) for key, value in row.items()})
        for node, row in enumerate(node_attributes(topology))
    ]
    rows = zip(arc_ends(topology), arc_texts(topology), strict=True)
    return nodes + [
        _element("edge", f'id="{arc}" source="{u}" target="{v}"', known)
        for arc, ((u, v), known) in enumerate(rows)
    ]


def _element(tag: str, attributes: str, values: dict[str, str]) -> str:
    if not values:
        return f"    <{tag} {attributes}/>"
    held = "".join(f'<data key="{key}">{text}</data>' for key, text in values.items())
    return f"    <{tag} {attributes}>{held}</{tag}>"


def _text(node: int, value: str | bool | int) -> str:
    if isinstance(value, bool | int):
        return str(value).lower()
    if _NO_XML.search(value):
        raise InvalidInput(f"names: node {node} is called {excerpt(value)}, which XML cannot hold")
    return escape(value, {"\r": "&#13;"})  # a bare one would be read as a line feed
