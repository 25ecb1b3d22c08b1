"""What both formats share: a header of named values, and flat arrays of integers.

The header says how long every array is, so that a reader knows before it allocates any, and
repeats the hashes of the topology and of the content: a file that contradicts itself is refused,
and so is one with a field that nothing here reads.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from generators.formats.quantities import WIDEST, exact, shown
from generators.topology import MAX_NODES, Topology
from topofinder.model.certificate import Certificate, DemandBounds, FlowSymmetry
from topofinder.model.certificate_digest import VERSION

FORMAT = "topofinder-throughput"
FIELDS = (
    "format", "version", "recipe", "method", "pattern", "lower", "upper", "quantum", "unit",
    "exact_demand", "rows", "motion_count", "content", *GRAPH_FIELDS,
)  # fmt: skip
MAX_ENTRIES = 1 << 26
"""Numbers of one array at most: half a GB once in memory."""


def header_and_arrays(saved: Certificate) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Everything a file says."""
    fields, arrays = graph_fields(saved.topology)
    arrays |= {name: getattr(saved, name) for name in ("lengths", "sources")}
    arrays["flow"] = saved.rows.ravel()
    motions = None
    if saved.lifted is not None:
        motions = len(saved.lifted.motions)
        arrays |= {name: getattr(saved.lifted, name).ravel() for name in FlowSymmetry.__slots__}
    exactly = saved.demand is not None and saved.demand.low is saved.demand.high
    if saved.demand is not None:
        arrays["demand"] = saved.demand.high.ravel()
        if not exactly:
            arrays["demand_low"] = saved.demand.low.ravel()
    for name, array in arrays.items():
        if len(array) > MAX_ENTRIES:
            raise InvalidInput(f"{name}: a file holds at most {MAX_ENTRIES}, not {len(array)}")
    header = {
        "format": FORMAT,
        "version": VERSION,
        "recipe": saved.recipe,
        "method": saved.method,
        "pattern": saved.pattern,
        "lower": str(saved.lower),
        "upper": str(saved.upper),
        "quantum": str(saved.quantum),
        "unit": None if saved.demand is None else str(saved.demand.unit),
        "exact_demand": exactly,
        "rows": len(saved.sources),
        "motion_count": motions,
        "content": saved.digest,
        **fields,
    }
    return header, arrays


def lengths(header: Mapping[str, Any]) -> dict[str, int]:
    """The arrays that must be there, and their lengths, from a header that is checked first."""
    if header.get("format") != FORMAT:
        raise InvalidInput(f"format: {FORMAT} is needed, not {shown(header.get('format'))}")
    require_version(header, VERSION)
    wanted = graph_lengths(header)
    n, arcs = header["n"], header["arcs"]
    rows = integer(header, "rows", 1, MAX_NODES)
    wanted |= {"lengths": arcs, "sources": rows, "flow": rows * arcs}
    if header.get("motion_count") is not None:
        motions = integer(header, "motion_count", 0, MAX_NODES)
        wanted |= {"motions": motions * arcs, "parent": n, "motion": n}
    if header.get("unit") is not None:
        _fraction(header, "unit")
        wanted["demand"] = n * n
        if header.get("exact_demand") is not True:
            wanted["demand_low"] = n * n
    for name, count in wanted.items():
        if count > MAX_ENTRIES:
            raise InvalidInput(f"{name}: a file holds at most {MAX_ENTRIES}, not {count}")
    return wanted


def restored(header: Mapping[str, Any], arrays: Arrays) -> Certificate:
    """The contents of a file; `arrays` are as `lengths` asks.

    Raises InvalidInput for values out of range, and when header and arrays disagree.
    """
    require_known(header, FIELDS)
    topology = restored_graph(header, arrays)
    wide = {name: array.astype(np.int64) for name, array in arrays.items()}
    saved = Certificate(
        topology=topology,
        lower=_fraction(header, "lower", zero=True),
        upper=_fraction(header, "upper"),
        lengths=wide["lengths"],
        sources=wide["sources"],
        rows=wide["flow"].reshape(len(wide["sources"]), topology.arcs),
        quantum=_fraction(header, "quantum"),
        demand=_demanded(header, wide, topology),
        lifted=_lifted(wide, topology),
        recipe=header.get("recipe"),
        pattern=header.get("pattern"),  # type: ignore[arg-type]
        method=header.get("method"),  # type: ignore[arg-type]
    )
    require_agreement(
        header,
        {
            "exact_demand": "demand" in wide and "demand_low" not in wide,
            "topology": topology_digest(topology),
            "content": saved.digest,
        },
    )
    return saved


def _demanded(header: Mapping[str, Any], wide: Arrays, topology: Topology) -> DemandBounds | None:
    if "demand" not in wide:
        return None
    high = wide["demand"].reshape(topology.n, topology.n)
    low = high
    if "demand_low" in wide:
        low = wide["demand_low"].reshape(topology.n, topology.n)
    return DemandBounds(low=low, high=high, unit=_fraction(header, "unit"))


def _lifted(wide: Arrays, topology: Topology) -> FlowSymmetry | None:
    if "motions" not in wide:
        return None
    motions = wide["motions"].reshape(-1, topology.arcs)
    return FlowSymmetry(motions=motions, parent=wide["parent"], motion=wide["motion"])


def _fraction(header: Mapping[str, Any], name: str, *, zero: bool = False) -> Fraction:
    value = header.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: text such as '3/2' is needed, not {shown(value)}")
    return exact(name, value, zero=zero, most=WIDEST)
