"""Baselines on graphs: shortest routes, exact loads, and what the papers say of them."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import networkx
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.dgx import dgx_a100, dgx_h100
from generators.fabrics.mi250 import mi250
from generators.topology import Topology
from tests.fabrics import random_fabric
from topofinder.forests.baselines.register import (
    EACH_ROOT,
    MAPPED_PATTERNS,
    keep_at_hosts,
    leads_through_hosts,
    map_baseline,
)
from topofinder.forests.baselines.rings import ring_along
from topofinder.forests.baselines.shortest_routes import (
    ShortestRoutes,
    host_boxes,
    neighbour_pairs,
    passes_hosts,
)
from topofinder.forests.baselines.titles import TITLES
from topofinder.model.forest import Forest, Phase, link_loads, pair_bandwidths
from topofinder.verification.forests import verify_forest

SAMPLE, ALL = 24, 300


def _plain_time(made: Forest) -> Fraction:
    """The busiest link of every phase, counted hop by hop."""
    total = Fraction()
    for phase in made.phases:
        trees, load = phase.trees, Counter[tuple[int, int]]()
        for i in range(len(trees.root)):
            for route in trees.route[trees.start[i] : trees.start[i + 1]].tolist():
                way = trees.node[trees.route_start[route] : trees.route_start[route + 1]]
                for pair in pairwise(way.tolist()):
                    load[pair] += int(trees.copies[i])
        rate = pair_bandwidths(phase.topology)
        total += max(Fraction(count, trees.k) / rate[pair] for pair, count in load.items())
        assert load == link_loads(trees)
    return total


def _check_fabric(seed: int) -> None:
    graph = random_fabric(seed)
    hosts = graph.n - len(graph.switches)
    for name, pattern in MAPPED_PATTERNS.items():
        if name == "halving-doubling" and hosts & (hosts - 1):
            continue
        for collective in pattern.collectives[-1:] if seed % 3 else pattern.collectives:
            made = map_baseline(name, graph, collective)
            assert made.inverse_rate == _plain_time(made) >= made.optimum
            through = leads_through_hosts(made)
            told = verify_forest(made).violation
            if through:
                assert told is not None
                assert "which is no switch" in told
                _check_kept(made)
            else:
                assert told is None, (seed, name, told)


def _check_kept(made: Forest) -> None:
    """Hosts that keep what passes them: valid, no link with more, and the same as a plain walk."""
    kept = keep_at_hosts(made)
    assert verify_forest(kept).violation is None
    assert kept.inverse_rate == _plain_time(kept) <= made.inverse_rate
    for phase, before in zip(kept.phases, made.phases, strict=True):
        loads, most = link_loads(phase.trees), link_loads(before.trees)
        assert all(load <= most[pair] for pair, load in loads.items())
        assert loads == _kept_loads(before)
    assert kept.method == f"{made.method}, cut at hosts"


def _kept_loads(phase: Phase) -> dict[tuple[int, int], int]:
    """Loads where every edge, in turn, is walked back from its end to the nearest host that has."""
    trees, found = phase.trees, Counter[tuple[int, int]]()
    for i, root in enumerate(trees.root.tolist()):
        having = [root]
        for route in trees.route[trees.start[i] : trees.start[i + 1]].tolist():
            way = trees.node[trees.route_start[route] : trees.route_start[route + 1]].tolist()
            place = len(way) - 1
            while way[place] not in having:
                place -= 1
                found[way[place], way[place + 1]] += int(trees.copies[i])
            having += [v for v in way[place:] if v not in phase.topology.switches]
    return dict(found)


@pytest.mark.parametrize("seed", range(SAMPLE))
def test_loads_are_exact_on_random_fabrics(seed: int) -> None:
    _check_fabric(seed)


@pytest.mark.slow
def test_loads_are_exact_on_all_random_fabrics() -> None:
    for seed in range(SAMPLE, ALL):
        _check_fabric(seed)


@pytest.mark.parametrize("seed", range(6))
def test_routes_are_shortest_and_widest(seed: int) -> None:
    graph = random_fabric(seed)
    rates = pair_bandwidths(graph)
    whole = networkx.DiGraph()
    whole.add_edges_from(rates)
    routes = ShortestRoutes(graph)
    for u in range(graph.n):
        for v in set(range(graph.n)) - {u}:
            ways = list(networkx.all_shortest_paths(whole, u, v))
            width = max(min(rates[pair] for pair in pairwise(way)) for way in ways)
            found = routes.between(u, v)
            assert found in ways
            assert min(rates[pair] for pair in pairwise(found)) == width


def test_the_ring_takes_625_permille_longer_on_two_boxes_of_a100() -> None:
    """ForestColl (arXiv), section 5.3."""
    found = map_baseline("nccl-ring", dgx_a100(2), Collective.ALLGATHER)
    assert found.inverse_rate / found.optimum - 1 == Fraction(5, 8)
    assert verify_forest(found).violation is None


def test_everyone_to_everyone_on_a_line_or_ring_halves_where_hosts_keep_what_passes() -> None:
    """On a one-way ring every shard passes each link once, where it passed 1 to N - 1 times."""
    ring = Topology.from_arcs(5, [(v, (v + 1) % 5) for v in range(5)])
    made = map_baseline("mapped-direct", ring, Collective.ALLGATHER)
    kept = keep_at_hosts(made)
    assert (made.inverse_rate, kept.inverse_rate, kept.optimum) == (10, 4, 4)


def test_what_is_known_of_small_graphs() -> None:
    """Everyone to everyone, and trees grown, meet the bound of a full mesh; a ring that of two."""
    mesh = build(parse("K(5)"))
    for name in ("mapped-direct", "multitree"):
        found = map_baseline(name, mesh, Collective.ALLREDUCE)
        assert found.inverse_rate == found.optimum == 2
    ring = map_baseline("nccl-ring", build(parse("Torus(4,4)")), Collective.ALLGATHER)
    assert ring.inverse_rate == Fraction(15, 2)
    assert not passes_hosts(ring.phases[0].trees, ring.topology)
    blink = map_baseline("blink", build(parse("Torus(4,4)")), Collective.ALLREDUCE)
    assert blink.inverse_rate / blink.total == Fraction(1, 2)


def test_boxes_are_what_wide_links_join() -> None:
    assert [len(box) for box in host_boxes(mi250(2))] == [16, 16]
    assert [len(box) for box in host_boxes(dgx_h100(4))] == [8] * 4
    assert [len(box) for box in host_boxes(build(parse("Torus(3,3)")))] == [1] * 9


def test_rings_along_links_are_found() -> None:
    for name in ("Torus(4,4)", "C(12,{2,3})", "Q(4)", "Torus(3,5)"):
        graph = build(parse(name))
        pairs = neighbour_pairs(graph)
        found = ring_along(graph.n, pairs)
        assert found is not None
        assert sorted(found) == list(range(graph.n))
        assert set(pairwise([*found, found[0]])) <= pairs
    assert ring_along(4, {(0, i) for i in (1, 2, 3)} | {(i, 0) for i in (1, 2, 3)}) is None


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'gossip' is none of nccl-ring"):
        map_baseline("gossip", dgx_a100(1), Collective.ALLGATHER)
    with pytest.raises(Unsupported, match="blink: carries out allreduce, not allgather"):
        map_baseline("blink", dgx_a100(1), Collective.ALLGATHER)
    one_way = Topology.from_arcs(3, [(0, 1), (1, 2)])
    for name in set(MAPPED_PATTERNS) - {"halving-doubling"}:
        with pytest.raises(InvalidInput):
            map_baseline(name, one_way, Collective.ALLREDUCE)


def test_titles_are_those_of_what_is_made() -> None:
    assert list(TITLES) == list(MAPPED_PATTERNS)
    assert all(set(one.collectives) <= set(EACH_ROOT) for one in MAPPED_PATTERNS.values())
