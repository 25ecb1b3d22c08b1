"""Forests of every collective: the published optima, valid by the independent check."""

from dataclasses import replace
from fractions import Fraction

import pytest

from benchmarks.prime_fabrics import prime_fabrics
from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput
from generators.fabrics.names import fabric_of, is_fabric
from generators.families.circulant import circulant
from generators.topology import Topology
from topofinder.api.schedule_forest import ForestRequest, schedule_forest
from topofinder.forests.collectives.make_forest import ForestOptions, is_two_way, make_forest
from topofinder.model.forest import inverse_rate
from topofinder.simulation.pipeline import pipeline_times
from topofinder.verification.forests import verify_forest

PUBLISHED = {
    "DGXA100(1)": ("7/300", 1),
    "DGXA100(2)": ("3/65", 13),
    "DGXA100(4)": ("3/25", 1),
    "MI250(1)": ("7/150", 3),
    "MI250(2)": ("15/166", 83),
    "BiRing(2,16)": ("15/2", 2),
    "K(8)": ("1", 1),
    "Q(3)": ("7/3", 3),
    "Torus(4,4)": ("15/4", 4),
    "Mesh(4,4)": ("15/2", 2),
    "Torus(3,3,3)": ("13/3", 3),
    "Q(5)": ("31/5", 5),
    "Pi(4,16)": ("5", 1),
    "C(12,{2,3})": ("11/4", 4),
}
"""1/x* and k by the authors' implementation."""


def graph(text: str) -> Topology:
    return fabric_of(text)[1] if is_fabric(text) else build(parse(text))


@pytest.mark.parametrize("subject", list(PUBLISHED))
def test_published_optima_are_reached(subject: str) -> None:
    optimum, most = PUBLISHED[subject]
    saved = schedule_forest(ForestRequest(subject=subject))
    (phase,) = saved.phases
    assert phase.trees.optimum == phase.trees.time == Fraction(optimum)
    assert phase.trees.k <= most
    verdict = verify_forest(saved)
    assert verdict.violation is None
    assert verdict.time == Fraction(optimum)


FOREST_COLLECTIVES = [one for one in Collective if one is not Collective.ALLTOALL]


@pytest.mark.parametrize("subject", ["DGXA100(2)", "DGXH100(2)", "Torus(3,3)", "Kautz(2,2)"])
@pytest.mark.parametrize("collective", FOREST_COLLECTIVES)
def test_every_collective_is_valid(subject: str, collective: Collective) -> None:
    root = 3 if collective.is_rooted else None
    saved = make_forest(graph(subject), ForestOptions(collective=collective, root=root))
    verdict = verify_forest(saved)
    assert verdict.violation is None
    assert verdict.time == verdict.optimum == saved.inverse_rate
    assert saved.together <= saved.inverse_rate
    for phase in saved.phases:
        depth = int(phase.trees.hop_heights().max())
        (time,) = pipeline_times(phase.topology, phase.trees, (1000,))
        assert time <= phase.trees.time * Fraction(1000 + depth - 1, 1000)


def test_a_broadcast_is_bound_by_the_least_cut_of_its_root() -> None:
    line = Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2), (2, 1)], capacity=(4, 4, 3, 3))
    saved = make_forest(line, ForestOptions(collective=Collective.BROADCAST, root=0))
    assert saved.inverse_rate == Fraction(1, 3)
    turned = make_forest(line, ForestOptions(collective=Collective.REDUCE, root=0))
    assert turned.inverse_rate == Fraction(1, 3)


@pytest.mark.parametrize("collective", [Collective.BROADCAST, Collective.REDUCE])
def test_trees_of_one_root_may_branch_where_fewer_would_be_paths(collective: Collective) -> None:
    topology = graph("FatTree(4)")
    options = ForestOptions(collective=collective, root=0)
    few, more = make_forest(topology, replace(options, k=1)), make_forest(topology, options)
    for saved in (few, more):
        assert verify_forest(saved).violation is None
        assert saved.inverse_rate == saved.optimum == 1
    (path,), (trees,) = few.phases, more.phases
    assert path.trees.heights().tolist() == [15]  # all hosts in one line
    assert trees.trees.k in (2, 4, 8)
    assert trees.trees.heights().max() <= 8


def test_weights_shift_the_bound() -> None:
    ring = graph("BiRing(2,4)")
    even = make_forest(ring, ForestOptions())
    uneven = make_forest(ring, ForestOptions(weights=(2, 1, 1, 0)))
    assert verify_forest(uneven).violation is None
    assert uneven.weight == (2, 1, 1, 0)
    assert (even.inverse_rate, uneven.inverse_rate) == (Fraction(3, 2), 2)


def test_two_way_fabrics_use_the_same_trees_twice() -> None:
    assert is_two_way(graph("DGXA100(2)"))
    assert not is_two_way(graph("UniRing(1,4)"))
    both = make_forest(graph("Torus(3,3)"), ForestOptions(collective=Collective.ALLREDUCE))
    assert both.spread is not None
    assert both.gather is not None
    assert both.spread.route.tolist() == both.gather.route.tolist()


@pytest.mark.parametrize("k", [1, 2, 5])
def test_fixed_k_is_told_with_its_loss(k: int) -> None:
    saved = schedule_forest(ForestRequest(subject="MI250(2)", k=k))
    (phase,) = saved.phases
    assert phase.trees.k == k
    assert phase.trees.time == inverse_rate(phase.topology, phase.trees) > phase.trees.optimum
    assert verify_forest(saved).violation is None


def test_switches_may_be_kept_from_multicast() -> None:
    able, plain = (
        verify_forest(schedule_forest(ForestRequest(subject="DGXH100(2)", able=able))).phases[0]
        for able in (True, False)
    )
    assert plain.spared == 0
    assert able.traffic + able.spared == plain.traffic
    assert able.spared > 0
    assert able.time == plain.time


@pytest.mark.parametrize(
    "damage",
    [
        Damage(fail_links=["5%"], seed=1),
        Damage(fail_nodes=["7"], degrade=["0-1=1/3"]),
        Damage(fail_links=["0>1"]),
    ],
)
def test_damaged_graphs_have_optimal_forests(damage: Damage) -> None:
    saved = schedule_forest(ForestRequest(subject="Torus(5,5)", damage=damage))
    verdict = verify_forest(saved)
    assert verdict.violation is None
    assert verdict.time == verdict.optimum


LOOSE = Topology.from_arcs(
    4, [(0, 3), (3, 1), (1, 3), (3, 2), (2, 3)], switches=(3,), names=("a", "b", "c", "hub")
)


@pytest.mark.parametrize(
    ("topology", "options", "message"),
    [
        (LOOSE, ForestOptions(), "node a: no link leads in"),
        (
            Topology.from_arcs(4, [(0, 1), (1, 0), (2, 3), (3, 2)]),
            ForestOptions(),
            "node 2 cannot be reached from node 0",
        ),
        (
            Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2), (2, 2)]),
            ForestOptions(),
            "node 2: no link leads out",
        ),
        (
            replace(LOOSE, tail=[*LOOSE.tail, 3], head=[*LOOSE.head, 0], capacity=(2,) + (1,) * 5),
            ForestOptions(),
            "switch hub: bandwidth 4 in, but 3 out; both must be equal",
        ),
        (graph("K(4)"), ForestOptions(root=1), "root: allgather has no root 1"),
        (graph("K(4)"), ForestOptions(collective=Collective.REDUCE), "root: reduce needs a root"),
        (
            graph("DGXA100(1)"),
            ForestOptions(collective=Collective.BROADCAST, root=8),
            "root: node nvswitch0 is a switch, which has no shard",
        ),
        (
            graph("K(4)"),
            ForestOptions(collective=Collective.BROADCAST, root=4),
            "root: node 4 is no node of this graph",
        ),
        (
            graph("DGXA100(1)"),
            ForestOptions(weights=(1,) * 9),
            "weights: node nvswitch0 cannot send 1",
        ),
        (graph("K(4)"), ForestOptions(k=0), "k: "),
        (graph("K(4)"), ForestOptions(weights=(0, 0, 0, 0)), "weights: no node sends anything"),
    ],
)
def test_fabrics_without_trees_are_refused(
    topology: Topology, options: ForestOptions, message: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        make_forest(topology, options)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_a_loss_leaves_a_broadcast_and_an_overlap_fewer_trees() -> None:
    chorded = dict(prime_fabrics())["chorded ring, 1e+03"]
    rooted = ForestOptions(collective=Collective.BROADCAST, root=0)
    many = make_forest(chorded, rooted)
    few = make_forest(chorded, replace(rooted, loss=Fraction(1, 1000), above=32))
    assert (many.phases[0].trees.k, few.phases[0].trees.k) == (2520, 5)
    assert many.inverse_rate == many.optimum
    assert many.optimum < few.inverse_rate <= many.optimum * Fraction(1001, 1000)
    assert verify_forest(few).valid
    lost = apply_damage(circulant(64, (5, 6)), Damage(fail_links=["0-5"]))
    both = ForestOptions(collective=Collective.ALLREDUCE, overlap=True)
    near = make_forest(lost, replace(both, loss=Fraction(1, 1000)))
    far = make_forest(lost, replace(both, loss=Fraction(1, 50)))
    assert (near.phases[0].trees.k, far.phases[0].trees.k) == (4, 1)
    assert near.together < far.together <= near.together * Fraction(51, 50)
    assert verify_forest(far).valid
