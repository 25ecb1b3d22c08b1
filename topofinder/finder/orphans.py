"""Workers that end when their parent does, however it ends.

joblib's workers wait five minutes for more work, also where the process that gave it was killed;
they keep its standard output open, and whoever reads that waits with them.
"""

import os
import threading
import time
from typing import Any

PAUSE = 0.25
"""Seconds between two looks at the parent."""


def orphans_end() -> dict[str, Any]:
    """What makes joblib's own workers end with this process, as arguments of Parallel.

    Workers of other backends, on other machines perhaps, are no children of this process: they
    are left to those.
    """
    from joblib.parallel import LokyBackend, get_active_backend

    backend, _ = get_active_backend()
    if os.name != "posix" or not isinstance(backend, LokyBackend):
        return {}
    return {"initializer": end_with, "initargs": (os.getpid(),)}


def end_with(parent: int) -> None:
    """End this process as soon as `parent` is no longer its parent, whatever it does then."""
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PAUSE)
    os._exit(1)
