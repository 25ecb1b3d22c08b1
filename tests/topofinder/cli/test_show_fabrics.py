"""`show --fabrics` lists every fabric with its source."""

import json

import pytest

from generators.fabrics.register import FABRICS
from tests.command import ran


def test_the_catalogue_has_every_fabric_with_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(ran(capsys, "show", "--fabrics", "--json").out)
    assert [row["name"] for row in listed] == sorted(FABRICS)
    assert all(row["source"] and row["description"] for row in listed)
    text = ran(capsys, "show", "--fabrics").out
    assert "NVL72(racks)" in text
    assert len(text.splitlines()) == len(FABRICS) + 2


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("show", "--fabrics", "K(4)"), "--fabrics goes together with --json alone"),
        (("show",), "show: a recipe, a fabric or a file is needed, or --fabrics"),
    ],
)
def test_what_does_not_go_together_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], line: str
) -> None:
    ended = ran(capsys, *arguments)
    assert (ended.code, ended.out, ended.err) == (2, "", f"topofinder: {line}\n")
