"""The check of forests finds every way in which one can be wrong, and passes what is right."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.collective import Collective
from tests.known_forests import box_forest, ring_forest
from topofinder.api.shared.subjects import forest_subject
from topofinder.forests.collectives.any_allreduce import allreduce_limits
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.forest import Forest
from topofinder.verification.forests import verify_forest


def test_known_forests_are_valid_and_optimal() -> None:
    for forest in (ring_forest(5), ring_forest(4, Collective.ALLREDUCE), box_forest()):
        verdict = verify_forest(forest)
        assert verdict.violation is None
        assert verdict.time == verdict.optimum == forest.inverse_rate


@pytest.mark.parametrize(
    ("name", "overlap"),
    [("Mesh(3,3)", True), ("Pi(2,5)", True), ("DGXH100(2)", False), ("DGXA100(1)", False)],
)
def test_both_phases_at_once_are_counted_apart_from_the_noun(name: str, overlap: bool) -> None:
    made = make_forest(
        forest_subject(name)[1], ForestOptions(collective=Collective.ALLREDUCE, overlap=overlap)
    )
    verdict = verify_forest(made)
    assert verdict.at_once == made.together
    limits = allreduce_limits(made.topology, made.total)
    assert verdict.at_once_bound is not None
    assert verdict.at_once_bound <= limits.least <= made.together
    assert verdict.at_once_bound == limits.hosts or name.startswith("DGXH")
    assert verify_forest(ring_forest(4)).at_once is None


def test_what_multicast_spares_is_counted() -> None:
    (phase,) = verify_forest(box_forest(able=True)).phases
    assert (phase.traffic, phase.spared) == (64, 48)


def changed(forest: Forest, **change: object) -> Forest:
    assert forest.spread is not None
    return replace(forest, spread=replace(forest.spread, **change))


def at(array: np.ndarray, place: int, value: int) -> np.ndarray:  # type: ignore[type-arg]
    found = array.copy()
    found[place] = value
    return found


def ring(**change: object) -> Forest:
    return changed(ring_forest(4), **change)


RING = ring_forest(4).spread
BOX = box_forest().spread
assert RING is not None
assert BOX is not None
MUTATIONS = [
    (ring(root=at(RING.root, 0, 1)), "node 0 is the root of 1 trees, where 2 are needed"),
    (ring(copies=at(RING.copies, 3, 2)), "node 1 is the root of 3 trees, where 2 are needed"),
    (ring(k=3), "node 0 is the root of 2 trees, where 3 are needed"),
    (ring(node=at(RING.node, 1, 2)), "route 0 goes from node 0 to node 2, where no link is"),
    (
        ring(route=at(RING.route, 0, 2)),
        "tree 0 of root node 0: its edge to node 2 begins at node 1, which is not reached before",
    ),
    (
        ring(route=at(RING.route, 1, 3)),
        "tree 0 of root node 0: it reaches node 0 twice",
    ),
    (
        ring(start=at(RING.start, 1, 2), route=RING.route),
        "tree 0 of root node 0: it does not reach node 3",
    ),
    (
        ring(time=Fraction(4, 3), optimum=Fraction(4, 3)),
        "the link from node 0 to node 1 carries 3 trees, but has room for 8/3",
    ),
    (ring(time=Fraction(2)), "they take 3/2 of a shard's time, not 2 as they say"),
    (ring(optimum=Fraction(1)), "the cut gives the bound 3/2, not 1 as they say"),
    (ring(cut=[1, 2]), "the cut gives the bound 1, not 3/2 as they say"),
    (ring(cut=[0, 1, 2, 3]), "the cut leaves no compute node outside"),
    (
        changed(box_forest(), node=at(BOX.node, 0, 8)),
        "route 0 ends at nvswitch0, which is a switch",
    ),
    (
        changed(box_forest(), node=at(BOX.node, 1, 5)),
        "route 0 passes through gpu0.5, which is no switch",
    ),
    (
        changed(box_forest(), skip=at(BOX.multicast_skips, 3, 1)),
        "tree 0 of root gpu0.0: its edge to gpu0.4 takes from a switch what that switch has not or "
        "cannot send on",
    ),
    (
        changed(box_forest(able=True), skip=[1] * 56),
        "tree 0 of root gpu0.0: its edge to gpu0.1 takes from a switch what that switch has not or "
        "cannot send on",
    ),
]


@pytest.mark.parametrize(("forest", "message"), MUTATIONS)
def test_every_mutation_is_found(forest: Forest, message: str) -> None:
    assert verify_forest(forest).violation == f"out-trees: {message}"


def test_slower_links_than_the_trees_were_made_for_are_found() -> None:
    forest = ring_forest(4, Collective.REDUCE_SCATTER)
    slow = replace(forest.topology, capacity=(Fraction(1, 2),) + (Fraction(1),) * 7)
    found = verify_forest(replace(forest, topology=slow)).violation
    assert found == (
        "in-trees: the link from node 1 to node 0 carries 3 trees, but has room for 3/2"
    )


@pytest.mark.parametrize("seed", range(30))
def test_random_mutations_of_the_trees_never_pass(seed: int) -> None:
    rng = np.random.default_rng(seed)
    name = ("root", "route", "node")[seed % 3]
    array = getattr(RING, name)
    place = int(rng.integers(len(array)))
    other = (int(array[place]) + int(rng.integers(1, 4))) % (8 if name == "route" else 4)
    mutated = ring(**{name: at(array, place, other)})
    assert verify_forest(mutated).violation is not None
