"""Joblib's backend for Dask, for clusters that grow: work goes to workers also where there is one.

Joblib does what one worker would do in its own process, and workers that come later find nothing.
"""

from joblib._dask import DaskDistributedBackend
from joblib.parallel import register_parallel_backend

DASK = "topofinder-dask"


class ElasticDaskBackend(DaskDistributedBackend):
    """A cluster whose number of workers is not what it was when work began."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        """Workers that there are, two where there is one; it waits for a first."""
        return max(2, int(super().effective_n_jobs(n_jobs)))


def register_dask() -> str:
    """Let joblib know the backend; returns its name."""
    register_parallel_backend(DASK, ElasticDaskBackend)
    return DASK
