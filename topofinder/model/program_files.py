"""Programs of CPUs as XML: what each rank sends, receives, adds and copies, between two waits.

The kind of file that the second compiler of Zhao et al. (section 7) writes; the grammar is our own
(docs/runtimes.md). Places are units of the collective, so that one file serves every size. The
reader takes no declarations of types or entities, no text between elements, and a bounded number
of all else.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import IO
from xml.sax.saxutils import quoteattr

from generators.errors import InvalidInput, Unsupported
from generators.files import open_bounded, write_pieces
from topofinder.model.program import ProgramMessage, ProgramSet, RankProgram
from topofinder.model.program_reader import (
    LARGE_PROGRAMS,
    MAX_PARTS,
    VERSION,
    ProgramLimits,
    ProgramParser,
)
from topofinder.model.transfers import Transfers


def write_programs(programs: ProgramSet, path: str | os.PathLike[str]) -> None:
    """Write programs to an .xml file, whole or not at all.

    Raises InvalidInput for another suffix and where that fails, Unsupported for programs of too
    many parts.
    """
    if Path(path).suffix.lower() != ".xml":
        raise InvalidInput(f"{path}: programs are written to an .xml file")
    parts = sum(
        len(message.parts)
        for program in programs.programs
        for step in program.steps
        for message in (*step.sends, *step.receives)
    )
    if parts > MAX_PARTS:
        raise Unsupported(f"parts: at most {MAX_PARTS} in a file of programs, not {parts}")

    def write(file: IO[bytes]) -> None:
        for line in program_lines(programs):
            file.write(line.encode())

    write_pieces(path, write)


def read_programs(path: str | os.PathLike[str], *, large: bool = False) -> ProgramSet:
    """Read programs; their digest is that of the bytes of the file.

    With `large` the file may be above the ordinary limits.
    Raises InvalidInput, with the line, for what is no such file or is beyond its limits. Whether
    the programs do what their collective says is not looked at.
    """
    limits = LARGE_PROGRAMS if large else ProgramLimits()
    parser, digest = ProgramParser(limits), hashlib.sha256()
    try:
        with open_bounded(path, limits.file_bytes) as file:
            taken = 0
            while piece := file.read(1 << 16):
                digest.update(piece)
                if (taken := taken + len(piece)) > limits.file_bytes:
                    raise InvalidInput(f"larger than {limits.file_bytes} bytes")
                parser.parse(piece)
            return parser.close(digest.hexdigest())
    except InvalidInput as error:
        text = str(error)
        raise InvalidInput(text if text.startswith(str(path)) else f"{path}: {text}") from None


def program_lines(programs: ProgramSet) -> Iterator[str]:
    """The lines of the file; the same bytes for the same programs.

    >>> pair = Transfers(collective="allgather", step=[], sender=[], receiver=[], lane=[],
    ...     begin=[], end=[], reducing=[], first=[0, 1, 2], nodes=[0, 1])
    >>> none = RankProgram(0, ()), RankProgram(1, ())
    >>> print("".join(program_lines(ProgramSet(pair, none, "a1"))))
    <cpu-programs version="1" collective="allgather" ranks="2" blocks="2*1" two-way="1"
      schedule="a1">
    <rank id="0" node="0">
    </rank>
    <rank id="1" node="1">
    </rank>
    </cpu-programs>
    <BLANKLINE>
    """
    transfers = programs.transfers
    head: dict[str, object] = {
        "version": VERSION,
        "collective": transfers.collective.value,
        "ranks": transfers.ranks,
        "blocks": block_text(transfers.first.tolist()),
        "two-way": int(transfers.two_way),
    }
    named = {
        "root": transfers.root,
        "schedule": programs.source or None,
        "recipe": transfers.recipe,
        "method": transfers.method,
    }
    later = {name: value for name, value in named.items() if value is not None}
    yield f"<cpu-programs {_attributes(head)}" + (
        f"\n  {_attributes(later)}>\n" if later else ">\n"
    )
    for program in programs.programs:
        yield from _rank_lines(transfers, program)
    yield "</cpu-programs>\n"


def block_text(first: list[int]) -> str:
    """Lengths of blocks, a run of equal ones as `times*length`.

    >>> block_text([0, 3, 6, 9, 9, 10])
    '3*3 0 1'
    """
    runs: list[list[int]] = []
    for begin, end in pairwise(first):
        if runs and runs[-1][1] == end - begin:
            runs[-1][0] += 1
        else:
            runs.append([1, end - begin])
    return " ".join(f"{times}*{length}" if times > 1 else str(length) for times, length in runs)


def _rank_lines(transfers: Transfers, program: RankProgram) -> Iterator[str]:
    node: dict[str, int | str] = {"id": program.rank, "node": int(transfers.nodes[program.rank])}
    if transfers.names is not None:
        node["name"] = transfers.names[program.rank]
    yield f"<rank {_attributes(node)}>\n"
    for step in program.steps:
        yield f'<step number="{step.number}">\n'
        for message in step.sends:
            yield f'<send to="{message.peer}" lane="{message.lane}" units="{_places(message)}"/>\n'
        for buffer, message in enumerate(step.receives):
            yield (
                f'<recv from="{message.peer}" lane="{message.lane}" buffer="{buffer}"'
                f' length="{message.length}"/>\n'
            )
        yield "<sync/>\n"
        for buffer, message in enumerate(step.receives):
            for part in message.parts:
                word = "reduce" if part.adds else "copy"
                yield f'<{word} buffer="{buffer}" units="{part.begin}:{part.end}"/>\n'
        yield "</step>\n"
    yield "</rank>\n"


def _places(message: ProgramMessage) -> str:
    return " ".join(f"{part.begin}:{part.end}" for part in message.parts)


def _attributes(values: Mapping[str, object]) -> str:
    return " ".join(f"{name}={quoteattr(str(value))}" for name, value in values.items())
