"""Allreduces with both phases at once, against all partitions of small networks."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.names import fabric_of
from generators.topology import Topology
from tests.forests import bidirectional
from topofinder.forests.collectives.allreduce_bound import allreduce_bound
from topofinder.forests.collectives.allreduce_levels import EXACT_TREES, LEAST_LOSS
from topofinder.forests.collectives.allreduce_overlap import share_links
from topofinder.forests.collectives.make_forest import SHARED, ForestOptions, make_forest
from topofinder.model.forest import Forest, pair_bandwidths
from topofinder.verification.forests import verify_forest

ALLREDUCE = ForestOptions(collective=Collective.ALLREDUCE)
OVERLAP = replace(ALLREDUCE, overlap=True)


def partitions(n: int) -> Iterator[list[int]]:
    """All partitions of n nodes, as the part of every node."""
    if n == 0:
        yield []
        return
    for part in partitions(n - 1):
        for i in range(max(part, default=-1) + 2):
            yield [*part, i]


def strength(topology: Topology) -> Fraction:
    """What trees both up and down can carry at most on two-way links: the least over partitions of
    the bandwidth between parts, one way, over their number less one (Tutte; Nash-Williams).
    """
    links = [(u, v, b) for (u, v), b in pair_bandwidths(topology).items() if u < v]
    return min(
        sum((b for u, v, b in links if part[u] != part[v]), Fraction(0)) / max(part)
        for part in partitions(topology.n)
        if max(part)
    )


def random_links(seed: int) -> Topology:
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 7))
    links = [(int(generator.integers(v)), v, int(generator.integers(1, 6))) for v in range(1, n)]
    for _ in range(int(generator.integers(0, 6))):
        u, v = sorted(generator.choice(n, 2, replace=False).tolist())
        links.append((u, v, int(generator.integers(1, 6))))
    return bidirectional(n, links, [])


def check_overlap(topology: Topology, options: ForestOptions = OVERLAP) -> Forest:
    found = make_forest(topology, options)
    assert verify_forest(found).violation is None
    assert found.together <= make_forest(topology, replace(options, overlap=False)).together
    return found


def check_strength(seeds: range) -> None:
    for seed in seeds:
        topology = random_links(seed)
        check_reached(check_overlap(topology), topology)


def check_reached(found: Forest, topology: Topology) -> None:
    """Level forests may miss what partitions allow by the least loss, where few trees do."""
    least = found.total / strength(topology)
    assert least <= found.together <= least * (1 + LEAST_LOSS)
    if (found.method or "").endswith("level") and found.phases[0].trees.k <= EXACT_TREES:
        assert found.together == least


def test_small_fabrics_reach_what_their_partitions_allow() -> None:
    check_strength(range(40))


@pytest.mark.slow
def test_many_small_fabrics_reach_what_their_partitions_allow() -> None:
    check_strength(range(40, 540))


def test_unequal_shards_do_not_matter() -> None:
    for seed in range(25):
        topology = random_links(seed)
        weights = np.random.default_rng(seed).integers(0, 4, topology.n).tolist()
        weights[0] += 1
        check_reached(check_overlap(topology, replace(OVERLAP, weights=weights)), topology)


@pytest.mark.parametrize(
    ("subject", "combined", "together"),
    [
        ("Mesh(4,4)", 12, 10),
        ("Torus(4,4)", Fraction(15, 2), Fraction(15, 2)),
        ("DGXH100(2)", Fraction(3, 50), Fraction(1, 25)),
        ("DGXH100(3)", Fraction(23, 250), Fraction(2, 25)),
        ("DGXA100(2)", Fraction(6, 65), Fraction(6, 65)),
    ],
)
def test_known_fabrics(subject: str, combined: Fraction, together: Fraction) -> None:
    topology = build(parse(subject)) if "DGX" not in subject else fabric_of(subject)[1]
    assert make_forest(topology, ALLREDUCE).together == combined
    found = check_overlap(topology)
    assert found.together == together == allreduce_bound(found)
    assert (SHARED in (found.method or "")) == (together < combined)


def test_damage_that_slows_one_node_does_not_slow_the_others() -> None:
    topology = apply_damage(build(parse("Torus(4,4)")), Damage(fail_links=["0-1", "0-4"]))
    found = check_overlap(topology)
    assert found.together == 16 / Fraction(30, 15)
    assert make_forest(topology, ALLREDUCE).together > found.together


def test_switches_with_and_without_abilities() -> None:
    able = fabric_of("DGXH100(1)")[1]
    assert check_overlap(able).together == Fraction(4, 225)
    plain = check_overlap(able, replace(OVERLAP, able=False))
    assert plain.together == Fraction(7, 225)
    for seed in range(10):
        generator = np.random.default_rng(seed)
        links = [(v, 5 + int(generator.integers(2)), 2) for v in range(5)] + [(5, 6, 3), (0, 1, 1)]
        found = check_overlap(bidirectional(7, links, [5, 6]))
        bound = allreduce_bound(found)
        assert bound is not None
        assert found.together >= bound


def test_a_number_of_trees_can_be_asked_for() -> None:
    found = check_overlap(build(parse("Mesh(3,3)")), replace(OVERLAP, k=3))
    assert [phase.trees.k for phase in found.phases] == [3, 3]


def test_what_cannot_overlap_is_refused() -> None:
    arcs = [(0, 3), (3, 1), (1, 3), (3, 2), (2, 0), (3, 0), (0, 2)]
    star = Topology.from_arcs(4, [*arcs, (1, 3), (3, 1)], switches=(3,))
    with pytest.raises(InvalidInput, match=r"^--overlap: with switches every link must have equal"):
        make_forest(star, OVERLAP)
    square = build(parse("BiRing(2,4)"))
    with pytest.raises(InvalidInput, match=r"^--overlap: for allreduce, not allgather$"):
        make_forest(square, ForestOptions(overlap=True))
    with pytest.raises(Unsupported, match=r"^--overlap: at most 3 nodes to reach, not 4$"):
        share_links(square, (1, 1, 1, 1), able=(), limit=3)
