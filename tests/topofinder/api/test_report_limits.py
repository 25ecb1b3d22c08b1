"""A report's tables of what no allreduce beats and of customary collectives, against `show`."""

from dataclasses import replace
from fractions import Fraction

import pytest

import topofinder as tf
from reports.pages.document import Table
from reports.size_limits import limit_blocks, mapped_blocks
from reports.size_report import SizeReport
from topofinder.api.report_size import USUAL, size_report


@pytest.fixture(scope="module")
def report() -> SizeReport:
    return size_report(18, 4, workload=replace(USUAL, sizes=((Fraction(2**20), 3),)))


def _table(blocks: object) -> Table:
    return next(block for block in blocks if isinstance(block, Table))


def test_limits_are_those_that_show_tells(report: SizeReport) -> None:
    lines = _table(limit_blocks(report)).lines
    assert len(lines) == len(report.frontier)
    for point, line in zip(report.frontier, lines, strict=True):
        told = tf.show(point.row.recipe).to_dict()["any_allreduce"]
        names = ("reduce_scatter_allgather", "cuts", "hosts", "reduce_broadcast")
        known = tuple(told[name] or "" for name in names)
        costs = (str(point.row.allreduce.bandwidth), *known, told["optimal_by"] or "neither")
        assert line.cells == (point.mark, point.row.recipe, *costs)
        assert line.key == point.row.id


def test_customary_collectives_are_those_that_show_compares(report: SizeReport) -> None:
    recipe = report.point(report.best).row.recipe
    times = {"alpha": "10us", "size": "1MiB", "bandwidth": "100Gbps"}
    told = tf.show(recipe, baselines=True, **times).to_dict()["baselines"]
    known = {row["baseline"]: row for row in told if row["time"] is not None}
    lines = _table(mapped_blocks(report)).lines
    assert [line.cells[0].removesuffix("*") for line in lines] == list(known)
    for line in lines:
        row = known[line.cells[0].removesuffix("*")]
        assert line.cells[2] == f"{float(Fraction(row['time']) * 4):.4f}"
        assert line.cells[3] == f"{row['over_optimum']:.3f}"
        assert line.cells[0].endswith("*") == row["through_hosts"]
        assert float(line.cells[5]) == pytest.approx(3e6 * row["seconds"], abs=0.06)
    left = next(row["reason"] for row in told if row["time"] is None)
    assert any(isinstance(block, str) and left in block for block in mapped_blocks(report))


def test_several_sizes_have_no_time_of_their_own() -> None:
    sizes = ((Fraction(2**10), 1), (Fraction(2**20), 2))
    found = size_report(6, 2, workload=replace(USUAL, sizes=sizes))
    assert {line.cells[5] for line in _table(mapped_blocks(found)).lines} == {""}


def test_many_hosts_are_left_to_show(report: SizeReport) -> None:
    [told] = mapped_blocks(replace(report, mapped=None))
    assert f"topofinder show '{report.point(report.best).row.recipe}' --baselines" in told
