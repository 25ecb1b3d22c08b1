"""`show` of a topology file: the wiring costs what its recipe would, beside the same bounds."""

from pathlib import Path

import networkx as nx
import pytest

import topofinder as tf
from tests.command import ran


@pytest.mark.parametrize("recipe", ["C(16,{3,4})", "L(K(3,3))", "Kautz(2,2)", "Pi(3,11)", "Q(4)"])
@pytest.mark.parametrize("suffix", [".edges", ".graphml", ".json"])
def test_a_wiring_costs_what_its_recipe_does(recipe: str, suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"wiring{suffix}"
    tf.write_topology(tf.build(recipe).topology, file)
    told, known = tf.show(str(file)).to_dict(), tf.show(recipe).to_dict()
    by_bfb = next(row for row in known["schedules"] if row["method"] == "bfb")
    assert told["schedules"] == [by_bfb]
    same = ("n", "d", "links", "bound", "diameter")
    assert [told[name] for name in same] == [known[name] for name in same]


def test_hosts_with_unlike_numbers_of_links_are_costed(tmp_path: Path) -> None:
    file = tmp_path / "path.edges"
    tf.write_topology(tf.from_networkx(nx.path_graph(3)), file)
    facts = tf.show(str(file)).to_dict()
    # the hosts at the ends take one shard in each of two steps over one link, of two that B counts
    assert (facts["steps"], facts["bandwidth"]) == (2, "4/3")
    assert not facts["properties"]["regular"]


def test_the_baselines_of_its_size_stand_beside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ring.edges"
    tf.write_topology(tf.from_networkx(nx.cycle_graph(6)), file)
    told = ran(capsys, "show", str(file), "--with-baselines")
    assert told.code == 0
    assert "ring      BiRing(2,6)" in told.out


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    told = ran(capsys, "show", "missing.graphml")
    assert told == (
        2,
        "",
        "topofinder: missing.graphml: cannot be read: no such file or directory\n",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 1\n1 2\n", "wiring.edges: not strongly connected: node 1 cannot reach node 0"),
        ("0 1 2 3\n", "wiring.edges"),
        ("", "wiring.edges"),
    ],
)
def test_what_cannot_be_costed_is_refused_in_one_line(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wiring.edges"
    file.write_text(text, encoding="utf-8")
    told = ran(capsys, "show", str(file))
    assert told.code == 2
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert words in told.err


def test_links_of_unequal_rates_are_for_seconds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = nx.DiGraph([(0, 1), (1, 0)])
    graph[0][1]["capacity"] = 2
    graph[1][0]["capacity"] = 1
    nx.write_graphml(graph, tmp_path / "wiring.graphml")
    told = ran(capsys, "show", str(tmp_path / "wiring.graphml"))
    assert told.code == 2
    assert "T_L and T_B are for equal links" in told.err
