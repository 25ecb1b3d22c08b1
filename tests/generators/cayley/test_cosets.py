"""Coset digraphs: cosets and arcs by brute force, symmetry, properties, schedules, refusals."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import networkx as nx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.parser import parse
from generators.cayley.coset_family import canonical, coset_digraph, properties
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.replay import replay
from tests.twins import distances
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_schedule

GROUPS = ("Z12", "D6", "S4", "A4", "Dic3", "Z7:Z6[3]", "Z3^2:Z4[(0,1),(2,0)]", "A5")


@st.composite
def arguments(draw: st.DrawFn) -> tuple:
    """A group, generators of a subgroup, and elements that with it generate the group."""
    group = parse_group(draw(st.sampled_from(GROUPS)))
    element = st.integers(0, group.order - 1)
    inside = tuple(draw(st.lists(element, min_size=1, max_size=2)))
    offered = (str(group), inside, *draw(st.lists(element, min_size=1, max_size=3)))
    try:
        properties(*offered)
    except InvalidInput:
        assume(False)
    return offered


def brute(text: str, inside: tuple[int, ...], *elements: int) -> tuple[int, Counter]:
    """The number of cosets and the arcs between them, by sets of elements."""
    table = parse_group(text).table()
    subgroup = {0}
    for _ in range(len(table)):
        subgroup |= {int(table[g, h]) for g in subgroup for h in inside}
    sets = sorted({tuple(sorted(int(table[g, h]) for h in subgroup)) for g in range(len(table))})
    arcs: Counter = Counter()
    for u, coset in enumerate(sets):
        for s in elements:
            joined = {int(table[table[g, s], h]) for g in coset for h in subgroup}
            arcs.update((u, v) for v, other in enumerate(sets) if joined & set(other))
    return len(sets), arcs


@settings(max_examples=80, deadline=None)
@given(arguments())
def test_arcs_properties_and_translations(drawn: tuple) -> None:
    topology, told = coset_digraph(*drawn), properties(*drawn)
    n, arcs = brute(*drawn)
    assert topology.n == told.n == n
    assert Counter(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)) == arcs
    assert topology.is_regular
    assert topology.degree == told.d
    assert told.bidirectional == topology.is_bidirectional
    assert told.simple == topology.is_simple
    assert told.loop_free == (not topology.has_loops)
    for u in range(n):
        image = topology.translation(u)
        assert image[0] == u
        assert len(set(image.tolist())) == n
        moved = Topology(n=n, tail=image[topology.tail], head=image[topology.head])
        assert moved.same_arcs(topology)


@settings(max_examples=80, deadline=None)
@given(arguments())
def test_recipes_round_trip_and_rebuild_the_same_graph(drawn: tuple) -> None:
    text, inside, *elements = drawn
    listed = ",".join(map(str, elements))
    recipe = parse(f"Coset( {text}; {{{','.join(map(str, inside))}}}, {listed})")
    assert parse(str(recipe)) == recipe
    assert recipe.arguments == canonical(*drawn) == canonical(*recipe.arguments)
    assert build(recipe).same_wiring(coset_digraph(*drawn))


@settings(max_examples=12, deadline=None)
@given(arguments())
def test_schedules(drawn: tuple) -> None:
    topology = coset_digraph(*drawn)
    for graph in (topology, topology.transpose()):
        plain = Topology(n=graph.n, tail=graph.tail, head=graph.head)
        assert evaluate(graph).cost == evaluate(plain).cost
        assert evaluate(graph).cost.steps == distances(plain).max()
        schedule = bfb_schedule(graph)
        if graph.n <= 12:
            replay(graph, schedule)
        assert schedule.cost(graph) == evaluate(plain).cost


def rank(*image: int) -> int:
    return list(permutations(range(len(image)))).index(image)


def test_the_petersen_graph_which_is_no_cayley_graph() -> None:
    pair_kept = (rank(1, 0, 2, 3, 4), rank(0, 1, 3, 2, 4), rank(0, 1, 3, 4, 2))
    moved = rank(2, 3, 0, 1, 4)
    topology = coset_digraph("S5", pair_kept, moved)
    arcs = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    assert nx.is_isomorphic(nx.DiGraph(arcs), nx.petersen_graph().to_directed())
    assert evaluate(topology).cost.bandwidth == Fraction(9, 10)
    assert canonical("S5", pair_kept, moved) == ("S5", (1, 2, 24), 60)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Coset(S3;{1})", "needs an element beside the subgroup"),
        ("Coset(S3;{0},3)", "needs a subgroup of 2 to 3 elements, not 1"),
        ("Coset(S3;{1,3},3)", "needs a subgroup of 2 to 3 elements, not 6"),
        ("Coset(S3;{1},1)", r"Coset\(S3;...\) generates 2 of 6 elements"),
        ("Coset(S3;{6},1)", r"S3: element 6 is not in 0..5"),
        ("Coset(S3;{1},6)", r"S3: element 6 is not in 0..5"),
        ("Coset(S3;1,3)", "does not fit"),
        ("Coset(S3,{1},x)", "does not fit"),
        ("Coset(Z1;{1},2)", "2 to 1048576 elements"),
        ("Coset(Z70000;{35000},2)", "groups have at most 65536 elements here"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse(text)
