"""Reversal, isomorphism, allreduce, broadcast and reduce: complete, and of the same cost."""

import networkx as nx
import numpy as np
import pytest

from expansions.collective import Collective
from expansions.derived_collectives import join_allreduce, restrict_to_root, reverse_schedule
from expansions.isomorphic_copy import carry_schedule
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families.complete import complete
from generators.topology import Topology
from tests.replay import Wrong, replay
from tests.schedules import breadth_first, empty, from_rows, rows_of
from tests.twins import random_topology

seeds = pytest.mark.parametrize("seed", range(12))


@seeds
def test_an_allgather_run_backwards_is_a_reduce_scatter(seed: int) -> None:
    graph = random_topology(seed)
    gather = breadth_first(graph, pieces=2, seed=seed)
    scatter = reverse_schedule(gather)
    replay(graph.transpose(), scatter)
    assert scatter.collective is Collective.REDUCE_SCATTER
    assert scatter.cost(graph.transpose()) == gather.cost(graph)
    assert rows_of(scatter) == {
        (v, e, gather.steps + 1 - t, begin, end) for v, e, t, begin, end in rows_of(gather)
    }
    assert rows_of(reverse_schedule(scatter)) == rows_of(gather)


@seeds
def test_allreduce_adds_up(seed: int) -> None:
    graph = random_topology(seed)
    gather = breadth_first(graph, pieces=2, seed=seed)
    scatter = reverse_schedule(breadth_first(graph.transpose(), pieces=3, seed=seed))
    both = join_allreduce(scatter, gather)
    replay(graph, both)
    assert both.turn == scatter.steps
    assert both.cost(graph) == scatter.cost(graph) + gather.cost(graph)
    assert both.loads(graph) == scatter.loads(graph) + gather.loads(graph)
    again = reverse_schedule(both)
    replay(graph.transpose(), again)
    assert again.turn == gather.steps


@seeds
def test_one_shard_is_a_broadcast_or_a_reduce(seed: int) -> None:
    graph = random_topology(seed)
    root = seed % graph.n
    gather = breadth_first(graph, pieces=2, seed=seed)
    broadcast = restrict_to_root(gather, root)
    replay(graph, broadcast)
    assert broadcast.collective is Collective.BROADCAST
    assert broadcast.rows == 2 * (graph.n - 1)
    reduce = restrict_to_root(reverse_schedule(gather), root)
    replay(graph.transpose(), reduce)
    assert rows_of(reduce) == rows_of(reverse_schedule(broadcast))


def test_idle_steps_of_a_shard_are_left_out() -> None:
    pair = complete(2)
    late = from_rows([(0, 0, 1, 0, 1), (1, 1, 2, 0, 1)])
    assert restrict_to_root(late, 1).steps == 1
    replay(pair, restrict_to_root(late, 1))


@seeds
def test_isomorphic_graphs_take_isomorphic_schedules(seed: int) -> None:
    graph = random_topology(seed)
    generator = np.random.default_rng(seed)
    image, order = generator.permutation(graph.n), generator.permutation(graph.arcs)
    other = Topology(n=graph.n, tail=image[graph.tail][order], head=image[graph.head][order])
    schedule = breadth_first(graph, pieces=2, seed=seed)
    found = carry_schedule(schedule, graph, other, image)
    replay(other, found)
    assert found.loads(other) == schedule.loads(graph)
    there = restrict_to_root(found, int(image[0]))
    assert rows_of(carry_schedule(restrict_to_root(schedule, 0), graph, other, image)) == rows_of(
        there
    )
    back = carry_schedule(found, other, graph, np.argsort(image))
    assert back.loads(graph) == schedule.loads(graph)


@pytest.mark.parametrize(("n", "jumps"), [(5, [1]), (6, [1, 2]), (7, [1, 1, 3]), (8, [1, 7])])
def test_reduce_scatter_on_a_reverse_symmetric_graph(n: int, jumps: list[int]) -> None:
    graph = jump_graph(n, jumps)
    image = -np.arange(n) % n
    gather = breadth_first(graph, pieces=2)
    scatter = reverse_schedule(carry_schedule(gather, graph, graph.transpose(), image))
    replay(graph, scatter)
    assert scatter.cost(graph) == gather.cost(graph)


def test_an_isomorphism_to_the_transpose_found_by_networkx() -> None:
    graph = Topology.from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (2, 0)])
    plain = nx.DiGraph(list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True)))
    found = nx.vf2pp_isomorphism(plain, plain.reverse())
    image = np.array([found[v] for v in range(4)])
    gather = breadth_first(graph)
    scatter = reverse_schedule(carry_schedule(gather, graph, graph.transpose(), image))
    replay(graph, scatter)


def test_what_does_not_fit_is_refused() -> None:
    ring = jump_graph(3, [1])
    gather, scatter = empty(), empty(Collective.REDUCE_SCATTER)
    with pytest.raises(InvalidInput, match="reduce-scatter and allgather are needed"):
        join_allreduce(gather, scatter)
    with pytest.raises(InvalidInput, match="allreduce has no rows about one shard alone"):
        restrict_to_root(join_allreduce(scatter, gather), 0)
    with pytest.raises(InvalidInput, match=r"isomorphism: it carries arc \[0, 1\] to \[0, 1\]"):
        carry_schedule(gather, ring, ring.transpose(), np.arange(3))
    with pytest.raises(InvalidInput, match="3 nodes and 3 arcs cannot be carried to 4 and 4"):
        carry_schedule(gather, ring, jump_graph(4, [1]), np.arange(3))
    for image in ([0, 0, 1], [0, 1, 3], [0, 1]):
        with pytest.raises(InvalidInput, match="no permutation of the nodes"):
            carry_schedule(gather, ring, ring, np.array(image))


def test_the_replay_rejects_a_schedule_run_forwards() -> None:
    ring = jump_graph(4, [1])
    gather = breadth_first(ring)
    with pytest.raises(Wrong):
        replay(ring.transpose(), from_rows(_tuples(gather), collective="reduce-scatter"))


def _tuples(schedule) -> list:
    names = ("source", "arc", "step", "begin", "end")
    return list(zip(*(getattr(schedule, name).tolist() for name in names), strict=True))
