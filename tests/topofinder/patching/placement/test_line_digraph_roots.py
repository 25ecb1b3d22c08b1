"""Digraphs found again from their line digraphs, also after some circuits were moved."""

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from tests.topofinder.patching.twins import bundle, drawn, regular, rewired, scrambled
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.incidence import incidence_rows
from topofinder.patching.placement.isomorphism import find_isomorphism
from topofinder.patching.placement.line_digraph_roots import (
    LineDigraphRoot,
    lift_placement,
    line_digraph_root,
    root_problem,
)
from topofinder.patching.placement.problem import placement_problem


def made(recipe: str) -> Circuits:
    return Circuits.of(build(parse(recipe)), duplex=False)


def as_circuits(one: LineDigraphRoot) -> Circuits:
    return Circuits(n=one.blocks, duplex=False, tail=one.tail, head=one.head)


LINES = [("L(C(16,{3,4}))", "C(16,{3,4})"), ("L^2(K(4,4))", "L(K(4,4))"), ("L(Q(5))", "Q(5)")]


@pytest.mark.parametrize(("line", "of"), LINES)
def test_the_root_of_a_line_digraph_is_the_digraph(line: str, of: str) -> None:
    found = line_digraph_root(incidence_rows(scrambled(made(line), 3)))
    assert found is not None
    asked = placement_problem(as_circuits(found), made(of), Constraints())
    assert find_isomorphism(asked, np.arange(asked.n)).host is not None


@pytest.mark.parametrize("seed", range(3))
def test_a_tenth_of_the_circuits_moved_hides_few_blocks(seed: int) -> None:
    whole = made("Pi(4,256)")
    found = line_digraph_root(incidence_rows(rewired(whole, seed, whole.count // 20)))
    clean = line_digraph_root(incidence_rows(whole))
    assert found is not None
    assert clean is not None
    # Blocks are numbered anew: two nodes share one in both or in neither.
    for ours, theirs in ((found.tail, clean.tail), (found.head, clean.head)):
        together = np.unique(np.stack([ours, theirs]), axis=1).shape[1]
        assert together - clean.blocks < 26


@pytest.mark.parametrize("recipe", ["C(64,{5,6})", "UniRing(1,64)", "Torus(8,8)"])
def test_what_is_no_line_digraph_has_no_root(recipe: str) -> None:
    assert line_digraph_root(incidence_rows(made(recipe))) is None


def test_duplex_circuits_and_empty_wirings_have_no_root() -> None:
    assert line_digraph_root(incidence_rows(drawn(0, duplex=True, n=8))) is None
    assert line_digraph_root(incidence_rows(Circuits(n=4, duplex=False, tail=[], head=[]))) is None


@pytest.mark.parametrize("seed", range(20))
def test_any_placement_of_the_blocks_is_lifted_to_a_bijection(seed: int) -> None:
    random = np.random.default_rng(seed)
    pair = []
    for _ in range(2):
        ends = random.integers(6, size=(2, 24))
        pair.append(LineDigraphRoot(ends[0], ends[1], 6))
    host = random.permutation(6)
    lift = lift_placement(*pair, host)
    assert sorted(lift.tolist()) == list(range(24))
    there, wanted = (bundle(as_circuits(one)) for one in pair)
    moved = bundle(as_circuits(pair[1]), host)
    assert sum(wanted.values()) == sum(moved.values())
    # No more nodes could have both blocks right.
    right = (host[pair[1].tail] == pair[0].tail[lift]) & (host[pair[1].head] == pair[0].head[lift])
    links = right & (pair[1].tail != pair[1].head)
    assert links.sum() == (moved & there).total()


def test_the_smaller_question_joins_the_blocks() -> None:
    one, two = (
        line_digraph_root(incidence_rows(made(recipe))) for recipe in ("Pi(4,64)", "L(C(16,{3,4}))")
    )
    assert one is not None
    assert two is not None
    asked = root_problem(one, two)
    assert asked.n == 16
    assert asked.circuits == 64
    assert (
        asked.count_kept(np.arange(16))
        == (bundle(as_circuits(one)) & bundle(as_circuits(two))).total()
    )


@pytest.mark.parametrize(("seed", "share"), [(0, 20), (1, 5)])
def test_moved_circuits_are_found_again(seed: int, share: int) -> None:
    whole = made("Pi(4,256)")
    target = rewired(whole, seed, whole.count // (2 * share))
    planted = whole.count - (bundle(whole) & bundle(target)).total()
    answer = assign(scrambled(whole, seed), target, seed=seed, time=2.0)
    assert answer.moves <= planted
    assert answer.found.startswith("root digraphs")


def test_fixed_nodes_stay_and_the_rest_is_found() -> None:
    whole = made("Pi(4,256)")
    image = np.random.default_rng(0).permutation(256)
    target = rewired(whole, 1, 40)
    fixed = np.full(256, -1)
    fixed[:3] = image[:3]
    answer = assign(
        whole.on_hosts(image, 256), target, constraints=Constraints(fixed=fixed), time=2.0
    )
    assert (answer.host[:3] == image[:3]).all()
    assert answer.moves <= 80


def test_random_digraphs_have_no_root() -> None:
    assert line_digraph_root(incidence_rows(regular(0, duplex=False, n=64, d=4))) is None
