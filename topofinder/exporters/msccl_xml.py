"""MSCCL XML: programs for the runtimes of microsoft/msccl, Azure's executor and ROCm's RCCL.

Their parsers are written by hand: no declaration, no text, no entities, double quotes, one blank
between attributes, at most 16 of these and 255 characters each.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.files import write_whole
from topofinder.exporters.fewer_trees import FittingForest, attempt_with_fewer_trees
from topofinder.exporters.msccl_limits import (
    DIALECTS,
    LARGEST_FILE,
    LARGEST_N,
    MAX_OFFSET,
    MOST_BLOCKS,
    MOST_LANES,
    MscclDialect,
    find_dialect,
    require_protocol,
    require_within,
)
from topofinder.exporters.msccl_messages import Memory, MscclMessages, cut_messages
from topofinder.exporters.msccl_threadblocks import Threadblock, rank_threadblocks
from topofinder.exporters.register import Exporter, ExportRequest, register_exporter
from topofinder.model.transfers import Transfers
from topofinder.progress import work_progress
from topofinder.verification.msccl_programs import verify_msccl
from topofinder.verification.msccl_reader import parse_msccl

BOTH_WAYS = (Collective.ALLREDUCE, Collective.REDUCE)
"""Collectives whose programs are right in place and out of place."""
ROW_BYTES = 1900
"""Memory of a row until the program is written and checked; measured at 40,000 rows."""
EACH_WAY = {True: "in place", False: "out of place"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MscclOptions:
    """How a program is to be written; None is left to the compiler.

    `channels` are those of each arc. Without `over_limits` it is refused above any limit of the
    runtime.

    >>> MscclOptions(protocol="LL").dialect.name
    'executor'
    """

    dialect: MscclDialect = DIALECTS["executor"]
    protocol: str = "Simple"
    channels: int | None = None
    max_bytes: int | None = None
    in_place: bool | None = None
    over_limits: bool = False

    def __post_init__(self) -> None:
        require_protocol(self.protocol)
        if self.channels is not None and not 1 <= self.channels <= MOST_LANES:
            raise InvalidInput(f"channels: 1 to {MOST_LANES}, not {excerpt(self.channels)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MscclProgram:
    """A program: its threadblocks, rank after rank, and the buffers that they speak of.

    `steps_alone` are those of its longest threadblock with one channel, where these are too many.
    """

    transfers: Transfers
    memory: Memory
    options: MscclOptions
    channels: int
    most_lanes: int
    ranks: list[list[Threadblock]]
    steps_alone: int | None = None

    @property
    def most_steps(self) -> int:
        """Steps of the longest threadblock."""
        return max((len(tb.lines) for rank in self.ranks for tb in rank), default=0)

    @property
    def most_blocks(self) -> int:
        """Threadblocks of the rank that has most."""
        return max(map(len, self.ranks), default=0)


def compile_msccl(transfers: Transfers, options: MscclOptions) -> MscclProgram:
    """The program of transfers, with as few channels as keep it below the limit of steps.

    Raises Unsupported, with the limit's name, for what the runtime cannot hold.
    """
    _require_ranks(transfers, options)
    in_place = bool(options.in_place)
    if options.in_place is None and not options.dialect.two_flags:
        in_place = transfers.collective in BOTH_WAYS
    if in_place and transfers.collective is Collective.ALLTOALL:
        raise Unsupported("in-place: an all-to-all has an input and an output of its own")
    memory = Memory(transfers, in_place)
    if not options.over_limits:
        require_within("offsets", memory.loop_chunks, MAX_OFFSET, " chunks of the data")
    messages = cut_messages(transfers, memory)
    program = _arrange(transfers, memory, options, messages, options.channels or 1)
    if options.channels is None:
        program = _widen(program, messages)
    _require_limits(program)
    return program


def _require_ranks(transfers: Transfers, options: MscclOptions) -> None:
    if not transfers.rows:
        raise InvalidInput("schedule: nothing is sent, so there is no program")
    if not options.over_limits:
        require_within("N", transfers.ranks, LARGEST_N, " ranks")


def _arrange(
    transfers: Transfers,
    memory: Memory,
    options: MscclOptions,
    messages: MscclMessages,
    channels: int,
) -> MscclProgram:
    ranks: list[list[Threadblock]] = []
    for rank in rank_threadblocks(transfers, memory, messages, channels):
        work_progress.count("programs of ranks", len(ranks), transfers.ranks)
        ranks.append(rank)
    lanes = max((tb.channel for rank in ranks for tb in rank), default=0) + 1
    return MscclProgram(transfers=transfers, memory=memory, options=options, channels=channels,
                        most_lanes=lanes, ranks=ranks)  # fmt: skip


def _widen(program: MscclProgram, messages: MscclMessages) -> MscclProgram:
    """The program with as many channels as it takes, as long as there are any."""
    limit, channels = program.options.dialect.steps, program.channels
    found = program
    while found.most_steps > limit:
        channels = max(channels + 1, ceil(channels * found.most_steps / limit))
        wider = channels * program.most_lanes > MOST_LANES
        if wider or channels * (program.most_blocks - 1) >= program.options.dialect.blocks:
            break
        found = _arrange(program.transfers, program.memory, program.options, messages, channels)
    return found if found is program else replace(found, steps_alone=program.most_steps)


def _require_limits(program: MscclProgram) -> None:
    if program.options.over_limits:
        return
    dialect = program.options.dialect
    if program.most_steps > dialect.steps:
        told = f" in a threadblock with {program.channels} channels{_fewer_pieces(program)}"
        require_within("steps", program.most_steps, dialect.steps, told)
    require_within("channels", program.most_lanes, MOST_LANES)
    most = min(dialect.blocks, MOST_BLOCKS)
    require_within("threadblocks", program.most_blocks, most, " on a rank")


def _fewer_pieces(program: MscclProgram) -> str:
    """What a forest should be like: half the trees of which steps in proportion would fit."""
    if not (program.transfers.method or "").startswith("forest"):
        return ""
    fits = program.memory.block * program.options.dialect.steps // (2 * program.most_steps)
    return f" ({program.memory.block} trees a root; --k {fits} may fit)" if fits else ""


def msccl_text(program: MscclProgram) -> Iterator[str]:
    """The lines of the file."""
    options, transfers, memory = program.options, program.transfers, program.memory
    limit = options.max_bytes if options.max_bytes is not None else options.dialect.no_limit
    head = {
        "name": program_name(transfers),
        "proto": options.protocol,
        "nchannels": program.most_lanes,
        "nchunksperloop": memory.loop_chunks,
        "ngpus": transfers.ranks,
        "coll": options.dialect.collective(transfers.collective),
        **_place_flags(program),
        "minBytes": 0,
        "maxBytes": limit,
    }
    yield f"<algo {_attributes(head)}>\n"
    for rank, blocks in enumerate(program.ranks):
        yield from _rank_lines(program, rank, blocks)
    yield "</algo>\n"


def program_name(transfers: Transfers) -> str:
    """A name of letters and digits that tells collective, recipe and content."""
    words = (transfers.collective.value, transfers.recipe or "graph", transfers.digest[:12])
    return "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", word).strip("_")[:64] for word in words)


def _place_flags(program: MscclProgram) -> dict[str, int]:
    both = program.transfers.collective in BOTH_WAYS and program.options.in_place is None
    in_place = program.memory.in_place
    flags = {"inplace": int(both or in_place), "outofplace": int(both or not in_place)}
    return flags if program.options.dialect.two_flags else {"inplace": int(in_place)}


def _rank_lines(program: MscclProgram, rank: int, blocks: list[Threadblock]) -> Iterator[str]:
    memory = program.memory
    touched = (
        spot for tb in blocks for line in tb.lines if line.kind != "nop"
        for spot in _own_spots(line.kind, line.source, line.target, line.chunks)
    )  # fmt: skip
    scratch = max((end for buffer, end in touched if buffer == "s"), default=0)
    chunks = {
        "id": rank,
        "i_chunks": memory.input_chunks,
        "o_chunks": memory.output_chunks,
        "s_chunks": scratch,
    }
    yield f"  <gpu {_attributes(chunks)}>\n"
    for number, tb in enumerate(blocks):
        yield (f'    <tb id="{number}" send="{tb.send}" recv="{tb.receive}" chan="{tb.channel}">\n')
        for step, line in enumerate(tb.lines):
            other, waited = line.depends or (-1, -1)
            yield (
                f'      <step s="{step}" type="{line.kind}" srcbuf="{line.source[0]}" '
                f'srcoff="{line.source[1]}" dstbuf="{line.target[0]}" dstoff="{line.target[1]}" '
                f'cnt="{line.chunks}" depid="{other}" deps="{waited}" '
                f'hasdep="{int(line.flagged)}"/>\n'
            )
        yield "    </tb>\n"
    yield "  </gpu>\n"


def _own_spots(
    kind: str, source: tuple[str, int], target: tuple[str, int], chunks: int
) -> Iterator[tuple[str, int]]:
    """The buffers of the rank itself that a step touches, with where it ends in them."""
    if kind != "r":
        yield source[0], source[1] + chunks
    if kind != "s":
        yield target[0], target[1] + chunks


def _attributes(values: dict[str, Any]) -> str:
    return " ".join(f'{name}="{value}"' for name, value in values.items())


def read_bytes(word: str | int) -> int:
    """Bytes from a number or a text such as 64MiB; InvalidInput for what is none, or below 1.

    >>> read_bytes("1KiB")
    1024
    """
    found = quantities.size(word, "--max-bytes") if isinstance(word, str) else word
    if found != int(found) or not 1 <= found < 1 << 62:
        raise InvalidInput(f"max-bytes: whole bytes from 1, not {excerpt(word)}")
    return int(found)


def write_msccl(request: ExportRequest, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Write the program of a request; gives what it takes of the runtime.

    Raises Unsupported above a limit, with its name, unless the option over_limits is set.
    """
    given = dict(request.options)
    if "max_bytes" in given:
        given["max_bytes"] = read_bytes(given["max_bytes"])
    dialect = find_dialect(given.pop("dialect", "executor"))
    options = MscclOptions(dialect=dialect, **given)
    program, fitting = _compile_request(request, options)
    text = "".join(msccl_text(program))
    safe_bytes = _check_text(text, options)
    if safe_bytes is not None:  # a program of ours is safe at every size: this is a second look
        options = replace(options, max_bytes=safe_bytes)
        text = "".join(msccl_text(replace(program, options=options)))
    if not options.over_limits:
        require_within("file", len(text), LARGEST_FILE, " bytes")
    write_whole(path, text)
    facts = _facts(program) | {"safe": "at every size" if safe_bytes is None else safe_bytes}
    return facts if fitting is None else facts | fitting.facts()


def _compile_request(
    request: ExportRequest, options: MscclOptions
) -> tuple[MscclProgram, FittingForest | None]:
    """The program, of fewer trees than a forest has where all of them are beyond a limit."""
    _require_ranks(request.transfers, options)
    if options.over_limits:
        return compile_msccl(request.transfers, options), None
    return attempt_with_fewer_trees(request, lambda transfers: compile_msccl(transfers, options))


def _check_text(text: str, options: MscclOptions) -> int | None:
    """Refuse a program that its checker finds wrong; the largest size it is safe for, if any."""
    verdict = verify_msccl(
        parse_msccl(text), dialect=options.dialect.name, over_limits=options.over_limits
    )
    if verdict.violation is not None and verdict.safe_bytes is None:
        raise InvalidInput(f"program: {verdict.violation}")
    return verdict.safe_bytes


def _facts(program: MscclProgram) -> dict[str, Any]:
    flags = _place_flags(program)
    both = flags["inplace"] and flags.get("outofplace", 0)
    facts = {
        "dialect": program.options.dialect.name,
        "protocol": program.options.protocol,
        "placement": "in place or out of place" if both else EACH_WAY[program.memory.in_place],
        "chunks": program.memory.loop_chunks,
        "channels of an arc": program.channels,
        "most threadblocks": program.most_blocks,
        "most steps": program.most_steps,
    }
    if program.steps_alone is not None:
        facts["most steps with one channel"] = program.steps_alone
    return facts


register_exporter(
    Exporter(
        name="msccl",
        takes="transfers",
        suffix=".xml",
        description="XML for MSCCL, Azure's executor and RCCL",
        write=write_msccl,
        place=30,
        row_bytes=ROW_BYTES,
        options=frozenset(
            {"dialect", "protocol", "channels", "max_bytes", "in_place", "over_limits"}
        ),
    )
)
