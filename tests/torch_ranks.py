"""Ranks of torch.distributed as processes, forked from one that has imported PyTorch.

What they run stands in a module without pytest; the tests' own process never imports PyTorch.
"""

import faulthandler
import multiprocessing
import os
import tempfile
import time
from datetime import timedelta
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

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
    group of all ranks, which torch.distributed need not be told.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    with tempfile.TemporaryDirectory() as folder:
        store = f"file://{folder}/store"
        pipes = [context.Pipe(duplex=False) for _ in range(ranks)]
        processes = [
            context.Process(
                target=_rank,
                args=(case, args, backend, store, rank, ranks, environment or {}, end),
            )
            for rank, (_, end) in enumerate(pipes)
        ]
        for process in processes:
            process.start()
        return _collect(processes, pipes)


def _collect(processes: list[Any], pipes: list[tuple[Connection, Connection]]) -> list[Any]:
    for _, end in pipes:
        end.close()
    deadline, found = time.monotonic() + LONGEST, []
    try:
        for rank, (ours, _) in enumerate(pipes):
            assert ours.poll(deadline - time.monotonic()), f"rank {rank} hangs"
            try:
                found.append(ours.recv())
            except EOFError:
                found.append("ended")
    finally:
        for process, (ours, _) in zip(processes, pipes, strict=True):
            ours.close()
            process.join(10)
            process.kill()
            process.join()
            process.close()
    return found


def _rank(
    case: str,
    args: tuple[Any, ...],
    backend: str | None,
    store: str,
    rank: int,
    ranks: int,
    environment: dict[str, str],
    end: Connection,
) -> None:
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    faulthandler.dump_traceback_later(LONGEST * 2 / 3, exit=True)
    os.environ.update({name: text.format(rank=rank) for name, text in environment.items()})
    timeout = timedelta(seconds=LONGEST / 2)
    place = {"init_method": store, "rank": rank, "world_size": ranks, "timeout": timeout}
    start = partial(dist.init_process_group, **place)
    dist.init_process_group = start
    try:
        if backend is not None:
            start(backend)
        end.send(getattr(import_module(CASES), case)(*args))
        if dist.is_initialized():
            dist.barrier()  # nobody leaves while others still talk to it
            dist.destroy_process_group()
    except Exception as error:
        end.send(f"{type(error).__name__}: {error}")


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
