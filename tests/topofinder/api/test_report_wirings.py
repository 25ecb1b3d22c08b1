"""What a report draws of its wirings: a symmetry, the root of a line graph, the steps of BFB."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.line_graph import line_graph
from expansions.parser import parse
from generators.topology import Topology
from reports.size_page import size_document
from reports.size_report import Point, SizeReport, WiringDrawing
from topofinder.api.report_size import size_report
from topofinder.api.report_wirings import steps_drawing, wiring_drawing


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
