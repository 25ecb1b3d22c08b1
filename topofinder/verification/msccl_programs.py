"""Verification of MSCCL programs: what they do to data, on every runtime that may read them.

After the rules of the dialect, a program is run with as many messages in flight on a connection as
its protocol has slots, in whole steps and chunk by chunk. Every value is the set of ranks whose
contributions it sums; accesses that nothing orders are races (vector clocks over program order,
flags and messages); in place, input and output are one memory. In the end every output must be
what the collective says. Nothing here knows how programs are made.
"""

from dataclasses import dataclass

import numpy as np

from generators.topology import Int64Array
from topofinder.progress import work_progress
from topofinder.verification.msccl_against import against_violation
from topofinder.verification.msccl_reader import MscclFile
from topofinder.verification.msccl_rows import ScheduledContent
from topofinder.verification.msccl_rules import (
    MOST_CHUNKS,
    RuntimeLimits,
    collective_of,
    find_runtime,
    static_violation,
)
from topofinder.verification.msccl_runs import (
    ProgramLines,
    connect_lines,
    largest_message,
    lay_out,
    run_violation,
    stop_words,
)

SLOTS = {"Simple": 2, "LL": 8, "LL128": 8}
"""Messages in flight on a connection."""
SLOT_BYTES = {"Simple": 2 << 20, "LL": 32 << 10, "LL128": 560 << 10}
"""Bytes of a message, on x86 hosts with the runtimes' own buffers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MscclVerdict:
    """Whether a program does what its collective says, and for which sizes.

    `safe_bytes` is the largest size of the whole data at which it cannot deadlock, None where
    that is all; `placements` are those of input and output that it was checked for. `violation`
    is one line about the first fault, None exactly when it is valid.
    """

    dialect: str
    collective: str
    protocol: str
    ranks: int
    chunks: int
    steps: int
    most_steps: int
    most_blocks: int
    placements: tuple[str, ...] = ()
    safe_bytes: int | None = None
    violation: str | None

    @property
    def valid(self) -> bool:
        """Whether nothing was found wrong."""
        return self.violation is None


def verify_msccl(
    program: MscclFile,
    *,
    dialect: str | None = None,
    against: ScheduledContent | None = None,
    over_limits: bool = False,
) -> MscclVerdict:
    """Check a program by the rules of a dialect; unless told, of the one that its flags are of.

    With `against`, a schedule, forest or timetable, every arc must also carry what that says, step
    after step. With `over_limits` numbers of steps and threadblocks are not limited. Raises
    InvalidInput for heads without numbers, and Unsupported for programs too large to be run.

    >>> from topofinder.verification.msccl_reader import parse_msccl
    >>> program = parse_msccl('<algo proto="LL" nchannels="1" nchunksperloop="1" ngpus="1" '
    ...     'coll="allreduce" inplace="1" outofplace="0" minBytes="0" maxBytes="0">'
    ...     '<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0"></gpu></algo>')
    >>> verify_msccl(program).valid
    True
    """
    name, limits = find_runtime(program, dialect)
    violation = static_violation(program, limits, over_limits=over_limits)
    safe_bytes, placements = None, _placements(program, limits)
    if violation is None:
        lines = connect_lines(program)
        if isinstance(lines, str):
            violation = lines
        else:
            violation, safe_bytes = _dynamic_violation(program, lines, limits, against)
    counts = np.diff(program.first)
    return MscclVerdict(
        dialect=name,
        collective=collective_of(program),
        protocol=program.head.get("proto", ""),
        ranks=program.ranks,
        chunks=program.number("nchunksperloop"),
        steps=len(program.steps),
        most_steps=int(counts.max(initial=0)),
        most_blocks=int(np.diff(program.block_of_rank()).max(initial=0)),
        placements=tuple("in place" if each else "out of place" for each in placements),
        safe_bytes=safe_bytes,
        violation=violation,
    )


def _placements(program: MscclFile, limits: RuntimeLimits) -> list[bool]:
    """The placements that a file says it is for, as whether they are in place."""
    in_place = program.head.get("inplace") == "1"
    if not limits.two_flags:
        return [in_place]
    out_of_place = program.head.get("outofplace") == "1"
    return [False] * out_of_place + [True] * in_place


def _dynamic_violation(
    program: MscclFile,
    lines: ProgramLines,
    limits: RuntimeLimits,
    against: ScheduledContent | None,
) -> tuple[str | None, int | None]:
    """What goes wrong when it runs, and the largest safe size, None for all."""
    slots = SLOTS[program.head["proto"]]
    work_progress.tell(f"running {len(program.steps):,} steps")
    order, done = lines.run(slots, MOST_CHUNKS)
    if done < len(program.steps):
        return stop_words(lines, order, done), 0
    order = order[:done]
    carried: Int64Array = order[:0]
    for in_place in _placements(program, limits):
        work_progress.tell(f"values and races, {'in' if in_place else 'out of'} place")
        if in_place and collective_of(program) == "all-to-all":
            return "inplace: an all-to-all has an input and an output of its own", None
        violation, carried = run_violation(lines, lay_out(program, in_place), order, slots)
        if violation is not None:
            return f"{violation}, in place" if in_place else violation, None
    if against is not None:
        violation = against_violation(lines, order, carried, against)
        if violation is not None:
            return violation, None
    return _size_violation(program, lines, limits, slots)


def _size_violation(
    program: MscclFile, lines: ProgramLines, limits: RuntimeLimits, slots: int
) -> tuple[str | None, int | None]:
    """Whether the file lets sizes through at which messages become so many that all stops."""
    message = largest_message(lines, slots)
    if message == 1:
        return None, None
    slot = SLOT_BYTES[program.head["proto"]]
    safe = program.number("nchunksperloop") * slot // (message or MOST_CHUNKS)
    high = program.number("maxBytes", 1 << 27)
    unlimited = limits.two_flags and high == 0
    largest = high if limits.two_flags else high - 1
    if unlimited or largest > safe:
        return f"maxBytes: it deadlocks above {safe} bytes, where chunks exceed a slot", safe
    return None, safe
