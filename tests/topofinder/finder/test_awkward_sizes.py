"""Sizes that few constructions fit: how long an allreduce takes over its bound, at most.

At 1 MiB, 10 us and 100 Gbps, with what ships and an effort of one.
"""

from fractions import Fraction

import pytest

from topofinder.finder.deferrals import pool_with_effort
from topofinder.finder.effort_work import least_time, time_bound
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode

ONE_WAY = [
    *((25, 2, "1"), (50, 2, "1.02"), (1600, 2, "1.04"), (1453, 2, "1.198"), (1999, 2, "1.207")),
    *((509, 3, "1.108"), (89, 4, "1.046"), (769, 4, "1.097"), (1023, 4, "1.150")),
    *((407, 5, "1.108"), (769, 5, "1.199"), (509, 8, "1.110")),
]
TWO_WAY = [
    *((90, 3, "1.075"), (134, 3, "1.114"), (258, 3, "1.074"), (510, 3, "1.143")),
    *((1454, 3, "1.194"), (407, 4, "1.090"), (769, 4, "1.094")),
]
SIZES = [
    *((*one, LinkMode.SIMPLEX) for one in ONE_WAY),
    *((*one, LinkMode.DUPLEX) for one in TWO_WAY),
]


@pytest.mark.parametrize(("n", "d", "most", "links"), SIZES)
def test_an_allreduce_takes_at_most(n: int, d: int, most: str, links: LinkMode) -> None:
    quickest = least_time(pool_with_effort(Pools(), n, d, links, 1))
    assert quickest is not None
    assert 1 <= quickest / time_bound(n, d, links) <= Fraction(most)
