"""The search for cycles is off within, and afterwards as it was, whatever happens."""

import gc

import pytest

from topofinder.interrupts import gc_paused


@pytest.fixture(params=[True, False])
def before(request: pytest.FixtureRequest):
    enabled = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if enabled else gc.disable)()


def test_it_is_off_within_and_then_as_before(before: bool) -> None:
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled() is before


def test_an_error_ends_it_too(before: bool) -> None:
    with pytest.raises(KeyError), gc_paused():
        raise KeyError
    assert gc.isenabled() is before
