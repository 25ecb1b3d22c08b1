"""What both formats share: a header of named values, and flat arrays of integers.

The header says how long every array is, so that a reader knows before it allocates any. It also
repeats what follows from the arrays (steps, bandwidth, hashes): a reader works them out anew and
refuses a file that contradicts itself.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.schedule import COLUMNS, MAX_DENOMINATOR, Schedule
from expansions.schedule_files.canonical_rows import canonical_rows
from expansions.schedule_files.digest import VERSION, content_digest, topology_digest
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.formats.quantities import exact, exact_text, shown
from generators.topology import MAX_ARCS, MAX_NODES, Topology

FORMAT = "topofinder-schedule"
MAX_FILE_ROWS = 1 << 26
"""Rows a file holds at most: 2 GB once in memory."""

Arrays = Mapping[str, NDArray[Any]]


def header_and_arrays(saved: SavedSchedule) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Everything a file says, rows in canonical order."""
    topology, schedule = saved.topology, canonical_rows(saved.schedule)
    if schedule.rows > MAX_FILE_ROWS:
        raise InvalidInput(f"rows: a file holds at most {MAX_FILE_ROWS}, not {schedule.rows}")
    arrays = {"tail": topology.tail, "head": topology.head}
    arrays |= {name: getattr(schedule, name) for name in COLUMNS}
    values = {}
    for name in ("capacity", "latency"):
        values[name], which = _distinct(name, getattr(topology, name))
        if which is not None:
            arrays[f"{name}_of_arc"] = which
    cost = schedule.cost(topology)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "recipe": saved.recipe,
        "method": saved.method,
        "collective": str(schedule.collective),
        "root": schedule.root,
        "turn": schedule.turn,
        "denominator": schedule.denominator,
        "n": topology.n,
        "arcs": topology.arcs,
        "rows": schedule.rows,
        "steps": cost.steps,
        "bandwidth": str(cost.bandwidth),
        "topology": topology_digest(topology),
        "content": content_digest(topology, schedule),
        "switches": list(topology.switches),
        "names": None if topology.names is None else list(topology.names),
        **values,
    }
    return header, arrays


def lengths(header: Mapping[str, Any]) -> dict[str, int]:
    """The arrays that must be there, and their lengths, from a header that is checked first."""
    if header.get("format") != FORMAT:
        raise InvalidInput(f"format: {FORMAT} is needed, not {shown(header.get('format'))}")
    if header.get("version") != VERSION:
        raise InvalidInput(f"version: {VERSION} can be read, not {shown(header.get('version'))}")
    integer(header, "n", 1, MAX_NODES)
    arcs = integer(header, "arcs", 0, MAX_ARCS)
    rows = integer(header, "rows", 0, MAX_FILE_ROWS)
    wanted = {"tail": arcs, "head": arcs} | dict.fromkeys(COLUMNS, rows)
    for name in ("capacity", "latency"):
        if header.get(name) is not None:
            wanted[f"{name}_of_arc"] = arcs
    return wanted


def restored(header: Mapping[str, Any], arrays: Arrays) -> SavedSchedule:
    """The contents of a file; `arrays` are as `lengths` asks.

    Raises InvalidInput for values out of range, and when header and arrays disagree.
    """
    topology = _topology(header, arrays)
    schedule = Schedule(
        **{name: arrays[name] for name in COLUMNS},
        denominator=integer(header, "denominator", 1, MAX_DENOMINATOR),
        collective=header.get("collective"),  # type: ignore[arg-type]
        root=_optional(header, "root"),
        turn=_optional(header, "turn"),
    )
    saved = SavedSchedule(
        topology=topology,
        schedule=schedule,
        recipe=header.get("recipe"),
        method=header.get("method"),
    )
    _require_agreement(header, saved)
    return saved


def _require_agreement(header: Mapping[str, Any], saved: SavedSchedule) -> None:
    cost = saved.cost
    found = {
        "steps": cost.steps,
        "bandwidth": str(cost.bandwidth),
        "topology": saved.topology_digest,
        "content": saved.digest,
    }
    for name, value in found.items():
        if header.get(name) != value:
            raise InvalidInput(
                f"{name}: the file says {shown(header.get(name))}, but what it holds gives {value}"
            )


def _topology(header: Mapping[str, Any], arrays: Arrays) -> Topology:
    names = header.get("names")
    switches = header.get("switches")
    if not isinstance(switches, list) or any(type(node) is not int for node in switches):
        raise InvalidInput(f"switches: a list of nodes is needed, not {shown(switches)}")
    if names is not None and not isinstance(names, list):
        raise InvalidInput(f"names: a list or null is needed, not {shown(names)}")
    return Topology(
        n=integer(header, "n", 1, MAX_NODES),
        tail=arrays["tail"],
        head=arrays["head"],
        capacity=_of_arcs(header, arrays, "capacity"),
        latency=_of_arcs(header, arrays, "latency"),
        switches=tuple(switches),
        names=None if names is None else tuple(names),
    )


def _distinct(
    name: str, values: tuple[Fraction, ...] | None
) -> tuple[list[str] | None, NDArray[Any] | None]:
    """The different values as text, and which of them each arc has."""
    if values is None:
        return None, None
    number = {value: place for place, value in enumerate(dict.fromkeys(values))}
    which = np.array([number[value] for value in values], dtype=np.int32)
    return [exact_text(name, value) for value in number], which


def _of_arcs(header: Mapping[str, Any], arrays: Arrays, name: str) -> tuple[Fraction, ...] | None:
    texts = header.get(name)
    if texts is None:
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InvalidInput(f"{name}: a list of texts such as '3/2' is needed, not {shown(texts)}")
    values = [exact(name, text) for text in texts]
    which = arrays[f"{name}_of_arc"]
    wrong = which[(which < 0) | (which >= len(values))]
    if len(wrong):
        raise InvalidInput(f"{name}_of_arc: {wrong[0]} is not in 0..{len(values) - 1}")
    return tuple(values[place] for place in which.tolist())


def integer(header: Mapping[str, Any], name: str, least: int, most: int) -> int:
    """An integer of the header. Raises InvalidInput when it is missing or out of range."""
    value = header.get(name)
    if type(value) is not int or not least <= value <= most:
        raise InvalidInput(f"{name}: an integer in {least}..{most} is needed, not {shown(value)}")
    return value


def _optional(header: Mapping[str, Any], name: str) -> int | None:
    return None if header.get(name) is None else integer(header, name, 0, MAX_FILE_ROWS)
