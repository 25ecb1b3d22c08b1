"""Joblib's backend for Ray, that gives results as they come, in order: a sweep stores them then.

Ray, an extra, is imported when the backend is asked for.
"""

from typing import Any

RAY = "topofinder-ray"


def register_ray() -> str:
    """Let joblib know the backend; returns its name. ImportError where Ray is not installed."""
    from joblib.parallel import register_parallel_backend

    register_parallel_backend(RAY, _backend())
    return RAY


def _backend() -> type[Any]:
    import ray
    from ray.util.joblib.ray_backend import RayBackend

    class ResultsRayBackend(RayBackend):
        """Ray's pool calls back with each result, which is what joblib's generators need."""

        supports_return_generator = True
        _pool: Any = None

        def terminate(self) -> None:
            """End the workers at once.

            The pool asks them to end in a task, which Ray then starts anew as it would one whose
            worker was lost, and says so on stdout.
            """
            pool, self._pool = self._pool, None
            for actor, _ in () if pool is None else pool._actor_pool:
                ray.kill(actor)

    return ResultsRayBackend


def hush_lost_workers() -> None:
    """Let Ray not print of lost workers, which are started anew: it does so on stdout, among data.

    It has no setting for that; a version that prints by another function goes on printing.
    """
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *printed, **more: None
