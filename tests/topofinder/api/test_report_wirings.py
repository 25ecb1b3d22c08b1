"""What a report draws of its wirings: symmetry, root, steps of BFB, trees, timetable, moves."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import topofinder as tf
from expansions.build import build
from expansions.line_graph import line_graph
from expansions.parser import parse
from generators.topology import Topology
from reports.size_page import size_document
from reports.size_report import Point, SizeReport, WiringDrawing
from reports.size_wirings import wiring_blocks
from topofinder.api.report_size import size_report
from topofinder.api.report_wirings import chosen_times, steps_drawing, trees_of_best, wiring_drawing


@pytest.fixture(scope="module")
def report() -> SizeReport:
    return size_report(16, 4)


def drawing_of(report: SizeReport, recipe: str) -> tuple[Point, WiringDrawing]:
    row = replace(report.frontier[0].row, recipe=recipe, n=build(parse(recipe)).n)
    point = Point(mark="F1", row=row, stored=False)
    return point, wiring_drawing(point)


def test_steps_carry_what_the_cost_says(report: SizeReport) -> None:
    assert report.steps is not None
    assert report.steps.wiring is report.wirings[0]
    best = report.point(report.best).row
    loads = report.steps.loads
    assert loads.shape == (best.steps, len(report.steps.wiring.tail))
    bandwidth = sum(map(Fraction, loads.max(axis=1).tolist())) * report.d / report.n
    assert bandwidth == best.bandwidth
    assert loads.sum() == report.n * (report.n - 1)  # each shard once to each host
    assert "steps" in [plot.name for plot in size_document(report).plots()]


def test_many_hosts_have_no_steps(report: SizeReport) -> None:
    point, wiring = drawing_of(report, "C(65,{1,8})")
    assert steps_drawing(point, [wiring]) is None
    assert wiring.around is wiring.root is None
    assert steps_drawing(point, []) is None


def test_a_line_graph_without_a_symmetry_has_its_root(report: SizeReport) -> None:
    _, wiring = drawing_of(report, "L(K(4,4))")
    root = wiring.root
    assert root is not None
    assert wiring.root_name == "K(4,4)"
    arcs = list(zip(root.tail.tolist(), root.head.tolist(), strict=True))
    again = line_graph(Topology.from_arcs(root.n, arcs))
    assert np.array_equal(again.tail, wiring.tail)
    assert np.array_equal(again.head, wiring.head)
    shown = replace(report, wirings=(wiring,))
    assert "root-F1" in [plot.name for plot in size_document(shown).plots()]


def test_a_symmetry_turns_the_circle(report: SizeReport) -> None:
    _, wiring = drawing_of(report, "C(16,{3,4})")
    assert wiring.root is None
    assert wiring.around is not None
    place = np.argsort(wiring.around)
    turned = [
        {
            ((place[u] + k) % 16, (place[v] + k) % 16)
            for u, v in zip(wiring.tail, wiring.head, strict=True)
        }
        for k in (0, 1)
    ]
    assert turned[0] == turned[1]


def test_trees_lead_from_a_host_to_all_others(report: SizeReport) -> None:
    assert report.trees is not None
    wiring = report.wirings[0]
    arcs = set(zip(wiring.tail.tolist(), wiring.head.tolist(), strict=True))
    assert report.trees.words.startswith(f"{len(report.trees.trees)} of ")
    for tree in report.trees.trees:
        assert {(parent, child) for parent, child, _ in tree.edges} <= arcs
        reached = {tree.root}
        for parent, child, _ in tree.edges:
            assert parent in reached
            assert child not in reached
            reached.add(child)
        assert reached == set(range(16))
        assert f"height {max(tree.depths().values())}" in tree.name
    assert "trees" in [plot.name for plot in size_document(report).plots()]
    point, _ = drawing_of(report, "C(33,{1,8})")
    assert trees_of_best(point) is None


@pytest.fixture(scope="module")
def rated() -> SizeReport:
    return size_report(8, 4, methods=("bfb", "timed"))


def test_the_timetable_of_the_choice_is_drawn(rated: SizeReport) -> None:
    assert rated.times is not None
    assert rated.chosen is not None
    assert rated.times.seconds == rated.chosen.seconds
    row, count = rated.chosen.parts[0]
    assert row.method in rated.times.words
    lines, sends = len(rated.times.arcs), rated.times.sends
    assert {send.line for send in sends} == set(range(lines))
    assert f"{len(sends)} of " in rated.times.words
    for line in range(lines):
        own = sorted((send.begin, send.begin + send.length) for send in sends if send.line == line)
        assert all(end <= begin + 1e-12 for (_, end), (begin, _) in pairwise(own))
    [plot] = [plot for plot in size_document(rated).plots() if plot.name == "timetable"]
    stretches = [patch for patch in plot.draw().axes[0].patches if patch.get_gid()]
    assert len(stretches) == len(sends)
    stepped = replace(rated.chosen, parts=((replace(row, method="bfb"), count),))
    assert chosen_times("F1", stepped) is None


def test_the_moves_of_a_plan_are_drawn(tmp_path: Path) -> None:
    fabric, wired, db = (tmp_path / name for name in ("f.json", "w.csv", "t.db"))
    tf.inventory("Torus(4,4)", fabric, current=wired)
    tf.plan(fabric, wired, "C(16,{3,4})", tmp_path / "p.json", db=db, time=1)
    report = size_report(16, 4, "duplex", db)
    [plan] = report.plans
    [plot] = [plot for plot in size_document(report).plots() if plot.name == "moves-1"]
    axes = plot.draw().axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == [label.get_text() for label in axes.get_xticklabels()]
    wanted: dict[str, set[tuple[str, str]]] = {"freed": set(), "made": set()}
    for move in plan.listed:
        group = wanted["made" if move.action == "connect" else "freed"]
        group |= {(move.port_a, move.port_b), (move.port_b, move.port_a)}
    drawn = {
        str(line.get_gid()): {
            (names[int(row)], names[int(column)])
            for column, row in zip(*line.get_data(), strict=True)
        }
        for line in axes.lines
        if line.get_gid()
    }
    assert drawn == wanted


@pytest.mark.parametrize(("hosts", "lines"), [(8, 0), (33, 2)])
def test_what_many_hosts_have_no_picture_of_is_told(
    hosts: int, lines: int, rated: SizeReport
) -> None:
    many = replace(rated, n=hosts, trees=rated.trees if hosts == 8 else None)
    told = [block for block in wiring_blocks(many) if isinstance(block, str)]
    assert len(told) == sum("not drawn here" in line for line in told) == lines
    assert all(f" {hosts} hosts" in line for line in told)
