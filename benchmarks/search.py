"""Measures the search against its targets and the paper's figures: `python benchmarks/search.py`.

`--quick` does each measurement once at a small size, to see that it still runs. `--sweeps` measures
the full sweep alone, in one thread and with two more, by the processor and by the clock.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PAPER_SWEEP = 60.0
"""Seconds: Zhao et al. say that all of their search takes "under a minute"."""

EARLIER_SWEEP = {1: (70.8, None), 2: (103.0, 62.0)}
"""Seconds of the full sweep by jobs, of the processor and by the clock, where every generalized
Kautz graph was built and evaluated on bit sets, by processes."""

PLAIN_BFS = 0.017
"""Seconds: exact BFB of Pi(4,1024) by a search from every node, without bitsets."""

COMMAND = "from topofinder.cli.app import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRow:
    """One measurement: seconds taken, wanted, and needed elsewhere or before where known."""

    name: str
    seconds: float
    target: float
    published: float | None = None


def command(folder: Path, *arguments: object) -> float:
    """Seconds of a whole topofinder process, imports included."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder / "kernels")}
    words = [sys.executable, "-c", COMMAND, *map(str, arguments)]
    started = time.perf_counter()
    subprocess.run(words, env=known, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def searches(folder: Path, n: int, d: int, repeats: int) -> list[TimeRow]:
    """A first search, which compiles; later ones with a fresh database; and look-ups."""

    def search(db: str) -> float:
        return command(folder, "search", "--n", n, "--d", d, "--db", folder / db)

    first = search("first.db")
    later = min(search(f"later-{k}.db") for k in range(repeats))
    again = min(search("first.db") for _ in range(repeats))
    name = f"search --n {n} --d {d}"
    return [
        TimeRow(name=f"{name}, first after installation", seconds=first, target=10),
        TimeRow(name=f"{name}, later, empty database", seconds=later, target=1),
        TimeRow(name=f"{name}, look-up", seconds=again, target=1),
    ]


def sweep(folder: Path, n: int) -> TimeRow:
    """All frontiers up to n from an empty database, kernels compiled."""
    degrees = "2,4,8,16"
    sizes = ("--n", f"2:{n}", "--d", degrees)
    seconds = command(folder, "sweep", *sizes, "--db", folder / "sweep.db", "--quiet")
    name = f"sweep --n 2:{n} --d {degrees}"
    return TimeRow(name=name, seconds=seconds, target=60, published=PAPER_SWEEP)


def processor_time() -> float:
    """Seconds of the processor that processes which have ended took, waited for here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def sweeps(folder: Path, n: int) -> list[TimeRow]:
    """The full sweep from empty databases, by the processor and by the clock, kernels compiled."""
    sizes = ("--d", "2,4,8,16", "--quiet", "--db")
    command(folder, "sweep", "--n", "2:60", *sizes, folder / "compiled.db")
    rows = []
    for jobs, (earlier_work, earlier_wait) in EARLIER_SWEEP.items():
        before = processor_time()
        known = folder / f"sweep-{jobs}.db"
        wait = command(folder, "sweep", "--n", f"2:{n}", "--jobs", jobs, *sizes, known)
        work = processor_time() - before
        name = f"sweep --n 2:{n} --jobs {jobs}"
        rows += [
            TimeRow(name=f"{name}, processor", seconds=work, target=36, published=earlier_work),
            TimeRow(name=f"{name}, clock", seconds=wait, target=40 / jobs, published=earlier_wait),
        ]
    return rows


def best_of(repeats: int, task: Callable[[], object]) -> float:
    """Least seconds of a call, after one that compiles."""
    task()
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        task()
        taken.append(time.perf_counter() - started)
    return min(taken)


def evaluation(d: int, m: int, target: float, repeats: int, published: float | None) -> TimeRow:
    """Exact BFB cost of a generalized Kautz graph that is built already."""
    from generators.families.generalized_kautz import generalized_kautz
    from topofinder.schedules.bfb.evaluation import evaluate

    evaluate(generalized_kautz(6, 64))  # above plain.WIDEST: from now on evaluate uses kernels
    graph = generalized_kautz(d, m)
    seconds = best_of(repeats, lambda: evaluate(graph))
    name = f"exact BFB cost of Pi({d},{m}), compiled"
    return TimeRow(name=name, seconds=seconds, target=target, published=published)


def measure(quick: bool) -> list[TimeRow]:
    """All rows; with `quick` at small sizes and once each."""
    repeats = 1 if quick else 5
    with TemporaryDirectory() as name:
        folder = Path(name)
        rows = searches(folder, *((64, 4) if quick else (1024, 4)), repeats)
        rows.append(sweep(folder, 40 if quick else 2000))
    if quick:
        return [*rows, evaluation(4, 64, 0.01, repeats, None)]
    rows.append(evaluation(4, 1024, 0.01, repeats, PLAIN_BFS))
    return [*rows, evaluation(16, 2000, 1, repeats, None)]


def text(rows: list[TimeRow]) -> str:
    """A table; the ratios say how many times quicker than the target and the older figure."""
    lines = [f"{'':48}  {'seconds':>9}  {'target':>7}  {'ratio':>7}  {'older':>9}  {'ratio':>7}"]
    for row in rows:
        line = (
            f"{row.name:48}  {row.seconds:9.4f}  {row.target:7g}  {row.target / row.seconds:7.1f}"
        )
        if row.published is not None:
            line += f"  {row.published:9g}  {row.published / row.seconds:7.1f}"
        lines.append(line)
    return "\n".join(lines)


def main() -> int:
    """Measure and print; exit code 1 if a target is missed (never with --quick)."""
    parser = argparse.ArgumentParser(description="Measure the search against its targets.")
    parser.add_argument("--quick", action="store_true", help="small sizes, once each")
    parser.add_argument("--sweeps", action="store_true", help="the full sweep alone, in detail")
    chosen = parser.parse_args()
    quick = chosen.quick
    if chosen.sweeps:
        with TemporaryDirectory() as name:
            rows = sweeps(Path(name), 40 if quick else 2000)
    else:
        rows = measure(quick)
    print(text(rows))
    return int(not quick and any(row.seconds > row.target for row in rows))


if __name__ == "__main__":
    sys.exit(main())
