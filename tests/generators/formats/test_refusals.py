"""What a stranger's file may not hold, each with the one line that says so."""

import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.formats import draft, tables
from generators.formats.by_suffix import FORMATS, read_topology
from generators.formats.draft import MOST_NODES
from generators.formats.edge_list_header import MOST_TOLD
from generators.formats.graphml_reader import MOST_TAGS, _Reader
from generators.formats.graphml_writer import graphml_text
from generators.topology import Topology


def _graphml(inner: str, head: str = "", default: str = 'edgedefault="directed"') -> str:
    return f"<graphml>{head}<graph {default}>\n{inner}\n</graph></graphml>"


def _json(nodes: str, edges: str = "[]") -> str:
    return f'{{"directed": true, "nodes": {nodes}, "edges": {edges}}}'


EDGE = '<node id="a"/><edge source="a" target="a"'
CAPACITY = '<key id="k" for="edge" attr.name="capacity"/>'
SWITCH = '<key id="k" for="node" attr.name="switch"/>'
NUMBER = "a number such as 3, 0.5 or 3/2 is needed, not"
XML = {
    "": "line 1, column 1: no element found",
    "<graphml><key id='k'></graphml>": "line 1, column 24: mismatched tag",
    "<graphml>\n <&/></graphml>": "line 2, column 3: not well-formed (invalid token)",
    "\ufffe": "line 1, column 1: not well-formed (invalid token)",
    "<graphml>\ud800": "line 1: not UTF-8 text at byte 9",
    "<html/>": "line 1, column 1: the root element is 'html', not 'graphml'",
    "<graphml/>": "graphml: no graph",
    "<graphml>\n&lol;</graphml>": "line 2, column 1: undefined entity",
    '<?xml version="1.0"?>\n <!DOCTYPE graphml SYSTEM "http://x/y">\n<graphml/>': (
        "line 2, column 2: a document type declaration is not read"
    ),
    "<graphml><graph/></graphml>": (
        "line 1, column 10: edgedefault: must be directed or undirected, not None"
    ),
    _graphml(""): None,
    _graphml(
        '</graph><graph edgedefault="directed">'
    ): "line 2, column 9: a second graph in one file",
    _graphml('<node id="a"/><node id="a"/>'): "line 2, column 15: node 'a' is declared twice",
    _graphml("<node/>"): "line 2, column 1: an element without 'id'",
    _graphml('<node id="a"><graph edgedefault="directed"/></node>'): (
        "line 2, column 14: a graph inside a node is not read"
    ),
    _graphml("<hyperedge/>"): "line 2, column 1: a hyperedge joins more than two nodes",
    _graphml("<desc>" * 64): "line 2, column 373: nested too deep",
    _graphml(EDGE.replace('target="a"', 'target="b"') + "/>"): (
        "line 2, column 15: node 'b' is not declared"
    ),
    _graphml(
        EDGE.replace('target="a"', "") + "/>"
    ): "line 2, column 15: an element without 'target'",
    _graphml(EDGE + ' directed="no"/>'): (
        "line 2, column 15: directed: must be true or false, not 'no'"
    ),
    _graphml(EDGE + '><data key="z">1</data></edge>'): "line 2, column 43: key 'z' is not declared",
    _graphml(EDGE + "><data>1</data></edge>"): "line 2, column 43: an element without 'key'",
    _graphml(EDGE + '><data key="k">-2</data></edge>', CAPACITY): (
        "line 2, column 15: capacity: must be above 0, not '-2'"
    ),
    _graphml(EDGE + '><data key="k">nan</data></edge>', CAPACITY): (
        f"line 2, column 15: capacity: {NUMBER} 'nan'"
    ),
    _graphml('<node id="a"><data key="k">maybe</data></node>', SWITCH): (
        "line 2, column 1: switch: must be true or false, not 'maybe'"
    ),
}
JSON = {
    "": "line 1, column 1: expecting value",
    '{"nodes": [}': "line 1, column 12: expecting value",
    "\ud800": "line 1: not UTF-8 text at byte 0",
    "[" * 100_000: "nested too deep",
    "9" * 5000: "an integer of too many digits",
    '{"directed": true, "directed": false}': "the key 'directed' is there twice in one object",
    "[]": "an object is needed, not a list of 0",
    "{}": "directed: must be true or false, not None",
    '{"directed": 1}': "directed: must be true or false, not 1",
    '{"directed": true}': "nodes: a list is needed, not None",
    _json("{}"): "nodes: a list is needed, not {}",
    _json("[]"): None,
    _json("[3]"): "nodes[0]: an object is needed, not 3",
    _json("[{}]"): "nodes[0]: id: must be an integer or text, not None",
    _json('[{"id": 1.5}]'): "nodes[0]: id: must be an integer or text, not 1.5",
    _json('[{"id": true}]'): "nodes[0]: id: must be an integer or text, not True",
    _json('[{"id": [1, null]}]'): "nodes[0]: id: must be an integer or text, not [1, None]",
    _json('[{"id": 0}, {"id": "0"}]'): "nodes[1]: node '0' is declared twice",
    _json('[{"id": 0, "name": 3}]'): "nodes[0]: name: must be text, not 3",
    _json('[{"id": 0, "switch": "yes"}]'): "nodes[0]: switch: must be true or false, not 'yes'",
    _json('[{"id": 0}]', "null"): "edges: a list is needed, not None",
    _json('[{"id": 0}]', "[[0, 0]]"): "edges[0]: an object is needed, not [0, 0]",
    _json('[{"id": 0}]', '[{"source": 0}]'): (
        "edges[0]: target: must be an integer or text, not None"
    ),
    _json('[{"id": 0}]', '[{"source": 0, "target": 1}]'): "edges[0]: node '1' is not declared",
}
VALUES = {
    '"capacity": 0': "capacity: must be above 0, not 0",
    '"capacity": "-1/2"': "capacity: must be above 0, not '-1/2'",
    '"capacity": NaN': f"capacity: {NUMBER} nan",
    '"capacity": Infinity': f"capacity: {NUMBER} inf",
    '"capacity": 1e999': f"capacity: {NUMBER} inf",
    '"capacity": "1e999999999"': f"capacity: {NUMBER} '1e999999999'",
    '"capacity": "1/0"': f"capacity: {NUMBER} '1/0'",
    '"capacity": "fast\\n"': f"capacity: {NUMBER} 'fast\\n'",
    '"capacity": true': f"capacity: {NUMBER} True",
    '"capacity": [1]': f"capacity: {NUMBER} [1]",
    f'"capacity": "{"1" * 1001}"': f"capacity: {NUMBER} '{'1' * 36}...",
    '"latency": -0.5': "latency: must be 0 or more, not -0.5",
    '"latency": "\u0663"': f"latency: {NUMBER} '\u0663'",
}
JSON |= {
    _json('[{"id": 0}]', f'[{{"source": 0, "target": 0, {value}}}]'): f"edges[0]: {message}"
    for value, message in VALUES.items()
}
EDGES = {
    "": None,
    "# only a comment\n\n": None,
    "\ud800": "line 1: not UTF-8 text at byte 0",
    "0 1\n1\n": "line 2: 1 columns where tail, head, capacity, latency are known",
    "0 1\n1 0 1 1 1 # x\n": "line 2: 5 columns where tail, head, capacity, latency are known",
    "#: columns latency\n0 1 1 1": "line 2: 4 columns where tail, head, latency are known",
    "0 1 x": f"line 1: capacity: {NUMBER} 'x'",
    "0 1 1 -1": "line 1: latency: must be 0 or more, not '-1'",
    "0 1 {'capacity': 0}": "line 1: capacity: must be above 0, not 0",
    "0 1 {'capacity': f()}": "line 1: a dict of attributes is needed, not \"{'capacity': f()}\"",
    "0 1 {1, 2}": "line 1: a dict of attributes is needed, not '{1, 2}'",
    "0 1 " + "{1:" * 300: f"line 1: a dict of attributes is needed, not '{('{1:' * 19)[:36]}...",
    "0 1 {1:" + "-" * 5000 + "1}": (
        f"line 1: a dict of attributes is needed, not '{{1:{'-' * 33}..."
    ),
    "0 1 {'\\d': [] and 1}": (
        "line 1: a dict of attributes is needed, not \"{'\\\\d': [] and 1}\""
    ),
    "#: nodes 2\n0 1\n1 2": "line 3: node '2' is not declared",
    "#: nodes 2\n#: nodes 3": "line 2: nodes: 'nodes' is said twice",
    "#: undirected\n#: undirected": "line 2: undirected: 'undirected' is said twice",
    "#: undirected false": "line 1: undirected: nothing follows it, but here ['false']",
    '#: name 0 "a"\n#: name 0 "b"\n0 1': "line 2: name: 'name 0' is said twice",
    "#: unit_rate 1\n#: unit_rate 2\n0 1": "line 2: unit_rate: 'unit_rate' is said twice",
    "#: nodes 0": f"line 1: nodes: must be in 1..{MOST_NODES}, not 0",
    f"#: nodes {MOST_NODES + 1}": (
        f"line 1: nodes: must be in 1..{MOST_NODES}, not {MOST_NODES + 1}"
    ),
    "#: nodes many": "line 1: nodes: one integer is needed, not ['many']",
    "#: edges 3": (
        "line 1: a header is one of nodes, undirected, columns, switches, multicast, reduce, tier, "
        "name, unit_rate, unit_latency, injection, reduce_rate, epsilon, not 'edges'"
    ),
    "#:": (
        "line 1: a header is one of nodes, undirected, columns, switches, multicast, reduce, tier, "
        "name, unit_rate, unit_latency, injection, reduce_rate, epsilon, not ''"
    ),
    "0 1\n#: nodes 2": "line 2: header lines come before the first arc",
    "#: columns weight": "line 1: columns: capacity, latency or both are needed, not ['weight']",
    "#: columns latency latency": (
        "line 1: columns: capacity, latency or both are needed, not ['latency', 'latency']"
    ),
    "#: switches 1 5\n0 1": "line 1: node '5' is not declared",
    '#: name c "leaf"\na b': "line 1: node 'c' is not declared",
    "#: name 0 leaf\n0 1": (
        "line 1: name: a node and a text such as \"leaf a\" are needed, not ['0', 'leaf']"
    ),
}
CASES = [
    pytest.param(name, text, message, id=f"{name}{index}")
    for name, cases in (("graphml", XML), ("json", JSON), ("edges", EDGES))
    for index, (text, message) in enumerate(cases.items())
]


@pytest.mark.parametrize(("name", "text", "message"), CASES)
def test_refusals(name: str, text: str, message: str | None) -> None:
    with pytest.raises(InvalidInput) as refusal:
        FORMATS[name].read("a.x", text.encode("utf-8", "surrogatepass"))
    assert str(refusal.value) == f"a.x: {message or 'no nodes'}"
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "coding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_no_entity_is_ever_expanded(coding: str, tmp_path: Path) -> None:
    laughs = ['<!ENTITY l0 "lol">'] + [
        f'<!ENTITY l{level + 1} "{f"&l{level};" * 10}">' for level in range(12)
    ]
    text = f"<!DOCTYPE graphml [{''.join(laughs)}]><graphml>&l12;</graphml>"
    path = tmp_path / "laughs.graphml"
    path.write_bytes(text.encode(coding))
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput) as refusal:
            read_topology(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    complaint = {
        "utf-8": "line 1, column 1: a document type declaration is not read",
        "utf-8-sig": "line 1, column 4: a document type declaration is not read",
        "utf-16-le": "line 1: not UTF-8 text at byte 1",
    }.get(coding, "line 1: not UTF-8 text at byte 0")
    assert str(refusal.value) == f"{path}: {complaint}"


def test_paths_and_formats_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "ring.gml"
    choices = ".graphml/.xml (graphml), .json (json), .edges/.txt/.edgelist (edges)"
    for attempt, message in (
        (lambda: read_topology(path), f"{path}: suffix '.gml' is none of {choices}"),
        (
            lambda: read_topology(path, "gml"),
            "format: graphml, json, edges, fabric are known, not 'gml'",
        ),
        (
            lambda: read_topology(path, "json"),
            f"{path}: cannot be read: no such file or directory",
        ),
    ):
        with pytest.raises(InvalidInput) as refusal:
            attempt()
        assert str(refusal.value) == message


def test_regular_is_asked_for_and_named(tmp_path: Path) -> None:
    path = tmp_path / "path.edges"
    for text, message in (
        ("0 1\n1 2\n2 0\n0 2\n", "2: node 0 has out-degree 2 and in-degree 1"),
        ("a b\nb a\nc c\na b", "2: node 0 ('a') has out-degree 2 and in-degree 1"),
    ):
        path.write_text(text)
        assert read_topology(path).n == 3
        with pytest.raises(InvalidInput) as refusal:
            read_topology(path, regular=True)
        assert str(refusal.value) == f"{path}: not regular of degree {message}"
    path.write_text("0 1\n1 0\n")
    assert read_topology(path, regular=True).is_regular


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"most_arcs": 4}, "line 5: more than 4 arcs"),
        ({"most_nodes": 3}, "line 4: more than 3 nodes"),
    ],
)
def test_counts_are_bounded_while_reading(limits: dict[str, int], complaint: str) -> None:
    read = draft.Draft("a.x", **limits)

    def mention(node: int) -> None:
        read.edge((str(node), str(node)), f"line {node + 1}", two_way=False, values={})

    with pytest.raises(InvalidInput) as refusal:
        list(map(mention, range(5)))
    assert str(refusal.value) == f"a.x: {complaint}"


def test_a_capacity_below_the_least_names_the_file() -> None:
    with pytest.raises(InvalidInput) as refusal:
        FORMATS["edges"].read("a.x", b"0 1 1e-30")
    assert str(refusal.value) == f"a.x: capacity of arc 0 is 1/1{'0' * 30}"


WHOLE = Topology.from_arcs(
    3, [(0, 1), (1, 2), (2, 0)], capacity=(1, 2, "1/3"), switches=(1,), names=("a", "b", "c")
)


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_damaged_file_is_read_or_refused_in_one_line(name: str) -> None:
    """Any byte changed, cut or repeated: a topology or InvalidInput, never another error."""
    chance = random.Random(7)
    written = FORMATS[name].text(WHOLE).encode()
    refused = 0
    for _ in range(3000):
        start, end = sorted(chance.choices(range(len(written)), k=2))
        end = min(end, start + chance.choice((0, 1, 9)))
        filling = chance.choice(
            (b"", bytes([chance.randrange(256)]), written[:30], b"9e9", b"[{<&")
        )
        complaint = _complaint(name, written[:start] + filling + written[end:])
        refused += complaint is not None
    assert refused > 300


@pytest.mark.parametrize("name", list(FORMATS))
@given(content=st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_noise_is_read_or_refused(name: str, content: bytes) -> None:
    _complaint(name, content)


def _complaint(name: str, content: bytes) -> str | None:
    try:
        FORMATS[name].read("a.x", content)
        return None
    except InvalidInput as error:
        complaint = str(error)
    assert complaint.startswith("a.x: ")
    assert "\n" not in complaint
    return complaint


def test_header_lines_of_no_nodes_are_counted_too() -> None:
    for line in (b"#: switches\n", b"#: reduce 1\n"):
        with pytest.raises(InvalidInput) as refusal:
            FORMATS["edges"].read("a.x", line * (MOST_TOLD + 1))
        told = f"a.x: line {MOST_TOLD + 1}: headers of more than {MOST_TOLD} nodes"
        assert str(refusal.value) == told


def test_arcs_that_are_too_many_together_are_not_added() -> None:
    read = draft.Draft("a.x", most_arcs=3)
    read.node("0", "line 1")
    loops = np.zeros((2, 2), dtype=np.int32)
    with pytest.raises(InvalidInput, match="more than 3"):
        read.arcs(loops, two_way=True, values={"capacity": np.zeros(2, dtype=np.int32)})
    read.arcs(
        loops, two_way=False, values={"latency": np.array([0, read.value_number("latency", 2)])}
    )
    assert (read.topology().arcs, read.topology().capacity) == (2, None)
    assert read.topology().latency == (1, 2)


def test_graphml_of_too_many_tags_is_neither_read_nor_written() -> None:
    written = graphml_text(WHOLE)
    assert graphml_text(WHOLE, written.count("<")) == written
    told = f"^{written.count('<')} tags; GraphML is for 9, an edge list for more$"
    with pytest.raises(InvalidInput, match=told):
        graphml_text(WHOLE, 9)
    content = b"<graphml>" + b"<a/>" * MOST_TAGS + b"<&"  # what is wrong further on is not met
    with pytest.raises(
        InvalidInput, match=f"^a.x: {MOST_TAGS + 2} tags; GraphML is for {MOST_TAGS}"
    ):
        FORMATS["graphml"].read("a.x", content)


def test_the_path_of_graphml_elements_is_joined_once_for_all_alike() -> None:
    edges = b"".join(b'<edge source="a" target="a" id="%d"/>' % key for key in range(2, -1, -1))
    content = b'<graphml><graph edgedefault="undirected"><node id="a"/>' + edges
    reader = _Reader("a.graphml", directed=False)
    reader.parser.Parse(content + edges.replace(b'id="', b'id="9') + b"</graph></graphml>", True)
    assert sorted(reader._known.values()) == [
        "graphml", "graphml/graph", "graphml/graph/edge", "graphml/graph/node",
    ]  # fmt: skip
    assert reader.topology().arcs == 12


def test_a_row_of_a_table_is_looked_at_alone_only_where_one_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "enumerate", lambda rows: pytest.fail("row by row"), raising=False)
    document = {"columns": ["a", "b"], "table": [[1, 2], [3, 4], [5, 6]]}
    found = tables.read_table(document, ("a", "b"), 3)
    assert {name: column.tolist() for name, column in found.items()} == {
        "a": [1, 3, 5], "b": [2, 4, 6],
    }  # fmt: skip
    assert tables.read_table({"columns": ["a"], "table": []}, ("a",), 0)["a"].tolist() == []
