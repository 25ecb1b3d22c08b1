"""What ships of the lifts' loads: each line is that of the graph, costed without its symmetry."""

from dataclasses import replace

import pytest

from expansions.build import build
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Base
from generators.cost_profile import read_profile
from generators.families.register_all import FAMILIES
from generators.lifts.annealed import AnnealedLift, all_annealed_lifts
from generators.lifts.family import members
from generators.lifts.profiles import lift_profile, profile_digest
from tools.profile_lifts import find_profile, profile_lines
from topofinder.finder.base_candidates import Bases, shipped_pair
from topofinder.finder.base_scope import EVERYTHING
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import frontier
from topofinder.schedules.bfb.evaluation import evaluate

ALL = list(all_annealed_lifts())
SAMPLE = ALL[::131]


def reprove(one: AnnealedLift) -> None:
    base = Base("Lift", (one.group, one.rows))
    graph = replace(build(base), orbits=None, translation=None)
    forth, back = evaluate(graph), evaluate(graph.transpose())
    for told, real in zip(shipped_pair(base) or (), (forth, back), strict=True):
        assert (told.n, told.d, told.loads, told.cost) == (real.n, real.d, real.loads, real.cost)
        assert (told.line_exact, told.cycle) == (min(forth.line_exact, back.line_exact), real.cycle)
    known = lift_profile(one.group, one.rows)
    assert known is not None
    properties = known.properties
    assert (properties.n, properties.d, properties.diameter) == (one.n, one.d, one.steps)
    assert properties.bidirectional == graph.is_bidirectional == (one.links == "duplex")
    assert properties.simple == graph.is_simple
    assert properties.loop_free != graph.has_loops
    optimal = {forth.cost.bandwidth, back.cost.bandwidth} == {least_bandwidth(one.n)}
    assert bool(properties.bandwidth_optimal) == optimal
    assert find_profile(one) == known


@pytest.mark.parametrize("one", SAMPLE, ids=lambda one: f"{one.links}-{one.d}-{one.n}")
def test_a_sample_of_profiles_is_that_of_the_graphs(one: AnnealedLift) -> None:
    reprove(one)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_every_profile_is_that_of_the_graph(part: int) -> None:
    for one in ALL[part::16]:
        reprove(one)


def test_every_lift_has_a_profile() -> None:
    """If not: `python -m tools.profile_lifts` writes those that are missing."""
    lines = profile_lines(ALL)
    assert len(lines) == len(ALL)
    for one, line in zip(ALL, lines, strict=True):
        known = lift_profile(one.group, one.rows)
        assert known is not None, str(one)
        assert (known.n, known.d) == (one.n, one.d)
        assert str(known) == line
        assert read_profile(line).digest == profile_digest(one.group, one.rows)


@pytest.mark.parametrize("one", SAMPLE[::4], ids=lambda one: f"{one.links}-{one.d}-{one.n}")
def test_a_search_without_effort_has_what_ships(one: AnnealedLift) -> None:
    """As a member of its family, with the costs of the file, and nothing that beats it is lost."""
    base = Base("Lift", (one.group, one.rows))
    assert (one.group, one.rows) in FAMILIES["Lift"].members(one.n, one.d)
    links = LinkMode(one.links)
    assert base in EVERYTHING.members(one.n, one.d, links)
    [candidate] = Bases().candidates(base)
    cost = candidate.allgather
    assert (cost.steps, cost.bandwidth) == (one.steps, one.forth)
    assert candidate.reduce_scatter.bandwidth == one.back
    found = frontier(Pools().pool(one.n, one.d, links))
    assert any(point.allgather.weakly_beats(cost) for point in found)


def test_other_lifts_are_no_members() -> None:
    assert list(members(10, 3)) == []
    assert lift_profile("Z5", "0:1,1:0|1:2") is None
    assert shipped_pair(Base("Lift", ("Z5", "0:1,1:0|1:2"))) is None
