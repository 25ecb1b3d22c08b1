"""Random networks whose switches multicast and combine, or some of them, or one of both."""

from dataclasses import replace

import numpy as np
import pytest

from expansions.collective import Collective
from generators.topology import Topology
from tests.forests import bidirectional
from topofinder.forests.collectives.allreduce_bound import allreduce_bound
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.verification.forests import verify_forest

ALLREDUCE = ForestOptions(collective=Collective.ALLREDUCE)


def able_fabric(seed: int) -> Topology:
    """Three to six hosts on up to three switches in a row, and some more links."""
    generator = np.random.default_rng(seed)
    hosts, switches = int(generator.integers(3, 7)), int(generator.integers(1, 4))
    n = hosts + switches
    links = [
        (v, hosts + int(generator.integers(switches)), int(generator.integers(1, 6)))
        for v in range(hosts)
    ]
    links += [(w, w - 1, int(generator.integers(1, 6))) for w in range(hosts + 1, n)]
    for _ in range(int(generator.integers(0, 5))):
        u, v = sorted(generator.choice(n, 2, replace=False).tolist())
        links.append((u, v, int(generator.integers(1, 6))))
    able = tuple(w for w in range(hosts, n) if generator.random() < 0.6)
    combining = able if generator.random() < 0.7 else ()
    return replace(bidirectional(n, links, range(hosts, n)), multicast=able, reduce=combining)


def check_abilities(seeds: range) -> None:
    for seed in seeds:
        topology = able_fabric(seed)
        apart, shared = (
            make_forest(topology, replace(ALLREDUCE, overlap=o)) for o in (False, True)
        )
        for saved in (apart, shared):
            assert verify_forest(saved).violation is None
            bound = allreduce_bound(saved)
            assert bound is not None
            assert bound <= shared.together <= apart.together


def test_trees_are_valid_and_no_bound_is_beaten() -> None:
    check_abilities(range(50, 70))


@pytest.mark.slow
def test_many_trees_are_valid_and_no_bound_is_beaten() -> None:
    check_abilities(range(70, 370))
