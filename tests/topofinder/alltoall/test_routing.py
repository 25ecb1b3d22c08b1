"""Routes: what paths carry, against the flows they come from, walked arc by arc."""

import csv
import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.certificates import tree_certificate
from topofinder.alltoall.routing.path_kernels import choose_paths
from topofinder.alltoall.routing.paths import Paths, decompose_flow
from topofinder.alltoall.routing.single_paths import single_paths
from topofinder.api.throughput import throughput
from topofinder.exporters.route_files import Routes, write_routes
from topofinder.model.certificate import Certificate, DemandBounds

RECIPES = ["L(K(4,4))", "C(16,{3,4})", "Pi(4,24)", "UniRing(2,5)", "Kautz(2,2)", "DBJ(2,4)"]


def certificate(recipe: str) -> Certificate:
    return throughput(recipe, time=20).certificate


def walked(paths: Paths) -> dict[tuple[int, int], list[tuple[Fraction, list[int]]]]:
    """The paths of each pair with their shares; every step is checked."""
    graph, found = paths.topology, defaultdict(list)
    for number, (source, sink) in enumerate(zip(paths.source, paths.sink, strict=True)):
        arcs = paths.arc[paths.first[number] : paths.first[number + 1]].tolist()
        at = int(source)
        for arc in arcs:
            assert graph.tail[arc] == at
            at = int(graph.head[arc])
        assert at == sink
        assert len(set(graph.head[arcs].tolist())) == len(arcs)
        found[int(source), int(sink)].append((int(paths.weight[number]), arcs))
    return {
        pair: [(Fraction(w, sum(w for w, _ in routes)), arcs) for w, arcs in routes]
        for pair, routes in found.items()
    }


def loads(paths: Paths, asked: dict[tuple[int, int], Fraction]) -> list[Fraction]:
    """What each arc carries, pair by pair."""
    carried = [Fraction()] * paths.topology.arcs
    for pair, routes in walked(paths).items():
        for share, arcs in routes:
            for arc in arcs:
                carried[arc] += share * asked[pair]
    return carried


def everyone(topology: Topology) -> dict[tuple[int, int], Fraction]:
    hosts = sorted(set(range(topology.n)) - set(topology.switches))
    return {(s, t): Fraction(1) for s in hosts for t in hosts if s != t}


@pytest.mark.parametrize("recipe", RECIPES)
def test_paths_carry_the_flow_of_the_certificate(recipe: str) -> None:
    saved = certificate(recipe)
    paths = decompose_flow(saved)
    asked = everyone(saved.topology)
    assert set(walked(paths)) == set(asked)
    assert list(paths.loads()) == loads(paths, asked)
    assert paths.rate() == 1 / max(paths.loads())
    assert saved.lower <= paths.rate() <= saved.upper
    hops = sum(share * len(arcs) for routes in walked(paths).values() for share, arcs in routes)
    assert paths.mean_hops == pytest.approx(float(hops / len(asked)))


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("seed", [0, 5])
def test_one_path_for_each_pair(recipe: str, seed: int) -> None:
    saved = certificate(recipe)
    paths = decompose_flow(saved)
    one = single_paths(paths, seed)
    routes = walked(one)
    assert all(len(choice) == 1 for choice in routes.values())
    assert set(routes) == set(everyone(saved.topology))
    weighted = walked(paths)
    for pair, [(_, arcs)] in routes.items():
        assert arcs in [other for _, other in weighted[pair]]
    assert one.rate() == 1 / max(loads(one, everyone(saved.topology)))
    assert one.rate() <= saved.upper
    again = single_paths(paths, seed)
    assert np.array_equal(again.arc, one.arc)


def test_single_paths_beat_a_blind_choice() -> None:
    """The first of the paths of every pair, as a router without the rounding would take."""
    paths = decompose_flow(certificate("Pi(4,48)"))
    first = paths.pair[:-1]
    blind = np.zeros(paths.topology.arcs)
    for path in first.tolist():
        blind[paths.arc[paths.first[path] : paths.first[path + 1]]] += 1
    assert single_paths(paths).rate() > Fraction(1, int(blind.max()))


def test_demand_capacities_and_switches() -> None:
    star = Topology.from_arcs(
        4,
        [(0, 1), (1, 0), (2, 1), (1, 2), (3, 1), (1, 3), (0, 2)],
        switches=(1,),
        capacity=[2, 1, 1, 1, 1, 1, Fraction(1, 3)],
    )
    amounts = np.zeros((4, 4), dtype=np.int64)
    amounts[0, 2], amounts[3, 0], amounts[2, 3] = 3, 1, 2
    saved = throughput(star, demand=amounts / 2).certificate
    paths = decompose_flow(saved)
    asked = {(s, t): Fraction(int(amounts[s, t]), 2) for s, t in zip(*np.nonzero(amounts))}  # noqa: B905
    carried = loads(paths, asked)
    assert list(paths.loads()) == carried
    assert saved.lower <= paths.rate()
    assert paths.rate() == min(c / x for c, x in zip(star.capacity, carried, strict=True) if x)


def test_cycles_and_surplus_are_left_out() -> None:
    ring = build(parse("BiRing(2,5)"))
    saved = tree_certificate(ring)
    rows = saved.rows.copy()
    forth = int(np.flatnonzero((ring.tail == 2) & (ring.head == 3))[0])
    back = int(np.flatnonzero((ring.tail == 3) & (ring.head == 2))[0])
    rows[0, [forth, back]] += 50
    fat = Certificate(**{name: getattr(saved, name) for name in Certificate.__slots__} | {
        "rows": rows, "lower": Fraction(1, 100)
    })  # fmt: skip
    assert decompose_flow(fat).rate() == saved.lower


def test_a_flow_that_does_not_deliver() -> None:
    saved = tree_certificate(build(parse("K(4)")))
    rows = saved.rows.copy()
    rows[2] = 0
    short = Certificate(
        **{name: getattr(saved, name) for name in Certificate.__slots__} | {"rows": rows}
    )
    with pytest.raises(InvalidInput, match="flow: that of node 2 does not deliver what is asked"):
        decompose_flow(short)
    with pytest.raises(InvalidInput, match="seed: 0 or more is needed, not -1"):
        single_paths(decompose_flow(saved), -1)


def test_the_files_say_the_same(tmp_path: Path) -> None:
    saved = certificate("Kautz(2,1)")
    paths = decompose_flow(saved)
    write_routes(Routes(paths=paths), tmp_path / "a.csv")
    write_routes(Routes(paths=paths, facts={"n": 6}), tmp_path / "a.json")
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    document = json.loads((tmp_path / "a.json").read_text())
    assert document["n"] == 6
    assert document["columns"] == list(rows[0])
    for line, row in zip(rows, document["routes"], strict=True):
        source, sink, weight, share, hops, nodes, arcs = row
        assert [int(line[name]) for name in ("source", "sink", "weight", "hops")] == [
            source, sink, weight, hops
        ]  # fmt: skip
        assert float(line["share"]) == share
        assert line["nodes"] == "-".join(map(str, nodes))
        assert line["arcs"] == "-".join(map(str, arcs))
        assert saved.topology.head[arcs].tolist() == nodes[1:]
        assert (nodes[0], nodes[-1], hops) == (source, sink, len(arcs))


@pytest.mark.parametrize("recipe", ["C(8,{1,2})", "Pi(2,7)"])
def test_flows_by_source(tmp_path: Path, recipe: str) -> None:
    saved = certificate(recipe)
    write_routes(Routes(flows=saved), tmp_path / "flows.csv")
    net = np.zeros((saved.topology.n,) * 2)
    load = np.zeros(saved.topology.arcs)
    with (tmp_path / "flows.csv").open() as file:
        for row in csv.DictReader(file):
            net[int(row["source"]), int(row["head"])] += float(row["flow"])
            net[int(row["source"]), int(row["tail"])] -= float(row["flow"])
            load[int(row["arc"])] += float(row["flow"])
    assert (net + np.diag(np.full(saved.topology.n, np.inf)) >= 1 - 1e-9).all()
    assert load.max() == pytest.approx(float(1 / saved.lower), rel=1e-9)


def test_limits(tmp_path: Path) -> None:
    paths = decompose_flow(tree_certificate(build(parse("K(4)"))))
    with pytest.raises(InvalidInput, match="routes: more than 5 rows"):
        write_routes(Routes(paths=paths, max_rows=5), tmp_path / "a.csv")
    with pytest.raises(InvalidInput, match=r"suffix '\.txt' is none of \.csv, \.json"):
        write_routes(Routes(paths=paths), tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


def test_more_hops_than_first_guessed() -> None:
    """Long paths outgrow the buffer, which then doubles."""
    ring = build(parse("UniRing(1,60)"))
    paths = decompose_flow(tree_certificate(ring))
    assert len(paths.sink) == 60 * 59
    assert paths.hops.max() == 59
    demand = DemandBounds(
        low=np.eye(60, k=1, dtype=int), high=np.eye(60, k=1, dtype=int), unit=Fraction(1)
    )
    assert decompose_flow(tree_certificate(ring, demand)).rate() == 1


def chosen_slowly(paths: Paths, order: list[int], load: dict[int, float]) -> list[int]:
    """One pass of the rounding from weighted paths, in plain loops."""
    arcs = [
        paths.arc[paths.first[path] : paths.first[path + 1]].tolist()
        for path in range(len(paths.sink))
    ]
    found = [-1] * len(order)
    for pair in order:
        own = range(int(paths.pair[pair]), int(paths.pair[pair + 1]))
        for path in own:
            for arc in arcs[path]:
                load[arc] -= paths.share[path]
        rises = []
        for path in own:
            before = [max(load[arc], 0.0) for arc in arcs[path]]
            rises.append(sum((x + 1) ** 64 - x**64 for x in before))
        found[pair] = own[int(np.argmin(rises))]
        for arc in arcs[found[pair]]:
            load[arc] += 1
    return found


def test_the_kernel_that_chooses_against_plain_loops() -> None:
    paths = decompose_flow(certificate("Pi(4,24)"))
    order = np.random.default_rng(1).permutation(len(paths.asked))
    share = np.repeat(paths.share, paths.hops)
    load = np.bincount(paths.arc, weights=share, minlength=paths.topology.arcs)
    slow = chosen_slowly(paths, order.tolist(), dict(enumerate(load.tolist())))
    fast = np.full(len(order), -1, dtype=np.int64)
    room, asked = np.ones(paths.topology.arcs), np.ones(len(order))
    choose_paths(order, paths.pair, paths.first, paths.arc, paths.share, asked, room, load, fast)
    # Rises that are equal but for rounding may be told apart differently: the loads decide.
    assert np.mean(fast == slow) > 0.95
