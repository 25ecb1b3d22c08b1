"""One way in and one way out: the suffix of a path, or a name, chooses the format."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from generators.errors import InvalidInput
from generators.files import read_bounded, write_whole
from generators.formats.edge_list import read_edge_list
from generators.formats.edge_list_writer import edge_list_text
from generators.formats.graphml_reader import read_graphml
from generators.formats.graphml_writer import graphml_text
from generators.formats.node_link import node_link_text, read_node_link
from generators.formats.quantities import shown
from generators.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How one kind of file is read (from its name and bytes) and written (as text)."""

    suffixes: tuple[str, ...]
    read: Callable[[str, bytes], Topology]
    text: Callable[[Topology], str]


FORMATS = {
    "graphml": Format(suffixes=(".graphml", ".xml"), read=read_graphml, text=graphml_text),
    "json": Format(suffixes=(".json",), read=read_node_link, text=node_link_text),
    "edges": Format(
        suffixes=(".edges", ".txt", ".edgelist"), read=read_edge_list, text=edge_list_text
    ),
}


def read_topology(
    path: str | os.PathLike[str], format: str | None = None, *, regular: bool = False
) -> Topology:
    """Read a topology from a file; `format` is graphml, json or edges, else the suffix says.

    With `regular`, a topology whose nodes do not all send and receive on as many arcs is
    refused. Raises InvalidInput with one line naming the file and the place in it.
    """
    chosen = _chosen(path, format)
    topology = chosen.read(str(path), read_bounded(path))
    if regular:
        _require_regular(str(path), topology)
    return topology


def write_topology(
    topology: Topology, path: str | os.PathLike[str], format: str | None = None
) -> None:
    """Write a topology to a file, whole or not at all; arguments as in `read_topology`.

    What is known of the symmetry is not written. Raises InvalidInput.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ring.json"
    ...     write_topology(Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)]), path)
    ...     read_topology(path, regular=True).degree
    1
    """
    write_whole(path, _chosen(path, format).text(topology))


def _chosen(path: str | os.PathLike[str], name: str | None) -> Format:
    if name is not None:
        if name not in FORMATS:
            raise InvalidInput(f"format: {', '.join(FORMATS)} are known, not {shown(name)}")
        return FORMATS[name]
    suffix = Path(path).suffix.lower()
    for known in FORMATS.values():
        if suffix in known.suffixes:
            return known
    choices = ", ".join(f"{'/'.join(known.suffixes)} ({name})" for name, known in FORMATS.items())
    raise InvalidInput(f"{path}: suffix {shown(suffix)} is none of {choices}")


def _require_regular(source: str, topology: Topology) -> None:
    degree, sent, received = topology.degree, topology.out_degrees, topology.in_degrees
    wrong = np.flatnonzero((sent != degree) | (received != degree))
    if len(wrong):
        node = int(wrong[0])
        called = f" ({shown(topology.names[node])})" if topology.names else ""
        raise InvalidInput(
            f"{source}: not regular of degree {degree}: node {node}{called} has out-degree "
            f"{sent[node]} and in-degree {received[node]}"
        )
