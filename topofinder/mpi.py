"""Collectives from schedule files under MPI: `topofinder.mpi.Allreduce(comm, "a.npz")(vector)`.

Needs mpi4py (`pip install 'topofinder[mpi]'`) and is imported by those who want it alone. Rank r
of the communicator is host r of the file. All ranks make the object together: they compare the
content of the file, rank 0 verifies it, and what is refused is refused by all of them alike.
"""

from os import PathLike
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.runtimes.in_process import find_operation
from topofinder.runtimes.mpi import MpiExecutor
from topofinder.runtimes.mpi_start import map_ranks, read_together

__all__ = ["AllToAll", "Allgather", "Allreduce", "Broadcast", "Reduce", "ReduceScatter"]


class FileCollective:
    """A collective of one file on one communicator, for vectors of any length and type.

    `rank_map` and `by_name` are as for `topofinder.run`; a file that is `verified` is not verified
    again. Raises InvalidInput on all ranks where one cannot take part, or the file is for another
    collective. `free`, or the end of a with block, gives its communicator back.
    """

    collective: ClassVar[Collective]

    def __init__(
        self,
        comm: Any,
        file: str | PathLike[str],
        *,
        op: str = "sum",
        rank_map: str | PathLike[str] | None = None,
        by_name: bool = False,
        verified: bool = False,
    ) -> None:
        find_operation(op)
        self.op = op
        executable = read_together(comm, file, verified=verified)
        self.transfers = executable.transfers
        if self.transfers.collective is not self.collective:
            raise InvalidInput(
                f"{file}: is for {self.transfers.collective}, not for {self.collective}"
            )
        self.comm = map_ranks(comm, self.transfers, rank_map, by_name)
        self._executor = MpiExecutor(self.comm, executable)

    def __call__(self, vector: NDArray[Any], *, count: int | None = None) -> NDArray[Any]:
        """Run it on a flat, contiguous vector, in place; all ranks give one of the same length.

        Gives the vector; of an all-to-all, in which `count` is the length of the largest block,
        a new one where the rank ends with more elements or fewer than it began with. Raises
        InvalidInput for other arrays. A rank that raises leaves the others waiting: start with
        `python -m mpi4py`, which then ends them.
        """
        result = self._executor.run(vector, self.op, count=count)
        if self.collective is Collective.ALLTOALL:
            if len(result) != len(vector):
                return result
            vector[:] = result
        return vector

    def free(self) -> None:
        """Give the communicator back; all ranks do so together."""
        self._executor.free()
        self.comm.Free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if raised[0] is None:
            self.free()


class MpiAllreduce(FileCollective):
    """All ranks end with the sum, or other `op`, of all vectors."""

    collective = Collective.ALLREDUCE


class MpiAllgather(FileCollective):
    """All ranks end with block r of rank r; blocks are as `block_elements` has them."""

    collective = Collective.ALLGATHER


class MpiReduceScatter(FileCollective):
    """Rank r ends with the sum of all vectors in its block; what else it has is undefined."""

    collective = Collective.REDUCE_SCATTER


class MpiBroadcast(FileCollective):
    """All ranks end with the vector of the file's root."""

    collective = Collective.BROADCAST


class MpiReduce(FileCollective):
    """The file's root ends with the sum of all vectors; what others have is undefined."""

    collective = Collective.REDUCE


class MpiAllToAll(FileCollective):
    """Rank r begins with a block for each rank and ends with one of each, in their order."""

    collective = Collective.ALLTOALL


Allreduce = MpiAllreduce
Allgather = MpiAllgather
ReduceScatter = MpiReduceScatter
Broadcast = MpiBroadcast
Reduce = MpiReduce
AllToAll = MpiAllToAll
