"""Ring, direct, halving and doubling: they add up everywhere, each with the least bytes."""

import numpy as np
import pytest

from generators.errors import InvalidInput, Unsupported
from tests.topofinder.timetables.message_twin import replay_allreduce
from topofinder.timetables.baseline_messages import (
    direct_messages,
    halving_messages,
    ring_messages,
)
from topofinder.timetables.logical_messages import split_messages

CASES = [ring_messages(n) for n in (2, 3, 5, 8)] + [direct_messages(n) for n in (2, 3, 6)]
CASES += [halving_messages(n) for n in (2, 4, 16)]
CASES += [ring_messages(4, [[0, 2, 1, 3], [3, 1, 0, 2], [0, 1, 2, 3]])]
CASES += [split_messages(direct_messages(3), 2), split_messages(halving_messages(4), 3)]


@pytest.mark.parametrize("messages", CASES)
@pytest.mark.parametrize("seed", range(4))
def test_every_host_gets_every_sum(messages, seed: int) -> None:  # type: ignore[no-untyped-def]
    assert replay_allreduce(messages, seed)


@pytest.mark.parametrize("messages", CASES)
def test_every_host_sends_the_least(messages) -> None:  # type: ignore[no-untyped-def]
    """2 (n - 1) / n of the data, of which half is partial sums (Chan et al., PPoPP 2006)."""
    n = messages.hosts
    for host in range(n):
        own = messages.origin == host
        assert messages.amount[own].sum() * n == 2 * (n - 1) * messages.total
        assert messages.amount[own & messages.reducing].sum() * n == (n - 1) * messages.total


def test_messages_go_to_neighbours_of_the_pattern() -> None:
    ring = ring_messages(7)
    assert set(((ring.target - ring.origin) % 7).tolist()) == {1, 6}
    other = ring_messages(4, [[0, 2, 1, 3]])
    ends = set(zip(other.origin.tolist(), other.target.tolist(), strict=True))
    assert {tuple(sorted(pair)) for pair in ends} == {(0, 2), (1, 2), (1, 3), (0, 3)}
    halving = halving_messages(8)
    assert (halving.origin ^ halving.target).tolist()[::8] == [1, 2, 4, 4, 2, 1]
    direct = direct_messages(5)
    assert np.unique(direct.origin * 5 + direct.target).size == 20


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match=r"^hosts: at least 2 are needed, not 1$"):
        direct_messages(1)
    with pytest.raises(InvalidInput, match=r"^hosts: a power of two is needed, not 12$"):
        halving_messages(12)
    with pytest.raises(InvalidInput, match=r"^orders: a permutation of 3 hosts is needed$"):
        ring_messages(3, [[0, 1, 1]])
    with pytest.raises(InvalidInput, match=r"^orders: at least one ring is needed$"):
        ring_messages(3, [])
    with pytest.raises(InvalidInput, match=r"^parts: at least 1, not 0$"):
        split_messages(direct_messages(2), 0)
    for hosts, make in ((257, direct_messages), (4096, ring_messages)):
        with pytest.raises(
            Unsupported, match=r"^messages: at most 16777216 waits for another, not"
        ):
            make(hosts)
    with pytest.raises(Unsupported, match=r"^messages: at most 16777216 waits for another, not"):
        split_messages(direct_messages(128), 9)
    assert direct_messages(256).messages == 2 * 256 * 255
