"""Reading MSCCL XML as strictly as its runtimes do, into columns of numbers.

Their parsers are written by hand (microsoft/msccl src/graph/xml.cc, Azure/msccl-executor-nccl and
ROCm/rccl src/misc/msccl/msccl_parser.cc): elements with attributes in double quotes, one blank
before each, at most 16 a tag and 255 characters a value; comments; blanks and line ends between
tags. Nothing else: no declaration, no text, no entities. So nothing can expand or nest either.
"""

import os
import re
from array import array
from dataclasses import dataclass, field

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import read_bounded, text_of
from generators.topology import Int64Array

MOST_BYTES, MOST_BYTES_LARGE = 32 << 20, 256 << 20
"""Bytes of a file at most, and of one that somebody called large."""
MOST_LINES, MOST_LINES_LARGE = 3 << 16, 1 << 21
"""Steps of all threadblocks together, in the same way."""
MAX_RANKS = 1024
MOST_BLOCKS = 1 << 17
"""Threadblocks of all ranks."""
MOST_ATTRIBUTES = 16
KINDS = ("s", "r", "rcs", "rrc", "rrs", "rrcs", "cpy", "re", "nop")
BUFFERS = "ios"
STEP_COLUMNS = ("s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps",
                "hasdep")  # fmt: skip
_TAG = re.compile(r'<(/?)([a-z]{1,8})((?: [A-Za-z_]{1,32}="[^"<>&\t\n\r]{0,255}")*) ?(/?)>')
_ATTRIBUTE = re.compile(r' ([A-Za-z_]+)="([^"]*)"')
_WORDS = re.compile(r'(?: [A-Za-z_]+="-?[a-z0-9]{1,10}")*')
"""Attributes of a step: short words and numbers without a sign or with one."""
_BLANK = re.compile(r"[ \r\n]*")
_PARENT = {"gpu": "algo", "tb": "gpu", "step": "tb"}


@dataclass(slots=True, kw_only=True)
class MscclFile:
    """What a file says, before it is known to be right; numbers are as they stand.

    `head` has the attributes of the program. `buffers` is (ranks, 3): chunks of input, output and
    scratch. Of threadblock t, `rank[t]`, `send[t]`, `receive[t]` and `channel[t]`; its steps are
    lines first[t]..first[t + 1] of `steps`, int64 of shape (lines, 9): kind (an index into
    KINDS), source buffer (into BUFFERS) and offset, target buffer and offset, count, depid,
    deps, hasdep.
    """

    head: dict[str, str] = field(default_factory=dict)
    buffers: Int64Array
    rank: Int64Array
    send: Int64Array
    receive: Int64Array
    channel: Int64Array
    first: Int64Array
    steps: Int64Array

    @property
    def ranks(self) -> int:
        """How many GPUs there are."""
        return len(self.buffers)

    def number(self, name: str, unless: int | None = None) -> int:
        """A number of the head; InvalidInput where there is none."""
        if name not in self.head and unless is not None:
            return unless
        return _integer(name, self.head.get(name, ""))

    def block_of_rank(self) -> Int64Array:
        """The first threadblock of every rank, and the number of all; shape (ranks + 1,)."""
        return np.searchsorted(self.rank, np.arange(self.ranks + 1))


def read_msccl(path: str | os.PathLike[str], *, large: bool = False) -> MscclFile:
    """Read an XML file; with `large` one above the ordinary limits.

    Raises InvalidInput, with its line, for what the runtimes' parsers refuse.
    """
    most_bytes, most_lines = MOST_BYTES, MOST_LINES
    if large:
        most_bytes, most_lines = MOST_BYTES_LARGE, MOST_LINES_LARGE
    try:
        return parse_msccl(text_of(read_bounded(path, most_bytes)), most_lines=most_lines)
    except InvalidInput as error:
        if str(error).startswith(str(path)):
            raise
        raise InvalidInput(f"{path}: {error}") from None


def parse_msccl(text: str, *, most_lines: int = MOST_LINES_LARGE) -> MscclFile:
    """The program in a text; InvalidInput for what is none.

    >>> parse_msccl('<algo ngpus="1"><gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">'
    ...     '</gpu></algo>').ranks
    1
    """
    return _Parser(text, most_lines).parse()


class _Parser:
    """Takes tag after tag, and knows which element is open."""

    def __init__(self, text: str, most_lines: int) -> None:
        self.text, self.place, self.most_lines = text, 0, most_lines
        self.open: list[str] = []
        self.head: dict[str, str] | None = None
        self.buffers: list[list[int]] = []
        self.blocks: list[list[int]] = []
        self.first: list[int] = []
        self.steps, self.lines = array("q"), 0

    def parse(self) -> MscclFile:
        while self._skip_blanks():
            self._take_tag()
        if self.head is None or self.open:
            raise self._error("the file ends too early")
        blocks = np.array(self.blocks, dtype=np.int64).reshape(-1, 4)
        return MscclFile(
            head=self.head,
            buffers=np.array(self.buffers, dtype=np.int64).reshape(-1, 3),
            rank=blocks[:, 0], send=blocks[:, 1], receive=blocks[:, 2], channel=blocks[:, 3],
            first=np.array([*self.first, self.lines], dtype=np.int64),
            steps=np.array(self.steps, dtype=np.int64).reshape(-1, len(STEP_COLUMNS) - 1),
        )  # fmt: skip

    def _skip_blanks(self) -> bool:
        """Go to the next tag; False at the end."""
        while True:
            found = _BLANK.match(self.text, self.place)
            self.place = found.end() if found else self.place
            if not self.text.startswith("<!--", self.place):
                return self.place < len(self.text)
            end = self.text.find("-->", self.place + 4)
            if end < 0:
                raise self._error("a comment has no end")
            self.place = end + 3

    def _take_tag(self) -> None:
        tag = _TAG.match(self.text, self.place)
        if tag is None:
            raise self._error(f"{excerpt(self.text[self.place : self.place + 60])} is no tag of it")
        closing, name, attributes, single = tag.groups()
        if closing:
            self._close(name, attributes or single)
        else:
            self._open_element(name, attributes)
            if not single:
                self.open.append(name)
        self.place = tag.end()

    def _close(self, name: str, more: str) -> None:
        if more or not self.open or self.open.pop() != name:
            raise self._error(f"</{name}> closes nothing")

    def _open_element(self, name: str, text: str) -> None:
        if (self.open[-1] if self.open else None) != _PARENT.get(name) or (
            name == "algo" and self.head is not None
        ):
            raise self._error(f"<{name}> does not stand here")
        pairs = _ATTRIBUTE.findall(text)
        values = dict(pairs)
        if len(values) != len(pairs) or len(pairs) > MOST_ATTRIBUTES:
            raise self._error(f"<{name}> has an attribute twice, or more than {MOST_ATTRIBUTES}")
        if name == "step" and not _WORDS.fullmatch(text):
            raise self._error("a step has a word that it cannot have")
        try:
            self._store(name, values)
        except KeyError as error:
            raise self._error(f"<{name}> has no {error.args[0]}") from None

    def _store(self, name: str, values: dict[str, str]) -> None:
        if name == "step":
            self._store_step(values)
        elif name == "tb":
            first = self.blocks and self.blocks[-1][0] == len(self.buffers) - 1
            self.block_number = self.block_number + 1 if first else 0
            self._require_number("tb id", values["id"], self.block_number)
            row = [self._number(each, values[each]) for each in ("send", "recv", "chan")]
            self.blocks.append([len(self.buffers) - 1, *row])
            self.first.append(self.lines)
            if len(self.first) > MOST_BLOCKS:
                raise self._error(f"more than {MOST_BLOCKS} threadblocks")
        elif name == "gpu":
            self._require_number("gpu id", values["id"], len(self.buffers))
            names = ("i_chunks", "o_chunks", "s_chunks")
            self.buffers.append([self._number(each, values[each]) for each in names])
            if len(self.buffers) > MAX_RANKS:
                raise self._error(f"more than {MAX_RANKS} GPUs")
        elif name == "algo":
            self.head = values
        else:
            raise self._error(f"<{name}> is no element of a program")

    block_number = 0

    def _store_step(self, values: dict[str, str]) -> None:
        self._require_number("step s", values["s"], self.lines - self.first[-1])
        try:
            row = [KINDS.index(values["type"]), BUFFERS.index(values["srcbuf"]),
                   int(values["srcoff"]), BUFFERS.index(values["dstbuf"]), int(values["dstoff"]),
                   int(values["cnt"]), int(values["depid"]), int(values["deps"]),
                   int(values["hasdep"])]  # fmt: skip
        except ValueError:
            raise self._error("a step has a word that it cannot have") from None
        if max(row) >= 1 << 31 or min(row) < -(1 << 31):
            raise self._error("a step has a number of more than 32 bits")
        self.steps.extend(row)
        self.lines += 1
        if self.lines > self.most_lines:
            raise self._error(f"more than {self.most_lines} steps")

    def _number(self, name: str, text: str) -> int:
        try:
            return _integer(name, text)
        except InvalidInput as error:
            raise self._error(str(error)) from None

    def _require_number(self, name: str, text: str, wanted: int) -> None:
        if text != str(wanted):
            raise self._error(f"{name}: {wanted} comes next, not {excerpt(text)}")

    def _error(self, told: str) -> InvalidInput:
        line = self.text.count("\n", 0, self.place) + 1
        return InvalidInput(f"line {line}: is no MSCCL program: {told}")


def _integer(name: str, text: str) -> int:
    """A whole number of at most 62 bits, as an attribute has it."""
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise InvalidInput(f"{name}: a whole number is needed, not {excerpt(text)}")
    return int(text)
