"""Certificates as a compact .npz or, for small graphs, a readable .json.

A header of named values and flat arrays of integers, see `generators.formats.container`.
"""

import os
from fractions import Fraction
from typing import Any

import numpy as np

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
from generators.formats.container import Arrays, Container, Header, require_integer
from generators.formats.quantities import WIDEST, exact
from generators.limits import MAX_NODES
from generators.topology import Topology
from topofinder.model.certificate import MOST, VERSION, Certificate, DemandBounds, FlowSymmetry

FIELDS = (
    "recipe", "method", "pattern", "lower", "upper", "quantum", "unit",
    "exact_demand", "rows", "motion_count", "content", *GRAPH_FIELDS,
)  # fmt: skip
MAX_ENTRIES = 1 << 26
"""Numbers of one array at most: half a GB once in memory."""
MOST_VALUES = 3 << 22
"""Entries of the arrays of an ordinary file."""


def write_certificate(saved: Certificate, path: str | os.PathLike[str]) -> None:
    """Write a certificate to an .npz or .json file, whole or not at all.

    Raises InvalidInput for another suffix, for more numbers than the format is for (.json: 2^20
    in an array, .npz: 2^26) and when the file cannot be written.
    """
    CERTIFICATE_FILES.write(saved, path)


def read_certificate(path: str | os.PathLike[str], *, large: bool = False) -> Certificate:
    """Read a certificate from an .npz or .json file.

    With `large` the file may be above the ordinary limits. Raises InvalidInput with one line
    naming the file and what is wrong with it.
    """
    return CERTIFICATE_FILES.read(path, large=large)


def _pack(saved: Certificate) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays."""
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


def _lengths(header: Header) -> dict[str, int]:
    """The arrays that a header announces, and their lengths."""
    wanted = graph_lengths(header)
    n, arcs = header["n"], header["arcs"]
    rows = require_integer(header, "rows", 1, MAX_NODES)
    wanted |= {"lengths": arcs, "sources": rows, "flow": rows * arcs}
    if header.get("motion_count") is not None:
        motions = require_integer(header, "motion_count", 0, MAX_NODES)
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


def _ranges(header: Header) -> dict[str, ArrayRange]:
    """The entries that the arrays may have; `_lengths` has checked the header."""
    nodes, arcs = ArrayRange(most=header["n"] - 1), ArrayRange(most=header["arcs"] - 1)
    counts = dict.fromkeys(("lengths", "flow", "demand", "demand_low"), ArrayRange(most=MOST))
    return graph_ranges(header) | counts | {"sources": nodes, "parent": nodes, "motions": arcs}


def _restore(header: Header, arrays: Arrays) -> Certificate:
    """The contents of a file; `arrays` are as `_lengths` asks. Raises InvalidInput."""
    topology = restore_graph(header, arrays)
    wide = {name: array.astype(np.int64) for name, array in arrays.items()}
    return Certificate(
        topology=topology,
        lower=_fraction(header, "lower", zero=True),
        upper=_fraction(header, "upper"),
        lengths=wide["lengths"],
        sources=wide["sources"],
        rows=wide["flow"].reshape(len(wide["sources"]), topology.arcs),
        quantum=_fraction(header, "quantum"),
        demand=_restore_demand(header, wide, topology),
        lifted=_restore_symmetry(wide, topology),
        recipe=header.get("recipe"),
        pattern=header.get("pattern"),  # type: ignore[arg-type]
        method=header.get("method"),  # type: ignore[arg-type]
    )


def _derived_fields(saved: Certificate) -> dict[str, Any]:
    """What follows from the contents, and is said in the header all the same."""
    return {
        "exact_demand": saved.demand is not None and saved.demand.low is saved.demand.high,
        "topology": topology_digest(saved.topology),
        "content": saved.digest,
    }


def _restore_demand(header: Header, wide: Arrays, topology: Topology) -> DemandBounds | None:
    if "demand" not in wide:
        return None
    high = wide["demand"].reshape(topology.n, topology.n)
    low = high
    if "demand_low" in wide:
        low = wide["demand_low"].reshape(topology.n, topology.n)
    return DemandBounds(low=low, high=high, unit=_fraction(header, "unit"))


def _restore_symmetry(wide: Arrays, topology: Topology) -> FlowSymmetry | None:
    if "motions" not in wide:
        return None
    motions = wide["motions"].reshape(-1, topology.arcs)
    return FlowSymmetry(motions=motions, parent=wide["parent"], motion=wide["motion"])


def _fraction(header: Header, name: str, *, zero: bool = False) -> Fraction:
    value = header.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: text such as '3/2' is needed, not {excerpt(value)}")
    return exact(name, value, zero=zero, most=WIDEST)


CERTIFICATE_FILES = Container(
    format="topofinder-throughput",
    versions=(VERSION,),
    pack=_pack,
    lengths=_lengths,
    ranges=_ranges,
    values=lambda header, lengths: sum(lengths.values()) + graph_values(header),
    most_values=MOST_VALUES,
    require_ordinary=lambda saved: require_ordinary_graph(saved.topology),
    known=lambda header: FIELDS,
    restore=_restore,
    agreed=_derived_fields,
    too_long="JSON is for at most {most} numbers, not {count}",
    to_writer="; use an .npz file",
    to_reader="; use an .npz file",
)
