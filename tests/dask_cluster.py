"""A Dask cluster of real processes: a scheduler, and workers that come and go."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.command import ROOT

WAIT = 60.0


class DaskCluster:
    """A scheduler whose address stands in `file`, and workers of one thread each."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--host", "127.0.0.1")
        deadline = time.monotonic() + WAIT
        while not self._is_up():
            assert self.scheduler.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def _is_up(self) -> bool:
        try:
            return bool(json.loads(self.file.read_text()))
        except (OSError, ValueError):
            return False

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker, which looks for the scheduler by itself."""
        worker = self._start("dask_worker", "--nthreads", "1", "--no-nanny")
        self.workers.append(worker)
        return worker

    def _start(self, program: str, *more: str) -> subprocess.Popen[bytes]:
        words = ["--no-dashboard", "--scheduler-file", str(self.file), *more]
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", *words],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def end(self) -> None:
        """Kill all that is left."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def dask_cluster(folder: Path) -> Iterator[DaskCluster]:
    """A scheduler without workers, for a while; the test is left out where Dask is missing."""
    pytest.importorskip("distributed", reason="needs Dask: pip install 'topofinder[dask]'")
    cluster = DaskCluster(folder)
    try:
        yield cluster
    finally:
        cluster.end()
