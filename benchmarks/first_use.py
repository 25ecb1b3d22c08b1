"""What the first commands after installation take: every one from an empty cache of kernels.

Run as `python benchmarks/first_use.py`; --quick runs the first few. CPU seconds are those of the
command alone; what the process in the background takes after it is told apart, by the clock.
"""

import fcntl
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

FABRIC = ("--inventory", "fabric.json", "--current", "now.csv")
COMMANDS: tuple[tuple[float, float | None, tuple[str, ...]], ...] = (
    (1.3, 1.3, ("search", "--n", "1024", "--d", "4")),
    (0.25, 0.5, ("search", "--n", "1024", "--d", "4")),
    (3, 14, ("schedule", "L(K(4,4))", "--collective", "allreduce", "-o", "rows.json")),
    (3, 9, ("verify", "rows.json")),
    (3, 19, ("schedule", "DGXA100(2)", "--method", "forest", "-o", "forest.json")),
    (3, None, ("verify", "forest.json")),
    (5, 9, ("throughput", "L(K(4,4))")),
    (5, None, ("inventory", "Torus(4,4)", "-o", "fabric.json", "--current", "now.csv")),
    (5, 20, ("plan", *FABRIC, "--to", "C(16,{3,4})", "--keep-connected", "-o", "plan.csv")),
    (5, 36, ("discover", "--n", "64", "--d", "4", "--trials", "100000")),
)
"""Seconds that are aimed at, those of before kernels were interpreted, and the command."""
QUICK = 4


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def background_seconds(cache: Path) -> float:
    """How long the process in the background goes on after the command."""
    began = time.perf_counter()
    spools = list(cache.glob("topofinder/kernels-*.txt"))
    lock = cache / "topofinder" / "kernels.lock"
    while lock.parent.exists() and (spools := [spool for spool in spools if spool.exists()]):
        time.sleep(0.05)
    if lock.exists():
        with lock.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
    return time.perf_counter() - began


def main() -> None:
    commands = COMMANDS[:QUICK] if "--quick" in sys.argv[1:] else COMMANDS
    print(f"{'CPU s':>6} {'wall s':>6} {'after':>6} {'aim':>5} {'before':>6}  command")
    with TemporaryDirectory() as folder:
        for number, (aim, earlier, words) in enumerate(commands):
            empty = Path(folder) / f"cache{number}"
            own = {"XDG_CACHE_HOME": str(empty), "NUMBA_CACHE_DIR": str(empty / "kernels")}
            settings = os.environ | own | {"TOPOFINDER_KERNELS": "auto"}
            before, began = cpu_seconds(), time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "topofinder", *words],
                cwd=folder,
                env=settings,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
            wall, cpu = time.perf_counter() - began, cpu_seconds() - before
            after = background_seconds(empty)
            told = f"{cpu:6.2f} {wall:6.2f} {after:6.1f} {aim:5} {earlier or '-':>6}"
            print(f"{told}  {' '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
