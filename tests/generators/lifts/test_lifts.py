"""Lifts: arcs by brute force, symmetry, canonical text, costs and schedules, refusals."""

from collections import Counter

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.parser import parse
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput
from generators.lifts.family import canonical, lift, properties
from generators.lifts.notation import LONGEST_ROWS, read_voltage_graph
from generators.topology import Topology
from tests.replay import replay
from tests.twins import distances
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.grouped_arcs import receivers
from topofinder.schedules.bfb.schedule import bfb_schedule

GROUPS = ("Z2", "Z3", "Z5", "Z8", "Z2^2", "S3", "Dic2", "Z7:Z3[2]")


@st.composite
def arc_rows(draw: st.DrawFn) -> tuple[str, str]:
    """A group, and rows of arcs: a permutation of the base nodes for each port."""
    group = parse_group(draw(st.sampled_from(GROUPS)))
    m, d = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    ports = [draw(st.permutations(range(m))) for _ in range(d)]
    shift = st.integers(0, group.order - 1)
    rows = [[f"{port[r]}.{draw(shift)}" for port in ports] for r in range(m)]
    return str(group), "|".join(map(",".join, rows))


@st.composite
def circuit_rows(draw: st.DrawFn) -> tuple[str, str]:
    """A group, and rows of circuits: a matching of the ports of all base nodes."""
    group = parse_group(draw(st.sampled_from(GROUPS)))
    m, d = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    ports = list(draw(st.permutations([r for r in range(m) for _ in range(d)])))
    halves = [g for g in range(group.order) if group.inverses[g] == g]
    rows: list[list[str]] = [[] for _ in range(m)]
    while ports:
        end = ports.pop()
        other = ports.pop() if ports and draw(st.booleans()) else None
        choice = halves if other is None else range(group.order)
        shift = draw(st.sampled_from(choice))
        rows[end].append(f"{end if other is None else other}:{shift}")
    return str(group), "|".join(map(",".join, rows))


def drawn_lifts() -> st.SearchStrategy[tuple[str, str]]:
    """Arguments that make a graph."""
    return st.one_of(arc_rows(), circuit_rows()).filter(is_lift)


def is_lift(arguments: tuple[str, str]) -> bool:
    try:
        read_voltage_graph(*arguments)
    except InvalidInput:
        return False
    return True


def brute(group: str, rows: str) -> tuple[int, Counter]:
    """Nodes and arcs, element by element."""
    known = parse_group(group)
    table, found, s = known.table(), Counter(), known.order
    count = 0
    for r, row in enumerate(rows.split("|")):
        count = max(count, r + 1)
        for entry in filter(None, row.split(",")):
            two_way = ":" in entry
            u, h = map(int, entry.replace(":", ".").split("."))
            count = max(count, u + 1)
            one = Counter((u * s + int(table[g, h]), r * s + g) for g in range(s))
            back = Counter({(v, w): times for (w, v), times in one.items()})
            found += one | back if two_way else one
    return count * s, found


def arcs_of(topology: Topology) -> Counter:
    return Counter(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))


@settings(max_examples=150)
@given(drawn_lifts())
def test_arcs_and_properties(drawn: tuple[str, str]) -> None:
    topology, told = lift(*drawn), properties(*drawn)
    n, arcs = brute(*drawn)
    assert topology.n == told.n == n
    assert arcs_of(topology) == arcs
    assert topology.is_regular
    assert topology.degree == told.d
    assert told.bidirectional == topology.is_bidirectional
    assert told.simple == topology.is_simple
    assert told.loop_free == (not topology.has_loops)


@settings(max_examples=80)
@given(drawn_lifts(), st.data())
def test_the_group_carries_arcs_to_arcs(drawn: tuple[str, str], data: st.DataObject) -> None:
    topology, group = lift(*drawn), parse_group(drawn[0])
    s = group.order
    image = group.translate(data.draw(st.integers(0, s - 1)))
    carried = [r * s + int(g) for r in range(topology.n // s) for g in image]
    moved = Counter((carried[u], carried[v]) for u, v in arcs_of(topology).elements())
    assert moved == arcs_of(topology)
    assert receivers(topology).tolist() == list(range(0, topology.n, s))


@settings(max_examples=150)
@given(drawn_lifts(), st.randoms(use_true_random=False))
def test_recipes_round_trip_in_one_canonical_text(drawn: tuple[str, str], random) -> None:
    group, rows = drawn
    recipe = parse(f"Lift( {group} ; {rows.replace(',', ' , ')} )")
    assert parse(str(recipe)) == recipe
    assert recipe.arguments == canonical(*drawn) == canonical(*recipe.arguments)
    shuffled = [random.sample(row, len(row)) for row in (r.split(",") for r in rows.split("|"))]
    assert canonical(group, "|".join(map(",".join, shuffled))) == recipe.arguments
    other, same = build(recipe), lift(*drawn)
    if same.n <= 24:
        assert nx.is_isomorphic(weighted(other), weighted(same), edge_match=same_weight)


def test_two_way_arcs_and_circuits_are_one_recipe() -> None:
    arcs = "Lift(Z5;1.0,0.1,0.4|0.0,1.2,1.3)"
    assert str(parse(arcs)) == str(parse("Lift(Z5;0:1,1:0|1:2)")) == "Lift(Z5;0:1,1:0|1:2)"


@settings(max_examples=100)
@given(drawn_lifts())
def test_costs_are_those_of_all_receivers_and_schedules_take_them(drawn: tuple[str, str]) -> None:
    topology = lift(*drawn)
    for graph in (topology, topology.transpose()):
        plain = Topology(n=graph.n, tail=graph.tail, head=graph.head)
        cost = evaluate(graph).cost
        assert cost == evaluate(plain).cost
        assert cost.steps == distances(plain).max()
        schedule = bfb_schedule(graph)
        assert schedule.cost(graph) == cost
        if graph.n <= 12:
            replay(graph, schedule)


@settings(max_examples=300)
@given(st.text(alphabet="0123456789.,:|;() Zx-", max_size=24))
def test_other_texts_are_refused_in_a_line(rows: str) -> None:
    try:
        recipe = parse(f"Lift(Z4;{rows})")
    except InvalidInput as wrong:
        first, *caret = str(wrong).split("\n")
        assert first
        assert len(caret) <= 2
        return
    assert parse(str(recipe)) == recipe


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Lift(Z4)", "does not fit"),
        ("Lift(Z4,0.1)", "expected ',' or"),
        ("Lift(Z4;)", "needs arcs or circuits"),
        ("Lift(Z4;0.1,0:1)", "needs arcs or circuits, all of one kind"),
        ("Lift(Z4;0.1,0)", "row 0 has '0', which is neither"),
        ("Lift(Z4;0.1|0.1.2)", "row 1 has '0.1.2'"),
        ("Lift(Z4;0.4)", "shift 4 is not in 0..3"),
        ("Lift(Z4;2.1|0.1)", "base node 2 is not in 0..1"),
        ("Lift(Z4;1.1|0.1,1.0)", "base node 1 has 2 arcs in, base node 0 has 1"),
        ("Lift(Z4;1.1|1.1)", "base node 0 has 0 arcs out and 1 in"),
        ("Lift(Z4;0.1|1.1)", "base node 1 does not reach 0"),
        ("Lift(Z4;1.1|0.1)", "closed walks generate 2 of 4 elements"),
        ("Lift(Z1;0.0)", "2 to 1048576 elements"),
        ("Lift(Z65536;16:0|" + "|".join(f"{r}:1" for r in range(16)) + ")", "at most 1048576"),
        ("Lift(Z4;999999999:1)", "at most 1048576"),
        ("Lift(Z4;0.1", "expected ')'"),
    ],
)
def test_refusals(text: str, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse(text)
    assert words in str(refused.value)
    assert len(str(refused.value).split("\n")[0]) < 160


def test_rows_are_bounded() -> None:
    with pytest.raises(InvalidInput, match="at most 65536 characters of rows"):
        read_voltage_graph("Z4", " " * (LONGEST_ROWS + 1))


def weighted(topology: Topology) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(topology.n))
    for (u, v), times in arcs_of(topology).items():
        graph.add_edge(u, v, weight=times)
    return graph


same_weight = nx.algorithms.isomorphism.numerical_edge_match("weight", 1)
