"""Timing under MPI: what is run beside the library's own collective, each result looked at whole.

Times are those of the slowest rank, after a barrier; data are set anew before each call.
"""

from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from expansions.collective import Collective
from topofinder.lowering.place import block_elements
from topofinder.progress import work_progress
from topofinder.runtimes.in_process import Vector
from topofinder.runtimes.mpi import MOST_ELEMENTS, MpiExecutor
from topofinder.runtimes.mpi_start import agree, load_mpi
from topofinder.runtimes.sample_data import SampleData


class CallTimes(NamedTuple):
    """Seconds of each call on the slowest rank, and how many elements were wrong on all of them."""

    seconds: tuple[float, ...]
    wrong: int

    @property
    def median(self) -> float:
        """The time that half of the calls took no longer than."""
        return median(self.seconds)


class CallTiming(NamedTuple):
    """How often a call is timed, how often before that it is not, and whether data stay there."""

    repeat: int = 20
    warmup: int = 3
    in_place: bool = True


def time_ours(executor: MpiExecutor, data: SampleData, timing: CallTiming) -> CallTimes:
    """The executor on sample data."""

    def call(vector: Vector, out: Vector | None) -> Vector:
        if out is None:
            return executor.run(vector, data.op, count=data.count)
        out[:] = vector
        return executor.run(out, data.op, count=data.count)

    return _measure(executor.comm, data, timing, call)


def time_library(comm: Any, data: SampleData, timing: CallTiming) -> CallTimes | None:
    """The library's own collective on the same; None for types and counts that MPI has not."""
    if data.table.dtype == np.float16 or data.count * comm.size > MOST_ELEMENTS:
        return None
    return _measure(comm, data, timing, agree(comm, lambda: library_call(comm, data)))


def _measure(
    comm: Any,
    data: SampleData,
    timing: CallTiming,
    call: Callable[[Vector, Vector | None], Vector],
) -> CallTimes:
    """Results are looked at after the first call and after the last."""
    mpi, rank = load_mpi(), comm.rank
    fresh, vector, out = agree(comm, lambda: _allocate(data, rank, timing.in_place))
    taken, wrong = [], 0
    for turn in range(timing.warmup + timing.repeat):
        work_progress.count("calls", turn, timing.warmup + timing.repeat)
        vector[:] = fresh
        comm.Barrier()
        before = mpi.Wtime()
        result = call(vector, out)
        taken.append(mpi.Wtime() - before)
        if turn == 0 or turn == timing.warmup + timing.repeat - 1:
            wrong = max(wrong, data.count_wrong(result, rank))
    slowest = np.array(taken[timing.warmup :])
    comm.Allreduce(mpi.IN_PLACE, slowest, mpi.MAX)
    return CallTimes(tuple(slowest.tolist()), comm.allreduce(wrong))


def _allocate(data: SampleData, rank: int, in_place: bool) -> tuple[Vector, Vector, Vector | None]:
    fresh = data.vector(rank)
    separate = not in_place and data.transfers.collective is not Collective.ALLTOALL
    return fresh, fresh.copy(), np.empty_like(fresh) if separate else None


def library_call(comm: Any, data: SampleData) -> Callable[[Vector, Vector | None], Vector]:
    """The library's collective, with its result where ours has it."""
    kind, rank, root = data.transfers.collective, comm.rank, data.transfers.root
    op = _library_operation(data.op)
    blocks = block_elements(data.transfers, data.count)
    if kind is Collective.ALLTOALL:
        return _library_exchange(comm, data, blocks)
    if kind is Collective.ALLREDUCE:
        return _library_allreduce(comm, op)
    lengths = [end - begin for begin, end in pairwise(blocks)]
    own = slice(blocks[rank], blocks[rank + 1])
    room = np.empty(data.count, dtype=data.table.dtype)

    def call(vector: Vector, out: Vector | None) -> Vector:
        if kind is Collective.ALLGATHER:
            comm.Allgatherv(vector[own], [room, lengths])
        elif kind is Collective.REDUCE_SCATTER:
            comm.Reduce_scatter(vector, room[own], lengths, op)
        elif kind is Collective.REDUCE:
            comm.Reduce(vector, room if rank == root else None, op, root)
        else:
            comm.Bcast(vector, root)
            return vector
        return room

    return call


def _library_operation(op: str) -> Any:
    mpi = load_mpi()
    return {"sum": mpi.SUM, "prod": mpi.PROD, "max": mpi.MAX, "min": mpi.MIN}[op]


def _library_allreduce(comm: Any, op: Any) -> Callable[[Vector, Vector | None], Vector]:
    in_place = load_mpi().IN_PLACE

    def call(vector: Vector, out: Vector | None) -> Vector:
        if out is None:
            comm.Allreduce(in_place, vector, op)
            return vector
        comm.Allreduce(vector, out, op)
        return out

    return call


def _library_exchange(
    comm: Any, data: SampleData, blocks: list[int]
) -> Callable[[Vector, Vector | None], Vector]:
    ranks, rank = comm.size, comm.rank
    sent, kept = blocks[rank * ranks : (rank + 1) * ranks], blocks[rank::ranks]
    room = np.empty(sum(kept), dtype=data.table.dtype)

    def call(vector: Vector, out: Vector | None) -> Vector:
        comm.Alltoallv([vector, sent], [room, kept])
        return room

    return call
