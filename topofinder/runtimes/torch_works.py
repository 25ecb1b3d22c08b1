"""Asynchronous collectives: a queue for each process group, and the work objects that it gives.

All ranks begin the collectives of a group in one order, and there they are run in that order: those
on the CPU by a thread of the group, or at once by the caller who would wait anyway. On a GPU
nothing blocks: what is begun is put on the current stream.
"""

import threading
from collections.abc import Callable
from datetime import timedelta
from queue import SimpleQueue
from typing import Any
from weakref import WeakKeyDictionary, finalize

from topofinder.runtimes.torch_calls import CallsDiffer
from topofinder.runtimes.torch_exchange import plain_group
from topofinder.runtimes.torch_library import WORK, Group, Tensor, torch

Job = Callable[[], None]


class ScheduledWork(WORK):  # type: ignore[misc]
    """A collective that has begun; its result is the list of the tensors that it changes."""

    def __init__(self, tensors: list[Tensor]) -> None:
        super().__init__()
        self._tensors = tensors
        self._error: Exception | None = None
        self._over = threading.Event()
        devices = sorted({each.device for each in tensors if each.device.type != "cpu"}, key=str)
        self._ended = torch.futures.Future(devices=devices)
        self._future = self._ended if devices else self._ended.then(self._outcome)
        self._mark: Any = None

    def finish(self, error: Exception | None = None) -> None:
        """Say that it is over; on a GPU, that all of it is on the current stream."""
        self._error = error
        if error is None and self._tensors and self._tensors[0].device.type == "cuda":
            self._mark = torch.cuda.current_stream(self._tensors[0].device).record_event()
        self._ended.set_result(self._tensors)
        self._over.set()

    def _outcome(self, _: Any) -> list[Tensor]:
        if self._error is not None:
            raise self._error
        return self._tensors

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Return when it is over, or on a GPU let the current stream wait; raise what it raised."""
        seconds = timeout.total_seconds() if timeout else None
        if not self._over.wait(seconds):
            raise TimeoutError(f"a collective is not over after {seconds} s")
        self._outcome(None)
        self._future.wait()
        return True

    def synchronize(self) -> None:
        """The same as `wait`."""
        self.wait()

    def is_completed(self) -> bool:
        """Whether it is over, on a GPU also on its stream."""
        return self._over.is_set() and (self._mark is None or bool(self._mark.query()))

    def is_success(self) -> bool:
        """Whether it is over and has not failed."""
        return self.is_completed() and self._error is None

    def exception(self) -> Exception | None:
        """What it raised."""
        return self._error

    def get_future(self) -> Any:
        """A future with the list of tensors."""
        return self._future

    def result(self) -> list[Tensor]:
        """The tensors that it changes."""
        return self._tensors


class GroupQueue:
    """The collectives of one process group, one after another.

    Once one of them has failed half-way no later one can be right: all raise what it raised. One
    that was refused on all ranks before it began leaves the others as they are.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Job, ScheduledWork] | None] = SimpleQueue()
        self._pending = 0
        self._change = threading.Lock()
        self._thread: threading.Thread | None = None
        self._failure: Exception | None = None

    def start(self, job: Job, tensors: list[Tensor], *, waits: bool) -> ScheduledWork:
        """Begin a job that changes `tensors`; if the caller `waits`, it is over on return."""
        if self._failure is not None:
            raise RuntimeError(f"an earlier collective of the group failed: {self._failure}")
        work = ScheduledWork(tensors)
        if tensors[0].device.type != "cpu" or (waits and self._pending == 0):
            self._run(job, work)
        else:
            self._put(job, work)
        if waits:
            work.wait()
        return work

    def _put(self, job: Job, work: ScheduledWork) -> None:
        with self._change:
            self._pending += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._run_all, daemon=True, name="topofinder")
            self._thread.start()
        self._jobs.put((job, work))

    def close(self) -> None:
        """End the thread, once all that has begun is over."""
        self._jobs.put(None)

    def _run_all(self) -> None:
        while True:
            if (next_job := self._jobs.get()) is None:
                return
            self._run(*next_job)
            del next_job  # its tensors are the caller's again
            with self._change:
                self._pending -= 1

    def _run(self, job: Job, work: ScheduledWork) -> None:
        try:
            if self._failure is not None:
                raise RuntimeError(f"an earlier collective of the group failed: {self._failure}")
            with torch.inference_mode(work.result()[0].is_inference()), torch.no_grad():
                job()
        except CallsDiffer as error:  # nothing of it was done, so later ones can be right
            work.finish(error)
        except Exception as error:
            self._failure = error
            work.finish(error)
        else:
            work.finish()


_QUEUES: WeakKeyDictionary[Group, GroupQueue] = WeakKeyDictionary()


def queue_of(group: Group) -> GroupQueue:
    """The queue of a process group: one, whoever asks, and none after the group."""
    plain = plain_group(group)
    if plain not in _QUEUES:
        queue = _QUEUES[plain] = GroupQueue()
        finalize(plain, queue.close)
    return _QUEUES[plain]
