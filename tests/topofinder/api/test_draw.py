"""Pictures: what is in them, counted in the SVG, is what the nouns hold, counted one by one."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import topofinder as tf
from expansions.compact_schedule import CompactSchedule
from tests.command import ran
from topofinder.api.shared.timetable_drawings import busy_parts
from topofinder.api.shared.tree_drawings import tree_loads
from topofinder.model.timetable import expand_timetable

TIMES = {"alpha": "10us", "size": "1MiB", "bandwidth": "100Gbps"}
NAMED = re.compile(r'<g id="p-([a-z]+)-([\w-]+)"')


def elements(picture: tf.Picture) -> Counter[str]:
    """How many elements of each kind the SVG has: host, link, arc, edge, send ..."""
    found = NAMED.findall(picture.svg)
    assert len(set(found)) == len(found), "no two elements share an id"
    return Counter(kind for kind, _ in found)


def circuits(recipe: str) -> int:
    """Circuits between different hosts, an arc and its return counted once."""
    graph = tf.build(recipe).topology
    arcs = Counter(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    return sum(max(arcs[u, v], arcs[v, u]) for u in range(graph.n) for v in range(u))


def texts(picture: tf.Picture) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture.svg)


@pytest.mark.parametrize(
    ("recipe", "links", "arcs"), [("Torus(4,4)", 32, 0), ("L(K(2,2))", 4, 8), ("Diamond", 0, 16)]
)
def test_a_graph_has_its_hosts_and_circuits(recipe: str, links: int, arcs: int) -> None:
    graph = tf.build(recipe).topology
    assert 2 * links + arcs == np.count_nonzero(graph.tail != graph.head)
    found = elements(tf.draw(recipe))
    assert found == Counter(host=graph.n, link=links, arc=arcs)


def test_a_large_graph_is_a_matrix_with_a_cell_for_each_arc() -> None:
    picture = tf.draw("C(60,{1,7})")
    cells = np.asarray(picture.figure.axes[0].images[0].get_array())
    graph = tf.build("C(60,{1,7})").topology
    wanted = np.zeros((60, 60))
    wanted[graph.tail, graph.head] = 1
    assert np.array_equal(cells, wanted)
    assert elements(tf.draw("C(60,{1,7})", "circle"))["host"] == 60


def test_a_matrix_is_in_circulant_blocks_where_a_symmetry_is_known() -> None:
    """Torus(8,6): cycles of 24 hosts, two of them; each block of 24 x 24 is a circulant."""
    axes = tf.draw("Torus(8,6)", "matrix").figure.axes[0]
    cells = np.asarray(axes.images[0].get_array())
    assert cells.sum() == 48 * 4
    for row in (0, 24):
        for column in (0, 24):
            block = cells[row : row + 24, column : column + 24]
            assert np.array_equal(block, np.roll(block, (1, 1), axis=(0, 1)))
    assert sum(str(line.get_gid()).startswith("rule") for line in axes.lines) == 2


def test_an_expansion_is_drawn_step_by_step() -> None:
    picture = tf.draw("L^2(K(2,2))*2", "expansion")
    sizes = [len(axes.lines) for axes in picture.figure.axes]
    assert sizes == [4, 8, 16, 32], "a mark for each host"
    recipes = ["K(2,2)", "L(K(2,2))", "L^2(K(2,2))", "L^2(K(2,2))*2"]
    assert [len(axes.patches) for axes in picture.figure.axes] == list(map(circuits, recipes))
    product = tf.draw(tf.parse("Diamond^2 x K(2)"), "expansion")
    assert [axes.get_title().replace("\n", "") for axes in product.figure.axes] == [
        *("Diamond", "Diamond^2: 64 nodes", "K(2)", "Diamond^2 x K(2): 128 nodes")
    ]


def test_recipes_are_drawn_side_by_side() -> None:
    picture = tf.draw(["K(5)", tf.parse("Q(3)")])
    assert picture.title == "2 graphs"
    assert [len(axes.lines) for axes in picture.figure.axes] == [5, 8]


def test_a_frontier_has_its_members_marked() -> None:
    answer = tf.search(16, 4)
    found = texts(answer.plot())
    assert {f"F{mark}" for mark in range(1, len(answer.members) + 1)} <= set(found)
    assert f"F{len(answer.members) + 1}" not in found
    assert "with the other candidates" in found
    assert all(row.recipe in answer.plot().words for row in answer.members)


def loads_by_hand(answer: tf.Answer) -> dict[tuple[int, int], Fraction]:
    """What crosses each arc at each step, added up row by row; arcs have capacity 1."""
    schedule, graph = answer.schedule, answer.topology  # type: ignore[attr-defined]
    rows = schedule.expand(graph) if isinstance(schedule, CompactSchedule) else schedule
    found: dict[tuple[int, int], Fraction] = {}
    for row in range(rows.rows):
        cell = int(rows.step[row]), int(rows.arc[row])
        piece = Fraction(int(rows.end[row] - rows.begin[row]), rows.denominator)
        found[cell] = found.get(cell, Fraction()) + piece
    return found


@pytest.mark.parametrize("recipe", ["C(8,{1,3})", "Diamond"])
def test_steps_show_the_arcs_that_are_used_with_their_loads(recipe: str) -> None:
    answer = tf.schedule(recipe, method="bfb")
    loads, picture = loads_by_hand(answer), answer.plot()
    *steps, bar = picture.figure.axes
    assert len(steps) == answer.cost.steps
    for step, axes in enumerate(steps, 1):
        own = [load for (at, _), load in loads.items() if at == step]
        assert len(axes.patches) == len(own)
        told = f"step {step}: {len(own)} arcs, most {float(max(own)):.4g}"
        assert axes.get_title() == told
        wide = {round(patch.get_linewidth(), 6) for patch in axes.patches}
        assert len(wide) == len(set(own))
    assert bar.get_ylabel() == "load of an arc [shards]"


def test_the_heat_map_has_the_load_of_each_arc() -> None:
    answer = tf.schedule("Diamond", method="bfb")
    cells = np.asarray(answer.plot("loads").figure.axes[0].images[0].get_array())
    whole: dict[tuple[int, int], Fraction] = {}
    graph = answer.topology
    for (_, arc), load in loads_by_hand(answer).items():
        pair = int(graph.tail[arc]), int(graph.head[arc])
        whole[pair] = whole.get(pair, Fraction()) + load
    assert {pair: float(load) for pair, load in whole.items()} == {
        (u, v): pytest.approx(cells[u, v]) for u, v in np.argwhere(~np.isnan(cells)).tolist()
    }
    assert elements(answer.plot("loads"))["load"] == len(whole)


def test_a_forest_has_the_edges_of_its_trees() -> None:
    answer = tf.schedule("DGXA100(2)", method="forest")
    trees = answer.forest.spread
    own = [entry for entry in range(trees.trees) if trees.root[entry] == trees.root[0]]
    found = elements(answer.plot())
    assert found == {"edge": 15 * len(own), "node": 16 * len(own)}
    dashed = [
        line.get_linestyle() for axes in answer.plot().figure.axes for line in axes.lines
    ].count("--")
    assert dashed == 15 * len(own), "every edge leads through a switch"


def test_loads_of_trees_are_those_of_each_hop() -> None:
    """An allreduce: in-trees against their edges, and out-trees; parallel arcs share."""
    answer = tf.schedule("Diamond||2", method="forest", collective="allreduce")
    forest = answer.forest
    whole: Counter[tuple[int, int]] = Counter()
    for phase in forest.phases:
        trees = phase.trees
        for entry in range(trees.trees):
            for route in trees.route[trees.start[entry] : trees.start[entry + 1]].tolist():
                nodes = trees.node[trees.route_start[route] : trees.route_start[route + 1]].tolist()
                for u, v in pairwise(nodes):
                    pair = (u, v) if phase.name == "spread" else (v, u)
                    whole[pair] += Fraction(int(trees.copies[entry]), trees.k)
    graph = forest.topology
    ends = zip(graph.tail.tolist(), graph.head.tolist(), strict=True)
    assert tree_loads(forest).tolist() == pytest.approx([float(whole[pair] / 2) for pair in ends])


def test_a_timetable_has_a_stretch_for_each_send() -> None:
    answer = tf.schedule("C(5,{1,2})", method="timed", **TIMES)
    whole = expand_timetable(answer.timetable)
    found = elements(answer.plot())
    assert found == {"send": whole.sends}
    names = {f"{u}-{v}" for u, v in zip(whole.topology.tail, whole.topology.head, strict=True)}
    assert names <= set(texts(answer.plot()))


def test_only_so_many_lines_of_a_large_timetable_are_drawn() -> None:
    answer = tf.schedule("Torus(4,4)", method="timed", **TIMES)
    whole = expand_timetable(answer.timetable)
    picture = answer.plot()
    lines = len(picture.figure.axes[0].get_yticks())
    assert lines == 40
    tails = whole.topology.tail[whole.channel]
    assert elements(picture)["send"] == np.count_nonzero(tails < 10), "four arcs a host"
    assert "40 of 64 arcs" in picture.words


@pytest.mark.parametrize("subject", ["C(5,{1,2})", "DGXA100(1)"])
def test_arcs_are_busy_for_as_long_as_their_sends(subject: str) -> None:
    times = TIMES if subject.startswith("C") else {"alpha": "1us", "size": "1MiB"}
    timetable = expand_timetable(tf.schedule(subject, method="timed", **times).timetable)
    arrive, (late, _) = timetable.arrivals(), timetable.channel_ticks()
    start, route = timetable.routes
    rates, graph = timetable.arc_rates(), timetable.topology
    held = [Fraction() for _ in range(graph.arcs)]
    for send in range(timetable.sends):
        channel = int(timetable.channel[send])
        arcs = [channel]
        if channel >= graph.arcs:
            first, last = start[channel - graph.arcs : channel - graph.arcs + 2]
            arcs = route[first:last].tolist()
        least = min(int(rates[arc]) for arc in arcs)
        busy = int(arrive[send] - timetable.begin[send] - late[channel])
        for arc in arcs:
            held[arc] += Fraction(busy * least, int(rates[arc]))
    wanted = [float(one / timetable.makespan) for one in held]
    assert busy_parts(timetable).tolist() == pytest.approx(wanted)


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tf.Answer:
    folder = tmp_path_factory.mktemp("plan")
    tf.inventory("Torus(3,3)", folder / "i.json", current=folder / "i.csv")
    return tf.plan(folder / "i.json", folder / "i.csv", "C(9,{1,2})", time=1)


def test_a_plan_shows_the_port_matrix_before_and_after(planned: tf.Answer) -> None:
    plan = planned.plan  # type: ignore[attr-defined]
    picture = planned.plot()
    before, after = plan.before.to.tolist(), plan.after.to.tolist()
    wanted = {
        "before-kept": {(a, p) for p, a in enumerate(before) if a >= 0 and after[p] == a},
        "before-moved": {(a, p) for p, a in enumerate(before) if a >= 0 and after[p] != a},
        "after-moved": {(a, p) for p, a in enumerate(after) if a >= 0 and before[p] != a},
    }
    wanted["after-kept"] = wanted["before-kept"]
    lines = [line for axes in picture.figure.axes for line in axes.lines if line.get_gid()]
    found = {str(line.get_gid()): set(zip(*line.get_data(), strict=True)) for line in lines}
    assert found == wanted
    groups = {str(line.get_gid()): len(line.get_xdata()) for line in lines}
    for name, count in groups.items():
        group = picture.svg.split(f'id="p-{name}"')[1].split("</g>")[0]
        assert group.count("<use") == count


def test_files_are_drawn_as_what_is_in_them(tmp_path: Path) -> None:
    tf.schedule("Diamond", tmp_path / "s.npz", method="bfb")
    tf.schedule("Diamond", tmp_path / "f.json", method="forest")
    tf.build("Q(3)", tmp_path / "q.edges")
    assert tf.draw(tmp_path / "s.npz").svg == tf.schedule("Diamond", method="bfb").plot().svg
    assert tf.draw(tmp_path / "f.json", "loads").title == "allgather on Diamond"
    assert elements(tf.draw(tmp_path / "q.edges"))["host"] == 8
    assert elements(tf.draw(tf.load(tmp_path / "q.edges")))["host"] == 8


def test_pictures_are_labelled_and_the_same_bytes_every_time(tmp_path: Path) -> None:
    first, second = tf.draw("K(4)"), tf.draw("K(4)")
    path = first.save(tmp_path / "k.svg")
    assert path.read_bytes() == second.save(tmp_path / "l.svg").read_bytes()
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == first.words == "The graph K(4): 4 nodes, 12 arcs"
    assert first._repr_svg_() == first.svg
    assert first.save(tmp_path / "k.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: tf.draw("K(4)", "trees"), "view: 'trees' is none of graph, circle, matrix"),
        (lambda: tf.schedule("K(4)").plot("x"), "view: 'x' is none of steps, loads"),
        (lambda: tf.show("K(4)").plot(), "plot: there is no picture of a RecipeAnswer"),
        (lambda: tf.draw("K(4)").save("a.pdf"), "file: pictures are .svg or .png, not 'a.pdf'"),
        (lambda: tf.draw([]), "subject: 1 to 48 recipes, not 0"),
        (lambda: tf.draw("none.npz"), "none.npz: "),
    ],
)
def test_what_has_no_picture_is_refused(act: Callable[[], object], words: str) -> None:
    with pytest.raises(tf.TopofinderError) as found:
        act()
    assert str(found.value).startswith(words)


def test_import_and_answers_take_no_matplotlib() -> None:
    import subprocess
    import sys

    code = (
        "import sys, topofinder as tf; tf.show('K(4)'); tf.draw; print('matplotlib' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def test_a_plan_that_was_written_is_drawn_as_it_was(tmp_path: Path) -> None:
    tf.inventory("Torus(3,3)", tmp_path / "i.json", current=tmp_path / "i.csv")
    made = tf.plan(
        tmp_path / "i.json", tmp_path / "i.csv", "C(9,{1,2})", tmp_path / "p.csv", time=1
    )
    read = tf.load(tmp_path / "p.json", inventory=tmp_path / "i.json")
    assert (tf.draw(read).title, tf.draw(read).words) == (made.plot().title, made.plot().words)
    assert elements(tf.draw(read)) == elements(made.plot())
    broken = replace(read, rollback=())  # type: ignore[type-var]
    with pytest.raises(tf.InvalidInput, match="does not lead back"):
        tf.draw(broken)


@pytest.mark.parametrize(
    ("recipe", "root", "view"),
    [
        ("L(K(4,4))", "K(4,4)", None),
        ("L^2(K(2,2))", "L(K(2,2))", "root"),
        ("L(Pi(3,5))", "Pi(3,5)", "root"),
    ],
)
def test_a_root_shows_every_host_as_an_arc(recipe: str, root: str, view: str | None) -> None:
    picture, graph = tf.draw(recipe, view), tf.build(root).topology
    loops = int(np.count_nonzero(graph.tail == graph.head))
    assert elements(picture)["host"] == graph.arcs - loops
    assert set(map(str, range(graph.arcs))) <= set(texts(picture))
    assert f"by its root {root}: each of its {graph.arcs} hosts" in picture.words
    line = tf.build(recipe).topology  # what the words say of hosts holds of its arcs
    assert (graph.head[line.tail] == graph.tail[line.head]).all()


def test_a_small_line_graph_stands_on_a_circle() -> None:
    assert "by its root" not in tf.draw("L(K(2,2))").words
    assert "by its root" not in tf.draw("L(K(4,4))", "circle").words


def test_roots_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(tf.InvalidInput, match=r"view: root is for line graphs such as"):
        tf.draw("K(4,4)", "root")
    with pytest.raises(tf.Unsupported, match="view: root is for up to 96 hosts, not 128"):
        tf.draw("L^2(K(4,4))", "root")


def test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = "The graph C(8,{1,3}): 8 nodes, 32 arcs, written to a.svg\n"
    assert ran(capsys, "draw", "C(8,{1,3})", "-o", "a.svg") == (0, words, "")
    assert Path("a.svg").read_text().endswith(f"{tf.draw('C(8,{1,3})').svg}\n")
    refused = ran(capsys, "draw", "C(8,{1,3})", "--view", "rings", "-o", "b.svg")
    assert refused == (2, "", "topofinder: view: 'rings' is none of graph, circle, matrix\n")
    refused = ran(capsys, "draw", "C(8,{1,3})", "-o", "b.pdf")
    assert refused == (2, "", "topofinder: file: pictures are .svg or .png, not 'b.pdf'\n")
    refused = ran(capsys, "draw", "K(3)", "K(4)", "--view", "circle", "-o", "b.svg")
    expected = "--view: is for one subject, not for several side by side"
    assert refused == (2, "", f"topofinder: {expected}\n")
    assert [file.name for file in tmp_path.iterdir()] == ["a.svg"]
