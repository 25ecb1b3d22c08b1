"""Interrupts: who heeds SIGINT, and when; and the collection of cycles, off for a while."""

import gc
import signal
import sys
import threading

import pytest

from tests.command import ran_alone
from topofinder.interrupts import gc_paused, sigint_ignored

masked = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal mask")

STARTS = """
import os, signal, time
from joblib import Parallel, delayed
from topofinder.interrupts import sigint_ignored

def heeds():
    time.sleep(0.2)
    return os.getpid(), signal.getsignal(signal.SIGINT) is not signal.SIG_IGN

parallel = Parallel(n_jobs=2, return_as="generator")
with sigint_ignored():
    found = parallel(delayed(heeds)() for _ in range(6))
workers = set(found)
print(len(workers), [word for _, word in workers], heeds()[1])
"""

COMES = """
import os, signal
from topofinder.interrupts import sigint_ignored

came, inside = [], True
signal.signal(signal.SIGINT, lambda *_: came.append("within" if inside else "after"))
with sigint_ignored():
    os.kill(os.getpid(), signal.SIGINT)
    assert not came
    inside = False
print(came)
"""


@masked
def test_workers_ignore_it_and_the_caller_does_not() -> None:
    assert ran_alone(program=STARTS) == (0, "2 [False, False] True\n", "")


@masked
def test_a_signal_that_comes_within_is_late_and_not_lost() -> None:
    assert ran_alone(program=COMES) == (0, "['after']\n", "")


@masked
def test_other_threads_are_shielded_by_the_mask_alone() -> None:
    said = []

    def within() -> None:
        with sigint_ignored():
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
            said.append((signal.SIGINT in blocked, signal.getsignal(signal.SIGINT)))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=within)
    thread.start()
    thread.join()
    assert said == [(True, before)]


@pytest.fixture(params=[True, False])
def before(request: pytest.FixtureRequest):
    enabled = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if enabled else gc.disable)()


def test_collection_is_off_within_and_then_as_before(before: bool) -> None:
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled() is before


def test_an_error_ends_the_pause_too(before: bool) -> None:
    with pytest.raises(KeyError), gc_paused():
        raise KeyError
    assert gc.isenabled() is before
