"""Every graph of Small against the frontier without Small, by independent costs."""

from fractions import Fraction

import networkx as nx
import pytest

from expansions.cost import Cost
from expansions.line_graph import line_graph
from expansions.lower_bounds import least_bandwidth, moore_steps
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.families.small import canonical, members, properties, small
from generators.registry import Arguments
from generators.topology import Topology
from tests.generators.families.test_bandwidth_optimality import bandwidth, step_loads
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import frontier

GRAPHS = FAMILIES["Small"].samples

INCOMPLETE = {(2, 6), (2, 7), (2, 12), (2, 13), (2, 14), (2, 15)} | {(3, 11), (3, 12), (3, 13)}
"""Sizes whose frontier is proved, by `test_small_proofs`, to miss the bounds (and (4, 16))."""

EQUALLED = [(2, 12)]
"""L^2(UniRing(2,3)), which was found later, costs the same."""


@pytest.fixture(scope="module")
def pools() -> Pools:
    """Searches that have never heard of Small."""
    without = Pools()
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(FAMILIES, "Small")
        for arguments in GRAPHS:
            for links in LinkMode:
                without.pool(properties(*arguments).n, properties(*arguments).d, links)
        without.pool(64, 4)
    return without


def cost(topology: Topology) -> Cost:
    """Diameter by networkx, bandwidth by trying every set of in-links."""
    arcs = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    return Cost(nx.diameter(nx.DiGraph(arcs)), bandwidth(topology, step_loads(topology)))


@pytest.mark.parametrize("arguments", GRAPHS, ids=str)
def test_every_graph_beats_the_frontier_of_its_size(pools: Pools, arguments: Arguments) -> None:
    topology, proved = small(*arguments), properties(*arguments)
    found, back = cost(topology), cost(topology.transpose())
    assert found == back
    assert (found.bandwidth == least_bandwidth(topology.n)) == proved.bandwidth_optimal
    modes = [LinkMode.SIMPLEX, LinkMode.DUPLEX] if proved.bidirectional else [LinkMode.SIMPLEX]
    beaten = []
    for links in modes:
        known = [one.allgather for one in frontier(pools.pool(proved.n, proved.d, links))]
        assert known
        beaten.append(not any(other.weakly_beats(found) for other in known))
    assert any(beaten) != (arguments in EQUALLED)


def test_nearly_every_frontier_is_now_a_single_graph_at_both_bounds() -> None:
    pools = Pools()
    for d in range(2, 6):
        for n in range(d + 2, 17):
            least = Cost(moore_steps(n, d), least_bandwidth(n))
            found = {one.allgather for one in frontier(pools.pool(n, d))}
            assert (found == {least}) == ((d, n) not in INCOMPLETE | {(4, 16)}), (d, n)


def test_the_petersen_graph_is_found() -> None:
    topology = small(3, 10)
    arcs = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    assert nx.is_isomorphic(nx.Graph(arcs), nx.petersen_graph())


def test_a_line_graph_that_is_bandwidth_optimal_too() -> None:
    assert cost(line_graph(small(2, 16))) == Cost(5, Fraction(31, 32))


def test_larger_sizes_gain_too(pools: Pools) -> None:
    line = Cost(3, Fraction(17, 16))  # L(Small(4,16))
    before = [one.allgather for one in frontier(pools.pool(64, 4))]
    after = [one.allgather for one in frontier(Pools().pool(64, 4))]
    assert not any(cost.weakly_beats(line) for cost in before)
    assert any(cost.weakly_beats(line) for cost in after)


def test_numbers_and_refusals() -> None:
    assert canonical(4, 15, 1) == (4, 15)
    assert list(members(15, 4)) == [(4, 15), (4, 15, 2)]
    assert list(members(17, 4)) == []
    with pytest.raises(InvalidInput, match=r"not known for \(2,8\)"):
        small(2, 8)
    for number in (0, 3, -1):
        with pytest.raises(
            InvalidInput, match=rf"Small\(4,15,i\) needs i from 1 to 2, not {number}"
        ):
            small(4, 15, number)
