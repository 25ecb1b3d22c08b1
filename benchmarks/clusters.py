"""Measures a sweep by one worker of a Dask cluster and by two: `python benchmarks/clusters.py`.

`--quick` takes a small range. The clock says little where machines do other work or have too few
cores for scheduler, command and workers; so the processor's time of each is told, and the gain by
it: what one worker took in all, by what the busiest of two did.
"""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil  # distributed needs it

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

TARGET = 1.7
"""Times as fast as one worker that two are to be."""
COMMAND = "from topofinder.cli.app import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRow:
    """Seconds of a sweep: by the clock, and of the processor for each process."""

    clock: float
    command: float
    scheduler: float
    workers: tuple[float, ...]


def processor_time(process: subprocess.Popen[bytes]) -> float:
    """Seconds of the processor that a running process has taken."""
    used = psutil.Process(process.pid).cpu_times()
    return float(used.user + used.system)


def start_program(*words: object) -> subprocess.Popen[bytes]:
    """A Python program with this topofinder, and one thread for each library."""
    known = os.environ | {"PYTHONPATH": str(ROOT)}
    listed = [sys.executable, *map(str, words)]
    return subprocess.Popen(listed, env=known, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def sweep_by(count: int, n: int, folder: Path) -> ClusterRow:
    """Sweep d 2, 4, 8, 16 up to n from an empty database by so many workers, just started."""
    file = folder / f"{count}.json"
    place = ("--no-dashboard", "--scheduler-file", file)
    scheduler = start_program("-m", "distributed.cli.dask_scheduler", "--port", 0, *place)
    alone = ("--nthreads", 1, "--no-nanny", *place)
    workers = [start_program("-m", "distributed.cli.dask_worker", *alone) for _ in range(count)]
    try:
        time.sleep(10)  # until all have found each other
        before = [processor_time(worker) for worker in workers]
        began = time.perf_counter()
        sizes = ("sweep", "--n", f"2:{n}", "--d", "2,4,8,16", "--quiet")
        where = ("--backend", "dask", "--scheduler", file, "--db", folder / f"{count}.db")
        command = start_program("-c", COMMAND, *sizes, *where)
        _, status, used = os.wait4(command.pid, 0)
        if status:
            raise SystemExit("the sweep failed")
        taken = [processor_time(worker) for worker in workers]
        return ClusterRow(
            clock=time.perf_counter() - began,
            command=used.ru_utime + used.ru_stime,
            scheduler=processor_time(scheduler),
            workers=tuple(a - b for a, b in zip(taken, before, strict=True)),
        )
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def text(one: ClusterRow, two: ClusterRow) -> str:
    """A table, and both gains."""
    lines = [f"{'workers':>7}  {'clock':>6}  {'command':>7}  {'scheduler':>9}  of each worker"]
    for row in (one, two):
        each = ", ".join(f"{seconds:.1f}" for seconds in row.workers)
        own = f"{row.command:7.1f}  {row.scheduler:9.1f}"
        lines.append(f"{len(row.workers):7}  {row.clock:6.1f}  {own}  {each}")
    gain = gain_of(one, two)
    lines.append(f"gain by the clock {one.clock / two.clock:.2f}, by the processor {gain:.2f}")
    return "\n".join(lines)


def gain_of(one: ClusterRow, two: ClusterRow) -> float:
    """How many times less the busiest of two workers did."""
    return max(one.workers) / max(two.workers)


def main() -> int:
    """Measure and print; exit code 1 if the target is missed by the processor (never quick)."""
    parser = argparse.ArgumentParser(description="Measure sweeps by workers of a Dask cluster.")
    parser.add_argument("--quick", action="store_true", help="a small range")
    quick = parser.parse_args().quick
    with TemporaryDirectory() as name:
        one, two = (sweep_by(count, 60 if quick else 2000, Path(name)) for count in (1, 2))
    print(text(one, two))
    return int(not quick and gain_of(one, two) < TARGET)


if __name__ == "__main__":
    sys.exit(main())
