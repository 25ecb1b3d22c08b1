"""Composed forests of hosts, against the independent checker and forests packed over all links."""

from fractions import Fraction

import pytest

from expansions.collective import Collective
from expansions.hosts import parse_host_fabric
from generators.errors import Unsupported
from topofinder.forests.collectives.host_forest import compose_forest, inner_trees
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.verification.forests import verify_forest

OPTIMAL = [
    ("Host(8;switch@450GB/s;1@50GB/s)[C(32,{1,6,9,10})]", Fraction(31, 50), 5),
    ("Host(4;switch@450GB/s;1@50GB/s)[C(13,{1,5});any]", Fraction(12, 50), 5),
    ("HostH100[K(8,8)]", Fraction(15, 50), 5),
    ("Host(4*8.8*12;switch@450GB/s;1@50GB/s)[C(32,{1,6})]", Fraction(31, 50), 9),
    ("Workstation[Pi(2,7)]", Fraction(12, 25), 3),
    ("Host(2;mesh@200GB/s;2@50GB/s)[C(9,{1,2})]", Fraction(8, 100), 5),
]


@pytest.mark.parametrize(("name", "time", "height"), OPTIMAL)
def test_composed_forests_reach_the_optimum_low(name: str, time: Fraction, height: int) -> None:
    made = compose_forest(parse_host_fabric(name), Collective.ALLGATHER)
    assert verify_forest(made).violation is None
    assert made.inverse_rate == made.optimum == time
    assert made.spread is not None
    assert int(made.spread.heights().max()) <= height


@pytest.mark.parametrize(
    "name",
    ["Host(2;mesh@20GB/s;1@50GB/s)[Pi(2,5)]", "Host(3;links:0-1.1-2@90GB/s;1@50GB/s)[K(4)]"],
)
@pytest.mark.parametrize("collective", [Collective.REDUCE_SCATTER, Collective.ALLREDUCE])
def test_all_collectives_are_carried_out(name: str, collective: Collective) -> None:
    fabric = parse_host_fabric(name)
    made = compose_forest(fabric, collective)
    assert verify_forest(made).violation is None
    best = make_forest(made.topology, ForestOptions(collective=collective))
    assert made.optimum == best.optimum <= made.inverse_rate


def test_parallel_circuits_take_turns() -> None:
    fabric = parse_host_fabric("Host(4;switch@450GB/s;1@50GB/s)[K(3)||2]")
    made = compose_forest(fabric, Collective.ALLGATHER)
    assert verify_forest(made).violation is None
    assert made.inverse_rate == Fraction(2, 50)


def test_switches_that_multicast_spare_hops() -> None:
    fabric = parse_host_fabric("HostH100[K(8,8)]")
    spared, plain = (
        compose_forest(fabric, Collective.ALLGATHER, able=able).spread for able in (True, False)
    )
    assert spared is not None
    assert plain is not None
    assert spared.multicast_skips.any()
    assert not plain.multicast_skips.any()


def test_inner_trees_span_a_host_without_a_switch() -> None:
    host = parse_host_fabric("TrayTPUv4[K(8,8)*2]").template
    trees = inner_trees(host)
    assert trees.time == Fraction(3, 2)
    assert all(len(tree) == 3 for own in trees.edges for tree in own)
    assert [len(own) for own in trees.edges] == [trees.count] * 4


def test_a_broadcast_is_not_composed() -> None:
    with pytest.raises(Unsupported, match="composed forests of hosts"):
        compose_forest(parse_host_fabric("HostH100[K(8,8)]"), Collective.BROADCAST)
