"""Workers that end when their parent does, however it ends, and speak with one voice.

joblib's workers wait five minutes for more work, also where the process that gave it was killed;
they keep its standard output open, and whoever reads that waits with them.
"""

import os
import threading
import time
from typing import Any

from topofinder.compilation import announcer, tell_first, tell_on_stderr

PAUSE = 0.25
"""Seconds between two looks at the parent."""
PATIENCE = 5.0
"""Seconds for a thread that ends, on a machine with more to do."""


def worker_settings() -> dict[str, Any]:
    """Arguments of Parallel for joblib's own workers: they end with this process.

    The first that compiles kernels says so, where this process would.

    Workers of other backends, on other machines perhaps, are no children of this process: they
    are left to those.
    """
    from joblib.parallel import LokyBackend, get_active_backend

    backend, _ = get_active_backend()
    if os.name != "posix" or not isinstance(backend, LokyBackend):
        return {}
    return {"initializer": start_worker, "initargs": (os.getpid(), announcer.claim_file())}


class Feeder:
    """The thread that feeds joblib's own workers, which is to end before the program does.

    Left to the end of the program, it is stopped while it takes its semaphores apart, and joblib's
    tracker of resources complains of what is gone already. joblib has no name for it; where another
    version keeps it elsewhere, it is left to itself. To be made when workers have got work.
    """

    def __init__(self) -> None:
        from joblib.externals.loky import reusable_executor

        executor = getattr(reusable_executor, "_executor", None)
        self._queue: Any = getattr(executor, "_call_queue", None)

    def end(self) -> None:
        """Close the queue to workers that are called off, and wait for the thread."""
        thread = getattr(self._queue, "_thread", None)
        if thread is not None:
            self._queue.close()
            thread.join(PATIENCE)


def start_worker(parent: int, claim: str | None = None) -> None:
    """End this process as soon as `parent` is no longer its parent, whatever it does then.

    With `claim` it says that kernels are compiled, unless another process said so.
    """
    if claim is not None:
        announcer.tell = tell_first(claim, tell_on_stderr)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PAUSE)
    os._exit(1)
