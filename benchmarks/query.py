"""Measures queries of a full sweep against half a second: `python benchmarks/query.py`.

The database of `topofinder sweep --n 2:2000 --d 2,4,8,16` is made first, unless `--db` names one;
that takes some minutes. `--quick` sweeps few sizes, to see that every query still runs.
"""

import argparse
import sys
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from topofinder.cli.app import main as topofinder

TARGET = 0.5
"""Seconds of process time beyond start-up."""

WORKLOAD = "--alpha 10us --size 1MiB --bandwidth 100Gbps"
QUERIES = (
    "--n 1024 --d 4",
    f"--n 900:1000 --d 4 --max-steps 8 --bw-optimal {WORKLOAD} --sort time",
    "--family circulant --recipe-contains L --limit 20",
    f"--all {WORKLOAD} --sort time --limit 10",
    "--all",
    "--all --json",
    "--all --csv",
    "--all --markdown",
    f"--all {WORKLOAD} --sort time",
)


def run(*words: str) -> float:
    """Process seconds of a command."""
    started = time.process_time()
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
        topofinder(list(words))
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--db", type=Path)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        db = asked.db or Path(folder) / "sweep.db"
        if asked.db is None:
            n, d = ("2:16", "2,4") if asked.quick else ("2:2000", "2,4,8,16")
            run("sweep", "--n", n, "--d", d, "--db", str(db))
        size = db.stat().st_size / 2**20
        print(f"database of {size:.1f} MiB\n\nseconds  target  query")
        run("query", "--db", str(db), "--limit", "0", "--json")  # imports are start-up
        for query in QUERIES:
            spent = min(run("query", "--db", str(db), *query.split()) for _ in range(3))
            print(f"{spent:7.3f}  {TARGET:6.1f}  {query}")


if __name__ == "__main__":
    main()
