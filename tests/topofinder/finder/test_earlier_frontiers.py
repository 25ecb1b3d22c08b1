"""No point of a frontier that an earlier version found is lost, without lifts or grafts."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from expansions.cost import Cost
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode

EARLIER: dict[str, str] = json.loads(
    (Path(__file__).parents[2] / "data" / "earlier_frontiers.json").read_text(encoding="utf-8")
)
"""By `N d links`: costs `T_L,T_B` of the frontier before transposes and parallel links."""


@pytest.mark.parametrize("links", LinkMode)
def test_every_earlier_point_is_matched_or_beaten(links: LinkMode) -> None:
    pools = Pools()
    for key, points in EARLIER.items():
        n, d, mode = key.split()
        if mode != links:
            continue
        found = [candidate.allgather for candidate in pools.pool(int(n), int(d), links)]
        for point in points.split():
            steps, bandwidth = point.split(",")
            earlier = Cost(int(steps), Fraction(bandwidth))
            assert any(cost.weakly_beats(earlier) for cost in found), (key, point)
