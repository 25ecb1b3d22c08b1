"""`topofinder show` and `topofinder build`."""

import json
from fractions import Fraction
from pathlib import Path

import networkx as nx
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.formats.by_suffix import read_topology
from tests.command import ran, ran_alone

SHOWN = """\
DBJMod(2,3)
  nodes 8, degree 2, diameter 3, average distance 2.000, simplex links
  regular, not two-way, simple, free of self-loops, not vertex-transitive
  lower bounds: T_L 3 alpha, T_B 7/8 M/B (Moore bound; theorem 4)
  any allreduce: at least 1 M/B by cuts, 7/4 M/B by what hosts send
  reduce-scatter, then allgather by trees: 7/4 M/B, optimal (theorem 19 b); reduce, \
then broadcast: 2 M/B

T_L  T_B    T_B exact  over T_L*  T_B/T_B*  RS T_L  RS T_B  cost   by
---  -----  ---------  ---------  --------  ------  ------  -----  ---------
  3  1.250        5/4          0     1.429       3   1.250  exact  bfb
  4  0.875        7/8          1     1.000       4   0.875  exact  synthesis
"""

PROPERTIES = ("regular", "two-way", "simple", "free of self-loops", "vertex-transitive")


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "show", "DBJMod(2,3)") == (0, SHOWN, "")


def test_show_prints_the_canonical_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "show", "L(L(K_{2,2}))") == ran(capsys, "show", "L^2(K(2,2))")


def test_show_of_a_graph_too_large_to_look_at(capsys: pytest.CaptureFixture[str]) -> None:
    ended = ran(capsys, "show", "L^8(K(4,4))")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[:6] == [
        "L^8(K(4,4))",
        "  nodes 524288, degree 4, diameter 10, simplex links",
        "  regular, not two-way, simple, free of self-loops, vertex-transitive: unknown",
        "  lower bounds: T_L 10 alpha, T_B 524287/524288 M/B (Moore bound; theorem 4)",
        "  any allreduce: at least 524287/262144 M/B by what hosts send",
        "",
    ]


@pytest.mark.parametrize("recipe", ["K(4,4)", "Diamond", "Pi(2,5)", "Bi(Diamond)", "Mesh(2,3)"])
def test_show_as_json(capsys: pytest.CaptureFixture[str], recipe: str) -> None:
    ended = ran(capsys, "show", recipe, "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)
    graph = nx.MultiDiGraph()
    topology = build(parse(recipe))
    graph.add_edges_from(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    assert found["recipe"] == recipe
    assert found["n"] == graph.number_of_nodes()
    assert found["d"] == max(degree for _, degree in graph.out_degree())
    assert found["diameter"] == nx.diameter(nx.DiGraph(graph))
    least = Fraction(found["n"] - 1, found["n"])
    assert Fraction(found["bound"]["bandwidth"]) == least
    assert found["bandwidth_optimal"] is (Fraction(found["bandwidth"]) == least)
    assert found["steps"] >= max(found["diameter"], found["bound"]["steps"])
    assert found["links"] == ("duplex" if found["properties"]["two-way"] else "simplex")
    assert tuple(found["properties"]) == PROPERTIES
    assert found["properties"]["simple"] is (len(nx.DiGraph(graph).edges) == topology.arcs)
    assert found["properties"]["free of self-loops"] is not nx.number_of_selfloops(graph)
    main = found["schedules"][-1]
    assert main["bandwidth"] == found["bandwidth"]
    assert main["reduce_scatter"] == found["reduce_scatter"]
    assert [schedule["steps"] for schedule in found["schedules"]] == sorted(
        schedule["steps"] for schedule in found["schedules"]
    )


@pytest.mark.parametrize("suffix", [".graphml", ".json", ".edges"])
def test_build(capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"graph{suffix}"
    ended = ran(capsys, "build", "L(K_{3,3})", "-o", file)
    assert ended == (0, f"L(K(3,3)): 18 nodes, 54 arcs, written to {file}\n", "")
    made, wanted = read_topology(file), build(parse("L(K(3,3))"))
    assert sorted(zip(made.tail, made.head, strict=True)) == sorted(
        zip(wanted.tail, wanted.head, strict=True)
    )


def test_build_in_a_format_that_the_suffix_does_not_tell(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    named, plain = tmp_path / "graph.json", tmp_path / "graph"
    ran(capsys, "build", "K(4)", "-o", named)
    assert ran(capsys, "build", "K(4)", "-o", plain, "--format", "json").code == 0
    assert plain.read_bytes() == named.read_bytes()


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("graph.foo", "suffix '.foo' is none of "),
        ("none/graph.json", "there is no folder "),
        ("folder.json", "is a folder, not a file"),
    ],
)
def test_build_refuses_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, file: str, line: str
) -> None:
    (tmp_path / "folder.json").mkdir()
    ended = ran(capsys, "build", "K(4)", "-o", tmp_path / file)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("topofinder: ")
    assert line in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("recipe", "what", "column"),
    [
        ("H(2,1)", "H(n,q) needs q >= 2, not 1", 1),
        ("C(8,{4,4})", "C(8,{4,4}) is not connected: 4 divides 8 and every jump", 1),
        ("K(3,5)", "K(a,b) needs a = b to be regular, not K(3,5)", 1),
        ("K(3", "expected ',' or ')', not the end", 4),
        ("L(K(4)", "expected ')' or an operator, not the end", 7),
        ("K(4)*0", "G*n: n is at least 1, not 0", 5),
        ("K(2) x Kbutz(2,3)", "unknown family 'Kbutz'; did you mean Kautz?", 8),
        ("K(2) + K(3)", "unexpected '+'", 6),
        (
            "K(100000000)",
            "K(100000000) has 9999999900000000 arcs; recipes name graphs of at most 68719476736",
            1,
        ),
        ("", "expected a graph, not the end", 1),
    ],
)
@pytest.mark.parametrize("command", [("show",), ("show", "--json"), ("build", "-o", "never.json")])
def test_malformed_recipes_are_refused_with_a_caret(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    recipe: str,
    what: str,
    column: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = ran(capsys, *command, "--", recipe)
    caret = " " * (column + 1) + "^"
    assert ended == (2, "", f"topofinder: {what} (column {column})\n  {recipe}\n{caret}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("show", "topofinder: show: a recipe, a fabric or a file is needed, or --fabrics\n"),
        ("build", "topofinder: Missing "),
    ],
)
def test_no_recipe(capsys: pytest.CaptureFixture[str], command: str, words: str) -> None:
    ended = ran(capsys, command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(words)
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("recipe", ["Pi(2,5)*2", "DBJ(2,3)*2"])
def test_an_expansion_that_does_not_apply(capsys: pytest.CaptureFixture[str], recipe: str) -> None:
    ended = ran(capsys, "show", recipe)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("topofinder: G*n needs a graph without self-loops (theorem 11), ")
    assert ended.err.count("\n") == 1


def test_as_a_program() -> None:
    assert ran_alone("show", "DBJMod(2,3)") == (0, SHOWN, "")
    refused = ran_alone("show", "K(3,5)")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("\n") == 3
