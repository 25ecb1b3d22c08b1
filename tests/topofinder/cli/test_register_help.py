"""Help lists what is registered when it is printed; the parser is built once a process."""

import pytest

from tests.command import ran
from topofinder.alltoall.demand.patterns import PATTERNS, DemandPattern, register_pattern
from topofinder.api.reproduce.register import REPRODUCTIONS
from topofinder.cli.app import command_parser


def test_help_knows_what_was_registered_after_it_was_printed_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = ran(capsys, "throughput", "--help")
    star = DemandPattern(
        name="star", description="all to one", matrix=lambda text, hosts, numbers: None
    )
    register_pattern(star)
    try:
        between = ran(capsys, "throughput", "--help")
    finally:
        del PATTERNS["star"]
    assert "star" not in before.out
    assert "star" in between.out
    assert ran(capsys, "throughput", "--help") == before


def test_a_command_leaves_nothing_to_the_next_one(capsys: pytest.CaptureFixture[str]) -> None:
    parser = command_parser()
    first = ran(capsys, "show", "K(4)", "--json")
    assert ran(capsys, "show", "K(4)").out != first.out
    assert ran(capsys, "show", "--jsn", "K(4)").code == 2
    assert ran(capsys, "show", "K(4)", "--json") == first
    assert command_parser() is parser


def test_help_lists_all_that_can_be_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    words = "".join(ran(capsys, "reproduce", "--help").out.split())
    for name in REPRODUCTIONS:
        assert f"{name}," in words or f"{name}or" in words or f"or{name}." in words
