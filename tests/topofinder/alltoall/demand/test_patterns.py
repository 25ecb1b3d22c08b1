"""Traffic patterns against their definitions."""

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.alltoall.demand.patterns import (
    PATTERNS,
    DemandPattern,
    canonical_pattern,
    pattern_demand,
    register_pattern,
)

RING = build(parse("UniRing(1,8)"))

SWITCHED = Topology.from_arcs(
    4, [(0, 1), (1, 0), (2, 1), (1, 2), (3, 1), (1, 3)], switches=(1,)
)  # three hosts around switch 1


def test_uniform_and_its_hosts() -> None:
    assert np.array_equal(pattern_demand("uniform", RING).high, 1 - np.eye(8))
    among = pattern_demand("uniform", SWITCHED).high
    assert not among[1].any()
    assert not among[:, 1].any()
    assert among.sum() == 6


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_a_permutation_has_no_fixed_point(seed: int) -> None:
    found = pattern_demand(f"permutation:{seed}", RING).high
    assert (found.sum(axis=0) == 1).all()
    assert (found.sum(axis=1) == 1).all()
    assert not np.diagonal(found).any()
    assert np.array_equal(found, pattern_demand(f"permutation:{seed}", RING).high)


def test_shift_and_ring() -> None:
    place = np.arange(8)
    ahead = (place[None] - place[:, None]) % 8
    assert np.array_equal(pattern_demand("shift:3", RING).high, ahead == 3)
    assert np.array_equal(pattern_demand("ring", RING).high, (ahead == 1) | (ahead == 7))
    assert np.array_equal(pattern_demand("ring:2", RING).high, np.isin(ahead, (1, 2, 6, 7)))
    assert np.array_equal(pattern_demand("ring:7", RING).high, ahead != 0)


def test_a_pattern_from_outside_is_read_as_the_others_are() -> None:
    star = DemandPattern(
        name="star",
        description="all to the rank R",
        parameters="R",
        default="0",
        matrix=lambda text, hosts, numbers: np.eye(hosts, dtype=int)[[*numbers, 0][0]][None]
        .repeat(hosts, axis=0),
    )  # fmt: skip
    register_pattern(star)
    try:
        with pytest.raises(InvalidInput, match="'star' is registered already"):
            register_pattern(star)
        assert canonical_pattern("star") == "star:0"
        sinks = pattern_demand("star:3", RING).high.sum(axis=0)
        assert sinks.tolist() == [0, 0, 0, 7, 0, 0, 0, 0]
        with pytest.raises(InvalidInput, match=r"is none of uniform, .*, star:R$"):
            pattern_demand("sun", RING)
    finally:
        del PATTERNS["star"]
    with pytest.raises(InvalidInput, match="demand pattern 'Star': small letters are needed"):
        DemandPattern(name="Star", description="", matrix=star.matrix)


def test_expert_groups() -> None:
    place = np.arange(8)
    same = place[:, None] // 4 == place // 4
    assert np.array_equal(pattern_demand("experts:4", RING).high, same & ~np.eye(8, dtype=bool))
    # Groups of 2 in groups of 8, with 8 messages a host: 4 for each rank within, 2 for each group.
    found = pattern_demand("experts:2,8", RING)
    near = place[:, None] // 2 == place // 2
    alike = place[:, None] % 2 == place % 2
    expected = np.where(near, 4, np.where(alike, 2, 0)) * (1 - np.eye(8))
    assert np.array_equal(found.high * int(found.unit), expected)


def carried_by_levels(sizes: list[int]) -> np.ndarray:
    """What crosses between ranks when each message goes level by level."""
    last = sizes[-1]
    crossing = np.zeros((last, last))
    for source in range(last):
        for sink in range(last):
            at = source
            for inner, outer in zip([1, *sizes], sizes, strict=False):
                # Within its group of `outer`, go where the digit of the sink at this level is.
                digit = sink // inner % (outer // inner)
                onward = at - at // inner % (outer // inner) * inner + digit * inner
                crossing[at, onward] += onward != at
                at = onward
            assert at == sink
    return crossing


@pytest.mark.parametrize("sizes", [[8], [2, 8], [4, 8], [2, 4, 8]])
def test_hierarchical_groups_carry_all_messages(sizes: list[int]) -> None:
    found = pattern_demand(f"experts:{','.join(map(str, sizes))}", RING)
    assert np.array_equal(found.high * int(found.unit), carried_by_levels(sizes))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("gossip", "pattern: 'gossip' is none of uniform, permutation:SEED"),
        ("ring:-1", "pattern: 'ring:-1' is none of"),
        ("uniform:3", "pattern: uniform:3 has 1 numbers; 0 are needed"),
        ("shift", "pattern: shift has 0 numbers; 1 are needed"),
        ("shift:16", "pattern: shift:16 sends nothing among 8 hosts"),
        ("ring:0", "pattern: ring:0 needs a reach of 1 to 7"),
        ("ring:8", "pattern: ring:8 needs a reach of 1 to 7"),
        ("experts:3", "pattern: experts:3 needs sizes of which each divides the next"),
        ("experts:4,2", "pattern: experts:4,2 needs sizes"),
        ("experts:0", "pattern: experts:0 needs sizes"),
        ("experts:1", "demand: no node wants anything from another"),
    ],
)
def test_patterns_that_are_refused(text: str, line: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        pattern_demand(text, RING)
    assert str(refused.value).startswith(line)
    assert "\n" not in str(refused.value)


def test_replicas_are_equal_modulo_their_groups() -> None:
    place = np.arange(8)
    same = (place[:, None] - place) % 4 == 0
    found = pattern_demand("replicas:4", RING).high
    assert np.array_equal(found, same & ~np.eye(8, dtype=bool))
    for wrong in ("replicas:3", "replicas:8", "replicas:0"):
        with pytest.raises(InvalidInput, match=f"{wrong} needs groups of which 8 hosts have"):
            pattern_demand(wrong, RING)
