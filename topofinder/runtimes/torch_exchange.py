"""A placed program on a tensor: each step is one group of sends and receives, and then applied.

Messages are bytes of the vector or of buffers that stay alive until the group is complete, so
that every type of element travels on every backend. NCCL has no tags: messages from one rank to
another match in the order in which both post them, here by peer and lane, in which programs list
them; gloo gets the lane as a tag as well. On a GPU everything is on the current stream.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.program import PlacedProgram, ProgramMessage, ProgramStep
from topofinder.runtimes.torch_library import MESSAGE, Group, Tensor, dist, torch

Combine = Callable[[Tensor, Tensor], Any]
FIRST_TAG = 0x70000000
"""Lane 0 of ours; those of the user's own messages begin with 0."""
AVERAGE = "avg"


def _largest(here: Tensor, came: Tensor) -> Tensor:
    return torch.maximum(here, came, out=here)


def _smallest(here: Tensor, came: Tensor) -> Tensor:
    return torch.minimum(here, came, out=here)


COMBINATIONS: dict[str, Combine] = {
    "sum": lambda here, came: here.add_(came),
    "prod": lambda here, came: here.mul_(came),
    "max": _largest,
    "min": _smallest,
    AVERAGE: lambda here, came: here.add_(came),
}
"""What puts a partial result that came into what is there; averages are divided at the end."""


def find_combination(op: str, kind: Any, device: Any) -> Combine:
    """The function of an operation on elements of a type of torch.

    Raises InvalidInput for an operation that there is not, and for one that the type has not.
    """
    if op not in COMBINATIONS:
        raise InvalidInput(f"op: {excerpt(op)} is none of {', '.join(COMBINATIONS)}")
    if not _can_combine(op, kind, device):
        raise InvalidInput(f"dtype: {kind} has no {op}")
    return COMBINATIONS[op]


@lru_cache(maxsize=256)
def _can_combine(op: str, kind: Any, device: Any) -> bool:
    """Whether torch has the operation for the type, which it alone knows."""
    try:
        one = torch.zeros(1, dtype=kind, device=device)
        COMBINATIONS[op](one, one.clone())
        if op == AVERAGE:
            divide(one, 1)
    except (RuntimeError, TypeError):
        return False
    return True


def divide(tensor: Tensor, by: int) -> None:
    """Make sums averages, in place; those of integers are cut to integers, as NCCL does."""
    if tensor.is_floating_point() or tensor.is_complex():
        tensor.div_(by)
    else:
        tensor.div_(by, rounding_mode="trunc")


def run_program(program: PlacedProgram, memory: Tensor, combine: Combine, group: Group) -> None:
    """Do all steps of a rank on its flat memory, in place, against the other ranks of the group.

    Nothing but the step's own messages is waited for.
    """
    for begin, to, length in program.copies:
        memory[to : to + length] = memory[begin : begin + length]
    for step in program.steps:
        _run_step(step, memory, combine, plain_group(group))


def plain_group(group: Group) -> Group:
    """The group that moves messages: that inside of one that runs schedules, or itself."""
    return getattr(group, "inner", group)


def _run_step(step: ProgramStep, memory: Tensor, combine: Combine, group: Group) -> None:
    arrivals = [_arrival(message, memory) for message in step.receives]
    departures = [_departure(message, memory) for message in step.sends]
    posted = [
        *(_Message(dist.irecv, place, group, message)
          for message, place in zip(step.receives, arrivals, strict=True)),
        *(_Message(dist.isend, place, group, message)
          for message, place in zip(step.sends, departures, strict=True)),
    ]  # fmt: skip
    for work in dist.batch_isend_irecv(posted):
        work.wait()
    for message, came in zip(step.receives, arrivals, strict=True):
        if not message.direct:
            _apply(message, memory, came, combine)


def _arrival(message: ProgramMessage, memory: Tensor) -> Tensor:
    """Where a message is received: its place, if nothing else is there, or a buffer."""
    if message.direct:
        return memory[message.parts[0].begin : message.parts[0].end]
    return torch.empty(message.length, dtype=memory.dtype, device=memory.device)


def _departure(message: ProgramMessage, memory: Tensor) -> Tensor:
    """What is sent: one part as it lies there, more of them end to end in a buffer."""
    parts = [memory[part.begin : part.end] for part in message.parts]
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _apply(message: ProgramMessage, memory: Tensor, came: Tensor, combine: Combine) -> None:
    after = 0
    for part in message.parts:
        length = part.end - part.begin
        here, piece = memory[part.begin : part.end], came[after : after + length]
        if part.adds:
            combine(here, piece)
        else:
            here.copy_(piece)
        after += length


class _Message(MESSAGE):  # type: ignore[misc]
    """One send or receive of a batch, by ranks of a group that need have no name in torch."""

    def __new__(cls, op: Any, tensor: Tensor, group: Group, message: ProgramMessage) -> "_Message":
        made: _Message = object.__new__(cls)
        return made

    def __init__(self, op: Any, tensor: Tensor, group: Group, message: ProgramMessage) -> None:
        self.op, self.group = op, group
        self.tensor = tensor.view(torch.uint8)
        self.peer = self.group_peer = message.peer
        self.tag = FIRST_TAG + message.lane
