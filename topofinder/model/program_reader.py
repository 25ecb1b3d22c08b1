"""The parser of XML programs: strict, element by element, within bounds (see program_files)."""

import re
from collections.abc import Callable
from operator import mul
from typing import NamedTuple
from xml.parsers import expat

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.container import LIFTS
from generators.topology import Int64Array
from topofinder.model.program import (
    DataPart,
    ProgramMessage,
    ProgramSet,
    ProgramStep,
    RankProgram,
)
from topofinder.model.transfers import MAX_UNITS, Transfers

VERSION = 1
MAX_PARTS = 1 << 20
"""Parts of all messages, sent and received; 0.2 GB in memory."""


class ProgramLimits(NamedTuple):
    """The most of a file: bytes, those of a tag, elements, and the parts of all messages."""

    file_bytes: int = 48 << 20
    tag_bytes: int = 8 << 20
    elements: int = 1 << 18
    parts: int = 3 << 16


LARGE_PROGRAMS = ProgramLimits(
    file_bytes=256 << 20, tag_bytes=32 << 20, elements=1 << 24, parts=MAX_PARTS
)
MAX_RANKS = 1 << 12
MAX_EXCHANGE = 1 << 10
MAX_STEP = (1 << 31) - 1
_RUN = re.compile(r"(?:(\d{1,8})\*)?(\d{1,19})", re.ASCII)
_PLACE = re.compile(r"(\d{1,19}):(\d{1,19})", re.ASCII)
CHILDREN = {
    "": ("cpu-programs",),
    "cpu-programs": ("rank",),
    "rank": ("step",),
    "step": ("send", "recv", "sync", "reduce", "copy"),
}
"""What each element may hold."""
NEEDED = {
    "cpu-programs": ("version", "collective", "ranks", "blocks", "two-way"),
    "rank": ("id", "node"),
    "step": ("number",),
    "send": ("to", "lane", "units"),
    "recv": ("from", "lane", "buffer", "length"),
    "sync": (),
    "reduce": ("buffer", "units"),
    "copy": ("buffer", "units"),
}
ALLOWED = {"cpu-programs": ("root", "schedule", "recipe", "method"), "rank": ("name",)}
_USUAL = {name: set(needed) for name, needed in NEEDED.items()}


class _Buffer(NamedTuple):
    """A message that was received, and what is done with it so far."""

    peer: int
    lane: int
    length: int
    parts: list[DataPart]


class ProgramParser:
    """Takes the bytes of a file piece by piece, and gives its programs in the end."""

    def __init__(self, limits: ProgramLimits = LARGE_PROGRAMS) -> None:
        self._limits, self._elements, self._unclosed = limits, 0, 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse("a document type")
        self._parser.EntityDeclHandler = self._refuse("an entity")
        self._parser.ProcessingInstructionHandler = self._refuse("an instruction")
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            name: getattr(self, f"_start_{name.replace('-', '_')}") for name in NEEDED
        }
        self._open: list[str] = [""]
        self._head: dict[str, str] = {}
        self._ranks: list[tuple[int, str | None]] = []
        self._programs: list[RankProgram] = []
        self._steps: list[ProgramStep] = []
        self._sends: list[ProgramMessage] = []
        self._buffers: list[_Buffer] = []
        self._number = self._parts = self._units = self._latest = self._count = 0
        self._synced = False

    def parse(self, piece: bytes, *, last: bool = False) -> None:
        """Parse what comes next; InvalidInput with the line for what cannot be.

        Of a tag that does not end the parser looks at the beginning again with every piece.
        """
        opened = piece.rfind(b"<")
        self._unclosed = len(piece) - opened + (self._unclosed if opened < 0 else 0)
        if self._unclosed > self._limits.tag_bytes:
            raise self._fail(f"a tag of more than {self._limits.tag_bytes} bytes")
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            words = expat.ErrorString(error.code)
            raise InvalidInput(f"line {error.lineno}: no XML: {words}") from None

    def close(self, digest: str) -> ProgramSet:
        """The programs of all that was parsed."""
        self.parse(b"", last=True)
        if len(self._programs) != self._count_ranks():
            raise InvalidInput(f"ranks: {len(self._programs)} programs, not {self._count_ranks()}")
        programs = tuple(self._programs)
        source = self._head.get("schedule", "")
        return ProgramSet(self._transfers(programs, digest), programs, source)

    def _fail(self, words: str) -> InvalidInput:
        return InvalidInput(f"line {self._parser.CurrentLineNumber}: {words}")

    @property
    def _lifts(self) -> str:
        return "" if self._limits == LARGE_PROGRAMS else f"; {LIFTS}"

    def _refuse(self, what: str) -> Callable[..., None]:
        def refuse(*_: object) -> None:
            raise self._fail(f"{what} may not be declared")

        return refuse

    def _text(self, text: str) -> None:
        if not text.isspace():
            raise self._fail(f"text between elements: {excerpt(text)}")

    def _start(self, name: str, values: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > self._limits.elements:
            raise self._fail(f"more than {self._limits.elements} elements{self._lifts}")
        if name not in CHILDREN.get(self._open[-1], ()):
            within = self._open[-1] or "the file"
            raise self._fail(f"{excerpt(name)} may not stand in {within}")
        if values.keys() != _USUAL[name]:
            self._require_attributes(name, values)
        self._open.append(name)
        self._starts[name](values)

    def _require_attributes(self, name: str, values: dict[str, str]) -> None:
        for needed in NEEDED[name]:
            if needed not in values:
                raise self._fail(f"{name} has no {needed}")
        for given in values:
            if given not in (*NEEDED[name], *ALLOWED.get(name, ())):
                raise self._fail(f"{name} has no attribute {excerpt(given)}")

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == "step":
            self._end_step()
        if name == "rank":
            self._programs.append(RankProgram(len(self._programs), tuple(self._steps)))
            self._steps = []

    def _start_cpu_programs(self, values: dict[str, str]) -> None:
        self._head = values
        if values["version"] != str(VERSION):
            raise self._fail(f"version {excerpt(values['version'])}, not {VERSION}")
        if values["collective"] not in tuple(Collective):
            raise self._fail(f"collective {excerpt(values['collective'])} is not known")
        self._count = self._count_ranks()
        self._units = int(self._first()[-1])

    def _start_rank(self, values: dict[str, str]) -> None:
        if self._number_of(values, "id", MAX_RANKS) != len(self._programs):
            raise self._fail(f"rank {excerpt(values['id'])} where {len(self._programs)} is next")
        if len(self._programs) >= self._count:
            raise self._fail(f"more ranks than {self._count}")
        self._ranks.append((self._number_of(values, "node", MAX_STEP), values.get("name")))

    def _start_step(self, values: dict[str, str]) -> None:
        number = self._number_of(values, "number", MAX_STEP)
        if number <= (self._steps[-1].number if self._steps else 0):
            raise self._fail(f"step {number} comes too late")
        self._number, self._synced = number, False
        self._sends, self._buffers, self._latest = [], [], 0

    def _start_send(self, values: dict[str, str]) -> None:
        self._require_before_sync()
        texts = values["units"].split(" ", self._limits.parts)
        parts = tuple(DataPart(*self._place(text)) for text in texts)
        self._sends.append(ProgramMessage(*self._peer(values, "to"), parts))

    def _start_recv(self, values: dict[str, str]) -> None:
        self._require_before_sync()
        if values["buffer"] != str(len(self._buffers)):
            raise self._fail(f"buffer {excerpt(values['buffer'])}, not {len(self._buffers)}")
        length = self._number_of(values, "length", self._units)
        self._buffers.append(_Buffer(*self._peer(values, "from"), length, []))

    def _start_sync(self, values: dict[str, str]) -> None:
        self._require_before_sync()
        self._synced = True

    def _start_reduce(self, values: dict[str, str]) -> None:
        self._apply(values, adds=True)

    def _start_copy(self, values: dict[str, str]) -> None:
        self._apply(values, adds=False)

    def _apply(self, values: dict[str, str], *, adds: bool) -> None:
        if not self._synced:
            raise self._fail("what is received is there after sync")
        buffer = self._number_of(values, "buffer", len(self._buffers) - 1)
        if buffer < self._latest:
            raise self._fail(f"buffer {buffer} after a later one")
        self._latest = buffer
        self._buffers[buffer].parts.append(DataPart(*self._place(values["units"]), adds))

    def _end_step(self) -> None:
        if not self._synced:
            raise self._fail("a step without sync")
        receives = []
        for number, buffer in enumerate(self._buffers):
            message = ProgramMessage(buffer.peer, buffer.lane, tuple(buffer.parts))
            if message.length != buffer.length:
                raise self._fail(f"buffer {number}: {message.length} units of {buffer.length} used")
            receives.append(message)
        self._require_apart(self._sends)
        self._require_apart(receives)
        self._steps.append(ProgramStep(self._number, tuple(self._sends), tuple(receives)))

    def _require_apart(self, messages: list[ProgramMessage]) -> None:
        lanes = [(message.peer, message.lane) for message in messages]
        if len(set(lanes)) < len(lanes):
            raise self._fail("two messages over one lane at one step")

    def _require_before_sync(self) -> None:
        if self._synced:
            raise self._fail("after sync a step only copies and reduces")

    def _peer(self, values: dict[str, str], name: str) -> tuple[int, int]:
        peer = self._number_of(values, name, self._count - 1)
        if peer == len(self._programs):
            raise self._fail("a message of a rank to itself")
        return peer, self._number_of(values, "lane", MAX_STEP)

    def _place(self, text: str) -> tuple[int, int]:
        self._parts += 1
        if self._parts > self._limits.parts:
            raise self._fail(f"more than {self._limits.parts} parts{self._lifts}")
        found = _PLACE.fullmatch(text)
        if found is None or not int(found[1]) < int(found[2]) <= self._units:
            raise self._fail(f"units {excerpt(text)} are not in 0:{self._units}")
        return int(found[1]), int(found[2])

    def _number_of(self, values: dict[str, str], name: str, most: int) -> int:
        text = values[name]
        if len(text) < 20 and text.isascii() and text.isdecimal() and (number := int(text)) <= most:
            return number
        raise self._fail(f"{name}: 0 to {most}, not {excerpt(text)}")

    def _count_ranks(self) -> int:
        return self._number_of(self._head, "ranks", MAX_RANKS)

    def _first(self) -> Int64Array:
        """Where blocks begin; told by runs, whose number is bounded before they are made long."""
        ranks = self._count_ranks()
        wanted = ranks
        if self._head["collective"] == Collective.ALLTOALL:
            wanted = min(ranks, MAX_EXCHANGE + 1) ** 2
        times, lengths = [0], [0]
        for text in self._head["blocks"].split(" ", wanted):
            found = _RUN.fullmatch(text)
            if found is None:
                raise self._fail(f"blocks: no length: {excerpt(text)}")
            times.append(int(found[1] or 1))
            lengths.append(int(found[2]))
        total = sum(map(mul, times, lengths))
        if ranks > MAX_EXCHANGE and wanted != ranks:
            raise self._fail(f"ranks: at most {MAX_EXCHANGE} in an all-to-all, not {ranks}")
        if sum(times) != wanted or total > MAX_UNITS:
            raise self._fail(f"blocks: {wanted} lengths, together at most 2^62, are needed")
        first = np.zeros(wanted + 1, dtype=np.int64)
        np.cumsum(np.repeat(np.array(lengths), np.array(times)), out=first[1:])
        return first

    def _transfers(self, programs: tuple[RankProgram, ...], digest: str) -> Transfers:
        """Layout and rows: what each rank sends."""
        rows = [
            (step.number, program.rank, message.peer, message.lane, part.begin, part.end)
            for program in programs
            for step in program.steps
            for message in step.sends
            for part in message.parts
        ]
        columns = np.array(rows, dtype=np.int64).reshape(-1, 6).T
        names = tuple(name for _, name in self._ranks if name is not None)
        root = self._head.get("root")
        return Transfers(
            collective=Collective(self._head["collective"]),
            step=columns[0], sender=columns[1], receiver=columns[2], lane=columns[3],
            begin=columns[4], end=columns[5], reducing=np.zeros(len(rows), dtype=bool),
            first=self._first(),
            nodes=np.array([node for node, _ in self._ranks], dtype=np.int64),
            names=names or None,
            root=None if root is None else self._number_of(self._head, "root", MAX_RANKS),
            two_way=self._head["two-way"] == "1",
            digest=digest,
            recipe=self._head.get("recipe"),
            method=self._head.get("method"),
        )  # fmt: skip
