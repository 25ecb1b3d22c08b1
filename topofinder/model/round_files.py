"""Files of timetables in rounds: what makes the sends anew, in an .npz with the sends as well.

A .json is the header alone. An .npz has the sends in blocks of some rounds, `gap.000000` and
`chunk.000000` first: send i uses channel p mod arcs in round p // arcs at place p, which is
`gap` + 1 after that of the send before it. So it is written and read piece by piece, in the memory
that a block takes. The topology is that of the recipe and the damage; the file says its hash.
"""

import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import numpy as np

from expansions.collective import Collective
from expansions.schedule_files.digest import topology_digest
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import FileError, read_bounded, write_pieces, write_whole
from generators.formats.archive import BROKEN, read_member, store_array
from generators.formats.container import (
    Header,
    container_suffix,
    field_lines,
    require_agreement,
    require_integer,
    require_known_fields,
    require_version,
)
from generators.formats.document import parse_object
from generators.formats.quantities import WIDEST, exact, exact_text
from generators.limits import MAX_ARCS, MAX_NODES
from generators.topology import Topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.round_timetable import (
    RoundSends,
    RoundTally,
    RoundTimetable,
    require_order,
)
from topofinder.model.timetable import LAST_SEED, LAST_TICK, MAX_CHUNKS, Timetable

FORMAT = "topofinder-rounds"
VERSION = 1
FIELDS = (
    "format", "version", "recipe", "damage", "method", "seed", "order", "bound", "collective",
    "model", "chunk_bytes", "units", "sends", "rounds", "chunks", "tick", "makespan", "seconds",
    "content", "n", "arcs", "topology", "blocks",
)  # fmt: skip
MOST_AT_ONCE = 1 << 24
"""Sends of a block at most: its columns take 256 MiB."""
MOST_TEXT = 64 << 20
"""Bytes that the values of a header may take in memory, as `document.memory_of` tells."""
_MAGIC = b"PK\x03\x04"
_FIRST = b"gap.000000.npy"


def write_rounds(
    path: str | os.PathLike[str] | None,
    blocks: Iterable[RoundSends],
    tally: RoundTally,
    asked: Timetable,
    order: str,
) -> RoundTimetable:
    """Write a .json or an .npz, whole or not at all, of all blocks; gives the whole timetable.

    Blocks have whole rounds, sorted by round and channel. Without a path they are only counted.
    Raises InvalidInput for another suffix, and when the file cannot be written.
    """
    counted = tally.watch(blocks)
    if path is not None and container_suffix(path) == ".npz":
        write_pieces(path, lambda file: _write_archive(file, counted, tally, asked, order))
        return tally.timetable(asked, order)
    for _ in counted:
        pass
    made = tally.timetable(asked, order)
    if path is not None:
        write_whole(path, "{\n" + ",\n".join(field_lines(round_header(made, []))) + "\n}\n")
    return made


def _write_archive(
    file: IO[bytes],
    blocks: Iterable[RoundSends],
    tally: RoundTally,
    asked: Timetable,
    order: str,
) -> None:
    """The members: gaps and chunks of every block, and in the end the header."""
    rows: list[int] = []
    last = np.int64(-1)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for block in blocks:
            place = block.round * asked.topology.arcs + block.channel
            store_array(archive, f"gap.{len(rows):06}", np.diff(place, prepend=last) - 1)
            # Chunks are in no order that packing would gain from.
            store_array(archive, f"chunk.{len(rows):06}", block.chunk, packed=False)
            rows.append(len(place))
            last = place[-1]
        header = round_header(tally.timetable(asked, order), rows)
        text = json.dumps(header).encode("ascii")
        store_array(archive, "header", np.frombuffer(text, dtype=np.uint8))


def round_header(made: RoundTimetable, rows: list[int]) -> dict[str, Any]:
    """The fields of a file; `rows` are the sends of each block, none where they are left out."""
    asked, graph = made.asked, made.asked.topology
    return {
        "format": FORMAT,
        "version": VERSION,
        "recipe": asked.recipe,
        "damage": asked.damage,
        "method": asked.method,
        "seed": asked.seed,
        "order": made.order,
        "bound": None if asked.bound is None else exact_text("bound", Fraction(asked.bound)),
        "collective": str(asked.collective),
        "model": str(asked.model),
        "chunk_bytes": exact_text("chunk_bytes", asked.chunk_bytes),
        "units": {name: exact_text(name, getattr(asked.units, name)) for name in _UNITS},
        "sends": made.sends,
        "rounds": made.rounds,
        "chunks": asked.chunks,
        "tick": exact_text("tick", asked.tick),
        "makespan": made.makespan,
        "seconds": exact_text("seconds", made.seconds),
        "content": made.content,
        "n": graph.n,
        "arcs": graph.arcs,
        "topology": topology_digest(graph),
        "blocks": rows,
    }


_UNITS = ("latency", "rate")


def is_round_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file says that it is one, by its first bytes; False for one that cannot be read."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".npz", ".json"):
        return False
    try:
        with Path(path).open("rb") as file:
            begin = file.read(256)
    except OSError:
        return False
    if suffix == ".npz":
        return begin.startswith(_MAGIC) and begin[30:].startswith(_FIRST)
    return f'"format": "{FORMAT}"'.encode() in begin


def read_round_header(path: str | os.PathLike[str]) -> Header:
    """The header of a file, its counts checked. Raises InvalidInput with one line."""
    try:
        if container_suffix(path) == ".json":
            header = parse_object(read_bounded(path, MOST_TEXT), MOST_TEXT)
        else:
            with _open_archive(path) as archive:
                header = parse_object(read_member(archive, "header", None).tobytes(), MOST_TEXT)
        _require_counts(header)
    except FileError:
        raise
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None
    return header


def _require_counts(header: Header) -> None:
    if header.get("format") != FORMAT:
        raise InvalidInput(f"format: {FORMAT} is needed, not {excerpt(header.get('format'))}")
    require_version(header, VERSION)
    require_known_fields(header, FIELDS)
    require_integer(header, "n", 1, MAX_NODES)
    require_integer(header, "arcs", 1, MAX_ARCS)
    require_integer(header, "seed", 0, LAST_SEED)
    require_integer(header, "chunks", 1, MAX_CHUNKS)
    require_integer(header, "rounds", 0, LAST_TICK)
    sends = require_integer(header, "sends", 0, MAX_CHUNKS * MAX_NODES)
    require_order(header.get("order"))
    rows = header.get("blocks")
    if not isinstance(rows, list) or any(
        type(count) is not int or not 0 < count <= MOST_AT_ONCE for count in rows
    ):
        raise InvalidInput(f"blocks: 1 to {MOST_AT_ONCE} sends each are needed")
    if rows and sum(rows) != sends:
        raise InvalidInput(f"blocks: {sum(rows)} sends in all, but the header says {sends}")


def restore_rounds(header: Header, topology: Topology) -> RoundTimetable:
    """What a header says of a topology, that of its name. Raises InvalidInput for another one."""
    found = {"n": topology.n, "arcs": topology.arcs, "topology": topology_digest(topology)}
    require_agreement(header, found)
    hosts = np.delete(np.arange(topology.n, dtype=np.int32), list(topology.switches))
    if header["chunks"] % len(hosts):
        raise InvalidInput(f"chunks: {header['chunks']} are not the same for {len(hosts)} hosts")
    none, units = np.zeros(0, dtype=np.int32), header.get("units")
    if not isinstance(units, dict):
        raise InvalidInput(f"units: an object is needed, not {excerpt(units)}")
    require_known_fields(units, _UNITS, "units ")
    asked = Timetable(
        topology=topology,
        collective=Collective.ALLGATHER,
        chunk=none,
        channel=none,
        begin=none.astype(np.int64),
        origin=np.repeat(hosts, header["chunks"] // len(hosts)),
        chunk_bytes=_fraction(header, "chunk_bytes"),
        units=LinkUnits(
            latency=_fraction(units, "latency", zero=True), rate=_fraction(units, "rate")
        ),
        model=header.get("model"),  # type: ignore[arg-type]
        recipe=header.get("recipe"),
        damage=header.get("damage"),
        method=header.get("method"),
        seed=header["seed"],
        bound=None if header.get("bound") is None else _fraction(header, "bound", zero=True),
    )
    made = RoundTimetable(
        asked=asked,
        order=header["order"],
        sends=header["sends"],
        rounds=header["rounds"],
        makespan=require_integer(header, "makespan", 0, LAST_TICK),
        content=str(header.get("content")),
    )
    require_agreement(header, round_header(made, header["blocks"]))
    return made


def _fraction(fields: Header, name: str, *, zero: bool = False) -> Fraction:
    value = fields.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: a text such as '3/2' is needed, not {excerpt(value)}")
    return exact(name, value, zero=zero, most=WIDEST)


def read_blocks(path: str | os.PathLike[str], header: Header) -> Iterator[RoundSends]:
    """The blocks of an .npz, one after the other. Raises InvalidInput for what is broken."""
    arcs, rows, last = header["arcs"], header["blocks"], -1
    with _open_archive(path) as archive:
        names = {f"{name}.{at:06}.npy" for at in range(len(rows)) for name in ("gap", "chunk")}
        if set(archive.namelist()) != names | {"header.npy"}:
            raise InvalidInput(f"{path}: members: those of {len(rows)} blocks are needed")
        for at, count in enumerate(rows):
            gap = read_member(archive, f"gap.{at:06}", count).astype(np.int64)
            chunk = read_member(archive, f"chunk.{at:06}", count)
            if int(gap.max()) > LAST_TICK // count or int(chunk.max()) >= header["chunks"]:
                raise InvalidInput(f"{path}: block {at} has an entry out of range")
            place = np.cumsum(gap + 1) + last
            last = int(place[-1])
            if last // arcs >= header["rounds"]:
                raise InvalidInput(f"{path}: block {at} has more rounds than the header says")
            when, channel = np.divmod(place, arcs)
            yield RoundSends(
                chunk=chunk.astype(np.int32), channel=channel.astype(np.int32), round=when
            )


@contextmanager
def _open_archive(path: str | os.PathLike[str]) -> Iterator[zipfile.ZipFile]:
    """The archive, however large; what is broken in it is InvalidInput, one line."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except InvalidInput:
        raise
    except BROKEN as error:
        raise InvalidInput(f"{path}: no whole .npz file: {excerpt(str(error))}") from None
