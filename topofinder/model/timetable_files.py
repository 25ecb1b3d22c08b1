"""Timetables as a compact .npz or, for small ones, a readable .json.

A header of named values and flat arrays of integers, see `generators.formats.container`. Sends have
one order, phase by phase the earliest first; in the readable one each is a line. Of chunks only
what is unusual is kept.
"""

import os
from collections.abc import Collection
from fractions import Fraction
from typing import Any

import numpy as np

from expansions.collective import Collective
from expansions.schedule_files.digest import topology_digest
from expansions.schedule_files.graph import (
    GRAPH_FIELDS,
    graph_fields,
    graph_lengths,
    graph_ranges,
    graph_values,
    restore_graph,
)
from expansions.schedule_files.header import (
    restore_translations,
    translation_fields,
    translation_lengths,
)
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.formats.archive import ArrayRange
from generators.formats.container import (
    Arrays,
    Container,
    Header,
    Lengths,
    TextLayout,
    field_lines,
    require_integer,
    require_known_fields,
)
from generators.formats.document import integers
from generators.formats.quantities import WIDEST, exact, exact_text
from generators.formats.tables import (
    TABLE_FIELDS,
    join_rows,
    read_table,
    require_rows,
    row_lines,
    split_rows,
    table_lines,
)
from generators.limits import MAX_NODES
from generators.topology import AnyIntArray, Topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.timetable import (
    LAST_SEED,
    LAST_TICK,
    MAX_AMOUNT,
    MAX_CHUNKS,
    MAX_SENDS,
    Timetable,
)
from topofinder.model.timetable_digest import (
    MOST_VALUES,
    SENDS,
    UNITS,
    VERSION,
    canonical_timetable,
    require_ordinary,
    timetable_digest,
)

BY_CHUNK = ("origin", "amount", "target")
ROUTES = ("route_start", "route_arc")
FIELDS = (
    "recipe", "damage", "method", "seed", "bound", "collective", "root", "model", "chunk_bytes",
    "units", "sends", "all_sends", "reducing", "chunks", "listed", "routes", "hops", "generators",
    "tick", "makespan", "seconds", "content", *GRAPH_FIELDS,
)  # fmt: skip
MAX_HOPS = 1 << 26
FEW_CHUNKS = 1 << 16
"""More chunks than that, and than sends, are listed: no header of some bytes makes long arrays."""
MAX_TEXT_SENDS = 1 << 20


def write_timetable(saved: Timetable, path: str | os.PathLike[str]) -> None:
    """Write a timetable to an .npz or .json file, whole or not at all.

    Raises InvalidInput for another suffix, for too many sends (.json: 2^20) and when the file
    cannot be written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Timetable(topology=ring, collective="allgather", chunk=[1, 0], channel=[1, 0],
    ...     begin=[0, 0], origin=[0, 1], chunk_bytes=Fraction(6),
    ...     units=LinkUnits(latency=Fraction(1), rate=Fraction(2)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_timetable(swap, Path(folder) / "swap.npz")
    ...     again = read_timetable(Path(folder) / "swap.npz")
    >>> again.chunk.tolist(), again.seconds, timetable_digest(again) == timetable_digest(swap)
    ([0, 1], Fraction(4, 1), True)
    """
    TIMETABLE_FILES.write(saved, path)


def read_timetable(path: str | os.PathLike[str], *, large: bool = False) -> Timetable:
    """Read a timetable, whole or with the sends of node 0 alone, from an .npz or .json file.

    With `large` the file may be above the ordinary limits. Raises InvalidInput with one line
    naming the file and what is wrong with it.
    """
    return TIMETABLE_FILES.read(path, large=large)


def _pack(saved: Timetable) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays."""
    kept, words = canonical_timetable(saved), saved.translations
    fields, arrays = graph_fields(saved.topology)
    follows = _derived_fields(kept)
    generators = None
    if words is not None:
        tree, images = translation_fields(words, saved.topology.arcs)
        generators = tree["generators"]
        arrays |= images
    if follows["routes"]:
        arrays |= {name: getattr(kept, name) for name in ROUTES}
    arrays |= {name: getattr(kept, name) for name in (*follows["listed"], *SENDS)}
    header = {
        "version": VERSION,
        "recipe": saved.recipe,
        "damage": saved.damage,
        "method": saved.method,
        "seed": saved.seed,
        "collective": str(saved.collective),
        "root": saved.root,
        "model": str(saved.model),
        "sends": saved.sends,
        "reducing": saved.reducing,
        "chunks": saved.chunks,
        "generators": generators,
    }
    told = header | follows | fields
    return {name: told[name] for name in ("version", *FIELDS) if name in told}, arrays


def _derived_fields(saved: Timetable) -> dict[str, Any]:
    """What follows from the contents, and is said in the header all the same."""
    bound = saved.bound
    try:
        makespan, tick = saved.makespan, saved.tick
    except Unsupported as error:
        raise InvalidInput(str(error)) from None
    return {
        "bound": None if bound is None else exact_text("bound", Fraction(bound)),
        "chunk_bytes": exact_text("chunk_bytes", saved.chunk_bytes),
        "units": {name: exact_text(name, getattr(saved.units, name)) for name in UNITS},
        "all_sends": saved.all_sends,
        "listed": _unusual_columns(saved),
        "routes": saved.channels - saved.topology.arcs,
        "hops": len(saved.route_arc),  # type: ignore[arg-type]
        "tick": exact_text("tick", tick),
        "makespan": makespan,
        "seconds": exact_text("seconds", makespan * tick),
        "topology": topology_digest(saved.topology),
        "content": timetable_digest(saved),
    }


def _unusual_columns(saved: Timetable) -> list[str]:
    """Which of BY_CHUNK are to be kept."""
    usual = _usual_columns(
        saved.topology, saved.chunks, saved.sends, saved.root, saved.translations is not None
    )
    pairs = [(name, getattr(saved, name), usual[name]) for name in BY_CHUNK]
    return [name for name, own, other in pairs if own is not None and not _equal(own, other)]


def _usual_columns(
    topology: Topology, chunks: int, sends: int, root: int | None, compact: bool
) -> dict[str, AnyIntArray | None]:
    """What a file does not repeat: all amounts are 1, and hosts in turn have equally many chunks.

    In an all-to-all those of a host go to all the others in turn, equally many to each. None where
    the number of chunks does not allow that.
    """
    if chunks > max(sends, FEW_CHUNKS):
        return dict.fromkeys(BY_CHUNK)
    hosts = np.delete(np.arange(topology.n, dtype=np.int32), list(topology.switches))
    owners = hosts[:1] if compact else hosts if root is None else np.array([root])
    found: dict[str, AnyIntArray | None] = dict.fromkeys(BY_CHUNK)
    found["amount"] = np.ones(chunks, dtype=np.int64)
    if len(owners) and chunks % len(owners) == 0:
        found["origin"] = np.repeat(owners, chunks // len(owners))
    pairs = len(owners) * (len(hosts) - 1)
    if pairs and chunks % pairs == 0:
        owner, other = divmod(np.arange(pairs if chunks else 0), len(hosts) - 1)
        found["target"] = np.repeat(hosts[other + (other >= owner)], chunks // pairs)
    return found


def _equal(own: AnyIntArray, other: AnyIntArray | None) -> bool:
    return other is not None and np.array_equal(own, other)


def _lengths(header: Header) -> dict[str, int]:
    """The arrays that a header announces, and their lengths."""
    wanted = graph_lengths(header)
    sends = require_integer(header, "sends", 0, MAX_SENDS)
    chunks = require_integer(header, "chunks", 0, MAX_CHUNKS)
    routes = require_integer(header, "routes", 0, MAX_HOPS)
    hops = require_integer(header, "hops", 0, MAX_HOPS)
    if header.get("generators") is not None:
        wanted |= translation_lengths(header)
    if routes:
        wanted |= {"route_start": routes + 1, "route_arc": hops}
    return wanted | dict.fromkeys(_listed_columns(header), chunks) | dict.fromkeys(SENDS, sends)


def _ranges(header: Header) -> dict[str, ArrayRange]:
    """The entries that the arrays may have; `_lengths` has checked the header."""
    hosts = ArrayRange(most=header["n"] - 1)
    arcs, hops = ArrayRange(most=header["arcs"] - 1), header["hops"]
    wanted = {
        "begin": ArrayRange(most=require_integer(header, "makespan", 0, LAST_TICK)),
        "channel": ArrayRange(most=header["arcs"] + header["routes"] - 1),
        "chunk": ArrayRange(most=header["chunks"] - 1),
        "amount": ArrayRange(least=1, most=MAX_AMOUNT),
    }
    routes = {"route_start": ArrayRange(most=hops, reached=True), "route_arc": arcs}
    return graph_ranges(header) | wanted | routes | {"origin": hosts, "target": hosts}


def _listed_columns(header: Header) -> list[str]:
    names = header.get("listed")
    if not isinstance(names, list) or any(name not in BY_CHUNK for name in names):
        raise InvalidInput(f"listed: some of {', '.join(BY_CHUNK)}, not {excerpt(names)}")
    return names


def _restore(header: Header, arrays: Arrays) -> Timetable:
    """The contents of a file; `arrays` are as `_lengths` asks. Raises InvalidInput."""
    topology = restore_graph(header, arrays)
    root, seed = _integer(header, "root", MAX_NODES), _integer(header, "seed", LAST_SEED)
    words = None if header.get("generators") is None else restore_translations(header, arrays)
    routes: dict[str, Any] = {name: arrays.get(name) for name in ROUTES}
    return Timetable(
        topology=topology,
        collective=header.get("collective"),  # type: ignore[arg-type]
        **{name: arrays[name] for name in SENDS},
        **_columns_by_chunk(header, arrays, topology, root),
        chunk_bytes=_fraction(header, "chunk_bytes"),
        units=_units(header),
        model=header.get("model"),  # type: ignore[arg-type]
        reducing=require_integer(header, "reducing", 0, MAX_SENDS),
        root=root,
        **routes,
        translations=words,
        recipe=header.get("recipe"),
        damage=header.get("damage"),
        method=header.get("method"),
        seed=seed,
        bound=None if header.get("bound") is None else _fraction(header, "bound", zero=True),
    )


def _columns_by_chunk(
    header: Header, arrays: Arrays, topology: Topology, root: int | None
) -> dict[str, Any]:
    """The columns of BY_CHUNK: what is listed, and else what is usual."""
    compact = header.get("generators") is not None
    usual = _usual_columns(topology, header["chunks"], header["sends"], root, compact)
    found = {name: arrays.get(name, usual[name]) for name in BY_CHUNK}
    needed = list(BY_CHUNK)
    if header.get("collective") != Collective.ALLTOALL and "target" not in arrays:
        needed.remove("target")
        found["target"] = None
    for name in needed:
        if found[name] is None:
            raise InvalidInput(f"{name}: {header['chunks']} chunks are not alike, list it")
    return found


def _units(header: Header) -> LinkUnits:
    fields = header.get("units")
    if not isinstance(fields, dict):
        raise InvalidInput(f"units: an object is needed, not {excerpt(fields)}")
    require_known_fields(fields, UNITS, "units ")
    return LinkUnits(
        latency=_fraction(fields, "latency", zero=True),
        rate=_fraction(fields, "rate"),
    )


def _integer(header: Header, name: str, most: int) -> int | None:
    return None if header.get(name) is None else require_integer(header, name, 0, most)


def _fraction(fields: Header, name: str, *, zero: bool = False) -> Fraction:
    value = fields.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: a text such as '3/2' is needed, not {excerpt(value)}")
    return exact(name, value, zero=zero, most=WIDEST)


def _text(header: Header, arrays: Arrays) -> str:
    """The document: a route a line and a send a line."""
    rows = (*ROUTES, *SENDS)
    flat = {name: array.tolist() for name, array in arrays.items() if name not in rows}
    lines = field_lines({**header, **flat})
    if header["routes"]:
        routes = split_rows(arrays["route_arc"], arrays["route_start"])
        lines.append(row_lines("route_table", routes))
    return "{\n" + ",\n".join([*lines, *table_lines(SENDS, arrays)]) + "}\n"


def _read_text(document: Header, lengths: Lengths) -> tuple[Arrays, Collection[str]]:
    """The arrays of a document, and the fields that hold them."""
    names = [name for name in lengths if name not in (*ROUTES, *SENDS)]
    arrays = {name: integers(document, name, lengths[name]) for name in names}
    beside = {*names, *TABLE_FIELDS}
    if "route_start" in lengths:
        rows = require_rows(document, "route_table", lengths["route_start"] - 1)
        arc, start = join_rows("route_table", rows, lengths["route_arc"])
        arrays |= {"route_start": start, "route_arc": arc}
        beside.add("route_table")
    return arrays | read_table(document, SENDS, lengths["chunk"]), beside


TIMETABLE_FILES = Container(
    format="topofinder-timetable",
    versions=(VERSION,),
    pack=_pack,
    lengths=_lengths,
    ranges=_ranges,
    values=lambda header, lengths: sum(lengths.values()) + graph_values(header),
    most_values=MOST_VALUES,
    require_ordinary=require_ordinary,
    known=lambda header: FIELDS,
    restore=_restore,
    agreed=_derived_fields,
    layout=TextLayout(write=_text, read=_read_text),
    text_counts=lambda saved: {"sends": saved.sends, "arcs": saved.topology.arcs},
    most_text=MAX_TEXT_SENDS,
)
