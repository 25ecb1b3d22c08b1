"""The section of a report on failures: what searches tell, and nothing where hosts are cut off."""

from dataclasses import replace

from reports.pages.document import Table
from reports.size_failures import failure_blocks
from topofinder.api.failure_costs import FailureCostsByRecipe
from topofinder.api.report_size import size_report


def test_members_are_rated_after_failures() -> None:
    report = size_report(16, 4, "duplex")
    (only,) = report.failing
    assert (only.mark, report.point("F1").row.recipe) == ("F1", "C(16,{3,4})")
    assert only.after == FailureCostsByRecipe("duplex").row("C(16,{3,4})")
    words, table = failure_blocks(report)
    assert isinstance(words, str)
    assert isinstance(table, Table)
    cells = ("F1", "C(16,{3,4})", "1.8750", "1.8750", "1.9355", "1.9355", "2.0000")
    assert table.lines[0].cells == cells


def test_a_ring_that_a_loss_cuts_open_has_no_value() -> None:
    report = size_report(4, 1)
    _, table = failure_blocks(report)
    assert isinstance(table, Table)
    assert table.lines[0].cells[4:] == ("", "", "")
    (told,) = failure_blocks(replace(report, failing=()))
    assert isinstance(told, str)
    assert "topofinder query --with-failures rates them" in told
