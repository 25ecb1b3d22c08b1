"""Routes in files for a router: CSV rows, or a JSON document that also says how good they are."""

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import write_whole
from topofinder.exporters.register import Exporter, find_exporter, register_exporter

if TYPE_CHECKING:
    from topofinder.alltoall.routing.paths import Paths
    from topofinder.model.certificate import Certificate

ROUTINGS = ("paths", "single", "flows")
MAX_ROUTE_ROWS = 1 << 22
"""Rows of a file; beyond, a router is better served by a part of them."""

PATH_COLUMNS = ("source", "sink", "weight", "share", "hops", "nodes", "arcs")
FLOW_COLUMNS = ("source", "arc", "tail", "head", "flow")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Routes:
    """What exporters of routes take: weighted `paths`, or the `flows` of a certificate.

    One of both is None. `facts` say how good the routes are, and may head a document.
    """

    paths: "Paths | None" = None
    flows: "Certificate | None" = None
    facts: dict[str, Any] = field(default_factory=dict)
    max_rows: int = MAX_ROUTE_ROWS

    @property
    def columns(self) -> tuple[str, ...]:
        """What `rows` holds.

        Of a path: source, sink, its integer weight among those of its pair, the part of the pair
        it carries, its hops, and its nodes and arcs from source to sink. Of a flow: how much of a
        source's demands crosses an arc when all are delivered once.
        """
        return FLOW_COLUMNS if self.paths is None else PATH_COLUMNS

    def rows(self) -> Iterator[list[Any]]:
        """A row for each path, or for each source and arc; InvalidInput above `max_rows` rows."""
        rows = iter(()) if self.flows is None else _flow_rows(self.flows)
        for number, row in enumerate(rows if self.paths is None else _path_rows(self.paths)):
            if number == self.max_rows:
                raise InvalidInput(f"routes: more than {self.max_rows} rows")
            yield row


def require_routing(word: str) -> None:
    """Refuse what is none of ROUTINGS."""
    if word not in ROUTINGS:
        raise InvalidInput(f"routing: {excerpt(word)} is none of {', '.join(ROUTINGS)}")


def require_route_suffix(path: str | os.PathLike[str]) -> None:
    """Refuse a file whose suffix no exporter of routes has."""
    find_exporter("routes", path)


def write_routes(routes: Routes, path: str | os.PathLike[str]) -> None:
    """Write routes by the exporter that has the file's suffix; InvalidInput where there is none."""
    find_exporter("routes", path).write(routes, path)


def write_route_table(routes: Routes, path: str | os.PathLike[str]) -> None:
    """Write the rows as CSV; nodes and arcs of a path are joined by hyphens."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(routes.columns)
    for row in routes.rows():
        writer.writerow(["-".join(map(str, v)) if isinstance(v, list) else v for v in row])
    write_whole(path, content.getvalue())


def write_route_document(routes: Routes, path: str | os.PathLike[str]) -> None:
    """Write the facts, the columns and the rows as a JSON document."""
    head = [f"{json.dumps(name)}: {json.dumps(value)}," for name, value in routes.facts.items()]
    table = ",\n".join(json.dumps(row, separators=(",", ":")) for row in routes.rows())
    lines = ["{", *head, f'"columns": {json.dumps(routes.columns)},', '"routes": [', table, "]}"]
    write_whole(path, "\n".join(lines) + "\n")


def _path_rows(paths: "Paths") -> Iterator[list[Any]]:
    head = paths.topology.head
    share, hops = paths.share.tolist(), paths.hops.tolist()
    rows = zip(paths.source.tolist(), paths.sink.tolist(), paths.weight.tolist(), strict=True)
    for number, (source, sink, weight) in enumerate(rows):
        arcs = paths.arc[paths.first[number] : paths.first[number + 1]]
        nodes = [source, *head[arcs].tolist()]
        part = float(f"{share[number]:.12g}")
        yield [source, sink, weight, part, hops[number], nodes, arcs.tolist()]


def _flow_rows(certificate: "Certificate") -> Iterator[list[Any]]:
    graph, quantum = certificate.topology, certificate.quantum
    for source, row in _source_flows(certificate):
        for arc in np.flatnonzero(row).tolist():
            flow = float(f"{float(int(row[arc]) * quantum):.12g}")
            yield [source, arc, int(graph.tail[arc]), int(graph.head[arc]), flow]


def _source_flows(certificate: "Certificate") -> Iterable[tuple[int, Any]]:
    """The sources with their rows, by source."""
    from topofinder.verification.certificate_flows import automorphisms_by_node

    if certificate.lifted is None:
        return zip(certificate.sources.tolist(), certificate.rows, strict=True)
    moved = []
    for node, image in automorphisms_by_node(certificate):
        row = np.empty_like(certificate.rows[0])
        row[image] = certificate.rows[0]
        moved.append((node, row))
    return sorted(moved, key=lambda flow: flow[0])


register_exporter(
    Exporter(
        name="routes-csv",
        takes="routes",
        suffix=".csv",
        description="routes of all-to-all as rows for a router",
        write=write_route_table,
        place=10,
    )
)
register_exporter(
    Exporter(
        name="routes-json",
        takes="routes",
        suffix=".json",
        description="routes of all-to-all with how good they are",
        write=write_route_document,
        place=20,
    )
)
