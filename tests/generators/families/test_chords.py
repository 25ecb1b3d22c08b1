"""Rings with chords: matchings, no short cycles by networkx, and few steps."""

import hashlib

import networkx as nx
import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.families.chords import (
    FIRST_CHORD,
    chords,
    chords_on_cycles,
    half_girth,
    members,
    neighbour_table,
)
from generators.topology import IntArray
from topofinder.finder.base_scope import EVERYTHING
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.schedules.bfb.evaluation import evaluate

SIZES = [(12, 3), (16, 4), (50, 4), (64, 3), (300, 3), (602, 5), (1030, 3), (1032, 4), (3000, 7)]


def graph_of(table: IntArray) -> nx.MultiGraph:
    """Each circuit once, a chord's key its column."""
    graph = nx.MultiGraph()
    for node, row in enumerate(table.tolist()):
        graph.add_edge(node, row[0], "ring")
        for column in range(FIRST_CHORD, len(row)):
            graph.add_edge(node, row[column], column)
    return graph


@pytest.mark.parametrize(("n", "d"), SIZES)
def test_a_ring_and_matchings(n: int, d: int) -> None:
    table = neighbour_table(n, d)
    nodes = np.arange(n)
    assert (table[:, 0] == (nodes + 1) % n).all()
    assert (table[table[:, 0], 1] == nodes).all()
    for column in range(FIRST_CHORD, d):
        assert (table[table[:, column], column] == nodes).all()
        assert (table[:, column] != nodes).all()
    turned = np.roll(nodes, n // 2)
    assert (table[turned] == (table + n // 2) % n).all()
    assert len(chords(n, d).orbits) == n // 2


@pytest.mark.parametrize(("n", "d"), [size for size in SIZES if 50 <= size[0] <= 1030])
def test_no_cycle_is_short(n: int, d: int) -> None:
    assert nx.girth(nx.Graph(graph_of(neighbour_table(n, d)))) > 2 * half_girth(n, d)
    assert chords(n, d).is_simple


@pytest.mark.parametrize("h", [1, 2, 3])
@pytest.mark.parametrize(("n", "d"), [(30, 3), (24, 4), (120, 3)])
def test_chords_on_cycles_by_removing_each(n: int, d: int, h: int) -> None:
    table = random_chords(n, d)
    graph, short = graph_of(table), set()
    for one, other, column in list(graph.edges(keys=True)):
        if column != "ring":
            graph.remove_edge(one, other, column)
            if nx.shortest_path_length(graph, one, other) < 2 * h:
                short.add((min(one, other), column))
            graph.add_edge(one, other, column)
    found = chords_on_cycles(table, np.arange(n, dtype=np.int32), h)
    assert short <= set(found)
    assert bool(short) == bool(found)
    assert found == sorted(found)


def random_chords(n: int, d: int) -> IntArray:
    table = np.empty((n, d), dtype=np.int32)
    table[:, 0], table[:, 1] = np.roll(np.arange(n), -1), np.roll(np.arange(n), 1)
    for column in range(FIRST_CHORD, d):
        order = np.random.default_rng(column).permutation(n)
        table[order[::2], column], table[order[1::2], column] = order[1::2], order[::2]
    return table


def test_a_name_is_one_graph_for_good() -> None:
    text = b"".join(neighbour_table(n, d).astype("<i8").tobytes() for n, d in SIZES)
    assert hashlib.sha256(text).hexdigest()[:16] == "f1a16f84c92bbebc"


@pytest.mark.parametrize(("n", "d"), [(2002, 3), (2500, 5), (2222, 7), (2004, 9), (1002, 7),
                                    (932, 9), (1988, 11), (2000, 21)])  # fmt: skip
def test_members_take_few_steps(n: int, d: int) -> None:
    assert list(members(n, d)) == [(n, d)]
    found = evaluate(chords(n, d)).cost
    least = cost_lower_bound(n, d, LinkMode.DUPLEX)
    assert found.steps <= 1.5 * least.steps
    assert found.bandwidth <= 1.25 * least.bandwidth


def test_members_are_considered_where_links_are_two_way_and_n_is_neither_small_nor_large() -> None:
    assert not list(members(62, 3)) + list(members(2003, 3)) + list(members(2002, 4))
    assert not list(members(80, 9)) + list(members(2000, 45))
    assert list(members(82, 9)) + list(members(2000, 7)) == [(82, 9), (2000, 7)]
    assert list(members(64, 3)) + list(members(2000, 5)) == [(64, 3), (2000, 5)]
    assert not list(members(20_002, 3)) + list(members(20_000, 11))
    for links in LinkMode:
        found = EVERYTHING.members(2002, 3, links)
        assert ("Chords" in {base.name for base in found}) == (links is LinkMode.DUPLEX)


@pytest.mark.parametrize("d", range(3, 45, 2))
def test_members_are_graphs_without_parallel_links(d: int) -> None:
    smallest = next(n for n in range(64, 2001) if list(members(n, d)))
    for n in (smallest, smallest + 2, 2000):
        assert list(members(n, d)) == [(n, d)]
        assert chords(n, d).is_simple


@pytest.mark.parametrize(
    ("n", "d", "words"),
    [
        (13, 3, "Chords(13,3): n must be even and at least 4 d"),
        (18, 5, "Chords(18,5): n must be even and at least 4 d"),
        (8, 2, "Chords(8,2): d must be at least 3"),
    ],
)
def test_what_is_refused(n: int, d: int, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        chords(n, d)
    assert str(refused.value) == words
