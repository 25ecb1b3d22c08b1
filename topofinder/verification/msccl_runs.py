"""MSCCL programs as columns that kernels run: connections, places in memory, values at first."""

from dataclasses import dataclass

import numpy as np

from generators.errors import Unsupported
from generators.topology import AnyIntArray, BoolArray, Int64Array
from topofinder.verification.msccl_kernels import (
    OTHER_CHUNK,
    READS_NOTHING,
    TWICE,
    find_race,
    play_fifo,
    play_values,
)
from topofinder.verification.msccl_reader import BUFFERS, KINDS, MscclFile
from topofinder.verification.msccl_rules import (
    COUNT,
    INPUT,
    KIND,
    OUTPUT,
    READS,
    RECEIVES,
    SCRATCH,
    SENDS,
    SOURCE,
    TARGET,
    WRITES,
    collective_of,
    data_chunks,
    describe_line,
    lines_to_blocks,
    waited_lines,
)

MAX_WORDS = 1 << 25
"""Words of 64 ranks that all places hold together."""
MAX_MOVES = 1 << 24
"""Chunks that all lines move together."""
MAX_CLOCKS = 1 << 27
"""Entries of all vector clocks that are kept at once."""
MAX_WORK = 1 << 36
"""Entries of vector clocks that are looked at: half a minute."""
FUSED = tuple(KINDS.index(kind) for kind in ("rcs", "rrs", "rrcs"))
FAULTS = {
    READS_NOTHING: "reads what holds nothing",
    OTHER_CHUNK: "adds a chunk to another one",
    TWICE: "adds a contribution twice",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProgramLines:
    """The lines of a program with connections for peers, (lines,) or (blocks,) each.

    `waited` is the line that a line waits for and `partner` the line that sends what it receives,
    or -1. `send_on` and `receive_on` are connections of threadblocks, or -1.
    """

    program: MscclFile
    block: Int64Array
    kind: Int64Array
    count: Int64Array
    sends: BoolArray
    receives: BoolArray
    waited: Int64Array
    partner: Int64Array
    send_on: Int64Array
    receive_on: Int64Array

    @property
    def connections(self) -> int:
        """How many triples of sender, receiver and channel are used."""
        return int(max(self.send_on.max(initial=-1), self.receive_on.max(initial=-1))) + 1

    def run(self, slots: int, most: int) -> tuple[Int64Array, int]:
        """Lines in the order in which they are done, and how many are; messages of `most`."""
        order = np.zeros(len(self.count) + len(self.send_on), dtype=np.int64)
        done = play_fifo(
            self.program.first, self.sends, self.receives, np.maximum(self.count, 1),
            self.waited, self.send_on, self.receive_on, slots, most, order,
        )  # fmt: skip
        return order, int(done)


def connect_lines(program: MscclFile) -> ProgramLines | str:
    """The lines of a program that keeps the static rules, or what sends and receives disagree on.

    Raises Unsupported for more than MAX_MOVES chunks.
    """
    block, kind = lines_to_blocks(program), program.steps[:, KIND].copy()
    count = program.steps[:, COUNT].copy()
    if int(count.sum()) > MAX_MOVES:
        raise Unsupported(f"chunks: {count.sum()} are moved, at most {MAX_MOVES} can be checked")
    keys = [_connection_keys(program, peers, swap) for peers, swap in
            ((program.send, False), (program.receive, True))]  # fmt: skip
    known = np.unique(np.concatenate([key[key >= 0] for key in keys]))
    on = [np.where(key >= 0, np.searchsorted(known, key), -1) for key in keys]
    sends, receives = np.isin(kind, SENDS), np.isin(kind, RECEIVES)
    partner = _partners(program, block, count, (sends, on[0]), (receives, on[1]))
    if isinstance(partner, str):
        return partner
    target, inside = waited_lines(program)
    return ProgramLines(
        program=program, block=block, kind=kind, count=count, sends=sends, receives=receives,
        waited=np.where(inside, target, -1), partner=partner, send_on=on[0], receive_on=on[1],
    )  # fmt: skip


def _connection_keys(program: MscclFile, peers: Int64Array, swap: bool) -> Int64Array:
    """A number for sender, receiver and channel of each threadblock; -1 without a peer."""
    ends = (peers, program.rank) if swap else (program.rank, peers)
    return np.where(peers >= 0, (ends[0] * 1024 + ends[1]) * 64 + program.channel, -1)


def _partners(
    program: MscclFile, block: Int64Array, count: Int64Array,
    sending: tuple[BoolArray, Int64Array], receiving: tuple[BoolArray, Int64Array],
) -> Int64Array | str:  # fmt: skip
    """For every receiving line the line that sends it; in words, the first that does not fit."""
    lines = []
    for chosen, on in (sending, receiving):
        found = np.flatnonzero(chosen)
        lines.append(found[np.argsort(on[block[found]], kind="stable")])
    sent, received = lines
    size = min(len(sent), len(received))
    over = [on[block[own]][:size] for own, (_, on) in zip(lines, (sending, receiving), strict=True)]
    wrong = np.flatnonzero((over[0] != over[1]) | (count[sent[:size]] != count[received[:size]]))
    at = int(wrong[0]) if len(wrong) else size
    if at == len(sent) == len(received):
        partner = np.full(len(count), -1, dtype=np.int64)
        partner[received] = sent
        return partner
    if at < size and over[0][at] == over[1][at]:
        one, other = (describe_line(program, int(own[at])) for own in (sent, received))
        return f"{one} sends {count[sent[at]]} chunks, but {other} takes {count[received[at]]}"
    if at < size:
        own = sent if over[0][at] < over[1][at] else received
    else:
        own = sent if len(sent) > size else received
    told = "sends what nobody receives" if own is sent else "waits for what nobody sends"
    return f"{describe_line(program, int(own[at]))} {told}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProgramMemory:
    """Places of all ranks in a row; `at` (ranks, 3) says where each buffer begins.

    In place the input lies in the output, or of a reduce-scatter the output in the input.
    """

    in_place: bool
    at: Int64Array
    base: Int64Array
    input_chunks: int
    output_chunks: int


def lay_out(program: MscclFile, in_place: bool) -> ProgramMemory:
    """The memory of a program; Unsupported where it is too large to be looked at."""
    taken, given = data_chunks(program)
    rank, kind = np.arange(program.ranks), collective_of(program)
    scratch = program.buffers[:, SCRATCH]
    at = np.zeros((program.ranks, 3), dtype=np.int64)
    if not in_place:
        at[:, OUTPUT], data = taken, taken + given
    else:
        data = max(taken, given)
        if kind == "allgather":
            at[:, INPUT] = rank * taken
        elif kind == "reduce-scatter":
            at[:, OUTPUT] = rank * given
    at[:, SCRATCH] = data
    base = np.concatenate([[0], np.cumsum(data + scratch)])
    if int(base[-1]) * -(-program.ranks // 64) > MAX_WORDS:
        raise Unsupported(f"memory: {base[-1]} chunks on all ranks are too many to be checked")
    return ProgramMemory(in_place=in_place, at=at + base[:-1, None], base=base,
                         input_chunks=taken, output_chunks=given)  # fmt: skip


def run_violation(
    lines: ProgramLines,
    memory: ProgramMemory,
    order: Int64Array,
    slots: int,
    *,
    most_work: int = MAX_WORK,
) -> tuple[str | None, Int64Array]:
    """What values or races are wrong in one placement, and the chunk that each line sends.

    `order` has the lines as they were done. The second is of shape (chunks moved,), line after
    line. Raises Unsupported where vector clocks would take more than `most_work` entries.
    """
    program, step = lines.program, lines.program.steps
    places = [
        memory.at[program.rank[lines.block], step[:, which]] + step[:, which + 1]
        for which in (SOURCE, TARGET)
    ]
    chunk, ranks = _first_values(program, memory)
    start = np.concatenate([[0], np.cumsum(lines.count)])
    carried = np.full(start[-1], -1, dtype=np.int64)
    capacity = np.zeros(lines.connections, dtype=np.int64)
    sending = np.flatnonzero(lines.sends)
    np.maximum.at(capacity, lines.send_on[lines.block[sending]], lines.count[sending])
    fault, line, which = play_values(
        order, lines.kind, *places, lines.count, lines.block, lines.send_on, lines.receive_on,
        capacity, slots, chunk, ranks, carried, start,
    )  # fmt: skip
    if fault:
        place = f" (chunk {which} of it)" if lines.count[line] > 1 else ""
        return f"{describe_line(program, line)} {FAULTS[fault]}{place}", carried
    told = _race(lines, memory, order, places, most_work) or _wrong_end(
        program, memory, chunk, ranks
    )
    return told, carried


def _first_values(program: MscclFile, memory: ProgramMemory) -> tuple[Int64Array, AnyIntArray]:
    """Chunk numbers and sets of ranks: the own input of every rank, and nothing elsewhere."""
    chunk = np.full(memory.base[-1], -1, dtype=np.int64)
    ranks = np.zeros((memory.base[-1], -(-program.ranks // 64)), dtype=np.uint64)
    own = {"allgather": memory.input_chunks, "all-to-all": memory.input_chunks}
    stride = own.get(collective_of(program), 0)
    for rank, at in enumerate(memory.at[:, INPUT].tolist()):
        span = slice(at, at + memory.input_chunks)
        chunk[span] = rank * stride + np.arange(memory.input_chunks)
        ranks[span, rank // 64] = np.uint64(1 << rank % 64)
    return chunk, ranks


def _wrong_end(
    program: MscclFile, memory: ProgramMemory, chunk: Int64Array, ranks: AnyIntArray
) -> str | None:
    """What the outputs lack in the end."""
    kind, everyone = collective_of(program), _everyone(program.ranks)
    x = np.arange(memory.output_chunks)
    least: list[str] = []
    roots = set()
    for rank, at in enumerate(memory.at[:, OUTPUT].tolist()):
        found, summed = chunk[at : at + len(x)], ranks[at : at + len(x)]
        wanted, owner = _wanted_chunks(kind, rank, x, program.ranks)
        if kind == "broadcast":
            roots.add(summed.tobytes() if (found == x).all() else b"")
            right = found == wanted
        elif owner is None:
            right = (found == wanted) & (summed == everyone).all(axis=1)
        else:
            bit = np.left_shift(np.uint64(1), (owner % 64).astype(np.uint64))
            right = (found == wanted) & (summed[np.arange(len(x)), owner // 64] == bit)
        if not right.all():
            least.append(f"gpu {rank} ends without chunk {wanted[np.argmin(right)]}")
    if kind == "reduce":
        return least[0] if len(least) == program.ranks else None
    if kind == "broadcast" and not least and len(roots) > 1:
        return "GPUs end with chunks of different roots"
    return least[0] if least else None


def _wanted_chunks(
    kind: str, rank: int, x: Int64Array, ranks: int
) -> tuple[Int64Array, Int64Array | None]:
    """The chunks of a rank's output, and their owners unless they are sums."""
    if kind == "allgather":
        return x, x // (len(x) // ranks)
    if kind == "reduce-scatter":
        return rank * len(x) + x, None
    if kind == "all-to-all":
        part = len(x) // ranks
        return x // part * len(x) + rank * part + x % part, x // part
    return x, None


def _everyone(ranks: int) -> AnyIntArray:
    """All ranks as words of 64 bits."""
    whole = (1 << ranks) - 1
    return np.array(
        [whole >> shift & (1 << 64) - 1 for shift in range(0, ranks, 64)], dtype=np.uint64
    )


def _race(
    lines: ProgramLines,
    memory: ProgramMemory,
    order: Int64Array,
    places: list[Int64Array],
    most_work: int,
) -> str | None:
    """Two accesses in no order; where steps forward what they receive, chunk by chunk."""
    program = lines.program
    copies = lines.count if np.isin(lines.kind, FUSED).any() else np.ones(len(order), np.int64)
    copies = np.maximum(copies, 1)
    line = np.repeat(np.arange(len(copies)), copies)
    end = np.cumsum(copies)
    within = np.arange(len(line)) - np.repeat(end - copies, copies)
    before = np.arange(len(line)) - 1
    begins = program.first[:-1][np.diff(program.first) > 0]
    before[(end - copies)[begins]] = -1
    waited = np.where(lines.waited >= 0, end[lines.waited] - 1, -1)[line]
    waited[within > 0] = -1
    partner = np.where(lines.partner >= 0, (end - copies)[lines.partner], -1)[line]
    partner[partner >= 0] += within[partner >= 0]
    spread = np.repeat(end[order] - copies[order], copies[order])
    spread += np.arange(len(line)) - np.repeat(np.cumsum(copies[order]) - copies[order],
                                               copies[order])  # fmt: skip
    rank = program.rank[lines.block]
    begin = program.block_of_rank()
    touched = [
        np.where(np.isin(lines.kind, used), where, -1)[line] for used, where in
        zip((READS, WRITES), places, strict=True)
    ]  # fmt: skip
    for where in touched:
        where[where >= 0] += within[where >= 0]
    count = np.where(copies > 1, 1, lines.count)[line]
    reads, writes = touched
    widest = int(np.diff(begin).max())
    if len(line) * widest > MAX_CLOCKS or len(line) * widest * program.ranks > most_work:
        raise Unsupported(f"steps: {len(line)} on {program.ranks} ranks are too many for clocks")
    first, second, place = find_race(
        spread, before, partner, waited, rank[line], (lines.block - begin[rank])[line],
        np.diff(begin), reads, writes, count, memory.base, int(memory.base[-1]),
    )  # fmt: skip
    if first < 0:
        return None
    one, other = (describe_line(program, int(line[x])) for x in (first, second))
    return (
        f"{one} and {other.partition(', ')[2]} touch {_place(program, memory, place)} in no order"
    )


def _place(program: MscclFile, memory: ProgramMemory, place: int) -> str:
    rank = int(np.searchsorted(memory.base, place, side="right")) - 1
    inside = [(int(at), buffer) for buffer, at in enumerate(memory.at[rank]) if at <= place]
    at, buffer = max(inside)
    return f"chunk {place - at} of buffer {BUFFERS[buffer]}"


def largest_message(lines: ProgramLines, slots: int) -> int | None:
    """The fewest chunks of a message that nothing stops with, nor with any larger number.

    1 means that chunk by chunk is safe too; None that even whole steps deadlock.
    """
    if _is_safe(lines, slots, 1):
        return 1
    safe = None
    for most in range(int(lines.count.max(initial=1)), 1, -1):
        if not _is_safe(lines, slots, most):
            break
        safe = most
    return safe


def _is_safe(lines: ProgramLines, slots: int, most: int) -> bool:
    return lines.run(slots, most)[1] == len(lines.count)


def stop_words(lines: ProgramLines, order: Int64Array, done: int) -> str:
    """Where the first threadblock stands that cannot go on, and what it waits for."""
    left = order[done : done + int((np.diff(lines.program.first) > 0).sum())]
    finished = np.zeros(len(lines.count), dtype=np.bool_)
    finished[order[:done]] = True
    line = int(left[0])
    waited = int(lines.waited[line])
    if waited >= 0 and not finished[waited]:
        told = f"waits for {describe_line(lines.program, waited).partition(', ')[2]}"
    elif lines.receives[line] and not finished[lines.partner[line]]:
        told = "waits for a message"
    else:
        told = "waits for a free slot"
    return f"deadlock: {describe_line(lines.program, line)} {told}"
