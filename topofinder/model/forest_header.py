"""What both formats of forest files share: a header, and flat arrays of integers.

The header says how long every array is, so that a reader knows before it allocates any. It repeats
the hashes of the topology and of the content, which a reader works out anew; it refuses fields that
it does not know.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from expansions.collective import Collective
from expansions.schedule_files.agreement import GRAPH_FIELDS, require_agreement, require_known
from expansions.schedule_files.digest import topology_digest
from expansions.schedule_files.graph import (
    Arrays,
    graph_fields,
    graph_lengths,
    integer,
    require_version,
    restored_graph,
)
from generators.errors import InvalidInput
from generators.formats.quantities import WIDEST, exact, exact_text, shown
from generators.topology import MAX_NODES, Topology
from topofinder.model.forest import GATHERING, SPREADING, Forest
from topofinder.model.forest_digest import ARRAYS, VERSION, forest_digest
from topofinder.model.tree_set import MAX_USES, TreeSet

FORMAT = "topofinder-forest"
MOST = {"root": "trees", "route": "edges", "node": "route_nodes", "cut": "cut"}
"""The arrays whose lengths a phase announces, and under which name."""
FIELDS = (
    "format", "version", "recipe", "damage", "method", "collective", "root", "content", "weight",
    *GRAPH_FIELDS,
)  # fmt: skip
PHASE_FIELDS = ("k", "optimum", "time", "routes", *MOST.values())
LARGEST_K = 1 << 62


def header_and_arrays(saved: Forest) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Everything a file says."""
    fields, arrays = graph_fields(saved.topology)
    phases = {}
    for phase in saved.phases:
        phases[phase.name] = _phase_fields(phase.trees)
        arrays |= {f"{phase.name}_{name}": getattr(phase.trees, name) for name in ARRAYS}
    header = {
        "format": FORMAT,
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


def lengths(header: Mapping[str, Any]) -> dict[str, int]:
    """The arrays that must be there, and their lengths, from a header that is checked first."""
    if header.get("format") != FORMAT:
        raise InvalidInput(f"format: {FORMAT} is needed, not {shown(header.get('format'))}")
    require_version(header, VERSION)
    wanted = graph_lengths(header)
    for name in phase_names(header):
        fields = phase_of(header, name)
        counts = {array: integer(fields, field, 0, MAX_USES) for array, field in MOST.items()}
        counts |= {"copies": counts["root"], "start": counts["root"] + 1, "skip": counts["route"]}
        counts["route_start"] = integer(fields, "routes", 0, MAX_USES) + 1
        wanted |= {f"{name}_{array}": counts[array] for array in ARRAYS}
    return wanted


def phase_names(header: Mapping[str, Any]) -> list[str]:
    """The phases of the collective that the header names."""
    collective = collective_of(header)
    wanted = (("gather", GATHERING), ("spread", SPREADING))
    return [name for name, collectives in wanted if collective in collectives]


def collective_of(header: Mapping[str, Any]) -> Collective:
    """The collective. Raises InvalidInput when there is none of that name."""
    try:
        return Collective(header.get("collective"))  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(Collective)
        told = shown(header.get("collective"))
        raise InvalidInput(f"collective: one of {known} is needed, not {told}") from None


def phase_of(header: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The fields of a phase."""
    fields = header.get(name)
    if not isinstance(fields, dict):
        raise InvalidInput(f"{name}: an object is needed, not {shown(fields)}")
    return fields


def restored(header: Mapping[str, Any], arrays: Arrays) -> Forest:
    """The contents of a file; `arrays` are as `lengths` asks.

    Raises InvalidInput for values out of range, and when header and arrays disagree.
    """
    phases_named = phase_names(header)
    require_known(header, (*FIELDS, *phases_named))
    topology = restored_graph(header, arrays)
    phases = {name: _trees(header, arrays, name) for name in phases_named}
    saved = Forest(
        topology=topology,
        collective=collective_of(header),
        weight=_weight(header, topology),
        root=None if header.get("root") is None else integer(header, "root", 0, MAX_NODES),
        recipe=header.get("recipe"),
        damage=header.get("damage"),
        method=header.get("method"),
        spread=phases.get("spread"),
        gather=phases.get("gather"),
    )
    found = {"topology": topology_digest(topology), "content": forest_digest(saved)}
    require_agreement(header, found)
    return saved


def _trees(header: Mapping[str, Any], arrays: Arrays, name: str) -> TreeSet:
    fields = phase_of(header, name)
    require_known(fields, PHASE_FIELDS, f"{name} ")
    try:
        return TreeSet(
            k=integer(fields, "k", 1, LARGEST_K),
            optimum=_fraction(fields, "optimum"),
            time=_fraction(fields, "time"),
            **{array: arrays[f"{name}_{array}"] for array in ARRAYS},
        )
    except InvalidInput as error:
        raise InvalidInput(f"{name} {error}") from None


def _fraction(fields: Mapping[str, Any], name: str) -> Fraction:
    value = fields.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: a text such as '3/2' is needed, not {shown(value)}")
    return exact(name, value, most=WIDEST)


def _weight(header: Mapping[str, Any], topology: Topology) -> tuple[int, ...]:
    weight = header.get("weight")
    if not isinstance(weight, list):
        raise InvalidInput(f"weight: a list is needed, not {shown(weight)}")
    return tuple(weight)
