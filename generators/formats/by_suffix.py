"""One way in and one way out: the suffix of a path, or a name, chooses the format."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import open_bounded, read_bounded, write_whole
from generators.formats.adjacency import adjacency_text
from generators.formats.cabling import cabling_text
from generators.formats.document import MAX_JSON, document_in
from generators.formats.dot import dot_text
from generators.formats.draft import MOST_ARCS, MOST_NODES
from generators.formats.edge_list import MAX_EDGES, read_edge_list
from generators.formats.edge_list_writer import edge_list_text
from generators.formats.fabric_reader import FORMAT, fabric_topology, read_fabric
from generators.formats.fabric_writer import fabric_text
from generators.formats.graphml_reader import read_graphml
from generators.formats.graphml_writer import graphml_text
from generators.formats.node_link import node_link_text, node_link_topology
from generators.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFormat:
    """How one kind of file is written (as text)."""

    suffixes: tuple[str, ...]
    text: Callable[[Topology], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(OutputFormat):
    """How it is read as well: its name, its bytes, `directed`; and how many bytes at most.

    Where `opened`, the open file does instead of its bytes.
    """

    read: Callable[..., Topology]
    most: int
    opened: bool = False


Kind = TypeVar("Kind", bound=OutputFormat)


def read_json(source: str, content: bytes, *, directed: bool = False) -> Topology:
    """A JSON document, which says whether it is a fabric's; else it is node-link."""
    document = document_in(source, content)
    if document.get("format") == FORMAT:
        return fabric_topology(source, document)
    return node_link_topology(source, document, directed=directed)


MAX_GRAPHML = 48 << 20
"""Bytes of GraphML at most; its tags are counted too."""

FORMATS = {
    "graphml": Format(
        suffixes=(".graphml", ".xml"), read=read_graphml, text=graphml_text, most=MAX_GRAPHML
    ),
    "json": Format(suffixes=(".json",), read=read_json, text=node_link_text, most=MAX_JSON),
    "edges": Format(
        suffixes=(".edges", ".txt", ".edgelist"),
        read=read_edge_list,
        text=edge_list_text,
        most=MAX_EDGES,
        opened=True,
    ),
}


FABRIC = Format(suffixes=(), read=read_fabric, text=fabric_text, most=MAX_JSON)
"""For people; it keeps links, not the order of arcs, so it is written only where it is named."""


WRITTEN = {
    "dot": OutputFormat(suffixes=(".dot", ".gv"), text=dot_text),
    "csv": OutputFormat(suffixes=(".csv",), text=cabling_text),
    "adj": OutputFormat(suffixes=(".adj", ".adjlist"), text=adjacency_text),
}
"""For drawings, cabling and other programs; they tell too little to be read back."""


_DATABASE = b"SQLite format 3"
"""What a database begins with, whatever it is called."""


def read_topology(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    regular: bool = False,
    directed: bool = False,
) -> Topology:
    """Read a topology from a file; `format` is one of FORMATS or fabric, else the suffix says.

    With `regular`, a topology whose nodes do not all send and receive on as many arcs is
    refused; with `directed`, one with undirected edges, which otherwise are two arcs. Raises
    InvalidInput with one line naming the file and the place in it.
    """
    chosen = _choose_kind(path, format, FORMATS, FABRIC)
    if chosen.opened:
        with open_bounded(path, chosen.most) as file:
            topology = chosen.read(str(path), file, directed=directed)
    else:
        topology = chosen.read(str(path), read_bounded(path, chosen.most), directed=directed)
    if regular:
        _require_regular(str(path), topology)
    return topology


def is_graph_file(path: Path) -> bool:
    """Whether there is a file that its suffix calls a topology, and that is no database.

    >>> is_graph_file(Path("none.edges"))
    False
    """
    known = any(path.suffix.lower() in each.suffixes for each in FORMATS.values())
    if not (known and path.is_file()):
        return False
    with path.open("rb") as file:
        return not file.read(len(_DATABASE)).startswith(_DATABASE)


def write_topology(
    topology: Topology, path: str | os.PathLike[str], format: str | None = None
) -> None:
    """Write a topology to a file, whole or not at all; arguments as in `read_topology`.

    The formats WRITTEN serve as well. What is known of the symmetry is not written. Raises
    InvalidInput.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ring.json"
    ...     write_topology(Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)]), path)
    ...     read_topology(path, regular=True).degree
    1
    """
    chosen = _choose_kind(path, format, {**FORMATS, **WRITTEN}, FABRIC)
    if isinstance(chosen, Format):
        _require_few(topology)
    text = chosen.text(topology)
    if isinstance(chosen, Format) and len(text) > chosen.most:
        raise InvalidInput(f"{path}: would be larger than {chosen.most} bytes")
    write_whole(path, text)


def _require_few(topology: Topology) -> None:
    """Refuse to write what would not be read again."""
    offered = (("nodes", topology.n, MOST_NODES), ("arcs", topology.arcs, MOST_ARCS))
    for name, count, most in offered:
        if count > most:
            raise InvalidInput(f"{name}: a file has at most {most}, not {count}")


def _choose_kind(
    path: str | os.PathLike[str], name: str | None, by_suffix: Mapping[str, Kind], fabric: Kind
) -> Kind:
    if name is not None:
        known = {**by_suffix, "fabric": fabric}
        if name not in known:
            raise InvalidInput(f"format: {', '.join(known)} are known, not {excerpt(name)}")
        return known[name]
    suffix = Path(path).suffix.lower()
    for each in by_suffix.values():
        if suffix in each.suffixes:
            return each
    choices = ", ".join(f"{'/'.join(each.suffixes)} ({name})" for name, each in by_suffix.items())
    raise InvalidInput(f"{path}: suffix {excerpt(suffix)} is none of {choices}")


def _require_regular(source: str, topology: Topology) -> None:
    degree, sent, received = topology.degree, topology.out_degrees, topology.in_degrees
    wrong = np.flatnonzero((sent != degree) | (received != degree))
    if len(wrong):
        node = int(wrong[0])
        called = f" ({excerpt(topology.names[node])})" if topology.names else ""
        raise InvalidInput(
            f"{source}: not regular of degree {degree}: node {node}{called} has out-degree "
            f"{sent[node]} and in-degree {received[node]}"
        )
