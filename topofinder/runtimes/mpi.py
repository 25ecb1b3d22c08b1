"""Programs of ranks under MPI: nothing but messages from point to point.

At each step a rank starts all its receives, then all its sends, and waits for these alone: steps
are totally ordered, so that nothing can deadlock, however small the buffers of the library are.
Requests are persistent: a step costs two calls, however many messages it has.
Messages between two ranks are told apart by their lane, which is the tag. A message that is one
part is sent from its place, and received at it where the program says `direct`; others are packed.
"""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.lowering.place import block_elements
from topofinder.model.program import PlacedProgram, ProgramMessage
from topofinder.runtimes.executable import Executable, RankPlans
from topofinder.runtimes.in_process import Vector, find_operation
from topofinder.runtimes.mpi_start import load_mpi

MOST_ELEMENTS = (1 << 31) - 1
"""Elements of one message of MPI; a longer one is cut, on both sides alike."""
MOST_KEPT = 64
MOST_BOUND = 4
"""Vectors whose requests are kept; training comes back to the same ones."""
KEPT_BYTES = 1 << 26
"""Bytes of a vector beside which no other is kept."""


class StagedMessage(NamedTuple):
    """A message and where its elements lie: [begin, end) of the memory, or of what is packed."""

    message: ProgramMessage
    begin: int
    end: int
    packed: bool


class StagedStep(NamedTuple):
    """The messages of one step, each with its place."""

    sends: tuple[StagedMessage, ...]
    receives: tuple[StagedMessage, ...]


class StagedProgram(NamedTuple):
    """A program with the places of its messages, and how many elements are packed at most."""

    program: PlacedProgram
    steps: list[StagedStep]
    room: int


def stage_program(program: PlacedProgram) -> tuple[list[StagedStep], int]:
    """The steps of a program, and how many elements are packed at most at any of them.

    >>> from topofinder.model.program import DataPart, ProgramStep
    >>> two = ProgramMessage(1, 0, (DataPart(0, 2), DataPart(4, 6)))
    >>> one = ProgramMessage(1, 0, (DataPart(2, 3),), direct=True)
    >>> steps, room = stage_program(
    ...     PlacedProgram(0, 6, 6, 0, 6, (), (ProgramStep(1, (two,), (one,)),)))
    >>> steps[0].sends[0].packed, steps[0].receives[0][1:], room
    (True, (2, 3, False), 4)
    """
    steps, room = [], 0
    for step in program.steps:
        taken = 0
        ways: list[tuple[StagedMessage, ...]] = []
        for messages, receives in ((step.sends, False), (step.receives, True)):
            staged = []
            for message in messages:
                if message.direct if receives else len(message.parts) == 1:
                    place = (*message.parts[0][:2], False)
                else:
                    place = (taken, taken + message.length, True)
                    taken += message.length
                staged.append(StagedMessage(message, *place))
            ways.append(tuple(staged))
        steps.append(StagedStep(*ways))
        room = max(room, taken)
    return steps, room


class BoundStep(NamedTuple):
    """The messages of one step on one memory: what is started, and what is done before and after.

    `packs` are (place, parts) of what is sent end to end, `arrivals` (place, what came, whether it
    is added) of what was not received at its place, in the order in which they are applied.
    """

    requests: list[Any]
    packs: list[tuple[Vector, list[Vector]]]
    arrivals: list[tuple[Vector, Vector, bool]]


class BoundProgram:
    """A staged program on one memory, with a persistent request for each of its messages.

    So a step is one call of the library to start all of them and one to wait, whatever their
    number; `most` elements are carried by one.
    """

    def __init__(self, comm: Any, staged: "StagedProgram", memory: Vector, most: int) -> None:
        self.program, self.memory = staged.program, memory
        self._comm, self._most, self._mpi = comm, most, load_mpi()
        self._packed = np.empty(staged.room, dtype=memory.dtype)
        self.steps = [self._bind(step) for step in staged.steps]

    def run(self, combine: np.ufunc) -> None:
        """Do all steps; the memory has the rank's data before and its result after."""
        start, wait = self._mpi.Prequest.Startall, self._mpi.Request.Waitall
        for step in self.steps:
            for place, parts in step.packs:
                np.concatenate(parts, out=place)
            start(step.requests)
            wait(step.requests)
            apply_arrivals(step, combine)

    def free(self) -> None:
        """Give the requests back."""
        for step in self.steps:
            for request in step.requests:
                request.Free()
            step.requests.clear()

    def _bind(self, step: StagedStep) -> BoundStep:
        requests: list[Any] = []
        packs: list[tuple[Vector, list[Vector]]] = []
        arrivals: list[tuple[Vector, Vector, bool]] = []
        for staged in step.receives:
            place = self._place(staged)
            self._prepare(self._comm.Recv_init, place, staged.message, requests)
            if staged.packed:
                arrivals += self._arrivals(staged.message, place)
        for staged in step.sends:
            place = self._place(staged)
            self._prepare(self._comm.Send_init, place, staged.message, requests)
            if staged.packed:
                parts = [self.memory[part.begin : part.end] for part in staged.message.parts]
                packs.append((place, parts))
        return BoundStep(requests, packs, arrivals)

    def _place(self, staged: StagedMessage) -> Vector:
        return (self._packed if staged.packed else self.memory)[staged.begin : staged.end]

    def _arrivals(
        self, message: ProgramMessage, came: Vector
    ) -> Iterator[tuple[Vector, Vector, bool]]:
        taken = 0
        for part in message.parts:
            here = self.memory[part.begin : part.end]
            yield here, came[taken : taken + len(here)], part.adds
            taken += len(here)

    def _prepare(
        self, call: Any, place: Vector, message: ProgramMessage, requests: list[Any]
    ) -> None:
        kind = element_type(self._mpi, place.dtype)
        for begin in range(0, len(place), self._most):
            piece = place[begin : begin + self._most]
            requests.append(call([piece, len(piece), kind], message.peer, message.lane))


def apply_arrivals(step: BoundStep, combine: np.ufunc) -> None:
    """Put what came where it belongs, or combine it with what is there."""
    for here, came, adds in step.arrivals:
        if adds:
            combine(here, came, out=here)
        else:
            here[:] = came


class MpiExecutor:
    """One rank's part of a collective; rank r of the communicator is rank r of what is run.

    The communicator must be used for nothing else. Every rank calls `run` with data of the same
    length and type and with the same operation.
    """

    def __init__(self, comm: Any, executable: Executable, *, most: int = MOST_ELEMENTS) -> None:
        self.comm, self.most = comm, most
        self.transfers = executable.transfers
        self.plans = RankPlans(executable, comm.rank, most=MOST_KEPT)
        self._staged: dict[int, StagedProgram] = {}
        self._bound: OrderedDict[tuple[Any, ...], BoundProgram] = OrderedDict()

    def run(self, vector: Vector, op: str = "sum", *, count: int | None = None) -> Vector:
        """The result, which is `vector` itself but in an all-to-all.

        `vector` is flat and contiguous. In an all-to-all it has the rank's blocks by target;
        `count` is the length of the largest block, and follows from `vector` where all are as
        long. Of other collectives see `run_in_process`. Raises InvalidInput for a vector or an
        operation that cannot be.
        """
        require_vector(vector)
        combine = find_operation(op)
        count = self._count(vector, count)
        program = self.plans.at(count)
        require_length(program, vector)
        if program.memory == len(vector):
            self._bind(self._stage(program, count), vector).run(combine)
            return vector[program.output_begin : program.output_end]
        bound = self._bind(self._stage(program, count), vector, own=True)
        memory = bound.memory
        memory[: program.input_end] = vector
        for begin, to, length in program.copies:
            memory[to : to + length] = memory[begin : begin + length]
        bound.run(combine)
        return memory[program.output_begin : program.output_end].copy()

    def free(self) -> None:
        """Give all requests back; the communicator stays."""
        while self._bound:
            self._bound.popitem()[1].free()

    def _bind(self, staged: StagedProgram, vector: Vector, own: bool = False) -> BoundProgram:
        """The program on a vector, or on memory of its `own`; the last MOST_BOUND are kept.

        What is kept keeps its vector too, so that no other one can lie at its place. Above
        KEPT_BYTES it is one at a time.
        """
        at = 0 if own else vector.__array_interface__["data"][0]
        key = (len(vector), vector.dtype.str, at, self.most)
        found = self._bound.pop(key, None)
        if found is None or found.program is not staged.program:
            if found is not None:
                found.free()
            size = staged.program.memory * vector.itemsize
            while self._bound and (len(self._bound) >= MOST_BOUND or size > KEPT_BYTES):
                self._bound.popitem(last=False)[1].free()
            memory = np.empty(staged.program.memory, vector.dtype) if own else vector
            found = BoundProgram(self.comm, staged, memory, self.most)
        self._bound[key] = found
        return found

    def _stage(self, program: PlacedProgram, count: int) -> StagedProgram:
        kept = self._staged.get(count)
        if kept is None or kept.program is not program:
            if len(self._staged) >= MOST_KEPT:
                self._staged.clear()
            kept = self._staged[count] = StagedProgram(program, *stage_program(program))
        return kept

    def _count(self, vector: Vector, count: int | None) -> int:
        if count is not None:
            return count
        if self.transfers.collective is not Collective.ALLTOALL:
            return len(vector)
        ranks = self.transfers.ranks
        count, rest = divmod(len(vector), ranks)
        own = block_elements(self.transfers, count)
        if rest or own != [count] * ranks**2:
            raise InvalidInput("count: blocks have different lengths; say that of the largest")
        return count


def require_vector(vector: object) -> None:
    """Refuse what is no flat, contiguous, writable numpy vector of numbers."""
    if not isinstance(vector, np.ndarray) or vector.ndim != 1 or vector.dtype.kind not in "iuf":
        raise InvalidInput(f"vector: a flat numpy array of numbers, not {excerpt(vector)}")
    if not vector.flags.c_contiguous or not vector.flags.writeable:
        raise InvalidInput("vector: must be contiguous and writable")


def require_length(program: PlacedProgram, vector: Vector) -> None:
    """Refuse a vector that is not what a rank begins with."""
    if len(vector) != program.input_end:
        raise InvalidInput(f"vector: {program.input_end} elements, not {len(vector)}")


def element_type(mpi: Any, kind: np.dtype[Any]) -> Any:
    """The integer type of MPI that is as long as an element: messages are not looked into."""
    return {1: mpi.INT8_T, 2: mpi.INT16_T, 4: mpi.INT32_T, 8: mpi.INT64_T}[kind.itemsize]
