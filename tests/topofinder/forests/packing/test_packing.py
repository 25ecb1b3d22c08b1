"""The packers, each forced on the same jobs, and the transports they rest on."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import Unsupported
from tests.forests import boxes, random_fabric
from tests.packings import check_packing, height_of, job_of, regular
from tests.twins import distances
from topofinder.forests.clock import Clock
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.packing.exact_packing import exactly
from topofinder.forests.packing.heights import heights
from topofinder.forests.packing.job import Job, Packing
from topofinder.forests.packing.level import hop_ranks, in_arcs
from topofinder.forests.packing.packers import _lowered, by_level, by_repair, packed
from topofinder.forests.packing.tight_sets import by_tight_sets
from topofinder.forests.packing.transport import transport


def shallow(job: Job) -> tuple[Packing | None, Packing | None]:
    rank, into = hop_ranks(job.tail, job.head, job.n), in_arcs(job.head, job.n)
    return by_level(job, rank, into), by_repair(job, rank, into)


def test_every_rung_packs_small_networks() -> None:
    found: Counter[str] = Counter()
    for seed in range(120):
        job = job_of(random_fabric(seed, switches=seed % 2 == 0, rational=seed % 3 == 0))
        check_packing(job, exactly(job, seed))
        check_packing(job, packed(job, seed))
        for packing in (*shallow(job), by_tight_sets(job, lambda part: exactly(part))):
            if packing is not None:
                check_packing(job, packing)
                found[packing.method] += 1
    assert min(found["level"], found["repair"]) >= 50


@pytest.mark.slow
def test_the_exact_packer_never_gives_up() -> None:
    for seed in range(120, 700):
        job = job_of(random_fabric(seed, switches=seed % 2 == 0, rational=seed % 3 == 0))
        check_packing(job, exactly(job, seed))


@pytest.mark.parametrize("recipe", ["Torus(4,4)", "Q(5)", "Pi(4,64)", "C(12,{2,3})", "K(4,4)"])
def test_level_forests_are_as_high_as_roots_are_eccentric(recipe: str) -> None:
    topology = build(parse(recipe))
    job = job_of(Fabric.of(topology))
    level, _ = shallow(job)
    assert level is not None
    check_packing(job, level)
    start = np.arange(len(level.root) + 1) * (job.n - 1)
    found = heights(level.root, start, level.arc.ravel(), job.tail, job.head)
    assert found.tolist() == distances(topology).max(axis=1)[level.root].tolist()


def test_local_moves_complete_random_cubic_graphs() -> None:
    for seed in range(3):
        job = job_of(regular(60, 3, seed))
        level, mended = shallow(job)
        assert level is None
        assert mended is not None
        check_packing(job, mended)


def test_exact_trees_of_cubic_graphs_and_tori() -> None:
    for fabric in (regular(24, 3, 1), Fabric.of(build(parse("Torus(3,4)")))):
        job = job_of(fabric)
        check_packing(job, exactly(job))


def test_boxes_are_tight_sets() -> None:
    for topology in (boxes(4), boxes(3, hosts=3), boxes(5, hosts=2)):
        job = job_of(Fabric.of(topology))
        for pack in (packed, exactly):
            apart = by_tight_sets(job, pack)
            assert apart is not None
            check_packing(job, apart)
        assert by_tight_sets(job, lambda part: None) is None


def test_a_seed_gives_the_same_trees() -> None:
    job = job_of(regular(40, 3, 5))
    first, again = packed(job, 3), packed(job, 3)
    assert first.method == again.method == "repair"
    assert np.array_equal(first.arc, again.arc)


def test_exact_trees_become_lower_and_stay_trees() -> None:
    for seed in range(4):
        job = job_of(regular(32, 3, seed))
        high = exactly(job)
        low = _lowered(job, high)
        check_packing(job, low)
        before, after = height_of(job, high), height_of(job, low)
        reach = int(hop_ranks(job.tail, job.head, job.n).max())
        assert reach <= after < before
        assert after <= 2 * reach + 1


def test_exact_trees_stop_in_time() -> None:
    with pytest.raises(Unsupported, match=r"^packing: not done after 0 s"):
        exactly(job_of(regular(24, 3, 1)), clock=Clock.of(0))


def test_transports_are_as_good_as_a_maximum_flow() -> None:
    generator = np.random.default_rng(7)
    for _ in range(150):
        roots, arcs = int(generator.integers(1, 9)), int(generator.integers(1, 6))
        supply = generator.integers(0, 6, roots)
        room = generator.integers(0, 8, arcs)
        suits = generator.random((roots, arcs)) < 0.5
        graph = nx.DiGraph()
        graph.add_nodes_from("st")
        for u in range(roots):
            graph.add_edge("s", ("root", u), capacity=int(supply[u]))
            for i in np.flatnonzero(suits[u]):
                graph.add_edge(("root", u), ("arc", int(i)))
        for i in range(arcs):
            graph.add_edge(("arc", i), "t", capacity=int(room[i]))
        first = np.concatenate([[0], np.cumsum(suits.sum(axis=1))])
        listed, left = np.nonzero(suits)[1].astype(np.int32), room.copy()
        given, unmet = transport(supply, left, first, listed)
        assert given.sum() == nx.maximum_flow_value(graph, "s", "t")
        assert given.min(initial=0) >= 0
        used = np.bincount(listed, weights=given, minlength=arcs)
        assert (used + left == room).all()
        assert (left >= 0).all()
        taken = [given[first[u] : first[u + 1]].sum() for u in range(roots)]
        assert (np.array(taken) + unmet == supply).all()
