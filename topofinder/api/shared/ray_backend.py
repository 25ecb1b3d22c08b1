"""Joblib's backend for Ray, that gives results as they come, in order: a sweep stores them then."""

from typing import Any

import ray
from joblib.parallel import register_parallel_backend
from ray.util.joblib.ray_backend import RayBackend

RAY = "topofinder-ray"


class ResultsRayBackend(RayBackend):
    """Ray's pool calls back with each result, which is what joblib's generators need."""

    supports_return_generator = True
    _pool: Any = None

    def terminate(self) -> None:
        """End the workers at once.

        The pool asks them to end in a task, which Ray then starts anew as it would one whose worker
        was lost, and says so on stdout.
        """
        pool, self._pool = self._pool, None
        for actor, _ in () if pool is None else pool._actor_pool:
            ray.kill(actor)


def register_ray() -> str:
    """Let joblib know the backend; returns its name."""
    register_parallel_backend(RAY, ResultsRayBackend)
    return RAY
