"""Ticks: the longest time that all latencies and transfers are multiples of, or none."""

from fractions import Fraction
from math import gcd, lcm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.model.chunk_times import MOST_TICKS, LinkUnits, chunk_times, require_ticks

UNITS = LinkUnits(latency=Fraction(1, 3), rate=Fraction(2))
numbers = st.builds(Fraction, st.integers(1, 10**9), st.integers(1, 10**9))


@given(st.lists(st.tuples(numbers, st.just(Fraction(0)) | numbers), min_size=1, max_size=4))
def test_ticks_are_counted_exactly_or_refused(links: list[tuple[Fraction, Fraction]]) -> None:
    capacity, latency = zip(*links, strict=True)
    arcs = [(0, 1)] * len(links)
    graph = Topology.from_arcs(2, arcs, capacity=capacity, latency=latency)
    late = [value / 3 for value in latency]
    unit = [Fraction(5) / 2 / value for value in capacity]
    some = [value for value in (*late, *unit) if value]
    over = gcd(*(value.numerator for value in some))
    tick = Fraction(over, lcm(*(value.denominator for value in some)))
    if max(some) / tick > MOST_TICKS:
        for count in (require_ticks, chunk_times):
            with pytest.raises(Unsupported, match="no common measure"):
                count(graph, UNITS, Fraction(5))
        return
    require_ticks(graph, UNITS, Fraction(5))
    found = chunk_times(graph, UNITS, Fraction(5))
    assert found.tick == tick
    assert [ticks * tick for ticks in found.latency.tolist()] == late
    assert [ticks * tick for ticks in found.unit.tolist()] == unit


def test_chunks_have_bytes() -> None:
    with pytest.raises(InvalidInput, match="chunk_bytes: above 0 bytes, not '0'"):
        require_ticks(Topology.from_arcs(2, [(0, 1)]), UNITS, Fraction(0))
