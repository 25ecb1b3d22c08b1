"""`topofinder plan` with several targets, or with none and a budget of moves."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from db.rows import SizeRow
from generators.topology import Topology
from tests.command import ran
from topofinder.api.inventory import inventory
from topofinder.api.shared.frontiers import search_size

FILES = ("--inventory", "i.json", "--current", "c.csv", "--time", "1s")
BEST = "C(16,{3,4})"
IN_PLACE = "the wiring in place"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def fabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    inventory("Torus(4,4)", "i.json", "c.csv")


def told_by(capsys: Capture, *words: object) -> dict:
    done = ran(capsys, "plan", *FILES, *words, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_a_budget_of_moves_buys_the_quickest_wiring(capsys: Capture) -> None:
    for most, target, moves in ((40, BEST, 4), (4, BEST, 4), (3, IN_PLACE, 0)):
        told = told_by(capsys, "--max-moves", most, "-o", "p.csv")
        assert (told["target"], told["moves"]) == (target, moves)
        (chosen,) = [row for row in told["targets"] if row["chosen"]]
        assert (chosen["graph"], chosen["moves"]) == (target, moves)
        times = [row["seconds"] for row in told["targets"]]
        assert times == sorted(times)
        # 6 alpha + 2 * 15/16 * 1 MiB at 100 Gbps for the circulant; two steps more for the torus.
        assert times[0] == pytest.approx(60e-6 + 1.875 * 2**20 * 8 / 100e9)
        assert ran(capsys, "replay", "p.json", *FILES[:4]).code == 0
    told = told_by(capsys, "--max-moves", 3)
    bounds = [(row["moves"], row["lower_bound"]) for row in told["targets"]]
    assert bounds == [(None, 4), (0, 0), (None, None)]
    assert told["targets"][2]["graph"] == f"{IN_PLACE}, 3 circuits new"  # fewer steps, more data


def test_of_several_targets_the_nearest_is_planned(capsys: Capture) -> None:
    near = told_by(capsys, "--to", BEST, "--to", "Q(4)")
    assert (near["target"], near["moves"]) == ("Q(4)", 0)
    quick = told_by(capsys, "--to", BEST, "--to", "Q(4)", "--loss", "0")
    assert (quick["target"], quick["moves"]) == (BEST, 4)
    slow = told_by(capsys, "--loss", "5%", "--alpha", "1ns", "--size", "1GiB",
                   "--bandwidth", "1Gbps", "--to", BEST, "--to", "Q(4)")  # fmt: skip
    assert slow["target"] == "Q(4)"
    assert told_by(capsys, "--loss", "5%")["target"] == BEST


def test_the_text_tells_what_was_weighed(capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, "--to", "K(4,4)*2", "--to", BEST, "--to", "Q(4)")
    assert done.out.splitlines()[-7:] == [
        "What was weighed, the quickest first (T_L in alpha, T_B in M/B, of an allreduce):",
        "",
        "moves  at least  T_L  T_B    time      method              graph",
        "-----  --------  ---  -----  --------  ------  ----------  -----------",
        "                   4  0.938  118.6 us  bfb     impossible  K(4,4)*2",
        "4             4    6  1.875  217.3 us  bfb                 C(16,{3,4})",
        "0             0    8  1.875  237.3 us  bfb     planned     Q(4)",
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "--to: what to wire is needed, or --max-moves, --loss or --grow"),
        (("--max-moves", -1), "--max-moves: 0 or more, not -1"),
        (("--loss", "much"), "--loss: "),
        (("--grow", 4), "--grow: 0 hosts with 4 live ports are not in place, not 4"),
        (("--grow", -15), "--grow: at most 14 hosts may leave, not 15"),
        (("--grow", 1, "--to", BEST), "--grow: the frontier is looked up"),
        (("--grow", 1, "--pin", "h0=0"), "--pin: nodes are those of targets that --to names"),
        (("--max-moves", 9, "--degraded"), "--degraded: one --to is needed"),
        (("--max-moves", 9, "--start", "s.csv"), "--start: a placement is one of a single --to"),
        (("--to", BEST, "--max-moves", 1, "--hosts", "h0,h1"), "--max-moves: "),
        (("--to", BEST, "--max-moves", 1, "--alpha", "1us"), "times need --alpha"),
        (("--loss", "5"), "--loss: a part from 0 to 1, or such as 5%, not '5'"),
    ],
)
def test_what_is_refused_is_told_in_a_line(
    words: tuple[object, ...], line: str, capsys: Capture
) -> None:
    Path("s.csv").write_text("node,host\n")
    done = ran(capsys, "plan", *FILES, *words)
    assert (done.code, done.out) == (2, "")
    assert line in done.err
    assert done.err.count("\n") == 1


def test_pairs_of_hosts_do_not_grow(capsys: Capture) -> None:
    inventory("K(2)", "i.json", "c.csv", hosts=6, force=True)
    done = ran(capsys, "plan", *FILES, "--grow", 4, "--mode", "duplex")
    told = "duplex circuits, one a host, do not connect 6 hosts"
    assert (done.code, done.err) == (2, f"topofinder: --mode: {told}\n")


def test_a_budget_that_nothing_fits_is_refused_with_the_nearest(capsys: Capture) -> None:
    Path("c.csv").write_text("port_a,port_b\n")
    done = ran(capsys, "plan", *FILES, "--max-moves", 9)
    assert (done.code, "no circuits are in place" in done.err) == (2, True)
    done = ran(capsys, "plan", *FILES, "--to", BEST, "--max-moves", 9)
    told = "every target that was weighed takes at least 32, more than 9"
    assert done.err == f"topofinder: --max-moves: {told}\n"


def test_what_is_near_counts_where_it_is_above_the_budget(capsys: Capture) -> None:
    """The frontier alone takes 8 at least; the wiring in place grows with 7."""
    inventory("Torus(3,4)", "i.json", "c.csv", hosts=20, force=True)
    done = ran(capsys, "plan", *FILES, "--grow", 2, "--max-moves", 5)
    told = "the nearest that was found, the wiring in place, 8 circuits new, takes 7, more than 5"
    assert (done.code, done.out, done.err) == (2, "", f"topofinder: --max-moves: {told}\n")


def test_what_is_in_place_takes_no_moves_also_untried(capsys: Capture) -> None:
    told = told_by(capsys, "--max-moves", 40)
    (row,) = [row for row in told["targets"] if row["graph"] == IN_PLACE]
    assert (row["moves"], row["lower_bound"], row["chosen"]) == (0, 0, False)


def test_hosts_join_and_leave(capsys: Capture) -> None:
    inventory("C(12,{2,3})", "i.json", "c.csv", hosts=14, force=True)
    told = told_by(capsys, "--grow", 2, "-o", "p.csv")
    assert (told["n"], told["moves"] <= 8, told["joining"]) == (14, True, ["h12", "h13"])
    assert told["moves"] == min(row["moves"] for row in told["targets"])
    near = [row for row in told["targets"] if row["graph"].startswith(IN_PLACE)]
    assert [row["seconds"] for row in near] == sorted(row["seconds"] for row in near)
    assert ran(capsys, "replay", "p.json", *FILES[:4]).code == 0
    less = told_by(capsys, "--grow", -2)
    assert (less["n"], len(less["leaving"]), less["moves"] <= 4) == (10, 2, True)


PANELS = [
    ("Kautz(2,1)", "--panels", 2, "--hosts", 7, "--mode", "simplex", 1, 4),
    ("Cay(Z5;1,2)", "--panels", 2, "--hosts", 6, "--mode", "simplex", 1, 4),
    ("C(6,{1,2})", "--panels", 2, "--hosts", 7, 1, 4),
    ("Kautz(2,3)", "--panels", 2, "--hosts", 28, "--mode", "simplex", 1, 4),
    ("Kautz(2,3)", "--panels", 2, "--hosts", 28, "--mode", "simplex", 2, 8),
    ("Kautz(2,3)", "--panels", 2, "--hosts", 28, "--mode", "simplex", 3, 12),
    ("Torus(6,6)", "--panels", 4, "--hosts", 40, 4, 16),
    ("Torus(6,6)", "--panels", 2, "--hosts", 40, 2, 8),
    ("Torus(6,6)", "--panels", 2, "--hosts", 40, "--kind", "ocs", "--circulators", 2, 8),
    ("Torus(4,4)||2", "--panels", 2, "--hosts", 18, "--trunk", 2, 2, 8),
    ("Q(4)||2", "--panels", 3, "--hosts", 18, "--trunk", 2, 2, 8),
    ("Q(5)", "--panels", 2, "--hosts", 34, 2, 10),
]


@pytest.mark.parametrize("words", PANELS)
def test_on_several_panels_no_circuit_changes_panels(capsys: Capture, words: tuple) -> None:
    """Moves are the circuits more and those that are cut: all else stays, on panels that fit."""
    *of_fabric, more, most = words
    files = ("--inventory", "p.json", "--current", "p.csv", "--time", "500ms")
    done = ran(capsys, "inventory", *of_fabric, "-o", "p.json", "--current", "p.csv")
    assert done.code == 0
    told = json.loads(ran(capsys, "plan", *files, "--grow", more, "--json").out)
    assert (told["moves"] <= most, told["missing"], len(told["joining"])) == (True, 0, more)
    assert any(
        row["graph"].startswith(IN_PLACE) and row["moves"] <= most for row in told["targets"]
    )


def test_near_graphs_are_weighed_by_the_quicker_of_two_schedules(capsys: Capture) -> None:
    """What is told of the one that is planned are the costs of rows made for its arcs."""
    ran(capsys, "inventory", "Kautz(2,3)", "-o", "g.json", "--current", "g.csv", "--hosts", 25)
    files = ("--inventory", "g.json", "--current", "g.csv", "--time", "100ms", "-o", "p.csv")
    told = json.loads(ran(capsys, "plan", *files, "--grow", 1, "--json").out)
    (row,) = [row for row in told["targets"] if row["chosen"]]
    assert row["graph"] == f"{IN_PLACE}, 4 circuits new"
    made = json.loads(Path("p.json").read_text())
    graph = Topology.from_arcs(25, list(zip(*made["arcs"], strict=True)))
    costs = {}
    for method in ("bfb", "deferred"):
        found = tf.schedule(graph, method=method, collective="allreduce").schedule.cost(graph)
        costs[method] = found.steps, found.bandwidth
    assert row["method"] == min(costs, key=lambda method: costs[method]) == "deferred"
    both = Fraction(row["bandwidth"]) + Fraction(row["reduce_scatter"]["bandwidth"])
    assert (row["steps"] + row["reduce_scatter"]["steps"], both) == costs["deferred"]


def test_of_stored_schedules_of_a_graph_the_quickest_counts(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search_with_slower(*size: object) -> SizeRow:
        found = search_size(*size)
        members = found.frontier.members
        slower = [replace(row, method="deferred", steps=row.steps + 1) for row in members]
        return replace(found, pool=(*(found.pool or ()), *slower))

    words = "--grow", -2, "--loss", "100%", "--time", "100ms"
    alone = told_by(capsys, *words)
    monkeypatch.setattr("topofinder.api.plan_nearest.search_size", search_with_slower)
    assert told_by(capsys, *words)["targets"] == alone["targets"]


def test_targets_are_weighed_at_the_rates_of_ports(capsys: Capture) -> None:
    """Each time is that of the schedule of what is planned, each number of moves that alone."""
    inventory("Torus(3,3)", "i.json", "c.csv", force=True)
    rates, times = "2@1Gbps,2@3Gbps", {"alpha": "1us", "size": "1MiB"}
    files = ("--inventory", "i.json", "--current", "c.csv", "--link-rates", rates, "--time", "1s")
    asked = (*files, "--alpha", times["alpha"], "--size", times["size"], "--json")
    several = ("--to", "C(9,{1,2})", "--to", "C(9,{1,3})", "--to", "Torus(3,3)")
    told = json.loads(ran(capsys, "plan", *asked, *several, "--loss", "300%").out)["targets"]
    for row in told:
        words = (*asked, "--to", row["graph"], "-o", "p.csv")
        alone = json.loads(ran(capsys, "plan", *words).out)
        assert (row["moves"], row["missing"]) == (alone["moves"], 0)
        made = json.loads(Path("p.json").read_text())
        graph = Topology.from_arcs(
            9,
            list(zip(*made["arcs"], strict=True)),
            capacity=[Fraction(one) / 125_000_000 for one in made["arc_rates"]],
            unit_rate=125_000_000,
        )
        found = tf.schedule(graph, method="bfb", collective="allreduce", **times)
        assert float(found.runtime) == pytest.approx(row["seconds"])
        Path("p.csv").unlink()
    chosen = [row for row in told if row["chosen"]]
    assert [row["moves"] for row in chosen] == [min(row["moves"] for row in told)]
    most = max(row["moves"] for row in told)
    within = json.loads(ran(capsys, "plan", *asked, *several, "--max-moves", most).out)["targets"]
    least = min(row["seconds"] for row in within)
    assert [row["seconds"] for row in within if row["chosen"]] == [least]
    grown = ("inventory", "Torus(3,3)", "-o", "g.json", "--current", "g.csv", "--hosts", 10)
    assert ran(capsys, *grown).code == 0
    files = ("--inventory", "g.json", "--current", "g.csv", "--link-rates", rates, "--time", "1s")
    more = json.loads(ran(capsys, "plan", *files, "--grow", 1, "--json").out)
    assert (more["n"], sum(one["circuits"] for one in more["rates"])) == (10, 20)
