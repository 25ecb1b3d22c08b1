"""The readable format, for small forests: JSON, a route a line and a tree a line.

A route lists the nodes it visits; a tree is its root, how many copies there are, its routes, and
how many hops of each carry nothing.
"""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.schedule_files.graph import graph_lengths
from generators.errors import InvalidInput
from generators.formats.document import (
    MOST_TABLES,
    flat,
    integers,
    kind,
    parse_object,
    require_readable,
)
from topofinder.model.forest import Forest
from topofinder.model.forest_header import header_and_arrays, lengths, phase_names, restored

MAX_TEXT_EDGES = 1 << 20
Columns = dict[str, NDArray[Any]]


def text_content(saved: Forest) -> str:
    """The document. Raises InvalidInput for more than MAX_TEXT_EDGES edges, nodes or arcs."""
    header, arrays = header_and_arrays(saved)
    for name, count in lengths(header).items():
        if count > MAX_TEXT_EDGES:
            told = f"JSON is for at most {MAX_TEXT_EDGES}, not {count}; write an .npz file"
            raise InvalidInput(f"{name}: {told}")
    graph = {name: arrays[name].tolist() for name in graph_lengths(header)}
    lines = [f"{json.dumps(name)}: {json.dumps(v)}" for name, v in (header | graph).items()]
    for phase in saved.phases:
        own = {name.removeprefix(f"{phase.name}_"): array for name, array in arrays.items()}
        lines.append(f'"{phase.name}_cut": {json.dumps(own["cut"].tolist())}')
        routes = _pieces(own["node"], own["route_start"])
        lines.append(_rows(f"{phase.name}_routes", routes))
        uses = zip(
            own["root"].tolist(),
            own["copies"].tolist(),
            _pieces(own["route"], own["start"]),
            _pieces(own["skip"], own["start"]),
            strict=True,
        )
        lines.append(_rows(f"{phase.name}_trees", list(map(list, uses))))
    text = "{\n" + ",\n".join(lines) + "}\n"
    require_readable(text, MOST_TABLES, "an .npz")
    return text


def _pieces(array: NDArray[Any], start: NDArray[Any]) -> list[list[int]]:
    return [piece.tolist() for piece in np.split(array, start[1:-1])] if len(start) > 1 else []


def _rows(name: str, rows: list[list[Any]]) -> str:
    return f'"{name}": [\n' + ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows) + "]"


def read_text(content: bytes) -> Forest:
    """The forest in a document. Raises InvalidInput naming the field and what is wrong with it."""
    document = parse_object(content, MOST_TABLES)
    for name, count in lengths(document).items():
        if count > MAX_TEXT_EDGES:
            raise InvalidInput(f"{name}: JSON is for at most {MAX_TEXT_EDGES}, not {count}")
    arrays = {
        name: integers(document, name, count) for name, count in graph_lengths(document).items()
    }
    wanted = lengths(document)
    beside = set(arrays)
    for phase in phase_names(document):
        beside |= {f"{phase}_{name}" for name in ("routes", "trees", "cut")}
        own = {name.removeprefix(f"{phase}_"): count for name, count in wanted.items()}
        found = _trees(document, phase, own) | _routes(document, phase, own)
        found["cut"] = integers(document, f"{phase}_cut", own["cut"])
        arrays |= {f"{phase}_{name}": array for name, array in found.items()}
    header = {name: value for name, value in document.items() if name not in beside}
    return restored(header, arrays)


def _routes(document: dict[str, Any], phase: str, wanted: dict[str, int]) -> Columns:
    name = f"{phase}_routes"
    rows = _listed(document, name, wanted["route_start"] - 1)
    for place, row in enumerate(rows):
        if not isinstance(row, list):
            raise InvalidInput(f"{name}[{place}]: a list of nodes is needed, not {kind(row)}")
    return _joined(name, rows, wanted["node"], "node", "route_start")


def _trees(document: dict[str, Any], phase: str, wanted: dict[str, int]) -> Columns:
    name = f"{phase}_trees"
    rows = _listed(document, name, wanted["root"])
    for place, row in enumerate(rows):
        if not (isinstance(row, list) and len(row) == 4):
            told = f"a root, copies, routes and spared hops are needed, not {kind(row)}"
            raise InvalidInput(f"{name}[{place}]: {told}")
        if not (isinstance(row[2], list) and isinstance(row[3], list)):
            raise InvalidInput(f"{name}[{place}]: lists of routes and spared hops are needed")
        if len(row[2]) != len(row[3]):
            raise InvalidInput(f"{name}[{place}]: {len(row[2])} routes, {len(row[3])} spared hops")
    found = {"root": flat(name, [r[0] for r in rows]), "copies": flat(name, [r[1] for r in rows])}
    found |= _joined(name, [row[2] for row in rows], wanted["route"], "route", "start")
    return found | {"skip": flat(name, [hops for row in rows for hops in row[3]])}


def _joined(name: str, rows: list[list[Any]], wanted: int, field: str, start: str) -> Columns:
    values = [value for row in rows for value in row]
    if len(values) != wanted:
        raise InvalidInput(f"{name}: {wanted} entries in all are needed, not {len(values)}")
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    return {field: flat(name, values), start: offsets.astype(np.int64)}


def _listed(document: dict[str, Any], name: str, count: int) -> list[Any]:
    rows = document.get(name)
    if not isinstance(rows, list) or len(rows) != count:
        raise InvalidInput(f"{name}: a list of {count} is needed, not {kind(rows)}")
    return rows
