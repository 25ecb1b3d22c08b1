"""Free rails: the loads on pairs of arcs against paths listed one by one, and the best pairing."""

from itertools import permutations, product

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.host_rails import pair_rails
from expansions.hosts import host_wiring, parse_host_fabric, split_permutations
from expansions.parser import parse
from generators.topology import Topology


def loads_by_paths(graph: Topology, colour: list[int]) -> np.ndarray:  # type: ignore[type-arg]
    """Each pair sends 1, alike over its shortest paths, listed by networkx."""
    number = {
        arc: i for i, arc in enumerate(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    }
    found = np.zeros((graph.n, graph.degree, graph.degree))
    whole = nx.DiGraph(list(number))
    for s, t in product(range(graph.n), repeat=2):
        if s == t:
            continue
        paths = list(nx.all_shortest_paths(whole, s, t))
        for path in paths:
            for u, v, w in zip(path, path[1:], path[2:], strict=False):
                found[v, colour[number[u, v]], colour[number[v, w]]] += 1 / len(paths)
    return found


@pytest.mark.parametrize("name", ["C(11,{1,3})", "Kautz(2,2)", "Q(3)", "K(4,4)"])
def test_the_pairing_keeps_the_most_with_its_accelerator(name: str) -> None:
    graph = build(parse(name))
    colour, kept = split_permutations(graph)
    found = pair_rails(graph, colour, kept)
    loads = loads_by_paths(graph, colour.tolist())
    every = range(graph.degree)
    total = loads.sum()
    own = sum(loads[:, c, c].sum() for c in every)
    ways = list(permutations(every))
    best = sum(
        max(sum(node[c, way[c]] for c in every) for way in ways)
        for node in (loads if not kept else [loads.sum(axis=0)])
    )
    assert found.inside_own == pytest.approx(1 - own / total)
    assert found.inside == pytest.approx(1 - best / total)
    into = found.into.astype(np.int64) + graph.head * graph.degree
    assert len(np.unique(into)) == graph.arcs


def test_free_rails_end_at_every_port_once() -> None:
    fabric = parse_host_fabric("Host(4;switch@450GB/s;1@50GB/s)[Pi(4,10); any]")
    assert parse_host_fabric(str(fabric)) == fabric
    assert str(fabric).endswith("[Pi(4,10);any]")
    wiring = host_wiring(fabric)
    assert wiring.pairing is not None
    assert sorted(wiring.head.tolist()) == sorted(wiring.tail.tolist()) == list(range(40))
    assert wiring.pairing.inside <= wiring.pairing.inside_own
