"""Ranks of torch.distributed as processes, forked from one that has imported PyTorch.

What they run stands in a module without pytest; the tests' own process never imports PyTorch.
"""

import atexit
import faulthandler
import multiprocessing
import os
import tempfile
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import topofinder as tf
from topofinder.runtimes.executable import read_executable

ROOT = Path(__file__).parent.parent
HAS_TORCH = find_spec("torch") is not None
REASON = "PyTorch is not installed"
CASES = "tests.topofinder.runtimes.torch_cases"
PRELOADED = ["torch._dynamo", "torch.distributed.fsdp", CASES]
"""The first of them is else imported by every rank when it first trains."""
LONGEST = 120
"""Seconds after which ranks hang; tests take one or two."""


def run_ranks(
    case: str,
    ranks: int,
    *args: Any,
    backend: str | None = "gloo",
    environment: dict[str, str] | None = None,
) -> list[Any]:
    """What a case of CASES gives for `args` on each rank, or the text of what it raises.

    In values of the environment {rank} stands for the rank. Without a backend the case makes the
    group of all ranks, which torch.distributed need not be told. Ranks stay for the next case that
    wants the same ones, unless one of them has raised or ended.
    """
    start = RankStart(ranks, backend, tuple(sorted((environment or {}).items())))
    pool = _POOLS.pop(start, None) or RankPool(start)
    found = pool.run(case, args)
    if backend is None or not all(kind == "found" for kind, _ in found):
        pool.close()
    else:
        _POOLS[start] = pool
        while len(_POOLS) > MOST_POOLS:
            _POOLS.pop(next(iter(_POOLS))).close()
    return [value for _, value in found]


class RankStart(NamedTuple):
    """How ranks are started: their number, backend, and variables of the environment."""

    ranks: int
    backend: str | None
    environment: tuple[tuple[str, str], ...]


class RankPool:
    """Forked processes with one process group, which run case after case."""

    def __init__(self, start: RankStart) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(PRELOADED)
        self.folder = tempfile.TemporaryDirectory()
        store = f"file://{self.folder.name}/store"
        pipes = [context.Pipe() for _ in range(start.ranks)]
        self.pipes = [ours for ours, _ in pipes]
        self.processes = [
            context.Process(target=_serve, args=(start, store, rank, end), daemon=True)
            for rank, (_, end) in enumerate(pipes)
        ]
        for process in self.processes:
            process.start()
        for _, end in pipes:
            end.close()

    def run(self, case: str, args: tuple[Any, ...]) -> list[tuple[str, Any]]:
        """For each rank "found" and what it gives, "raised" and a text, or "ended"."""
        for pipe in self.pipes:
            with suppress(OSError):
                pipe.send((case, args))
        deadline, found = time.monotonic() + LONGEST, []
        try:
            for rank, pipe in enumerate(self.pipes):
                assert pipe.poll(deadline - time.monotonic()), f"rank {rank} hangs in {case}"
                try:
                    found.append(pipe.recv())
                except (EOFError, ConnectionError):
                    found.append(("ended", "ended"))
        except BaseException:
            self.close()
            raise
        return found

    def close(self) -> None:
        """End all processes, by force where they do not."""
        for pipe in self.pipes:
            with suppress(OSError):
                pipe.send(None)
            pipe.close()
        for process in self.processes:
            process.join(10)
            process.kill()
            process.join()
            process.close()
        self.folder.cleanup()


_POOLS: dict[RankStart, RankPool] = {}
MOST_POOLS = 4


@atexit.register
def close_pools() -> None:
    """End all ranks with the tests."""
    while _POOLS:
        _POOLS.popitem()[1].close()


def _serve(start: RankStart, store: str, rank: int, end: Connection) -> None:
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    os.environ.update({name: text.format(rank=rank) for name, text in start.environment})
    timeout = timedelta(seconds=LONGEST / 2)
    place = {"init_method": store, "rank": rank, "world_size": start.ranks, "timeout": timeout}
    dist.init_process_group = partial(dist.init_process_group, **place)
    while (job := _next_job(end)) is not None:
        faulthandler.dump_traceback_later(LONGEST * 2 / 3, exit=True)
        try:
            if start.backend is not None and not dist.is_initialized():
                dist.init_process_group(start.backend)
            case, args = job
            end.send(("found", getattr(import_module(CASES), case)(*args)))
        except Exception as error:
            end.send(("raised", f"{type(error).__name__}: {error}"))
            return
        faulthandler.cancel_dump_traceback_later()
    if dist.is_initialized():
        dist.barrier()  # nobody leaves while others still talk to it
        dist.destroy_process_group()


def _next_job(end: Connection) -> Any:
    try:
        return end.recv()
    except EOFError:
        return None


def write_schedules(folder: Path, recipe: str, *collectives: str, **options: Any) -> dict[str, str]:
    """Files of schedules of a recipe, by collective; a rooted one is a forest of rank 1."""
    found = {}
    for collective in collectives:
        given, method = dict(options), "auto"
        if collective in ("broadcast", "reduce"):
            given, method = {"root": 1}, "forest"
        if collective == "all-to-all":
            given |= {"size": "1MB", "alpha": "1us", "bandwidth": "100Gbps"}
            method = "timed"
        made = tf.schedule(recipe, collective=collective, method=method, **given)
        kept = getattr(made, {"forest": "forest", "timed": "timetable"}.get(method, "saved"))
        found[collective] = str(tf.save(kept, folder / f"{collective}.npz"))
        # Kernels are compiled here: a rank that compiles them keeps others waiting for a minute.
        read_executable(found[collective])
    return found
