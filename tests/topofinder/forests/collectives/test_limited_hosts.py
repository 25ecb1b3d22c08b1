"""Forests on hosts with an injection limit: within it, at the bound, and as before without."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.fabrics.dgx import dgx_a100
from generators.topology import Topology
from tests.fabrics import random_fabric
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.forest import Forest, link_loads
from topofinder.simulation.pipeline import Pipeline
from topofinder.verification.forests import verify_forest

BOTH = (Collective.ALLGATHER, Collective.ALLREDUCE)


def _graph(name: str, limit: int | Fraction) -> Topology:
    return replace(build(parse(name)), injection=Fraction(limit))


def _host_time(forest: Forest) -> Fraction:
    """What the busiest host takes, added up plainly."""
    most = Fraction()
    for phase in forest.phases:
        for place in (0, 1):
            moved: dict[int, int] = {}
            for pair, load in link_loads(phase.trees).items():
                moved[pair[place]] = moved.get(pair[place], 0) + load
            for v in forest.topology.switches:
                moved.pop(v, None)
            most = max(most, Fraction(max(moved.values()), phase.trees.k))
    return most / forest.topology.injection


@pytest.mark.parametrize("collective", BOTH)
@pytest.mark.parametrize(
    ("name", "limit", "rate"),
    [("C(12,{2,3})", 3, "11/3"), ("C(12,{2,3})", 1, "11"), ("Torus(4,4)", 2, "15/2"),
     ("Torus(3,5)", 3, "14/3"), ("Q(3)", Fraction(5, 2), "14/5")],
)  # fmt: skip
def test_limits_bind_at_the_bound_of_what_hosts_receive(name, limit, rate, collective) -> None:
    made = make_forest(_graph(name, limit), ForestOptions(collective=collective))
    assert all(phase.trees.time == phase.trees.optimum == Fraction(rate) for phase in made.phases)
    assert verify_forest(made).violation is None
    assert _host_time(made) <= made.phases[0].trees.time


def test_a_limit_that_binds_nowhere_changes_nothing() -> None:
    free, held = (make_forest(graph, ForestOptions()) for graph in
                  (build(parse("C(12,{2,3})")), _graph("C(12,{2,3})", 4)))  # fmt: skip
    assert free.inverse_rate == held.inverse_rate
    assert free.spread is not None
    assert held.spread is not None
    np.testing.assert_array_equal(free.spread.route, held.spread.route)


def test_switches_take_part() -> None:
    made = make_forest(replace(dgx_a100(2), injection=Fraction(100)), ForestOptions())
    assert (made.optimum, made.inverse_rate) == (Fraction(3, 20), Fraction(3, 20))
    assert verify_forest(made).violation is None


def test_where_no_half_of_the_links_will_do_the_gap_is_told() -> None:
    made = make_forest(_graph("DBJ(2,3)", 1), ForestOptions())
    assert verify_forest(made).violation is None
    assert made.optimum < made.inverse_rate
    assert _host_time(made) <= made.inverse_rate


def test_checkers_count_hosts() -> None:
    made = make_forest(_graph("C(12,{2,3})", 3), ForestOptions())
    assert made.spread is not None
    free = make_forest(build(parse("C(12,{2,3})")), ForestOptions())
    assert free.spread is not None
    wrong = replace(made, spread=free.spread)
    assert verify_forest(wrong).violation is not None


def test_rounds_of_a_pipeline_last_as_long_as_the_busiest_host() -> None:
    made = make_forest(_graph("C(12,{2,3})", 1), ForestOptions(collective=Collective.ALLREDUCE))
    assert made.spread is not None
    assert made.gather is not None
    one = Pipeline.from_trees(made.topology, made.spread)
    assert one.seconds(1) >= made.spread.time
    assert one.seconds(4096) <= made.spread.time * (1 + Fraction(one.depth, 4096))
    both = Pipeline.from_phases(made.topology, made.gather, made.spread)
    assert both.seconds(1 << 20) >= made.together


def test_phases_do_not_share_limited_hosts() -> None:
    with pytest.raises(InvalidInput, match="--overlap: does not go with an injection limit"):
        make_forest(
            _graph("C(12,{2,3})", 3),
            ForestOptions(collective=Collective.ALLREDUCE, overlap=True),
        )


def _check_limited(seed: int) -> None:
    """On a random fabric with unequal links and switches: valid, within limits, bounds in order."""
    graph = random_fabric(seed)
    limit = Fraction(int(np.random.default_rng(seed).integers(1, 9)), 2)
    collective = BOTH[seed % 2]
    free = make_forest(graph, ForestOptions(collective=collective))
    held = make_forest(replace(graph, injection=limit), ForestOptions(collective=collective))
    assert verify_forest(held).violation is None
    assert _host_time(held) <= max(phase.trees.time for phase in held.phases)
    assert max(free.optimum, held.optimum) == held.optimum <= held.inverse_rate
    hosts = graph.n - len(graph.switches)
    assert held.optimum >= len(held.phases) * (hosts - 1) / limit


@pytest.mark.parametrize("seed", range(24))
def test_limits_hold_on_random_fabrics(seed: int) -> None:
    _check_limited(seed)


@pytest.mark.slow
def test_limits_hold_on_all_random_fabrics() -> None:
    for seed in range(24, 300):
        _check_limited(seed)
