"""Trees: they add up everywhere, fit their links, and grow one arc a step."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest

from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.dgx1 import dgx1
from generators.fabrics.names import fabric_of
from generators.topology import Topology
from tests.fabrics import topology
from tests.topofinder.timetables.message_twin import replay_allreduce
from topofinder.timetables.logical_messages import split_messages
from topofinder.timetables.message_routes import route_messages
from topofinder.timetables.tree_messages import (
    ccube_messages,
    double_tree_messages,
    grow_trees,
    grown_tree_messages,
    tree_messages,
)

GROWN = [
    jump_graph(5, [1, 4]),
    jump_graph(5, [1]),
    topology("Mesh(3,3)"),
    topology("Kautz(2,1)"),
    dgx1(),
]
CASES = [double_tree_messages(n) for n in (2, 3, 4, 8, 9, 13)]
CASES += [tree_messages([1, -1, 1, 2]), ccube_messages(dgx1()), split_messages(CASES[2], 2)]
CASES += [grown_tree_messages(graph) for graph in GROWN]


@pytest.mark.parametrize("messages", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_every_host_gets_every_sum(messages, seed: int) -> None:  # type: ignore[no-untyped-def]
    assert replay_allreduce(messages, seed)


@pytest.mark.parametrize("hosts", [4, 7, 8, 32, 33])
def test_double_trees_share_the_work(hosts: int) -> None:
    """At most three hosts send or take more than twice the data, and trees are low."""
    messages = double_tree_messages(hosts)
    for half in range(2):
        own = (messages.begin == half) & messages.reducing
        tree = nx.DiGraph(
            list(zip(messages.origin[own].tolist(), messages.target[own].tolist(), strict=True))
        )
        assert nx.is_arborescence(tree.reverse())
        assert max(dict(tree.in_degree()).values()) <= 2
        assert nx.dag_longest_path_length(tree) <= (hosts - 1).bit_length()
    inner = [
        {*messages.target[messages.reducing & (messages.begin == half)].tolist()} for half in (0, 1)
    ]
    assert len(inner[0] & inner[1]) <= hosts % 2


def test_the_trees_of_ccube_meet_on_no_link() -> None:
    box = dgx1()
    messages = ccube_messages(box)
    used = Counter(
        zip(messages.origin[:14].tolist(), messages.target[:14].tolist(), strict=True)
    ) + Counter(zip(messages.origin[14:].tolist(), messages.target[14:].tolist(), strict=True))
    have = Counter(zip(box.tail.tolist(), box.head.tolist(), strict=True))
    assert used <= have
    sent: Counter[int] = Counter()
    for (u, _), count in used.items():
        sent[u] += count
    assert max(sent.values()) == 4
    assert sum(have[pair] == 1 for pair in used) == 4  # two pairs, both directions
    assert (np.diff(route_messages(messages, box).way_start) == 1).all()


@pytest.mark.parametrize("graph", GROWN)
def test_trees_take_every_arc_once_a_step(graph: Topology) -> None:
    rows = grow_trees(graph)
    have = Counter(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    for step in range(rows[:, 0].max() + 1):
        assert Counter(map(tuple, rows[rows[:, 0] == step, 2:].tolist())) <= have
    for root in range(graph.n):
        own = rows[rows[:, 1] == root]
        at = {root: -1} | {int(v): int(step) for step, _, _, v in own}
        assert len(at) == graph.n
        assert all(at[int(u)] < step for step, _, u, _ in own)


def test_trees_grow_as_quickly_as_links_allow() -> None:
    """A torus of 4 x 4 has 64 arcs for 16 * 15 hosts to reach: four steps are needed."""
    assert grow_trees(topology("K(6)"))[:, 0].max() == 0
    assert grow_trees(topology("Torus(4,4)"))[:, 0].max() + 1 in (4, 5)
    assert grow_trees(jump_graph(9, [1, 8]))[:, 0].max() + 1 == 4


def test_grown_trees_take_links_alone() -> None:
    messages = grown_tree_messages(topology("Mesh(3,4)"))
    routed = route_messages(messages, topology("Mesh(3,4)"))
    assert (np.diff(routed.way_start) == 1).all()
    assert messages.priority is not None
    assert (messages.priority[messages.before] < messages.priority[messages.after]).all()


def test_refusals() -> None:
    with pytest.raises(Unsupported, match=r"^C-Cube: its trees are laid out for the links of DGX1"):
        ccube_messages(topology("Q(3)"))
    with pytest.raises(Unsupported, match=r"^MultiTree: a topology without switches is needed"):
        grown_tree_messages(fabric_of("Switch2D(2,2)")[1])
    with pytest.raises(Unsupported, match=r"^MultiTree: at most 256 hosts, not 257$"):
        grown_tree_messages(jump_graph(257, [1]))
    with pytest.raises(InvalidInput, match=r"^MultiTree: some hosts do not reach each other$"):
        grown_tree_messages(Topology.from_arcs(3, [(0, 1), (1, 2)]))
    with pytest.raises(InvalidInput, match=r"^hosts: at least 2 are needed, not 1$"):
        double_tree_messages(1)
    for parents in ([1, 0, -1], [-1, -1, 0]):
        with pytest.raises(InvalidInput, match=r"^parents: a tree over 3 hosts is needed$"):
            tree_messages(parents)
