"""Routes against slow twins: channel dependencies by networkx, up-down by a pattern."""

import re
from itertools import pairwise

import networkx as nx
import numpy as np

from topofinder.verification.forest_routes import (
    _breaking_dependencies,
    is_updown,
    virtual_channels,
)

Route = tuple[int, ...]


def random_routes(generator: np.random.Generator) -> list[Route]:
    """Routes through up to six switches, without a node twice; hosts are 10 and 11."""
    count = int(generator.integers(1, 12))
    lengths = generator.integers(1, 6, size=count)
    return [(10, *map(int, generator.permutation(6)[:length]), 11) for length in lengths]


def dependencies(routes: list[Route]) -> nx.DiGraph:
    graph = nx.DiGraph()
    for route in routes:
        graph.add_edges_from(pairwise(list(pairwise(route))))
    return graph


def test_one_channel_is_enough_exactly_where_there_is_no_cycle() -> None:
    generator = np.random.default_rng(1)
    for _ in range(300):
        routes = random_routes(generator)
        acyclic = nx.is_directed_acyclic_graph(dependencies(routes))
        found = virtual_channels(routes)
        assert (found == 1) == acyclic


def test_virtual_channels_leave_no_cycle() -> None:
    generator = np.random.default_rng(2)
    for _ in range(200):
        routes = random_routes(generator)
        graph = dependencies(routes)
        follows = {link: set(graph.successors(link)) for link in graph}
        broken = _breaking_dependencies(follows)
        layered = nx.DiGraph()
        most = 0
        for route in routes:
            links = list(pairwise(route))
            level = 0
            for link, after in pairwise(links):
                higher = level + ((link, after) in broken)
                layered.add_edge((link, level), (after, higher))
                level = higher
            most = max(most, level)
        assert nx.is_directed_acyclic_graph(layered)
        assert most <= len(broken)


def test_up_down_is_up_then_level_then_down() -> None:
    generator = np.random.default_rng(3)
    found = set()
    for _ in range(300):
        tiers = (0, *map(int, generator.integers(1, 4, size=int(generator.integers(1, 6)))), 0)
        signs = "".join("u" if b > a else "d" if b < a else "l" for a, b in pairwise(tiers))
        route = tuple(range(len(tiers)))
        assert is_updown(route, tiers) == bool(re.fullmatch("u*l?d*", signs))
        found.add(is_updown(route, tiers))
    assert found == {True, False}
