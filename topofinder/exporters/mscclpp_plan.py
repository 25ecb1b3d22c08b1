"""MSCCL++ execution plans: the JSON that its executor runs, by puts, signals and waits.

Every arc that is used has a port channel at both ends, which one threadblock of each rank serves.
Threadblocks go from step to step by barriers: what a step needs has been put, signalled, waited for
and combined before the next begins. Partial sums are put into scratch, each to a place of its own,
so that nothing that is still read is overwritten; all else goes where it belongs. At first every
rank tells those that write to it that it is there.

A threadblock runs at most 64 operations: where steps take more, threadblocks of later steps take
over at a barrier that both join. Source of the format: src/core/executor/execution_plan.cc and
execution_kernel.hpp of microsoft/mscclpp.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from expansions.collective import Collective
from generators import quantities
from generators.errors import Unsupported
from generators.files import write_whole
from generators.formats.document import MAX_JSON, MOST_MEMORY, memory_of
from topofinder.exporters.fewer_trees import attempt_with_fewer_trees
from topofinder.exporters.msccl_messages import (
    BUFFER_NAMES,
    INPUT,
    OUTPUT,
    Memory,
)
from topofinder.exporters.mscclpp_limits import (
    ALIGNMENT,
    COLLECTIVES,
    LARGEST_MESSAGE,
    MOST_AT_ONCE,
    MOST_BARRIERS,
    MOST_CHANNELS,
    MOST_INPUTS,
    MOST_OPERATIONS,
    MOST_THREADBLOCKS,
    require_known,
)
from topofinder.exporters.mscclpp_steps import (
    ChunkPlace,
    Combination,
    PlanArc,
    PutPiece,
    RankStep,
    rank_steps,
)
from topofinder.exporters.register import Exporter, ExportRequest, register_exporter
from topofinder.model.transfers import Transfers

ROW_BYTES = 1700
"""Memory of a row until the plan is written; measured at 40,000 rows."""
Operation = dict[str, Any]


class ExecutionOptions(NamedTuple):
    """`name` of the plan, and sizes in bytes of messages that it is for."""

    name: str
    least: int = 0
    most: int | None = None


def execution_plan(transfers: Transfers, options: ExecutionOptions) -> dict[str, Any]:
    """The plan of a collective, in place; an all-to-all out of place.

    Raises Unsupported for collectives that the executor has not, for blocks of different lengths,
    and where a limit of it is passed.
    """
    what = transfers.collective
    require_known(what)
    memory = Memory(transfers, in_place=what is not Collective.ALLTOALL)
    steps, scratch = rank_steps(transfers, memory)
    channels = _channels(transfers)
    gpus = [
        {
            "id": rank,
            "input_chunks": memory.input_chunks,
            "output_chunks": memory.output_chunks,
            "scratch_chunks": scratch[rank],
            **_Gpu(rank, channels[rank], steps[rank]).fields(memory.own_copies(rank)),
        }
        for rank in range(transfers.ranks)
    ]
    found: dict[str, Any] = {
        "name": options.name,
        "collective": COLLECTIVES[what],
        "protocol": "Simple",
        "inplace": memory.in_place,
        "reuse_resources": False,
        "gpus": gpus,
        "num_threads_per_block": 1024,
        "use_double_scratch_buffer": False,
        "buffer_alignment": ALIGNMENT,
        "min_message_size": options.least,
    }
    return found if options.most is None else {**found, "max_message_size": options.most}


def plan_bytes(plan: Mapping[str, Any]) -> bytes:
    """The plan as the bytes of a file."""
    return (json.dumps(plan, separators=(",", ":")) + "\n").encode()


def _channels(transfers: Transfers) -> list[list[PlanArc]]:
    """The arcs of every rank, as its channels are numbered.

    The k-th channel of u to v is joined to the k-th of v to u: both have first the arcs from the
    lower rank to the higher one, by lane.
    """
    rows = zip(transfers.sender.tolist(), transfers.receiver.tolist(), transfers.lane.tolist(),
               strict=True)  # fmt: skip
    found: list[list[PlanArc]] = [[] for _ in range(transfers.ranks)]
    for arc in sorted(PlanArc(*row) for row in set(rows)):
        for rank in (arc.sender, arc.receiver):
            found[rank].append(arc)
    for rank, arcs in enumerate(found):
        arcs.sort(key=lambda arc: (_peer(arc, rank), arc.sender > arc.receiver, arc.lane))
    return found


def _peer(arc: PlanArc, rank: int) -> int:
    return arc.receiver if arc.sender == rank else arc.sender


class _Gpu:
    """The threadblocks of one rank: as few as hold its channels and its operations."""

    def __init__(self, rank: int, arcs: Sequence[PlanArc], steps: Mapping[int, RankStep]) -> None:
        self.rank, self.arcs = rank, arcs
        self.steps = [steps[number] for number in sorted(steps)]
        self.number = {arc: at for at, arc in enumerate(arcs)}
        self.remote = _remote_buffers(self.steps)

    def fields(self, copies: Iterable[tuple[int, int, int, int]]) -> dict[str, Any]:
        """Threadblocks, channels and remote buffers; `copies` go from input to output at first."""
        own = [
            _local("copy", [ChunkPlace(INPUT, read)], ChunkPlace(OUTPUT, write), chunks)
            for read, write, chunks, _ in copies
        ]
        width = max(1, -(-len(self.arcs) // MOST_CHANNELS))
        while (groups := self._groups(width, own)) is None:
            width *= 2
            if width > MOST_THREADBLOCKS:
                told = f"more than {MOST_OPERATIONS} operations at one step of rank {self.rank}"
                raise Unsupported(f"mscclpp: {told} in each of {MOST_THREADBLOCKS} threadblocks")
        threadblocks = [each for group in groups for each in group]
        if len(threadblocks) > MOST_THREADBLOCKS:
            raise Unsupported(
                f"mscclpp: rank {self.rank} needs {len(threadblocks)} threadblocks, at most "
                f"{MOST_THREADBLOCKS} run at the same time"
            )
        return {
            "threadblocks": [
                {"id": number, "ops": ops, **self._ends(number % width, width)}
                for number, ops in enumerate(threadblocks)
            ],
            "channels": [
                {
                    "channel_type": "port",
                    "connected_to": [_peer(arc, self.rank) for arc in self.arcs],
                }
            ],
            "remote_buffers": [
                {"rank": peer, "type": BUFFER_NAMES[buffer], "access_channel_types": ["port"]}
                for peer, buffer in self.remote
            ],
            "semaphores": [],
        }

    def _own(self, home: int, width: int) -> list[PlanArc]:
        """The arcs that one of `width` threadblocks serves."""
        return [arc for arc in self.arcs if self.number[arc] % width == home]

    def _ends(self, home: int, width: int) -> dict[str, Any]:
        ids = [self.number[arc] for arc in self._own(home, width)]
        buffers = list(range(len(self.remote)))
        return {
            "channels": [{"channel_type": "port", "channel_ids": ids}] if ids else [],
            "remote_buffer_refs": [{"access_channel_type": "port", "remote_buffer_ids": buffers}]
            if ids
            else [],
        }

    def _groups(self, width: int, own: list[Operation]) -> list[list[list[Operation]]] | None:
        """Operations by group of steps and threadblock; None where a step does not fit."""
        parts = [self._first(width, own), *(self._step(step, width) for step in self.steps)]
        groups: list[list[list[Operation]]] = [[[] for _ in range(width)]]
        # Each group but the first begins, and each but the last ends, with a barrier of both.
        for part in parts:
            longest = max(len(each) for each in part)
            used = max(len(each) for each in groups[-1])
            if longest > MOST_OPERATIONS - 2:
                return None
            if used + longest > MOST_OPERATIONS - 1:
                groups.append([[] for _ in range(width)])
                _hand_over(groups, width)
            for ops, more in zip(groups[-1], part, strict=True):
                ops.extend(self._in_group(each, len(groups) - 1) for each in more)
        return groups

    def _in_group(self, operation: Operation, group: int) -> Operation:
        """Barriers within a group have another number than those on both sides of it."""
        if operation["name"] != "barrier":
            return operation
        return {**operation, "barrier_id": 2 * group % MOST_BARRIERS}

    def _first(self, width: int, own: list[Operation]) -> list[list[Operation]]:
        """Tell those that write here that all is ready, and wait for those that are written to."""
        found: list[list[Operation]] = []
        for home in range(width):
            arcs = self._own(home, width)
            ids = {arc: at for at, arc in enumerate(arcs)}
            ops = own[home::width]
            ops += _at_once("signal", [ids[arc] for arc in arcs if arc.receiver == self.rank])
            ops += _at_once("wait", [ids[arc] for arc in arcs if arc.sender == self.rank])
            found.append([*ops, _meet(width)])
        return found

    def _step(self, step: RankStep, width: int) -> list[list[Operation]]:
        found = []
        for home in range(width):
            arcs = self._own(home, width)
            ids = {arc: at for at, arc in enumerate(arcs)}
            sends = [arc for arc in arcs if arc in step.puts]
            ops = self._put(step, sends, ids)
            ops += _at_once("wait", [ids[arc] for arc in arcs if arc in step.waits])
            found.append([*ops, _meet(width)])
        formed = [_combining_operations(each) for each in step.combinations]
        for home, ops in enumerate(found):
            for each in formed[home::width]:
                ops += each
            if formed:
                ops.append(_meet(width))
        return found

    def _put(
        self, step: RankStep, arcs: Sequence[PlanArc], ids: Mapping[PlanArc, int]
    ) -> list[Operation]:
        """All pieces but the last of every arc, and then the last ones with a signal."""
        early = [(arc, piece) for arc in arcs for piece in step.puts[arc][:-1]]
        last = [(arc, step.puts[arc][-1]) for arc in arcs]
        ops = [self._put_some("put", some, ids) for some in _parts(early)]
        if early:
            ops.append({"name": "nop"})
        return ops + [self._put_some("pws", some, ids) for some in _parts(last)]

    def _put_some(
        self, name: str, some: Sequence[tuple[PlanArc, PutPiece]], ids: Mapping[PlanArc, int]
    ) -> Operation:
        return {
            "name": name,
            "channel_ids": [ids[arc] for arc, _ in some],
            "channel_type": "port",
            "src_buff": [_local_buffer(piece.source, piece.chunks) for _, piece in some],
            "dst_buff": [
                {
                    "buffer_id": self.remote.index((arc.receiver, piece.target.buffer)),
                    "index": piece.target.offset,
                    "size": piece.chunks,
                }
                for arc, piece in some
            ],
        }


def _remote_buffers(steps: Iterable[RankStep]) -> list[tuple[int, int]]:
    """(rank, buffer) of all that a rank puts to."""
    return sorted(
        {
            (arc.receiver, piece.target.buffer)
            for step in steps
            for arc, pieces in step.puts.items()
            for piece in pieces
        }
    )


def _hand_over(groups: list[list[list[Operation]]], width: int) -> None:
    """End the last group but one, and begin the last, with a barrier that both join."""
    barrier = {
        "name": "barrier",
        "barrier_id": (2 * len(groups) - 3) % MOST_BARRIERS,
        "num_threadblocks": 2 * width,
    }
    for group in groups[-2:]:
        for ops in group:
            ops.append(barrier)


def _meet(width: int) -> Operation:
    """Where all threadblocks of a group, or all threads of its only one, wait for each other."""
    if width == 1:
        return {"name": "nop"}
    return {"name": "barrier", "barrier_id": 0, "num_threadblocks": width}


def _parts(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[at : at + MOST_AT_ONCE] for at in range(0, len(items), MOST_AT_ONCE)]


def _at_once(name: str, ids: Sequence[int]) -> list[Operation]:
    return [
        {"name": name, "channel_ids": list(some), "channel_type": "port"} for some in _parts(ids)
    ]


def _combining_operations(combination: Combination) -> list[Operation]:
    """The operations that form it; where there are many inputs, one after the other."""
    target, adds, inputs, chunks = combination
    if not adds and len(inputs) == 1:
        return [_local("copy", inputs, target, chunks)]
    places = [target, *inputs] if adds else [*inputs]
    ops = [_local("re", places[:MOST_INPUTS], target, chunks)]
    rest = places[MOST_INPUTS:]
    for at in range(0, len(rest), MOST_INPUTS - 1):
        ops.append({"name": "nop"})
        ops.append(_local("re", [target, *rest[at : at + MOST_INPUTS - 1]], target, chunks))
    return ops


def _local(name: str, inputs: Sequence[ChunkPlace], target: ChunkPlace, chunks: int) -> Operation:
    found: Operation = {
        "name": name,
        "src_buff": [_local_buffer(place, chunks) for place in inputs],
        "dst_buff": [_local_buffer(target, chunks)],
    }
    return {**found, "reduce_op": "sum"} if name == "re" else found


def _local_buffer(place: ChunkPlace, chunks: int) -> dict[str, Any]:
    return {"type": BUFFER_NAMES[place.buffer], "index": place.offset, "size": chunks}


def write_plan(request: ExportRequest, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Write the plan of an export; gives what it takes of a GPU.

    Raises Unsupported where a limit of the executor is passed, InvalidInput for sizes that cannot
    be read.
    """
    transfers = request.transfers
    require_known(transfers.collective)
    most = LARGEST_MESSAGE
    if "max_bytes" in request.options:
        most = min(most, int(quantities.size(request.options["max_bytes"], "--max-bytes")))
    name = f"{transfers.recipe or 'topology'} {transfers.collective}"
    options = ExecutionOptions(name, most=most)
    (plan, content), fitting = attempt_with_fewer_trees(
        request, lambda transfers: _plan_content(transfers, options)
    )
    write_whole(path, content)
    gpus = plan["gpus"]
    step = ALIGNMENT * max(gpus[0]["input_chunks"], gpus[0]["output_chunks"])
    return {
        "in place": "yes" if plan["inplace"] else "no",
        "sizes": f"multiples of {step} bytes",
        "most threadblocks": max(len(gpu["threadblocks"]) for gpu in gpus),
        "most operations": max(len(each["ops"]) for gpu in gpus for each in gpu["threadblocks"]),
        "scratch chunks": max(gpu["scratch_chunks"] for gpu in gpus),
        **({} if fitting is None else fitting.facts()),
    }


def _plan_content(transfers: Transfers, options: ExecutionOptions) -> tuple[dict[str, Any], bytes]:
    """A plan and its bytes; Unsupported for more of them than are read again."""
    plan = execution_plan(transfers, options)
    content = plan_bytes(plan)
    if len(content) > MAX_JSON or memory_of(content) > MOST_MEMORY:
        told = f"at most {MAX_JSON}, and {MOST_MEMORY} in memory, are read again"
        raise Unsupported(f"mscclpp: a file of {len(content)} bytes; {told}")
    return plan, content


register_exporter(
    Exporter(
        name="mscclpp",
        takes="transfers",
        suffix=".json",
        description="an execution plan of MSCCL++",
        write=write_plan,
        place=40,
        row_bytes=ROW_BYTES,
        options=frozenset({"max_bytes"}),
    )
)
