"""`topofinder.mpi`: collectives from files, called on numpy vectors under a real mpirun."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import topofinder as tf
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from tests.mpi import needs_mpi, run_on_ranks
from topofinder.lowering.lower import lower, lower_rank
from topofinder.lowering.place import place
from topofinder.runtimes.mpi import require_vector, stage_program
from topofinder.runtimes.mpi_start import launched_size
from topofinder.runtimes.rank_map import match_hosts, match_nodes

TIMED = {"method": "timed", "size": "1MB", "alpha": "1us", "bandwidth": "100Gbps"}
CALLS = """
import sys
import numpy as np
from mpi4py import MPI
import topofinder.mpi as mpi
import topofinder.runtimes.mpi_start as start
from generators.errors import InvalidInput
comm, folder = MPI.COMM_WORLD, sys.argv[1]
rank, ranks = comm.rank, comm.size
whole = sum(np.arange(1003) * (each + 1) for each in range(ranks))
with mpi.Allreduce(comm, f"{folder}/allreduce.npz") as allreduce:
    for kind in ("f4", "i8"):
        vector = (np.arange(1003) * (rank + 1)).astype(kind)
        assert allreduce(vector) is vector and np.array_equal(vector, whole.astype(kind))
    real = np.random.default_rng(rank).standard_normal(4001).astype("f4")
    twice = [allreduce(real.copy()).tobytes() for _ in range(2)]
    assert len(set(twice + comm.allgather(twice[0]))) == 1  # the same bits everywhere
    near = sum(np.random.default_rng(each).standard_normal(4001) for each in range(ranks))
    assert np.allclose(np.frombuffer(twice[0], "f4"), near, atol=1e-5)
    allreduce._executor.most = 3  # messages are cut
    vector = np.arange(1003) * (rank + 1)
    assert np.array_equal(allreduce(vector), whole)
with mpi.Allreduce(comm, f"{folder}/allreduce.npz", op="max", verified=True) as largest:
    assert np.array_equal(largest(np.arange(1003) * (rank + 1)), np.arange(1003) * ranks)
exchange = mpi.AllToAll(comm, f"{folder}/all-to-all.npz")
vector = np.arange(4 * ranks) + 100 * rank
assert exchange(vector) is vector
assert np.array_equal(vector.reshape(ranks, 4)[:, 0], np.arange(ranks) * 100 + 4 * rank)
start.socket.gethostname = lambda: f"leaf{(rank + 1) % ranks}.local"
named = mpi.Broadcast(comm, f"{folder}/broadcast.npz", by_name=True)
assert named.comm.rank == (rank + 1) % ranks
vector = np.full(7, rank)
named(vector)
assert vector.tolist() == [(1 - 1) % ranks] * 7, vector
refused = 0
for make in (lambda: mpi.Reduce(comm, f"{folder}/allreduce.npz"),
             lambda: mpi.Allreduce(comm, f"{folder}/allreduce.npz", op="mean"),
             lambda: exchange(np.zeros(ranks + 1))):
    try:
        make()
    except InvalidInput:
        refused += 1
assert refused == 3
ended = comm.gather("all is well")  # what ranks print themselves is mixed, piece by piece
if rank == 0:
    print(*ended, sep="\\n")
"""


def allreduce(recipe: str = "K(4)") -> SavedSchedule:
    return tf.schedule(recipe, collective="allreduce").saved


@needs_mpi
def test_calls_on_vectors(tmp_path: Path) -> None:
    tf.save(allreduce(), tmp_path / "allreduce.npz")
    exchange = tf.schedule("K(4)", collective="all-to-all", **TIMED)
    tf.save(exchange.timetable, tmp_path / "all-to-all.npz")
    graph = "".join(f"leaf{a} leaf{b}\n" for a in range(4) for b in range(4) if a != b)
    (tmp_path / "named.edges").write_text(graph)
    named = tf.schedule(str(tmp_path / "named.edges"), collective="broadcast", root=1, **TIMED)
    tf.save(named.timetable, tmp_path / "broadcast.npz")
    ended = run_on_ranks(4, "-c", CALLS, tmp_path)
    assert (ended.code, ended.out) == (0, "all is well\n" * 4), ended


def test_hosts_are_matched_by_whole_or_short_names() -> None:
    transfers = replace(lower(allreduce()), names=("a", "b.one", "c", "d"))
    assert match_hosts(["b.one", "a.site", "d", "c"], transfers) == [1, 0, 3, 2]
    assert match_nodes(["d", "0", "b.one", "2"], transfers, "m") == [3, 0, 1, 2]
    with pytest.raises(InvalidInput, match="two ranks are on 'a'"):
        match_hosts(["a", "a"], transfers)
    with pytest.raises(InvalidInput, match="no node is named 'e"):
        match_hosts(["a", "e\x1b[2J"], transfers)


def test_what_is_packed_at_a_step_lies_apart() -> None:
    transfers = lower(allreduce("Q(3)"))
    for rank in range(8):
        program = place(transfers, lower_rank(transfers, rank), 101)
        steps, room = stage_program(program)
        for step in steps:
            packed = [each for each in (*step.sends, *step.receives) if each.packed]
            ends = sorted((each.begin, each.end) for each in packed)
            assert all(a[1] <= b[0] for a, b in pairwise(ends))
            assert all(each.end <= room for each in packed)
            for each in (*step.sends, *step.receives):
                assert each.end - each.begin == each.message.length


@pytest.mark.parametrize(
    "vector", [[1.0], np.zeros((2, 2)), np.zeros(4)[::2], np.zeros(2, complex), "x"]
)
def test_other_arrays_are_refused(vector: object) -> None:
    with pytest.raises(InvalidInput, match="vector"):
        require_vector(vector)


def test_launchers_of_any_words_are_survived() -> None:
    assert launched_size({"PMI_SIZE": "many"}) == 1
    assert launched_size({"OMPI_COMM_WORLD_SIZE": "4"}) == 4
