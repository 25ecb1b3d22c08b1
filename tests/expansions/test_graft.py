"""Grafts against plain lists of arcs; canonical recipes, round trips and refusals."""

from itertools import permutations
from math import factorial, prod
from random import Random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.graft import ONE_WAY, TWO_WAY, edit_graph, graft, graft_of_arcs
from expansions.parser import parse
from expansions.properties import properties
from expansions.recipe import EditList, Graft
from expansions.size import size
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.finder.prediction import best_known, predict

BASES = {
    ONE_WAY: ("K(5)", "UniRing(2,6)", "DirC(3)", "Diamond", "L(K(4))", "C(8,{1,2})", "K(3)*2"),
    TWO_WAY: ("K(5)", "C(8,{1,2})", "K(4)", "K(4,4)", "Torus(3,2,3)", "K(3) x K(2)", "BiRing(4,5)"),
}
Pairs = list[tuple[int, int]]


def matchings(ends: list[int]) -> list[Pairs]:
    """All perfect matchings of the ends, in lexical order."""
    if not ends:
        return [[]]
    first, *others = ends
    return [
        [(first, others[i]), *rest]
        for i in range(len(others))
        for rest in matchings(others[:i] + others[i + 1 :])
    ]


def plain_graft(topology: Topology, edits: tuple[EditList, ...], duplex: bool) -> Pairs:
    """The arcs after the edits, one list operation at a time; circuits are two arcs."""
    links = sorted(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    links = [(u, v) for u, v in links if u < v or not duplex]
    n, odd, gone = topology.n, duplex and topology.degree % 2, []
    for *nodes, rank in edits[0]:
        inside = [(u, v) for u, v in links if u in nodes and v in nodes]
        cut = [(u, v) for u, v in links if (u in nodes or v in nodes) and (u, v) not in inside]
        links = [link for link in links if link not in cut and link not in inside]
        if duplex:
            ends = sorted(v if u in nodes else u for u, v in cut)
            links += [(min(pair), max(pair)) for pair in matchings(ends)[rank]]
        else:
            into = sorted(u for u, v in cut if v in nodes)
            out = list(permutations(sorted(v for u, v in cut if u in nodes)))[rank]
            links += zip(into, out, strict=True)
        gone += nodes
        links.sort()
    kept = [node for node in range(n) if node not in gone]
    links = sorted((kept.index(u), kept.index(v)) for u, v in links)
    n = len(kept)
    for numbers in edits[1]:
        cut = [links[i] for i in numbers]
        links = [link for i, link in enumerate(links) if i not in numbers]
        middle = len(cut) // 2 if odd else len(cut)
        for i, (u, v) in enumerate(cut):
            new = n + (i > middle)
            links += (
                [(u, n), (v, n + 1)]
                if i == middle
                else [(u, new), (v, new) if duplex else (new, v)]
            )
        n += 2 if odd else 1
        links.sort()
    arcs = sorted(links + [(v, u) for u, v in links]) if duplex else links
    left, added = list(arcs), []
    for cycle in edits[2]:
        for one, other in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            (u, v), (_, head) = arcs[one], arcs[other]
            left.remove((u, v))
            added.append((u, head))
            if duplex:
                left.remove((v, u))
                added.append((head, u))
    return sorted(left + added)


@st.composite
def grafts(draw: st.DrawFn) -> tuple[str, str, tuple[EditList, ...]]:
    """A symbol, a graph, and edits of the right form: possible ones, as a rule."""
    symbol = draw(st.sampled_from(list(BASES)))
    base = draw(st.sampled_from(BASES[symbol]))
    n, d = size(parse(base))
    duplex = symbol == TWO_WAY
    step = 2 if duplex and d % 2 else 1
    random = Random(draw(st.integers(0, 2**30)))
    kinds = [draw(st.integers(0, 2)) for _ in range(3)]
    count = min(kinds[0], (n - 2) // step)
    nodes = sorted(random.sample(range(n), step * count), reverse=True)
    pairs = [nodes[step * i : step * (i + 1)] for i in range(count)]
    ways = [2 * d - 1, d - 1][step == 1]
    ranks = prod(range(1, ways, 2)) if duplex else factorial(d)
    removals = [(*pair, random.randrange(ranks)) for pair in pairs]
    links = (n - step * count) * d // (2 if duplex else 1)
    cut = d // 2 if duplex and d % 2 == 0 else d
    insertions = [random.sample(range(links), cut) for _ in range(kinds[1] if links >= cut else 0)]
    arcs = (n + step * (len(insertions) - count)) * d
    switches = [random.sample(range(arcs), 2 * kinds[2])] if kinds[2] else []
    return (
        symbol,
        base,
        tuple(tuple(map(tuple, edits)) for edits in (removals, insertions, switches)),
    )


@given(grafts())
def test_graphs_are_those_of_plain_lists_and_recipes_are_canonical(
    drawn: tuple[str, str, tuple[EditList, ...]],
) -> None:
    symbol, base, edits = drawn
    duplex = symbol == TWO_WAY
    try:
        recipe = graft(symbol, parse(base), *edits)
    except InvalidInput:
        return
    graph = build(recipe)
    found = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    assert found == plain_graft(build(parse(base)), edits, duplex)
    assert parse(str(recipe)) == recipe
    assert isinstance(recipe, Graft)
    again = graft_of_arcs(symbol, recipe.inner, recipe.removals, recipe.insertions, graph)
    assert again == recipe
    _require_promises(recipe, graph)


def _require_promises(recipe: Graft, graph: Topology) -> None:
    known = properties(recipe)
    assert (graph.n, graph.degree) == size(recipe)
    assert graph.is_regular
    assert not graph.has_loops
    assert nx.is_strongly_connected(nx.DiGraph(zip(graph.tail, graph.head, strict=True)))
    assert graph.is_bidirectional == known.bidirectional
    assert graph.is_simple == known.simple
    assert graph.is_bidirectional or recipe.symbol == ONE_WAY


@given(grafts())
def test_what_cannot_be_edited_is_refused_in_one_line(
    drawn: tuple[str, str, tuple[EditList, ...]],
) -> None:
    symbol, base, edits = drawn
    text = str(Graft(symbol, parse(base), *edits))
    try:
        parse(text)
    except InvalidInput as wrong:
        line, shown, _ = str(wrong).splitlines()
        assert shown.strip() in text
        assert "column" in line


@given(st.text("Graft(K5;-+~.,01239)BiLC{} ", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for whole in (text, f"Graft(K(5);{text})", f"BiGraft(K(5);{text})"):
        try:
            recipe = parse(whole)
        except InvalidInput:
            continue
        assert parse(str(recipe)) == recipe


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Graft(K(5))", "Graft(G;-v.p,+a.b,~a.b): kinds of edits: 3, not 0"),
        ("Graft(K(5);)", "expected edits such as -3.0, +1.2 or ~4.7, not ')'"),
        ("Graft(K(5);-1)", "-1: -v.p removes from a graph of degree 4"),
        ("Graft(K(5);-5.0)", "-5.0: node 5 is not in 0..4"),
        ("Graft(K(5);-4.24)", "-4.24: joining 24 is not in 0..23"),
        ("Graft(K(5);-4.0)", "-4.0: joins node 0 to itself"),
        ("Graft(K(5);-1.9,-2.9)", "removals: from the greatest node down, each once"),
        ("Graft(K(3);-2.1,-1.0)", "removals: leave 1 nodes; at least 2 are needed"),
        ("Graft(K(5);+0.1.2)", "+0.1.2: 4 arcs are cut, not 3"),
        ("Graft(K(5);+0.1.2.2)", "+0.1.2.2: numbers coincide"),
        ("Graft(K(5);+0.1.2.20)", "+0.1.2.20: arc 20 is not in 0..19"),
        ("BiGraft(K(5);+0.10)", "+0.10: circuit 10 is not in 0..9"),
        ("BiGraft(K(4);-1.2.0)", "-1.2.0: -u.v.p with u > v removes from a graph of degree 3"),
        ("Graft(K(5);~0.20)", "~: arc 20 is not in 0..19"),
        ("Graft(K(5);~0.4.0)", "~: an arc, or its circuit, is switched twice"),
        ("BiGraft(K(5);~0.4)", "~: an arc, or its circuit, is switched twice"),
        ("Graft(K(5);~0.4)", "~: switches join node 0 to itself"),
        ("Graft(K(5);~0.1)", "Graft: the edits change nothing"),
        ("Graft(K(5);~1.7,-0.0)", "edits are removals, then insertions, then switches"),
        ("Graft(K(5);-1..2)", "'-1..2' is no edit"),
        ("Graft(UniRing(1,6);~0.3)", "not strongly connected: node 0 cannot reach node 1"),
        ("BiGraft(Diamond;-1.0)", "BiGraft takes a two-way graph"),
        ("Graft(Mesh(2,3);-1.0)", "the graph inside has nodes of unequal degree"),
        ("Graft(DBJ(2,3);-1.0)", "the graph inside has self-loops"),
        ("Graft(C(9000,{1,2});-1.0)", "grafts: of at most 8192 nodes and 131072 arcs"),
    ],
)
def test_refusals(text: str, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    assert words in str(caught.value).splitlines()[0]


def test_cost_is_evaluated() -> None:
    recipe = parse("Graft(C(16,{3,4});-15.7,-7.7)")
    assert predict(recipe) == []
    (found,) = best_known(recipe)
    assert (found.n, found.d, found.exact) == (14, 4, True)
    (grown,) = best_known(parse(f"L({recipe})"))
    assert grown.n == 56


def test_results_of_other_degrees_are_refused() -> None:
    inner = parse("K(5)")
    with pytest.raises(InvalidInput, match="other nodes or degrees"):
        graft_of_arcs(ONE_WAY, inner, (), (), build(parse("K(6)")))
    with pytest.raises(InvalidInput, match="change nothing"):
        graft(ONE_WAY, inner)
    assert graft_of_arcs(ONE_WAY, inner, (), (), build(inner)) == inner


def test_numbers_are_those_of_the_graph_inside() -> None:
    inner = build(parse("Torus(3,2,3)"))
    assert inner.degree == 5
    edited = edit_graph(inner, ((17, 2, 16), (16, 4, 16)), duplex=True)
    assert (edited.n, edited.is_regular, edited.is_bidirectional) == (14, True, True)
