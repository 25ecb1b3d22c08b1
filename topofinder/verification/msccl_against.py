"""Whether a program sends what a schedule says: every chunk over its arc, in the order of steps."""

import numpy as np

from generators.topology import Int64Array
from topofinder.verification.msccl_rows import ScheduledContent, ScheduledRows, scheduled_rows
from topofinder.verification.msccl_rules import collective_of, describe_line
from topofinder.verification.msccl_runs import ProgramLines


def against_violation(
    lines: ProgramLines, order: Int64Array, carried: Int64Array, content: ScheduledContent
) -> str | None:
    """The first chunk that an arc carries and the schedule does not, or the other way round.

    `order` has the lines as they were done, `carried` the chunks that they send, line after line.
    Chunks that one pair of ranks hands over several times are told apart by their order. What a
    connection carries must belong to one arc, and its steps must not go back.
    """
    program, rows = lines.program, scheduled_rows(content)
    kind, chunks = collective_of(program), program.number("nchunksperloop")
    whole = chunks * (program.ranks if kind == "all-to-all" else 1)
    if (rows.collective, rows.ranks) != (kind, program.ranks):
        return f"it is {kind} of {program.ranks} ranks, the other {rows.collective} of {rows.ranks}"
    if whole % rows.units:
        return f"{whole} chunks are no multiple of the schedule's {rows.units}"
    wanted = _row_chunks(rows, whole // rows.units)
    sent, line = _sent_chunks(lines, order, carried)
    told = _difference(wanted[:3], sent)
    if told is not None:
        return told
    connection = lines.send_on[lines.block[line]]
    later = np.lexsort((np.arange(len(line)), line, connection))
    moment, arc = wanted[3][later], wanted[4][later]
    same = connection[later][1:] == connection[later][:-1]
    for wrong, words in (
        (same & (np.diff(moment) < 0), "belongs to an earlier step than what is before it"),
        (same & (np.diff(arc) != 0), "belongs to another arc than what is before it"),
    ):
        if wrong.any():
            return f"{describe_line(program, int(line[later][1:][wrong][0]))} {words}"
    return None


def _row_chunks(rows: ScheduledRows, scale: int) -> list[Int64Array]:
    """Sender, receiver, chunk, moment and arc of every chunk of every row, in this order."""
    length = (rows.end - rows.begin) * scale
    row = np.repeat(np.arange(len(length)), length)
    within = np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
    chunk = rows.begin[row] * scale + within
    columns = [rows.sender[row], rows.receiver[row], chunk, rows.moment[row], rows.arc[row]]
    order = np.lexsort(columns[::-1])
    return [column[order] for column in columns]


def _sent_chunks(
    lines: ProgramLines, order: Int64Array, carried: Int64Array
) -> tuple[list[Int64Array], Int64Array]:
    """Sender, receiver and chunk of all that is sent, in this order and as done; their lines."""
    program = lines.program
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    line = np.repeat(np.arange(len(lines.count)), lines.count)
    kept = lines.sends[line]
    line, chunk = line[kept], carried[kept]
    block = lines.block[line]
    columns = [program.rank[block], program.send[block], chunk]
    by = np.lexsort((place[line], *columns[::-1]))
    return [column[by] for column in columns], line[by]


def _difference(wanted: list[Int64Array], sent: list[Int64Array]) -> str | None:
    """The first chunk that is in one list and not in the other, which are both in order."""
    size = min(len(wanted[0]), len(sent[0]))
    apart = np.zeros(size, dtype=np.bool_)
    for one, other in zip(wanted, sent, strict=True):
        apart |= one[:size] != other[:size]
    at = int(np.argmax(apart)) if apart.any() else size
    if at == len(wanted[0]) == len(sent[0]):
        return None
    less = [tuple(int(column[at]) for column in table) if at < len(table[0]) else None
            for table in (wanted, sent)]  # fmt: skip
    missing = less[1] is None or (less[0] is not None and less[0] < less[1])
    sender, receiver, chunk = less[0 if missing else 1] or (-1, -1, -1)
    told = "does not send" if missing else "sends"
    return f"gpu {sender} {told} chunk {chunk} to gpu {receiver}, the schedule " \
        f"{'does' if missing else 'does not'}"  # fmt: skip
