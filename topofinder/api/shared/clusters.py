"""Workers of other machines: joblib's backends for Dask and Ray clusters, and their ends.

What a command computes in parallel goes through joblib, which sends it to the backend that is
configured. Nothing else changes: one process cuts the work, takes the results in order and writes
the database, so that answers are the same byte by byte whoever computes them.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt

BACKENDS = ("loky", "dask", "ray")
"""Processes of this machine, and the two kinds of clusters."""
PATIENCE = 20
"""Seconds that a scheduler has to answer, and a first worker to come."""
LOSSES = 10
"""Times that Ray starts a task anew whose worker was lost; a Dask scheduler has a number itself."""


class ClusterLost(Unsupported):
    """The cluster is gone, or has no worker; what was finished is stored."""


@contextmanager
def cluster_workers(
    backend: str | None, scheduler: str | None, jobs: int = -1, patience: float = PATIENCE
) -> Iterator[None]:
    """What joblib computes within is computed by a backend; by this machine's own where it is None.

    `scheduler` is the address of a Dask scheduler, or its JSON file, or that of a Ray cluster;
    without one a cluster of `jobs` processes is started here, and ended. It has `patience` seconds
    to answer. Raises InvalidInput for backends and addresses that are not known, and ClusterLost
    where the cluster is lost within.

    >>> with cluster_workers("loky", None):
    ...     pass
    """
    _check_backend(backend, scheduler, jobs)
    if backend is None:
        yield
    elif backend == "loky":
        from joblib import parallel_config

        with parallel_config(backend="loky"):
            yield
    elif backend == "dask":
        with _dask_cluster(scheduler, jobs, patience):
            yield
    else:
        with _ray_cluster(scheduler, jobs):
            yield


def _check_backend(backend: str | None, scheduler: str | None, jobs: int) -> None:
    if backend is not None and backend not in BACKENDS:
        raise InvalidInput(f"--backend: one of {', '.join(BACKENDS)}, not {excerpt(backend)}")
    if scheduler is None:
        return
    if backend not in ("dask", "ray"):
        raise InvalidInput(f"--scheduler: {excerpt(scheduler)} needs --backend dask or ray")
    if jobs != -1:
        raise InvalidInput(f"--jobs: a cluster has workers of its own, not {excerpt(jobs)}")


@contextmanager
def _dask_cluster(scheduler: str | None, jobs: int, patience: float) -> Iterator[None]:
    try:
        from distributed import Client, KilledWorker
        from distributed.client import FutureCancelledError
    except ImportError:
        raise Unsupported("--backend dask: needs Dask: pip install 'topofinder[dask]'") from None
    from joblib import effective_n_jobs, parallel_config

    from topofinder.api.shared.dask_backend import register_dask

    where: dict[str, Any] = {"n_workers": effective_n_jobs(jobs), "threads_per_worker": 1}
    if scheduler is not None:
        where = {"scheduler_file" if Path(scheduler).is_file() else "address": scheduler}
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it tells of every lost link
    try:
        client = Client(**where, timeout=patience)
    except (OSError, ValueError) as error:
        raise _silent_scheduler("Dask scheduler", scheduler) from error
    with client:
        try:
            with parallel_config(register_dask(), client=client, wait_for_workers_timeout=patience):
                yield
        except TimeoutError as error:
            raise ClusterLost(f"--backend dask: no worker came in {patience:g} s") from error
        except (FutureCancelledError, KilledWorker) as error:
            raise _cluster_lost("dask", error) from error


@contextmanager
def _ray_cluster(scheduler: str | None, jobs: int) -> Iterator[None]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it warns of what comes
    try:
        import ray
    except ImportError:
        raise Unsupported("--backend ray: needs Ray: pip install 'topofinder[ray]'") from None
    from joblib import effective_n_jobs, parallel_config

    from topofinder.api.shared.ray_backend import hush_lost_workers, register_ray

    where: dict[str, Any] = {"num_cpus": effective_n_jobs(jobs), "include_dashboard": False}
    if scheduler is not None:
        where = {"address": scheduler}
    hush_lost_workers()
    try:
        ray.init(**where, log_to_driver=False, logging_level="error")
    except (ConnectionError, ValueError) as error:
        raise _silent_scheduler("Ray cluster", scheduler) from error
    again = {"max_restarts": LOSSES, "max_task_retries": LOSSES}
    try:
        with parallel_config(register_ray(), ray_remote_args=again):
            yield
    except ray.exceptions.RayError as error:
        raise _cluster_lost("ray", error) from error
    finally:
        ray.shutdown()


def _silent_scheduler(kind: str, scheduler: str | None) -> InvalidInput:
    return InvalidInput(f"--scheduler: no {kind} answers at {excerpt(str(scheduler))}")


def _cluster_lost(backend: str, error: Exception) -> ClusterLost:
    reason = str(error).strip().partition("\n")[0]
    told = f"--backend {backend}: the cluster is lost ({type(error).__name__}: {reason})"
    return ClusterLost(f"{told}; what was finished is stored")
