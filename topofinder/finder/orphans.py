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
PATIENCE = 1.0
"""Seconds for threads that end."""


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


def await_threads(known: set[threading.Thread]) -> None:
    """Wait a little for the threads that joblib has started since only `known` ones were there.

    Left to the end of the program, the one that feeds the workers is stopped while it takes its
    semaphores apart, and joblib's tracker of resources complains of what is gone already.
    """
    end = time.monotonic() + PATIENCE
    for thread in set(threading.enumerate()) - known:
        thread.join(max(0.0, end - time.monotonic()))


def end_with(parent: int) -> None:
    """End this process as soon as `parent` is no longer its parent, whatever it does then."""
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PAUSE)
    os._exit(1)
