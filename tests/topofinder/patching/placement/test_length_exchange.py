"""Exchanges of hosts change sums as they say, and all placements come in order."""

import random

import numpy as np
import pytest

from topofinder.patching.circuits import Circuits
from topofinder.patching.placement.length_exchange import ExchangeProblem


def draw_problem(draw: random.Random, hosts: int, nodes: int, duplex: bool) -> ExchangeProblem:
    """Some circuits, parallel ones too, and a weight that is symmetric in duplex alone."""
    arcs = [draw.sample(range(nodes), 2) for _ in range(2 * nodes)]
    tail, head = np.array(arcs).T
    weight = np.array([[draw.randrange(50) for _ in range(hosts)] for _ in range(hosts)])
    weight = weight + weight.T if duplex else weight
    allowed = np.array([[draw.random() < 0.9 for _ in range(hosts)] for _ in range(hosts)])
    target = Circuits(n=nodes, duplex=duplex, tail=tail, head=head)
    return ExchangeProblem(target=target, weight=weight, allowed=allowed)


@pytest.mark.parametrize("duplex", [False, True])
def test_gains_are_those_of_sums(duplex: bool) -> None:
    draw = random.Random(5)
    for _ in range(20):
        problem = draw_problem(draw, 7, 6, duplex)
        host = np.array(draw.sample(range(7), 7))
        gains, now = problem._gains(host), problem.sum_of(host)
        for u in range(7):
            for v in range(u):
                other = host.copy()
                other[[u, v]] = host[[v, u]]
                free = problem.allowed[u, host[v]] and problem.allowed[v, host[u]]
                assert gains[u, v] == gains[v, u] == (problem.sum_of(other) - now if free else 0)


def test_no_exchange_is_left_that_makes_it_better() -> None:
    draw = random.Random(6)
    for _ in range(10):
        problem = draw_problem(draw, 9, 8, True)
        host = np.arange(9)
        problem.allowed[host, host] = True
        found = problem.improve(host)
        assert problem.sum_of(found) <= problem.sum_of(host)
        assert problem._gains(found).min() >= 0


def test_all_placements_come_with_the_least_first() -> None:
    problem = draw_problem(random.Random(8), 6, 4, True)
    every = problem.best_first()
    assert every is not None
    sums = [problem.sum_of(host) for host in every]
    assert sums == sorted(sums)
    allowed = [problem.allowed[v, h] for host in every for v, h in enumerate(host)]
    assert all(allowed)
    assert draw_problem(random.Random(8), 9, 8, True).best_first() is None
