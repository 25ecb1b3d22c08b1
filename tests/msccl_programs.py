"""MSCCL programs for tests: lowered ones, and ones that are wrong in a single place."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import topofinder as tf
from topofinder.exporters.msccl_limits import DIALECTS
from topofinder.exporters.msccl_xml import MscclOptions, compile_msccl, msccl_text
from topofinder.lowering.lower import Lowerable, lower
from topofinder.verification.msccl_reader import KINDS, MscclFile
from topofinder.verification.msccl_rules import (
    COUNT,
    DEPENDS,
    DEPENDS_AT,
    FLAG,
    KIND,
    READS,
    SOURCE,
    TARGET,
    WRITES,
)

TIMES = {"size": "1MB", "alpha": "1us", "bandwidth": "100Gbps"}


@cache
def content_of(subject: str, collective: str = "allreduce", method: str = "auto") -> Lowerable:
    """What a schedule, forest or timetable file would hold."""
    options: dict[str, Any] = {"root": 1} if collective in ("broadcast", "reduce") else {}
    if method == "timed":
        options |= TIMES | {"chunks": 1, "tries": 1}
    if method == "forest":
        options |= {"k": "optimal"}
    made = tf.schedule(subject, collective=collective, method=method, **options)
    found: Lowerable = getattr(
        made, {"forest": "forest", "timed": "timetable"}.get(method, "saved")
    )
    return found


def program_text(content: Lowerable, dialect: str = "executor", **options: object) -> str:
    """The program of a schedule, forest or timetable."""
    wanted = MscclOptions(dialect=DIALECTS[dialect], **options)  # type: ignore[arg-type]
    return "".join(msccl_text(compile_msccl(lower(content), wanted)))


def hand_written(
    steps: dict[tuple[int, int], list[str]], proto: str, chunks: int, **head: object
) -> str:
    """An allgather of two ranks: for each (gpu, peer to send to or -1) the steps of a threadblock.

    Threadblocks that send to nobody receive from the other rank.
    """
    values = {"name": "by-hand", "proto": proto, "nchannels": 1, "nchunksperloop": 2 * chunks,
              "ngpus": 2, "coll": "allgather", "inplace": 1, "outofplace": 0, "minBytes": 0,
              "maxBytes": 0} | head  # fmt: skip
    lines = ["<algo " + " ".join(f'{k}="{v}"' for k, v in values.items()) + ">"]
    for gpu in range(2):
        lines.append(f'<gpu id="{gpu}" i_chunks="{chunks}" o_chunks="{2 * chunks}" s_chunks="0">')
        for number, (_, to) in enumerate(key for key in steps if key[0] == gpu):
            ends = (to, -1) if to >= 0 else (-1, 1 - gpu)
            both = to == 1 - gpu and any(' type="r"' in step for step in steps[gpu, to])
            ends = (to, to) if both else ends
            lines.append(f'<tb id="{number}" send="{ends[0]}" recv="{ends[1]}" chan="0">')
            lines += [f'<step s="{s}"{step}/>' for s, step in enumerate(steps[gpu, to])]
            lines.append("</tb>")
        lines.append("</gpu>")
    return "\n".join([*lines, "</algo>"])


def one_step(kind: str, at: int, count: int = 1) -> str:
    """A step that moves chunks of the output from and to the same place, and waits for nothing."""
    return (f' type="{kind}" srcbuf="o" srcoff="{at}" dstbuf="o" dstoff="{at}" cnt="{count}" '
            'depid="-1" deps="-1" hasdep="0"')  # fmt: skip


def mutations(program: MscclFile, kind: str, wanted: int, seed: int) -> Iterator[MscclFile]:
    """Copies that are wrong in one place; fewer than `wanted` where there are not as many."""
    random = np.random.default_rng(seed)
    places = CANDIDATES[kind](program)
    for place in random.permutation(places)[:wanted].tolist():
        copy = replace(program, **{name: getattr(program, name).copy() for name in
                                   ("send", "receive", "channel", "first", "steps")})  # fmt: skip
        CHANGES[kind](copy, place, random)
        yield copy


def _lines(chosen: np.ndarray) -> list[int]:
    return np.flatnonzero(chosen).tolist()


def _swappable(program: MscclFile) -> list[int]:
    steps, moves = program.steps, program.steps[:, KIND] != KINDS.index("nop")
    ends = set(program.first[1:].tolist())
    return [x for x in range(len(steps) - 1) if moves[x] and moves[x + 1] and x + 1 not in ends]


def _drop_line(program: MscclFile, line: int, random: np.random.Generator) -> None:
    program.steps = np.delete(program.steps, line, axis=0)
    program.first = program.first - (program.first > line)


def _swap_lines(program: MscclFile, line: int, random: np.random.Generator) -> None:
    program.steps[[line, line + 1]] = program.steps[[line + 1, line]]


def _move_spot(which: int, program: MscclFile, line: int, random: np.random.Generator) -> None:
    step = program.steps[line]
    if random.integers(2):
        step[which] = (step[which] + 1 + random.integers(2)) % 3
    else:
        step[which + 1] += 1 if step[which + 1] == 0 or random.integers(2) else -1


def _change_kind(program: MscclFile, line: int, random: np.random.Generator) -> None:
    others = [k for k in range(len(KINDS)) if k != program.steps[line, KIND]]
    program.steps[line, KIND] = random.choice(others)


def _change_peer(program: MscclFile, block: int, random: np.random.Generator) -> None:
    peers = program.send if program.send[block] >= 0 else program.receive
    peers[block] = (peers[block] + 1 + random.integers(program.ranks - 1)) % program.ranks


def _set(column: int, value: int):  # type: ignore[no-untyped-def]
    def change(program: MscclFile, line: int, random: np.random.Generator) -> None:
        program.steps[line, column] = value

    return change


def _drop_dependency(program: MscclFile, line: int, random: np.random.Generator) -> None:
    program.steps[line, DEPENDS] = program.steps[line, DEPENDS_AT] = -1


def _earlier(program: MscclFile, line: int, random: np.random.Generator) -> None:
    program.steps[line, DEPENDS_AT] -= 1


def _recount(program: MscclFile, line: int, random: np.random.Generator) -> None:
    program.steps[line, COUNT] += 1 if random.integers(2) else -1


def _rechannel(program: MscclFile, block: int, random: np.random.Generator) -> None:
    program.channel[block] = (program.channel[block] + 1) % 33


NOP = KINDS.index("nop")
CANDIDATES = {
    "dependency dropped": lambda p: _lines(p.steps[:, DEPENDS] >= 0),
    "dependency earlier": lambda p: _lines(p.steps[:, DEPENDS_AT] >= 0),
    "hasdep dropped": lambda p: _lines(p.steps[:, FLAG] == 1),
    "swapped": _swappable,
    "dropped": lambda p: _lines(p.steps[:, KIND] >= 0),
    "source": lambda p: _lines(np.isin(p.steps[:, KIND], READS)),
    "destination": lambda p: _lines(np.isin(p.steps[:, KIND], WRITES)),
    "count": lambda p: _lines(p.steps[:, KIND] != NOP),
    "kind": lambda p: _lines(p.steps[:, KIND] != NOP),
    "peer": lambda p: _lines((p.send >= 0) | (p.receive >= 0)),
    "channel": lambda p: _lines((p.send >= 0) | (p.receive >= 0)),
}
CHANGES = {
    "dependency dropped": _drop_dependency,
    "dependency earlier": _earlier,
    "hasdep dropped": _set(FLAG, 0),
    "swapped": _swap_lines,
    "dropped": _drop_line,
    "source": lambda *about: _move_spot(SOURCE, *about),
    "destination": lambda *about: _move_spot(TARGET, *about),
    "count": _recount,
    "kind": _change_kind,
    "peer": _change_peer,
    "channel": _rechannel,
}
