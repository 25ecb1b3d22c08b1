"""Table 8's graphs are recognised by their intersection arrays, and their orbits are proved."""

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from generators.distance_regular.catalogue import CATALOGUE, Entry
from generators.distance_regular.family import canonical, distance_regular, members
from generators.errors import InvalidInput

ARRAYS = {
    "octahedron": ((4, 1), (1, 4)),
    "paley9": ((4, 2), (1, 2)),
    "crown5": ((4, 3, 1), (1, 3, 4)),
    "heawood3": ((4, 3, 2), (1, 2, 4)),
    "LPetersen": ((4, 2, 1), (1, 1, 4)),
    "Q4": ((4, 3, 2, 1), (1, 2, 3, 4)),
    "LHeawood": ((4, 2, 2), (1, 1, 2)),
    "PG23": ((4, 3, 3), (1, 1, 4)),
    "AG24": ((4, 3, 3, 1), (1, 1, 3, 4)),
    "O4": ((4, 3, 3), (1, 1, 2)),
    "LTutte8": ((4, 2, 2, 2), (1, 1, 1, 2)),
    "DO4": ((4, 3, 3, 2, 2, 1, 1), (1, 1, 2, 2, 3, 3, 4)),
    "GQ33": ((4, 3, 3, 3), (1, 1, 1, 4)),
    "LTutte12": ((4, 2, 2, 2, 2, 2), (1, 1, 1, 1, 1, 2)),
    "GH33": ((4, 3, 3, 3, 3, 3), (1, 1, 1, 1, 1, 4)),
}
"""From Brouwer and Koolen, The distance-regular graphs of valency four (1999)."""

ENTRIES = [pytest.param(entry, id=entry.name) for entry in CATALOGUE]
Distances = NDArray[np.int64]
Colours = NDArray[np.uint64]


def distances(entry: Entry) -> tuple[Distances, Distances]:
    topology = distance_regular(4, entry.n)
    adjacent = np.zeros((entry.n, entry.n), dtype=np.int64)
    np.add.at(adjacent, (topology.tail, topology.head), 1)
    return adjacent, shortest_path(adjacent, unweighted=True).astype(np.int64)


@pytest.mark.parametrize("entry", ENTRIES)
def test_intersection_array(entry: Entry) -> None:
    adjacent, distance = distances(entry)
    assert (adjacent.sum(axis=1) == 4).all()
    counts = adjacent.astype(np.float32)  # exact for such small sums, and fast
    away, back = [], []
    for radius in range(distance.max() + 1):
        pairs = np.nonzero(distance == radius)
        (farther,) = np.unique(((distance == radius + 1) @ counts)[pairs])
        (nearer,) = np.unique(((distance == radius - 1) @ counts)[pairs])
        away.append(int(farther))
        back.append(int(nearer))
    assert (tuple(away[:-1]), tuple(back[1:])) == ARRAYS[entry.name]


@pytest.mark.parametrize("entry", ENTRIES)
def test_equal_split_fills_every_arc(entry: Entry) -> None:
    """The proof of theorem 18: v's shard comes in equal parts over all arcs that bring v nearer."""
    adjacent, distance = distances(entry)
    u = entry.n - 1
    senders = np.nonzero(adjacent[u])[0]
    for step in range(1, entry.diameter + 1):
        layer = np.nonzero(distance[u] == step)[0]
        eligible = distance[np.ix_(senders, layer)] == step - 1
        load = (eligible / eligible.sum(axis=0)).sum(axis=1)
        assert np.allclose(load, len(layer) / 4)


def refined(neighbours: Colours, colours: Colours, chosen: int) -> Colours:
    """Hashed colours once `chosen` has one of its own and rounds of refinement have spread it."""
    odd, high = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
    colours = colours.copy()
    colours[chosen] += np.uint64(1)
    for _ in range(6):
        mixed = (colours ^ (colours >> high)) * odd
        mixed ^= mixed >> high
        colours = mixed * odd + mixed[neighbours].sum(axis=1)
    return colours


def base_of(neighbours: Colours, first: int) -> tuple[list[int], list[Colours]]:
    """Nodes that tell all others apart, each from the largest class left, and the colours."""
    base = [first]
    colours = [refined(neighbours, np.zeros(len(neighbours), dtype=np.uint64), first)]
    while True:
        _, where, count = np.unique(colours[-1], return_inverse=True, return_counts=True)
        if count.max() == 1:
            return base, colours
        base.append(int(np.argmax(count[where])))
        colours.append(refined(neighbours, colours[-1], base[-1]))


def automorphism(neighbours: Colours, first: int, target: int) -> Colours | None:
    """An automorphism that carries first to target, by backtracking on images of a base."""
    base, colours = base_of(neighbours, first)
    stack = [(refined(neighbours, np.zeros_like(colours[0]), target), 1)]
    while stack:
        found, level = stack.pop()
        if not np.array_equal(np.sort(found), np.sort(colours[level - 1])):
            continue
        if level == len(base):
            return np.argsort(found)[np.argsort(np.argsort(colours[-1]))]
        choices = np.nonzero(found == colours[level - 1][base[level]])[0]
        stack += [(refined(neighbours, found, int(v)), level + 1) for v in choices]
    return None


@pytest.mark.parametrize("entry", ENTRIES)
def test_orbits(entry: Entry) -> None:
    """Automorphisms carry every node to a representative."""
    topology = distance_regular(4, entry.n)
    neighbours = topology.head[np.argsort(topology.tail, kind="stable")].reshape(-1, 4)
    arcs = {*zip(topology.tail.tolist(), topology.head.tolist(), strict=True)}
    group = nx.Graph()
    group.add_nodes_from(range(entry.n))
    for node in range(entry.n):
        representative = max(r for r in entry.orbits if r <= node)
        if not nx.has_path(group, representative, node):
            image = automorphism(neighbours, representative, node)
            assert image is not None
            assert np.array_equal(np.sort(image), np.arange(entry.n))
            assert {(int(image[u]), int(image[v])) for u, v in arcs} == arcs
            group.add_edges_from(enumerate(image.tolist()))
    assert nx.number_connected_components(group) == len(entry.orbits)


def test_symplectic_quadrangle_has_two_orbits() -> None:
    """In W(3) two points far apart span four points, two such lines only two: no duality."""
    entry = next(entry for entry in CATALOGUE if entry.name == "GQ33")
    _, distance = distances(entry)
    near = distance <= 2
    spans = []
    for node in entry.orbits:
        other = int(np.nonzero(distance[node] == 4)[0][0])
        same_kind = distance[node] % 2 == 0
        perp = near[node] & near[other] & same_kind
        spans.append(int((near[perp].all(axis=0) & same_kind).sum()))
    assert spans == [4, 2]


def test_names_are_aliases() -> None:
    for entry in CATALOGUE:
        assert canonical(entry.name) == canonical(entry.name.upper()) == (4, entry.n)
    assert list(members(32, 4)) == [(4, 32)]
    assert list(members(33, 4)) == list(members(32, 5)) == []


@pytest.mark.parametrize("arguments", [(4, 33), (3, 14), ("O5",), (4,), ()])
def test_refuses_what_table_8_does_not_list(arguments: tuple[int | str, ...]) -> None:
    with pytest.raises(InvalidInput, match="DistReg has no graph"):
        distance_regular(*arguments)
