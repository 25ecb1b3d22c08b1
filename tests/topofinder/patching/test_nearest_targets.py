"""The choice among targets of tiny fabrics, against all placements and splits over panels."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.patch_cases import Case, drawn_case
from tests.patch_moves import fewest
from tests.sampled import sampled
from topofinder.patching.nearest_targets import (
    CostedTarget,
    MoveBudget,
    TriedTarget,
    choose_target,
)
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target

CASES = 60
OPTIONS = PlacementOptions(time=10.0)


def rewired(graph: Topology, seed: int, *, duplex: bool) -> Topology:
    """The graph with the heads of two circuits exchanged, if that makes no loop."""
    keep = graph.tail < graph.head if duplex else np.ones(graph.arcs, dtype=bool)
    tail, head = graph.tail[keep], graph.head[keep].copy()
    i, j = np.random.default_rng(seed).integers(len(tail), size=2)
    if tail[i] != head[j] and tail[j] != head[i]:
        head[[i, j]] = head[[j, i]]
    if duplex:
        tail, head = np.concatenate([tail, head]), np.concatenate([head, tail])
    return Topology(n=graph.n, tail=tail, head=head)


def offers_of(case: Case, seed: int) -> list[CostedTarget]:
    """Four targets near one another, whose times are drawn: often two are equal."""
    times = np.random.default_rng(seed).integers(1, 4, size=4).tolist()
    graphs = [case.graph]
    for more in range(3):
        graphs.append(rewired(graphs[-1], seed + more, duplex=case.duplex))
    return [
        CostedTarget(
            target=Target(subject=str(i), recipe=None, topology=graph, duplex=case.duplex),
            allgather=Cost(1, Fraction(1)),
            reduce_scatter=Cost(1, Fraction(1)),
            seconds=Fraction(time),
        )
        for i, (graph, time) in enumerate(zip(graphs, times, strict=True))
    ]


def chosen_of(case: Case, offers: list[CostedTarget], budget: MoveBudget) -> TriedTarget | None:
    options = PlanOptions(hosts=case.hosts, placement=OPTIONS)
    try:
        tried = choose_target(case.fabric, case.wiring, offers, lambda _: options, budget)
    except InvalidInput:
        return None
    assert [one.costed.seconds for one in tried] == sorted(one.seconds for one in offers)
    (chosen,) = [one for one in tried if one.chosen]
    return chosen


def least_of(case: Case, graph: Topology) -> tuple[int, int]:
    """The fewest circuits left out, and then made, of all placements."""
    return fewest(case.fabric, case.wiring, graph, duplex=case.duplex, hosts=case.hosts)


@pytest.mark.parametrize("seed", sampled(range(CASES), 25))
def test_no_target_within_the_budget_is_quicker_and_no_equal_one_nearer(seed: int) -> None:
    case = drawn_case(seed)
    offers = offers_of(case, seed)
    least = {one.target.subject: least_of(case, one.target.topology) for one in offers}
    for most in (0, 1, 3):
        fits = [one for one in offers if least[one.target.subject] <= (0, most)]
        found = chosen_of(case, offers, MoveBudget(max_moves=most))
        if found is None:
            assert not fits
            continue
        best = min((one.seconds, least[one.target.subject][1]) for one in fits)
        assert (found.costed.seconds, found.moves) == best
        assert found.bound is not None
        assert found.bound <= best[1]
    for loss in (None, Fraction(0), Fraction(1, 2)):
        found = chosen_of(case, offers, MoveBudget(loss=loss))
        limit = min(one.seconds for one in offers) * (1 + (9 if loss is None else loss))
        within = [one for one in offers if one.seconds <= limit]
        best = min((*least[one.target.subject], one.seconds) for one in within)
        if found is not None:
            assert (found.missing, found.moves, found.costed.seconds) == best
        else:  # with ports for no placement at all, all circuits are left out
            assert all(least[one.target.subject][0] for one in within)
