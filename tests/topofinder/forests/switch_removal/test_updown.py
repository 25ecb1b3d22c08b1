"""Up-down routes: valley-free at the optimum, with hardly more in the core than must be."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.collective import Collective
from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.fat_tree import fat_tree
from generators.topology import Topology
from tests.forests import bidirectional, check_forest, worst_ratio
from topofinder.forests.build import pack_forest
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.forests.few_trees.pack import Preference
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.switch_removal.updown import updown_splitting
from topofinder.model.routing import Routing
from topofinder.verification.forest_routes import RouteVerdict, verify_routes
from topofinder.verification.forests import verify_forest


def check_routes(topology: Topology, **options: object) -> tuple[RouteVerdict, Fraction]:
    """What the checker says of the routes, and the loss."""
    found = make_forest(topology, ForestOptions(**options))  # type: ignore[arg-type]
    assert verify_forest(found).violation is None
    routes = verify_routes(found)
    assert routes is not None
    return routes, found.inverse_rate / found.optimum - 1


@pytest.mark.parametrize("shape", [(4,), (4, 4, 2), (4, 4, 2, 1), (3, 2, 2), (6,)])
@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.ALLREDUCE])
def test_fat_trees_are_climbed_once(shape: tuple[int, ...], collective: Collective) -> None:
    routes, loss = check_routes(fat_tree(*shape), collective=collective)
    assert loss == 0
    assert routes.updown
    assert routes.channels == 1
    assert routes.core is not None
    assert routes.least_core is not None
    assert routes.least_core <= routes.core <= Fraction(5, 4) * routes.least_core


@pytest.mark.parametrize(
    ("shape", "least"),
    [
        *(((4,), 48), ((4, 4, 2), 48), ((4, 4, 2, 1), 48), ((16, 8, 4), 1920)),
        pytest.param((12,), 4752, marks=pytest.mark.slow),
    ],
)
def test_the_core_of_a_fat_tree_carries_the_least(shape: tuple[int, ...], least: int) -> None:
    routes, loss = check_routes(fat_tree(*shape))
    assert loss == 0
    assert routes.core == routes.least_core == least


def test_a_preference_for_height_has_the_core_last() -> None:
    low = make_forest(fat_tree(4), ForestOptions(prefer=Preference.HEIGHT))
    plain = make_forest(fat_tree(4), ForestOptions())
    assert low.inverse_rate == plain.inverse_rate
    heights = [int(each.phases[0].trees.heights().max()) for each in (low, plain)]
    assert heights[0] < heights[1]
    routes = verify_routes(low)
    assert routes is not None
    assert routes.core is not None
    assert routes.core > 48


def test_broadcasts_and_multiples_of_k_are_climbed_once() -> None:
    for options in ({"collective": Collective.BROADCAST, "root": 3}, {"k": 3}):
        routes, loss = check_routes(fat_tree(4), **options)
        assert loss == 0
        assert routes.updown


def random_tiers(seed: int) -> Topology:
    """Two or three tiers of switches, links of random bandwidth, some past a tier or level."""
    generator = np.random.default_rng([seed, 18])
    hosts, leaves, spines = (int(generator.integers(2, top)) for top in (5, 4, 3))
    n = hosts + leaves + spines
    links = [
        (u, hosts + int(generator.integers(leaves)), int(generator.integers(1, 4)))
        for u in range(hosts)
    ]
    lower = [w for w in range(hosts, hosts + leaves) if any(w == v for _, v, _ in links)]
    for leaf in lower:
        for spine in range(hosts + leaves, n):
            if spine == hosts + leaves or generator.random() < 0.7:
                links.append((leaf, spine, int(generator.integers(1, 5))))
    if len(lower) > 1 and generator.random() < 0.3:
        links.append((lower[0], lower[1], 1))
    if generator.random() < 0.3:
        links.append((0, n - 1, 1))
    used = sorted({v for link in links for v in link[:2]})
    number = {v: i for i, v in enumerate(used)}
    tiers = tuple(0 if v < hosts else 1 if v < hosts + leaves else 2 for v in used)
    moved = [(number[u], number[v], b) for u, v, b in links]
    return replace(bidirectional(len(used), moved, range(hosts, len(used))), tiers=tiers)


ROUTINGS = pytest.mark.parametrize("routing", [None, *Routing])


@ROUTINGS
def test_random_fabrics_against_all_cuts(routing: Routing | None) -> None:
    check_random_fabrics(range(6), routing)


@pytest.mark.slow
@ROUTINGS
def test_many_random_fabrics_against_all_cuts(routing: Routing | None) -> None:
    check_random_fabrics(range(300), routing)


def check_random_fabrics(seeds: range, routing: Routing | None) -> None:
    for seed in seeds:
        topology = random_tiers(seed)
        network = Network.of(topology)
        found = pack_forest(network, routing=routing)
        assert found.optimum.inverse_rate == worst_ratio(network)
        check_forest(found)
        assert routing in (Routing.UPDOWN, Routing.SHORTEST) or found.loss == 0
        routes = verify_routes(make_forest(topology, ForestOptions(routing=routing)))
        assert routes is not None
        assert routing is not Routing.UPDOWN or routes.updown
        assert routing is not Routing.SHORTEST or routes.shortest
        assert not routes.updown or routes.channels == 1


def test_the_up_down_network_keeps_every_cut() -> None:
    for seed in range(8):
        network = Network.of(random_tiers(seed))
        supply = [4 * weight for weight in network.weight]
        held = [8 * capacity for capacity in network.capacity]
        state = updown_splitting(network, held, supply)
        if state is None:
            continue
        into = np.bincount(state.head, state.capacity, minlength=state.n)
        out = np.bincount(state.tail, state.capacity, minlength=state.n)
        assert (into[network.n :] == out[network.n :]).all()
        assert (state.capacity >= 0).all()
        assert (state.capacity[: network.arcs] <= held).all()
        lanes = Network(
            n=state.n,
            tail=state.tail.astype(np.int32),
            head=state.head.astype(np.int32),
            capacity=tuple(state.capacity.tolist()),
            unit=Fraction(1),
            compute=network.compute,
            weight=(*network.weight, *(0,) * network.n),
        )
        cuts = Cuts.of(lanes)
        cuts.load(lanes.capacity, [4 * weight for weight in lanes.weight])
        assert cuts.test() == len(cuts.order)
        if lanes.n <= 12:
            assert worst_ratio(lanes) <= Fraction(1, 4)


def test_damage_leaves_up_down_routes_or_tells_why_not() -> None:
    links = [(0, 2, 1), (1, 3, 1), (2, 5, 1), (3, 6, 1), (4, 5, 1), (4, 6, 1)]
    valley = replace(bidirectional(7, links, range(2, 7)), tiers=(0, 0, 1, 1, 1, 2, 2))
    with pytest.raises(Unsupported, match=r"^--routing: no up-down route from 0 to 1$"):
        make_forest(valley, ForestOptions(routing=Routing.UPDOWN))
    routes, loss = check_routes(valley)
    assert loss == 0
    assert not routes.updown
    failed = ["leaf0-spine0", "leaf1-spine1"]
    relayed = apply_damage(fat_tree(3, 2, 2), Damage(fail_links=failed))
    assert check_routes(relayed, routing=Routing.UPDOWN)[0].updown
    one = apply_damage(fat_tree(4), Damage(fail_links=["edge0.0-agg0.0"]))
    assert check_routes(one, routing=Routing.UPDOWN)[0].updown


def test_what_has_no_tiers_is_refused() -> None:
    plain = replace(fat_tree(2, 2, 1), tiers=None)
    with pytest.raises(InvalidInput, match=r"^--routing: updown needs tiers"):
        make_forest(plain, ForestOptions(routing=Routing.UPDOWN))
    both = ForestOptions(collective=Collective.ALLREDUCE, overlap=True, routing=Routing.ANY)
    with pytest.raises(InvalidInput, match=r"^--routing: any does not go with --overlap$"):
        make_forest(plain, both)
