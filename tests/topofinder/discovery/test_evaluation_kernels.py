"""The kernel that judges a generator list against the evaluation of its graph."""

from dataclasses import replace

import numpy as np
import pytest

from expansions.cost import Cost
from generators.cayley.family import digraph
from generators.cayley.generated import reachable_elements
from generators.cayley.notation import parse_group
from generators.topology import Topology
from topofinder.discovery.evaluation_kernels import sum_excesses
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.multiplication_table import multiplication_columns
from topofinder.schedules.bfb.evaluation import evaluate

GROUPS = ("Z7", "Z2^3", "S3", "Dic2", "D8", "A4xZ2", "Z7:Z3[2]", "Z8.Z2[7|4]", "S4", "Z16:Z4[3]")


def plain_cost(graph: Topology) -> Cost:
    """The cost with every node as a receiver, no symmetry assumed."""
    return evaluate(replace(graph, translation=None)).cost


def random_list(group: str, seed: int) -> tuple[int, ...] | None:
    """Generators with repetitions; None when they do not generate the group."""
    random = np.random.default_rng(seed)
    known = parse_group(group)
    picks = random.integers(1, known.order, random.integers(2, 6))
    chosen = tuple(picks.tolist())
    return chosen if reachable_elements(known, chosen).all() else None


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("group", GROUPS)
def test_excesses_are_the_exact_cost_both_ways(group: str, seed: int) -> None:
    chosen = random_list(group, seed)
    if chosen is None:
        return
    known = parse_group(group)
    goal = SearchGoal(n=known.order, d=len(chosen))
    graph, columns = digraph(known, chosen), multiplication_columns(known)
    inverse = known.inverses[list(chosen)].astype(np.int64)
    for topology, picks in ((graph, np.array(chosen)), (graph.transpose(), inverse)):
        excess, steps = sum_excesses(columns, picks, goal.scale)
        assert Cost(steps, goal.bandwidth(excess)) == plain_cost(topology)


def test_a_list_that_generates_less_has_no_steps() -> None:
    columns = multiplication_columns(parse_group("Z6"))
    assert sum_excesses(columns, np.array([2, 4]), SearchGoal(n=6, d=2).scale)[1] == -1
