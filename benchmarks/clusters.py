"""Measures a sweep by one worker of a Dask cluster and by two: `python benchmarks/clusters.py`.

`--quick` takes a small range. The clock says little where machines do other work or have too few
cores for scheduler, command and workers; so the processor's time of each is told, and the gain by
it: what one worker took in all, by what the busiest of two did. Cores that share their units take
longer side by side for the same; so `--in-turn` lets one process do the blocks of two workers, one
after the other, each block given to the one that has done less.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
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


def sweep_in_turn(count: int, n: int) -> tuple[float, ...]:
    """Seconds of the processor that each of so many workers needs, whose blocks are done in turn.

    Each is a thread, as a thread keeps its pools from block to block; they never run at once.
    """
    from topofinder.api.shared.size_blocks import (
        BlockTask,
        cut_blocks,
        list_registers,
        search_block,
    )
    from topofinder.model.candidate import LinkMode

    def measure(task: BlockTask) -> float:
        began = time.thread_time()
        search_block(task)
        return time.thread_time() - began

    sizes = [(m, d) for m in range(2, n + 1) for d in (2, 4, 8, 16)]
    blocks = cut_blocks(sizes, LinkMode.SIMPLEX)
    taken = [0.0] * count
    with ExitStack() as opened:
        threads = [opened.enter_context(ThreadPoolExecutor(1)) for _ in taken]
        for number, block in enumerate(blocks):
            task = BlockTask(
                sweep=str(count), links=LinkMode.SIMPLEX, path="", registers=list_registers(),
                number=number, sizes=block,
            )  # fmt: skip
            least = taken.index(min(taken))
            taken[least] += threads[least].submit(measure, task).result()
    return tuple(taken)


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
    parser.add_argument("--in-turn", action="store_true", help="two workers' blocks in one process")
    chosen = parser.parse_args()
    quick = chosen.quick
    if chosen.in_turn:
        sweep_in_turn(1, 60)  # compiles
        alone, shared = (sweep_in_turn(count, 60 if quick else 2000) for count in (1, 2))
        each = ", ".join(f"{seconds:.1f}" for seconds in shared)
        gain = max(alone) / max(shared)
        print(f"one worker {alone[0]:.1f} s, two {each} s: gain {gain:.2f}")
        return int(not quick and gain < TARGET)
    with TemporaryDirectory() as name:
        one, two = (sweep_by(count, 60 if quick else 2000, Path(name)) for count in (1, 2))
    print(text(one, two))
    return int(not quick and gain_of(one, two) < TARGET)


if __name__ == "__main__":
    sys.exit(main())
