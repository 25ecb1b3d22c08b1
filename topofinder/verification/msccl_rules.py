"""Static rules of MSCCL programs: what each runtime's parser and interpreter can hold.

Sources: microsoft/msccl, Azure/msccl-executor-nccl and ROCm/rccl, their parsers and headers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import BoolArray, Int64Array
from topofinder.verification.msccl_reader import BUFFERS, KINDS, MscclFile

S, R, RCS, RRC, RRS, RRCS, CPY, RE, NOP = range(len(KINDS))
SENDS, RECEIVES = (S, RCS, RRS, RRCS), (R, RCS, RRC, RRS, RRCS)
READS, WRITES = (S, RRC, RRS, RRCS, CPY, RE), (R, RCS, RRC, RRCS, CPY, RE)
KIND, SOURCE, SOURCE_AT, TARGET, TARGET_AT, COUNT, DEPENDS, DEPENDS_AT, FLAG = range(9)
INPUT, OUTPUT, SCRATCH = range(3)
MOST_CHUNKS, MOST_CHANNELS, MOST_PEERS, MOST_NODES, MAX_CHUNKS = 71, 32, 32, 4096, 1 << 15
PROTOCOLS = ("Simple", "LL", "LL128")
COLLECTIVES = {"allreduce": "allreduce", "allgather": "allgather", "reduce": "reduce",
               "broadcast": "broadcast", "alltoall": "all-to-all",
               "reduce_scatter": "reduce-scatter", "reducescatter": "reduce-scatter"}  # fmt: skip
"""The words of all dialects; each has its own for a reduce-scatter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeLimits:
    """What one runtime holds: steps of a threadblock, threadblocks of a GPU, flags of a file."""

    steps: int
    blocks: int
    two_flags: bool
    scatter: str


RUNTIMES = {
    "msccl": RuntimeLimits(steps=256, blocks=108, two_flags=False, scatter="reduce_scatter"),
    "executor": RuntimeLimits(steps=64, blocks=108, two_flags=True, scatter="reducescatter"),
    "rccl": RuntimeLimits(steps=64, blocks=64, two_flags=True, scatter="reducescatter"),
}


def find_runtime(program: MscclFile, dialect: str | None) -> tuple[str, RuntimeLimits]:
    """The dialect that is asked for, or that the flags of the file are of."""
    name = dialect or ("executor" if "outofplace" in program.head else "msccl")
    if name not in RUNTIMES:
        raise InvalidInput(f"dialect: {excerpt(name)} is none of {', '.join(RUNTIMES)}")
    return name, RUNTIMES[name]


def collective_of(program: MscclFile) -> str:
    """The collective, by topofinder's name; InvalidInput for none."""
    word = program.head.get("coll", "")
    if word not in COLLECTIVES:
        raise InvalidInput(f"coll: {excerpt(word)} is none of {', '.join(COLLECTIVES)}")
    return COLLECTIVES[word]


def data_chunks(program: MscclFile) -> tuple[int, int]:
    """Chunks of a rank's input and of its output, as the collective has them."""
    whole, ranks, kind = program.number("nchunksperloop"), program.ranks, collective_of(program)
    part = whole // max(ranks, 1)
    return (part if kind == "allgather" else whole), (part if kind == "reduce-scatter" else whole)


def static_violation(
    program: MscclFile, limits: RuntimeLimits, *, over_limits: bool = False
) -> str | None:
    """The first rule that a program breaks, in one line; None where it keeps them all.

    With `over_limits` the numbers of steps, threadblocks and nodes are not looked at.
    """
    rules: tuple[Callable[[MscclFile, RuntimeLimits], Iterator[str]], ...] = (
        _head_violations, _buffer_violations, _block_violations, _step_violations,
        _dependency_violations, _nop_violations,
    )  # fmt: skip
    if not over_limits:
        rules = (*rules, _size_violations)
    return next((told for rule in rules for told in rule(program, limits)), None)


def describe_line(program: MscclFile, line: int) -> str:
    """Where a step stands.

    >>> from topofinder.verification.msccl_reader import parse_msccl
    >>> ends = ' srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1"'
    >>> describe_line(parse_msccl('<algo><gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">'
    ...     '<tb id="0" send="1" recv="-1" chan="0">'
    ...     f'<step s="0" type="s"{ends} hasdep="0"/></tb></gpu></algo>'), 0)
    'gpu 0, tb 0, step 0 (s)'
    """
    block = int(np.searchsorted(program.first, line, side="right")) - 1
    return f"{describe_block(program, block)}, step {line - int(program.first[block])} " \
        f"({KINDS[int(program.steps[line, KIND])]})"  # fmt: skip


def describe_block(program: MscclFile, block: int) -> str:
    """Where a threadblock stands."""
    rank = int(program.rank[block])
    return f"gpu {rank}, tb {block - int(program.block_of_rank()[rank])}"


def _head_violations(program: MscclFile, limits: RuntimeLimits) -> Iterator[str]:
    number, head = program.number, program.head
    if head.get("proto") not in PROTOCOLS:
        yield f"proto: {excerpt(head.get('proto'))} is none of {', '.join(PROTOCOLS)}"
    if not 1 <= number("nchannels") <= MOST_CHANNELS:
        yield f"nchannels: 1 to {MOST_CHANNELS}, not {number('nchannels')}"
    chunks = number("nchunksperloop")
    if not 1 <= chunks <= MAX_CHUNKS:
        yield f"nchunksperloop: 1 to {MAX_CHUNKS}, not {chunks}: offsets have 15 bits"
    if number("ngpus") != program.ranks or not program.ranks:
        yield f"ngpus: {number('ngpus')}, but there are {program.ranks} GPUs"
    kind, word = collective_of(program), head["coll"]
    if kind == "reduce-scatter" and word != limits.scatter:
        yield f"coll: {word}, but this dialect says {limits.scatter}"
    if kind in ("allgather", "reduce-scatter", "all-to-all") and chunks % max(program.ranks, 1):
        yield f"nchunksperloop: {chunks} is no multiple of {program.ranks} GPUs"
    yield from _window_violations(program, limits)


def _window_violations(program: MscclFile, limits: RuntimeLimits) -> Iterator[str]:
    flags = ("inplace", "outofplace") if limits.two_flags else ("inplace",)
    values = [program.number(name) for name in flags]
    if not set(values) <= {0, 1} or (limits.two_flags and not any(values)):
        yield f"{' and '.join(flags)}: {values}: such a program is never used"
    unless = None if limits.two_flags else 0
    low, high = program.number("minBytes", unless), program.number("maxBytes", unless and 1 << 27)
    if not limits.two_flags:
        high = program.number("maxBytes", 1 << 27)
    unlimited = limits.two_flags and high == 0
    if low < 0 or high < 0 or (not unlimited and low > high - (not limits.two_flags)):
        yield f"maxBytes: from {low} to {high} bytes there is no size: it is never used"
    if program.number("nthreads", 32) % 32:
        yield f"nthreads: {program.number('nthreads')} is no multiple of 32"


def _buffer_violations(program: MscclFile, limits: RuntimeLimits) -> Iterator[str]:
    sizes = data_chunks(program)
    for rank, row in enumerate(program.buffers.tolist()):
        for name, declared, size in zip(("i_chunks", "o_chunks"), row, sizes, strict=False):
            if declared not in (0, size):
                yield f"gpu {rank}: {name}: {size} or 0, not {declared}"
        if not 0 <= row[SCRATCH] <= MAX_CHUNKS:
            yield f"gpu {rank}: s_chunks: 0 to {MAX_CHUNKS}, not {row[SCRATCH]}"


def _block_violations(program: MscclFile, limits: RuntimeLimits) -> Iterator[str]:
    channels = program.number("nchannels")
    for peers in (program.send, program.receive):
        wrong = (peers < -1) | (peers >= program.ranks) | (peers == program.rank)
        if wrong.any():
            block = int(np.flatnonzero(wrong)[0])
            yield f"{describe_block(program, block)}: peer {peers[block]} is no other rank"
    wrong = (program.channel < 0) | (program.channel >= channels)
    if wrong.any():
        block = int(np.flatnonzero(wrong)[0])
        yield f"{describe_block(program, block)}: chan: 0 to {channels - 1}, " \
            f"not {program.channel[block]}"  # fmt: skip
    for word, peers in (("send", program.send), ("recv", program.receive)):
        used = np.flatnonzero(peers >= 0)
        key = (program.rank[used] * program.ranks + peers[used]) * 64 + program.channel[used]
        _, first = np.unique(key, return_index=True)
        if len(first) < len(used):
            block = int(np.delete(used, first)[0])
            yield f"{describe_block(program, block)}: another threadblock has {word} " \
                f"{peers[block]} on channel {program.channel[block]}"  # fmt: skip
        _, count = np.unique(program.rank[used] * 64 + program.channel[used], return_counts=True)
        if len(count) and count.max() > MOST_PEERS:
            yield f"{word}: {count.max()} peers on one channel, at most {MOST_PEERS}"


def _step_violations(program: MscclFile, limits: RuntimeLimits) -> Iterator[str]:
    steps, block = program.steps, lines_to_blocks(program)
    kind, count = steps[:, KIND], steps[:, COUNT]
    nop = kind == NOP
    checks = {
        "has no peer to send to": np.isin(kind, SENDS) & (program.send[block] < 0),
        "has no peer to receive from": np.isin(kind, RECEIVES) & (program.receive[block] < 0),
        f"cnt is not in 1..{MOST_CHUNKS}": ~nop & ((count < 1) | (count > MOST_CHUNKS)),
        "is a nop that has chunks": nop & (count != 0),
        "is a nop that has offsets": nop
        & ((steps[:, SOURCE_AT] != -1) | (steps[:, TARGET_AT] != -1)),
        "hasdep is not 0 or 1": (steps[:, FLAG] < 0) | (steps[:, FLAG] > 1),
    }
    for told, wrong in checks.items():
        yield from _line_violation(program, wrong, told)
    for used, which in ((READS, SOURCE), (WRITES, TARGET)):
        at, buffer = steps[:, which + 1], steps[:, which]
        size = program.buffers[program.rank[block], buffer]
        wrong = np.isin(kind, used) & ((at < 0) | (at + count > size))
        for line in np.flatnonzero(wrong)[:1].tolist():
            yield f"{describe_line(program, line)}: chunks {at[line]} to " \
                f"{at[line] + count[line] - 1} are beyond the {size[line]} of buffer " \
                f"{BUFFERS[buffer[line]]}"  # fmt: skip


def _line_violation(program: MscclFile, wrong: BoolArray, told: str) -> Iterator[str]:
    for line in np.flatnonzero(wrong)[:1].tolist():
        yield f"{describe_line(program, line)}: {told}"


def _dependency_violations(program: MscclFile, limits: RuntimeLimits) -> Iterator[str]:
    steps, block = program.steps, lines_to_blocks(program)
    waits = steps[:, DEPENDS] != -1
    yield from _line_violation(program, ~waits & (steps[:, DEPENDS_AT] != -1), "deps without depid")
    begin = program.block_of_rank()[program.rank[block]]
    blocks = np.diff(program.block_of_rank())[program.rank[block]]
    other = steps[:, DEPENDS]
    beyond = waits & ((other < 0) | (other >= np.minimum(blocks, 128)))
    yield from _line_violation(program, beyond, "depid is no threadblock below 128 of its GPU")
    yield from _line_violation(program, waits & (other == block - begin), "waits for itself")
    if not (beyond | (waits & (other == block - begin))).any():
        target, inside = waited_lines(program)
        yield from _line_violation(program, waits & ~inside, "deps is no step of that threadblock")
        if (inside | ~waits).all():
            flagged = np.zeros(len(steps), dtype=np.bool_)
            flagged[target[waits]] = True
            flags = (steps[:, FLAG] == 1) & (steps[:, KIND] != NOP)
            unmarked = waits & ~flags[target]
            told = "waits for a step without hasdep, or for a nop, which never comes"
            yield from _line_violation(program, unmarked, told)
            idle = (steps[:, FLAG] == 1) & ~flagged
            yield from _line_violation(program, idle, "hasdep=1, but no step waits for it")


def waited_lines(program: MscclFile) -> tuple[Int64Array, BoolArray]:
    """For every line that it waits for, 0 for none, and whether there is such a line."""
    steps, block = program.steps, lines_to_blocks(program)
    waits = steps[:, DEPENDS] != -1
    other = program.block_of_rank()[program.rank[block]] + np.where(waits, steps[:, DEPENDS], 0)
    target = program.first[other] + steps[:, DEPENDS_AT]
    inside = waits & (steps[:, DEPENDS_AT] >= 0) & (target < program.first[other + 1])
    return np.where(inside, target, 0), inside


def lines_to_blocks(program: MscclFile) -> Int64Array:
    """The threadblock of every line."""
    return np.repeat(np.arange(len(program.rank)), np.diff(program.first))


def _nop_violations(program: MscclFile, limits: RuntimeLimits) -> Iterator[str]:
    steps = program.steps
    nop, waits = steps[:, KIND] == NOP, steps[:, DEPENDS] != -1
    yield from _line_violation(program, nop & ~waits, "is a nop that waits for nothing")
    next_waits = np.zeros(len(steps), dtype=np.bool_)
    next_waits[:-1] = waits[1:]
    next_waits[program.first[1:][np.diff(program.first) > 0] - 1] = False
    told = "is a nop before no step that waits for another"
    yield from _line_violation(program, nop & ~next_waits, told)


def _size_violations(program: MscclFile, limits: RuntimeLimits) -> Iterator[str]:
    lines = np.diff(program.first)
    if len(lines) and lines.max() > limits.steps:
        block = int(lines.argmax())
        yield f"{describe_block(program, block)}: {lines[block]} steps, at most {limits.steps}"
    for rank, (begin, end) in enumerate(pairwise(program.block_of_rank().tolist())):
        if end - begin > limits.blocks:
            yield f"gpu {rank}: {end - begin} threadblocks, at most {limits.blocks}"
        own = int(program.first[end] - program.first[begin])
        nodes = 1 + program.ranks + end - begin + own
        if nodes > MOST_NODES:
            yield f"gpu {rank}: {nodes} nodes, at most {MOST_NODES}"
