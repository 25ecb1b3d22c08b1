"""Routes in files for a router: CSV rows, or a JSON document that also says how good they are."""

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from generators.errors import InvalidInput
from generators.files import write_whole
from generators.formats.quantities import shown
from topofinder.alltoall.routing.paths import Paths
from topofinder.model.certificate import Certificate
from topofinder.verification.certificate_flows import arc_images

ROUTINGS = ("paths", "single", "flows")


def require_routing(word: str) -> None:
    """Refuse what is none of ROUTINGS."""
    if word not in ROUTINGS:
        raise InvalidInput(f"routing: {shown(word)} is none of {', '.join(ROUTINGS)}")


SUFFIXES = (".csv", ".json")
MAX_ROWS = 1 << 22
"""Rows of a file; beyond, a router is better served by a part of them."""

PATH_COLUMNS = ("source", "sink", "weight", "share", "hops", "nodes", "arcs")
FLOW_COLUMNS = ("source", "arc", "tail", "head", "flow")


def write_routes(
    path: str | os.PathLike[str], facts: dict[str, Any], found: Paths | Certificate
) -> None:
    """Write weighted paths, or the flows of a certificate arc by arc, to a .csv or .json file.

    Of a path: source, sink, its integer weight among those of its pair, the part of the pair it
    carries, its hops, and its nodes and arcs from source to sink. Of a flow: how much of a
    source's demands crosses an arc when all are delivered once. `facts` head the JSON document.
    Raises InvalidInput for another suffix, or above MAX_ROWS rows.
    """
    suffix = require_suffix(path)
    columns = PATH_COLUMNS if isinstance(found, Paths) else FLOW_COLUMNS
    rows = _path_rows(found) if isinstance(found, Paths) else _flow_rows(found)
    write_whole(path, (_csv if suffix == ".csv" else _json)(facts, columns, _bounded(rows)))


def require_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix of a file of routes; any other is refused."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidInput(f"{path}: suffix {shown(suffix)} is none of {', '.join(SUFFIXES)}")
    return suffix


def _path_rows(paths: Paths) -> Iterator[list[Any]]:
    head = paths.topology.head
    share, hops = paths.share.tolist(), paths.hops.tolist()
    rows = zip(paths.source.tolist(), paths.sink.tolist(), paths.weight.tolist(), strict=True)
    for number, (source, sink, weight) in enumerate(rows):
        arcs = paths.arc[paths.first[number] : paths.first[number + 1]]
        nodes = [source, *head[arcs].tolist()]
        part = float(f"{share[number]:.12g}")
        yield [source, sink, weight, part, hops[number], nodes, arcs.tolist()]


def _flow_rows(certificate: Certificate) -> Iterator[list[Any]]:
    graph, quantum = certificate.topology, certificate.quantum
    for source, row in _flows(certificate):
        for arc in np.flatnonzero(row).tolist():
            flow = float(f"{float(int(row[arc]) * quantum):.12g}")
            yield [source, arc, int(graph.tail[arc]), int(graph.head[arc]), flow]


def _flows(certificate: Certificate) -> Iterable[tuple[int, Any]]:
    """The sources with their rows, by source."""
    if certificate.lifted is None:
        return zip(certificate.sources.tolist(), certificate.rows, strict=True)
    moved = []
    for node, image in arc_images(certificate):
        row = np.empty_like(certificate.rows[0])
        row[image] = certificate.rows[0]
        moved.append((node, row))
    return sorted(moved, key=lambda flow: flow[0])


def _bounded(rows: Iterator[list[Any]]) -> Iterator[list[Any]]:
    for number, row in enumerate(rows):
        if number == MAX_ROWS:
            raise InvalidInput(f"routes: more than {MAX_ROWS} rows")
        yield row


def _csv(facts: dict[str, Any], columns: tuple[str, ...], rows: Iterator[list[Any]]) -> str:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["-".join(map(str, v)) if isinstance(v, list) else v for v in row])
    return content.getvalue()


def _json(facts: dict[str, Any], columns: tuple[str, ...], rows: Iterator[list[Any]]) -> str:
    head = [f"{json.dumps(name)}: {json.dumps(value)}," for name, value in facts.items()]
    table = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    lines = ["{", *head, f'"columns": {json.dumps(columns)},', '"routes": [', table, "]}"]
    return "\n".join(lines) + "\n"
