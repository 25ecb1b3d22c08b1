"""Cayley digraphs: arcs, translations, properties against brute force, canonical arguments."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.parser import parse
from generators.cayley.family import canonical, cayley_digraph, properties
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput
from generators.families.circulant import circulant
from generators.families.hamming import hypercube
from generators.topology import Topology
from tests.replay import replay
from tests.twins import distances
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_compact_schedule, bfb_schedule

GROUPS = ("Z6", "Z2^3", "S3", "D4", "Dic2", "A4", "Z7:Z3[2]", "Z4.Z4[3|0]", "Z4:Z4[3]", "S3xZ2")


@st.composite
def arguments(draw: st.DrawFn) -> tuple:
    """A group and generators that generate it, at most five."""
    group = parse_group(draw(st.sampled_from(GROUPS)))
    more = draw(st.lists(st.integers(0, group.order - 1), max_size=5 - len(group.generators)))
    return (str(group), *draw(st.permutations([*group.generators, *more])))


@settings(max_examples=150, deadline=None)
@given(arguments(), st.data())
def test_recipes_round_trip_and_rebuild_the_same_graph(drawn: tuple, data: st.DataObject) -> None:
    text, *generators = drawn
    recipe = parse(f"Cay({text};{','.join(map(str, generators))})")
    group = parse_group(text)
    assert str(recipe) == f"Cay({group};{','.join(map(str, sorted(generators)))})"
    assert parse(str(recipe)) == recipe
    mixed = [
        f"({','.join(map(str, group.coordinates(s)))})" if data.draw(st.booleans()) else str(s)
        for s in data.draw(st.permutations(generators))
    ]
    other = parse(f"Cay( {text} ; {' , '.join(mixed)} )")
    assert other == recipe
    assert build(other).same_wiring(build(recipe))
    assert cayley_digraph(text, *generators).same_wiring(build(recipe))


@settings(max_examples=150, deadline=None)
@given(arguments())
def test_graph_and_properties(drawn: tuple) -> None:
    text, *generators = drawn
    group, topology, told = parse_group(text), cayley_digraph(*drawn), properties(*drawn)
    expected = {(g, int(group.multiply(g, s))) for g in range(group.order) for s in generators}
    assert set(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)) == expected
    assert (topology.n, topology.degree, topology.is_regular) == (told.n, told.d, True)
    assert told.bidirectional == topology.is_bidirectional
    assert told.simple == topology.is_simple
    assert told.loop_free == (not topology.has_loops)
    assert told.transitive
    for u in range(topology.n):
        image = topology.translation(u)
        assert image[0] == u
        moved = Topology(n=topology.n, tail=image[topology.tail], head=image[topology.head])
        assert moved.same_arcs(topology)


@settings(max_examples=60, deadline=None)
@given(arguments())
def test_schedules_by_translation(drawn: tuple) -> None:
    topology = cayley_digraph(*drawn)
    for graph in (topology, topology.transpose()):
        plain = Topology(n=graph.n, tail=graph.tail, head=graph.head)
        expected = evaluate(plain)
        assert evaluate(graph).cost == expected.cost
        assert expected.cost.steps == distances(plain).max()
        assert bfb_compact_schedule(graph).expand(graph).loads(graph) == expected.loads
        replay(graph, bfb_schedule(graph))


def test_known_graphs_are_cayley_digraphs() -> None:
    assert cayley_digraph("Z16", 3, 4, 12, 13).same_arcs(circulant(16, (3, 4)))
    assert cayley_digraph("Z2^4", 1, 2, 4, 8).same_arcs(hypercube(4))
    star = nx.MultiDiGraph(list(zip(*arcs(cayley_digraph("S3", 2, 5)), strict=True)))
    assert nx.is_isomorphic(nx.DiGraph(star), nx.cycle_graph(6).to_directed())


def arcs(topology: Topology) -> tuple[list[int], list[int]]:
    return topology.tail.tolist(), topology.head.tolist()


def test_reverse_symmetry_is_stated_where_inversion_shows_it() -> None:
    for chosen in (("Z7", 1, 2), ("Z3^2", 1, 3), ("S3", 2, 5), ("D8", 1, 2, 14)):
        group, topology = parse_group(chosen[0]), cayley_digraph(*chosen)
        assert properties(*chosen).reverse_symmetric
        images = (np.arange(group.order), group.inverses)
        turned = [
            Topology(n=group.order, tail=i[topology.tail], head=i[topology.head]) for i in images
        ]
        assert any(graph.same_arcs(topology.transpose()) for graph in turned)
    assert properties("S3", 1, 3).reverse_symmetric is None


def test_costs_of_the_large_metacyclic_example() -> None:
    topology = build(parse("Cay(Z64:Z16[3];16,39,83,975)"))
    forth, back = evaluate(topology).cost, evaluate(topology.transpose()).cost
    assert (forth.steps, str(forth.bandwidth)) == (7, "1023/1024")
    assert back.steps == 7
    assert back.bandwidth > forth.bandwidth


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Cay(S6;1,2,3)", "the generators reach 6 of 720 elements"),
        ("Cay(Z6;2,4)", r"Cay\(Z6;2,4\): the generators reach 3 of 6"),
        ("Cay(Z5)", "needs a generator"),
        ("Cay(Z5;5)", "element 5 is not in 0..4"),
        ("Cay(Z2xZ3;(1,3))", r"element \(1,3\) is not within the sizes \(2,3\)"),
        ("Cay(Z2xZ3;(1,3,0))", "is not within the sizes"),
        ("Cay(Z8:Z2[2];1)", r"\[2\] is no automorphism of Z8"),
        ("Cay(Q;1)", "expected one of"),
        ("Cay(3;1)", "expected one of"),
        ("Cay(;1)", "not 'the end'"),
        ("Cay(3,1)", r"Cay\(3,1\) does not fit Cay\(group;g1,g2,...\)"),
        ("Cay(Z5;Z5)", "does not fit"),
        ("Cay(Z5;1", "expected ',' or '\\)'"),
        ("Cay(Z5;)", "expected an integer"),
        ("Cay(Z5:Z4[2])", "not ':'"),
        ("K(Z3;4)", "does not fit"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        parse(text)
    assert len(str(caught.value).split("\n")) == 3


WORDS = [*"(){};,:.|x^0123", "Z2", "Z4", "S3", "D4", "[", "]", "[3]", "(1,0)", ";1", "_", "L("]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["Cay(", "Coset(", "Cay(Z4", "Coset(S3;{"]),
    st.lists(st.sampled_from(WORDS), max_size=10).map("".join),
)
def test_any_text_is_a_recipe_or_is_refused(start: str, text: str) -> None:
    try:
        recipe = parse(f"{start}{text})")
    except InvalidInput:
        return
    assert parse(str(recipe)) == recipe


def test_canonical_arguments_are_kept() -> None:
    assert canonical("(Z2xZ2)", 3, 1, (1, 0)) == ("Z2^2", 1, 2, 3)
    assert canonical(*canonical("S3", 5, 2, 2)) == ("S3", 2, 2, 5)
