"""Forests as a compact .npz or, for small ones, a readable .json.

A header of named values and flat arrays of integers, see `generators.formats.container`. In the
readable one a route lists the nodes it visits; a tree is its root, how many copies there are, its
routes, and how many hops of each carry nothing.
"""

import json
import os
from collections.abc import Collection
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from expansions.collective import Collective
from expansions.schedule_files.digest import topology_digest
from expansions.schedule_files.graph import (
    GRAPH_FIELDS,
    graph_fields,
    graph_lengths,
    graph_ranges,
    graph_values,
    require_ordinary_graph,
    restore_graph,
)
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.archive import ArrayRange
from generators.formats.container import (
    Arrays,
    Container,
    Header,
    Lengths,
    TextLayout,
    content_hash,
    field_lines,
    require_integer,
    require_known_fields,
)
from generators.formats.document import flat, integers, kind
from generators.formats.quantities import WIDEST, exact, exact_text
from generators.formats.tables import join_rows, require_rows, row_lines, split_rows
from generators.limits import MAX_NODES
from generators.topology import HOST_COSTS, Topology
from generators.weak_memo import remember_weakly
from topofinder.model.forest import GATHERING, SPREADING, Forest
from topofinder.model.tree_set import MAX_USES, TreeSet

VERSION = 1
"""Version of the hashed content and of the files; it grows when their meaning changes."""

ARRAYS = ("root", "copies", "start", "route", "skip", "route_start", "node", "cut")
MOST = {"root": "trees", "route": "edges", "node": "route_nodes", "cut": "cut"}
"""The arrays whose lengths a phase announces, and under which name."""
FIELDS = (
    "recipe", "damage", "method", "collective", "root", "content", "weight",
    *GRAPH_FIELDS,
)  # fmt: skip
PHASE_FIELDS = ("k", "optimum", "time", "routes", *MOST.values())
LARGEST_K = 1 << 62
MAX_TEXT_EDGES = 1 << 20
MOST_VALUES = 3 << 22
"""Entries of the arrays of an ordinary file."""
Columns = dict[str, NDArray[Any]]


def write_forest(saved: Forest, path: str | os.PathLike[str]) -> None:
    """Write a forest to an .npz or .json file, whole or not at all.

    Raises InvalidInput for another suffix, for too many edges (.json: 2^20, .npz: 2^26) and when
    the file cannot be written.
    """
    FOREST_FILES.write(saved, path)


def read_forest(path: str | os.PathLike[str], *, large: bool = False) -> Forest:
    """Read a forest from an .npz or .json file.

    With `large` the file may be above the ordinary limits. Raises InvalidInput with one line
    naming the file and what is wrong with it.
    """
    return FOREST_FILES.read(path, large=large)


@remember_weakly
def forest_digest(saved: Forest) -> str:
    """SHA-256, in hexadecimal, of topology, abilities, units, collective, weights and trees.

    Names of nodes and the labels `recipe`, `damage` and `method` do not matter; the order of trees,
    edges and routes does.
    """
    graph = saved.topology
    described: dict[str, Any] = {
        "collective": str(saved.collective),
        "multicast": graph.multicast,
        "reduce": graph.reduce,
        "root": saved.root,
        "topology": topology_digest(graph),
        "units": [str(graph.unit_rate), str(graph.unit_latency)],
        "version": VERSION,
        "weight": saved.weight,
    }
    if graph.tiers is not None:
        described["tiers"] = graph.tiers
    hosts = {name: str(getattr(graph, name)) for name in HOST_COSTS if getattr(graph, name)}
    if hosts:
        described["hosts"] = hosts
    described |= {phase.name: _describe_trees(phase.trees) for phase in saved.phases}
    arrays = [getattr(phase.trees, name) for phase in saved.phases for name in ARRAYS]
    return content_hash(described, [array.astype("<i8", copy=False) for array in arrays])


def _describe_trees(trees: TreeSet) -> dict[str, Any]:
    lengths = {name: len(getattr(trees, name)) for name in ARRAYS}
    return {"k": trees.k, "optimum": str(trees.optimum), "time": str(trees.time)} | lengths


def _pack(saved: Forest) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays."""
    fields, arrays = graph_fields(saved.topology)
    phases = {}
    for phase in saved.phases:
        phases[phase.name] = _phase_fields(phase.trees)
        arrays |= {f"{phase.name}_{name}": getattr(phase.trees, name) for name in ARRAYS}
    header = {
        "version": VERSION,
        "recipe": saved.recipe,
        "damage": saved.damage,
        "method": saved.method,
        "collective": str(saved.collective),
        "root": saved.root,
        "content": forest_digest(saved),
        **fields,
        "weight": list(saved.weight),
        **phases,
    }
    return header, arrays


def _phase_fields(trees: TreeSet) -> dict[str, Any]:
    lengths = {field: len(getattr(trees, name)) for name, field in MOST.items()}
    return {
        "k": trees.k,
        "optimum": exact_text("optimum", trees.optimum),
        "time": exact_text("time", trees.time),
        "routes": trees.routes,
        **lengths,
    }


def _lengths(header: Header) -> dict[str, int]:
    """The arrays that a header announces, and their lengths."""
    wanted = graph_lengths(header)
    for name in _phase_names(header):
        fields = _phase(header, name)
        counts = {
            array: require_integer(fields, field, 0, MAX_USES) for array, field in MOST.items()
        }
        counts |= {"copies": counts["root"], "start": counts["root"] + 1, "skip": counts["route"]}
        counts["route_start"] = require_integer(fields, "routes", 0, MAX_USES) + 1
        wanted |= {f"{name}_{array}": counts[array] for array in ARRAYS}
    return wanted


def _ranges(header: Header) -> dict[str, ArrayRange]:
    """The entries that the arrays may have; `_lengths` has checked the header."""
    nodes, found = ArrayRange(most=header["n"] - 1), graph_ranges(header)
    for name in _phase_names(header):
        fields = _phase(header, name)
        of_phase = {
            "start": ArrayRange(most=fields["edges"], reached=True),
            "route_start": ArrayRange(most=fields["route_nodes"], reached=True),
            "route": ArrayRange(most=fields["routes"] - 1),
            "copies": ArrayRange(least=1, most=LARGEST_K),
            "skip": ArrayRange(most=fields["route_nodes"]),
            **dict.fromkeys(("root", "node", "cut"), nodes),
        }
        found |= {f"{name}_{array}": of_array for array, of_array in of_phase.items()}
    return found


def _phase_names(header: Header) -> list[str]:
    """The phases of the collective that the header names."""
    collective = _collective(header)
    wanted = (("gather", GATHERING), ("spread", SPREADING))
    return [name for name, collectives in wanted if collective in collectives]


def _collective(header: Header) -> Collective:
    """The collective. Raises InvalidInput when there is none of that name."""
    try:
        return Collective(header.get("collective"))  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(Collective)
        told = excerpt(header.get("collective"))
        raise InvalidInput(f"collective: one of {known} is needed, not {told}") from None


def _phase(header: Header, name: str) -> dict[str, Any]:
    """The fields of a phase."""
    fields = header.get(name)
    if not isinstance(fields, dict):
        raise InvalidInput(f"{name}: an object is needed, not {excerpt(fields)}")
    return fields


def _restore(header: Header, arrays: Arrays) -> Forest:
    """The contents of a file; `arrays` are as `_lengths` asks. Raises InvalidInput."""
    topology = restore_graph(header, arrays)
    phases = {name: _restore_trees(header, arrays, name) for name in _phase_names(header)}
    return Forest(
        topology=topology,
        collective=_collective(header),
        weight=_weight(header, topology),
        root=None if header.get("root") is None else require_integer(header, "root", 0, MAX_NODES),
        recipe=header.get("recipe"),
        damage=header.get("damage"),
        method=header.get("method"),
        spread=phases.get("spread"),
        gather=phases.get("gather"),
    )


def _derived_fields(saved: Forest) -> dict[str, Any]:
    """What follows from the contents, and is said in the header all the same."""
    return {"topology": topology_digest(saved.topology), "content": forest_digest(saved)}


def _restore_trees(header: Header, arrays: Arrays, name: str) -> TreeSet:
    fields = _phase(header, name)
    require_known_fields(fields, PHASE_FIELDS, f"{name} ")
    try:
        return TreeSet(
            k=require_integer(fields, "k", 1, LARGEST_K),
            optimum=_fraction(fields, "optimum"),
            time=_fraction(fields, "time"),
            **{array: arrays[f"{name}_{array}"] for array in ARRAYS},
        )
    except InvalidInput as error:
        raise InvalidInput(f"{name} {error}") from None


def _fraction(fields: Header, name: str) -> Fraction:
    value = fields.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: a text such as '3/2' is needed, not {excerpt(value)}")
    return exact(name, value, most=WIDEST)


def _weight(header: Header, topology: Topology) -> tuple[int, ...]:
    weight = header.get("weight")
    if not isinstance(weight, list):
        raise InvalidInput(f"weight: a list is needed, not {excerpt(weight)}")
    return tuple(weight)


def _text(header: Header, arrays: Arrays) -> str:
    """The document: a route a line and a tree a line."""
    graph = {name: arrays[name].tolist() for name in graph_lengths(header)}
    lines = field_lines({**header, **graph})
    for phase in _phase_names(header):
        own = {name: arrays[f"{phase}_{name}"] for name in ARRAYS}
        lines.append(f'"{phase}_cut": {json.dumps(own["cut"].tolist())}')
        routes = split_rows(own["node"], own["route_start"])
        lines.append(row_lines(f"{phase}_routes", routes))
        uses = zip(
            own["root"].tolist(),
            own["copies"].tolist(),
            split_rows(own["route"], own["start"]),
            split_rows(own["skip"], own["start"]),
            strict=True,
        )
        lines.append(row_lines(f"{phase}_trees", list(map(list, uses))))
    return "{\n" + ",\n".join(lines) + "}\n"


def _read_text(document: Header, lengths: Lengths) -> tuple[Arrays, Collection[str]]:
    """The arrays of a document, and the fields that hold them."""
    arrays: Columns = {
        name: integers(document, name, n) for name, n in graph_lengths(document).items()
    }
    beside = set(arrays)
    for phase in _phase_names(document):
        beside |= {f"{phase}_{name}" for name in ("routes", "trees", "cut")}
        own = {name: lengths[f"{phase}_{name}"] for name in ARRAYS}
        found = _read_trees(document, phase, own) | _read_routes(document, phase, own)
        found["cut"] = integers(document, f"{phase}_cut", own["cut"])
        arrays |= {f"{phase}_{name}": array for name, array in found.items()}
    return arrays, beside


def _read_routes(document: Header, phase: str, wanted: Lengths) -> Columns:
    name = f"{phase}_routes"
    rows = require_rows(document, name, wanted["route_start"] - 1)
    node, start = join_rows(name, rows, wanted["node"])
    return {"node": node, "route_start": start}


def _read_trees(document: Header, phase: str, wanted: Lengths) -> Columns:
    name = f"{phase}_trees"
    rows = require_rows(document, name, wanted["root"])
    for place, row in enumerate(rows):
        if not (isinstance(row, list) and len(row) == 4):
            told = f"a root, copies, routes and spared hops are needed, not {kind(row)}"
            raise InvalidInput(f"{name}[{place}]: {told}")
        if not (isinstance(row[2], list) and isinstance(row[3], list)):
            raise InvalidInput(f"{name}[{place}]: lists of routes and spared hops are needed")
        if len(row[2]) != len(row[3]):
            raise InvalidInput(f"{name}[{place}]: {len(row[2])} routes, {len(row[3])} spared hops")
    route, start = join_rows(name, [row[2] for row in rows], wanted["route"])
    return {
        "root": flat(name, [row[0] for row in rows]),
        "copies": flat(name, [row[1] for row in rows]),
        "route": route,
        "start": start,
        "skip": flat(name, [hops for row in rows for hops in row[3]]),
    }


FOREST_FILES = Container(
    format="topofinder-forest",
    versions=(VERSION,),
    pack=_pack,
    lengths=_lengths,
    ranges=_ranges,
    values=lambda header, lengths: sum(lengths.values()) + graph_values(header),
    most_values=MOST_VALUES,
    require_ordinary=lambda saved: require_ordinary_graph(saved.topology),
    known=lambda header: (*FIELDS, *_phase_names(header)),
    restore=_restore,
    agreed=_derived_fields,
    layout=TextLayout(write=_text, read=_read_text),
    most_text=MAX_TEXT_EDGES,
)
